/*
 * A generator of whole queries that aim at failure, at time and at sensitivity.
 *
 * It knows what an analyst knows: the public schema and the functions that
 * doc/analyst.md lists. Expressions are typed, because a rejected query tests
 * nothing, and lean towards what has gone wrong before: literals at the ends of
 * their types, values that only one person has (CASE WHEN id = $P ...), casts
 * between all types, products that just fit, sums whose terms cancel, texts
 * that only some readers take for numbers, dates outside the calendar, patterns
 * on which a matcher backtracks, and joins that multiply rows.
 *
 * In the texts, $P stands for a person: attack.h asks about one who is in the
 * data.
 */
#ifndef AUDIT_CURATOR_GRAMMAR_H
#define AUDIT_CURATOR_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/coins.h"
#include "audit/stranger/schema.h"
#include "base/str.h"

enum aim { AIM_FAILURE, AIM_TIME, AIM_SENSITIVITY, N_AIMS };

enum {
    GRAMMAR_TEXT_MAX = 1 << 16, /* the longest query that a server reads */
    GRAMMAR_ITEMS_MAX = 32,
    GRAMMAR_FORMS_MAX = 512,
    SCOPE_COLUMNS_MAX = 96,
    SCOPE_NAME_MAX = 140,
};

/*
 * Types are letters, as in the templates of forms.c: i whole number, m decimal,
 * r real, t text, D date, T timestamp, b condition.
 */
struct scope_column {
    char name[SCOPE_NAME_MAX]; /* as it is written in the query */
    char type;
    bool small;  /* a whole number within ten million */
    bool ranged; /* has a public range: it can be summed */
    bool is_key; /* public values: it can be a key without a delta */
};

/* What expressions of a query may name. */
struct scope {
    struct scope_column column[SCOPE_COLUMNS_MAX];
    size_t n;
    char unit[SCOPE_NAME_MAX]; /* the person's column; "" if there is none */
};

/* Which templates an expression used. */
struct form_set {
    uint64_t bits[GRAMMAR_FORMS_MAX / 64];
};

/* A query: head, then the items of its select list, then tail. */
struct made {
    enum aim aim;
    struct buf head, items, tail;
    size_t start[GRAMMAR_ITEMS_MAX + 1]; /* of item i in `items` */
    bool dropped[GRAMMAR_ITEMS_MAX];
    struct form_set forms[GRAMMAR_ITEMS_MAX]; /* of item i */
    struct form_set rest;                     /* of head and tail */
    size_t n_items;
    size_t n_keys;    /* the first so many items are keys of GROUP BY */
    bool plain;       /* all other items are counts and sums as they are */
    bool tables;      /* GROUPING SETS, ROLLUP or CUBE over the keys */
    bool only_person; /* key number 0 has a value that only $P has */
    double epsilon;   /* a price that suits it */
};

struct grammar {
    const struct schema *schema;
    struct coins coins;
    struct buf *out; /* the expression goes here */
    const struct scope *scope;
    struct form_set *used;
    /* How many items with this template were accepted, and rejected. */
    uint32_t accepted[GRAMMAR_FORMS_MAX], rejected[GRAMMAR_FORMS_MAX];
    unsigned serial; /* names of subqueries and columns */
};

void grammar_init(struct grammar *g, const struct schema *schema, uint64_t seed,
                  uint64_t stream);

/* The next query. `out` is initialised by made_init, and can be used again. */
void grammar_make(struct grammar *g, enum aim aim, struct made *out);

/* Templates of rejected items become rarer. */
void
grammar_learn(struct grammar *g, const struct form_set *used, bool accepted);

void made_init(struct made *m);
void made_clear(struct made *m);

/* The query's text, without its dropped items. */
void made_write(const struct made *m, struct buf *out);

/* How many items are left. */
size_t made_left(const struct made *m);

/* The item whose text contains this byte of what made_write writes; n_items if
   none does. */
size_t made_item_at(const struct made *m, size_t byte);

/* ----------------------------------------------- for the files of grammar -- */

static inline bool
grammar_chance(struct grammar *g, unsigned percent)
{
    return coins_below(&g->coins, 100) < percent;
}

static inline unsigned
grammar_below(struct grammar *g, size_t n)
{
    return coins_below(&g->coins, (uint32_t)n);
}

/* Adds an expression of a type, of at most this depth. */
void grammar_expr(struct grammar *g, char type, int depth);

/* Expands one template. */
void grammar_form(struct grammar *g, const char *form, int depth);

/* Adds FROM and what follows up to WHERE; the scope is what it makes visible. */
void grammar_from(struct grammar *g, enum aim aim, struct scope *scope);

/* A table of one of the schema's kinds, at random; NULL if there is none. */
const struct schema_table *grammar_table(struct grammar *g, bool is_public);

/* Adds the columns of a table, each named "prefix.column" if there is a prefix. */
void scope_add_table(struct scope *scope, const struct schema_table *table,
                     const char *prefix);

/* Adds a column, unless the scope is full. */
void scope_add(struct scope *scope, const char *prefix, str name, char type,
               bool small, bool ranged, bool is_key);

/* A column of this type, or NULL. */
const struct scope_column *
scope_pick(struct grammar *g, const struct scope *scope, char type);

char type_letter(enum data_type type);

/* The templates: see forms.c. */
struct form_list {
    char letter;
    const char *const *form;
    size_t n;
    size_t first; /* number of its first template among all */
};

struct form_list forms_of(char letter);

#define GRAMMAR_ONE(g, list) ((list)[grammar_below(g, COUNT_OF(list))])

#endif
