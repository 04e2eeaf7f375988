/*
 * Prepared statements and portals of a session, by name. A portal holds its
 * statement, so closing or replacing the statement does not affect the portal.
 *
 * Invariant: their memory (texts, types, columns, values, answers) counts
 * against the limits of the session and of its analyst from the moment they are
 * named until they are freed. A statement that only a portal still holds counts
 * too. No statement holds a statement and no portal a portal, so they cannot
 * form chains.
 */
#ifndef PG_PREPARED_H
#define PG_PREPARED_H

#include "pg/rows.h"
#include "serve/shares.h"
#include "sql/statement.h"

enum {
    PREPARED_MAX = 1000, /* statements, and as many portals */
    HELD_MAX = 1 << 24,  /* bytes of a session, if no other limit is set */
};

struct held;

struct prepared {
    struct prepared *next;
    char *name;
    uint64_t hash; /* of the name */
    size_t holders;
    struct held *held; /* where its bytes count; NULL: nowhere yet */
    size_t bytes;
    arena *a;
    str text;
    bool empty; /* the text holds no statement */
    struct statement statement;
    struct pg_column *columns; /* n_columns 0: it gives no rows */
    size_t n_columns;
    uint32_t *types; /* of parameters, as the client declared them */
    size_t n_types;
    uint32_t *params; /* the parameters' types as planned */
    size_t n_params;
};

struct portal {
    struct portal *next;
    char *name;
    uint64_t hash;
    size_t bytes;
    struct prepared *of;
    arena *a;
    struct formats formats;
    struct datum *params;        /* values, of a question */
    struct catalog_value *texts; /* values as text, of a catalog query */
    struct rows *rows; /* one released answer, being given out; else NULL */
    size_t at;         /* bytes of it given out so far */
    bool done;         /* all of it was given out */
};

struct held {
    struct prepared *prepared;
    struct portal *portals;
    size_t n_prepared, n_portals, bytes;
    size_t limit;        /* in bytes; 0: HELD_MAX */
    struct share *share; /* of all sessions of the analyst; borrowed */
};

/* New and unnamed, with an arena; NULL: out of memory. */
struct prepared *prepared_new(void);
struct portal *portal_new(struct prepared *of);
void prepared_drop(struct prepared *p); /* freed with its last holder */
void portal_free(struct portal *p);

/* Store p under a name; with an empty name p replaces what had that name before.
   They take ownership of p even if they fail: CUSTOS_EOVERFLOW, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status held_prepare(struct held *h, str name,
                                           struct prepared *p, custos_err *err);
CUSTOS_MUST_USE custos_status held_bind(struct held *h, str name,
                                        struct portal *p, custos_err *err);

struct prepared *held_prepared(struct held *h, str name);
struct portal *held_portal(struct held *h, str name);
void held_close_prepared(struct held *h, str name);
void held_close_portal(struct held *h, str name);
void held_close_portals(struct held *h);
void held_close_all_prepared(struct held *h);
void held_clear(struct held *h);

/* An answer counts while it is being given out. It may exceed the limit, since
   it is paid for; after that nothing more is asked until there is room. */
void held_answer(struct held *h, struct portal *p, struct rows *rows);
void held_given(struct held *h, struct portal *p);
CUSTOS_MUST_USE custos_status held_has_room(const struct held *h,
                                            custos_err *err);

/* Replaces a text by a copy in a; false: out of memory. */
bool str_keep(arena *a, str *text);

#endif
