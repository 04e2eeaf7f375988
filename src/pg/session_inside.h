/*
 * Internal to a session: session.c takes messages, session_task.c hands tasks
 * out and takes them back, login.c does the login, reading.c parses texts,
 * statements.c does statements that are not questions, simple.c and extended.c
 * are the two query protocols, asking.c asks questions, giving.c sends answers.
 */
#ifndef PG_SESSION_INSIDE_H
#define PG_SESSION_INSIDE_H

#include "base/error.h"
#include "pg/prepared.h"
#include "pg/session.h"
#include "pg/settings.h"

enum {
    OUT_HIGH = 1 << 18,  /* bytes to send, beyond which no message is read and
                            no row written */
    OUT_LIMIT = 1 << 26, /* most bytes that wait to be sent */
    FRESH_US = 250000,   /* how long a worker thread's check is relied on: see
                            asking.c */
    TURN_COST = 256,     /* messages, statements and tokens in one turn, each at
                            most about 6 us; then others have their turn */
};

/* The state of a session. Up to AT_FINAL the client has not logged in. */
enum session_at {
    AT_FIRST,  /* first packets */
    AT_TLS,    /* in the handshake */
    AT_NAMED,  /* a worker thread looks up the verifier */
    AT_SASL,   /* client-first is awaited */
    AT_FINAL,  /* client-final is awaited */
    AT_READY,  /* waits for the next message */
    AT_WORK,   /* waits for a task */
    AT_GIVING, /* rows are being written */
    AT_CANCEL, /* another's question is to be cancelled */
    AT_END,
};

/* What a task is for. */
enum session_then {
    THEN_READ, /* to parse a text, of `parsing` or of the batch */
    THEN_SIMPLE,
    THEN_PARSE,
    THEN_EXECUTE,
    THEN_FETCH,
};

/* The statements of one Query message, done one by one. */
struct batch {
    arena *a; /* NULL: none runs */
    str text;
    struct statement *of;
    size_t n, i;
};

/* How rows are sent, and which message ends them. */
enum give {
    GIVE_ALL,    /* with their description; ends with SELECT */
    GIVE_PORTAL, /* for Execute; ends with SELECT, or PortalSuspended if there
                    are more */
    GIVE_FETCH,  /* from a cursor; ends with FETCH */
    GIVE_MOVE,   /* skips rows of a cursor; ends with MOVE */
};

struct giving {
    struct rows *rows;
    struct portal *portal; /* NULL for GIVE_ALL */
    enum give how;
    size_t at;
    uint64_t given, most;
};

struct session {
    const struct session_host *host;
    struct session_peer peer;
    enum session_at at;
    enum session_then then;
    struct buf in, out;
    struct credential who;
    char *user, *database;
    struct scram *scram; /* during the login */
    bool secured;
    size_t binding_len;
    uint8_t binding[SCRAM_BINDING_MAX];
    struct settings settings;
    struct held held;
    struct share *share; /* of its analyst, held after the login */
    size_t counted;      /* bytes of this session in it */
    enum pg_state state;
    bool skip;                   /* ignore messages up to the next Sync, after
                                    an error */
    struct task *task, *running; /* not yet fetched; not yet back */
    enum session_stop stop;      /* why the running question was given up */
    struct batch batch;
    struct prepared *parsing; /* the statement of a Parse or DECLARE */
    char *parsing_name;
    struct portal *portal; /* the portal of an Execute or FETCH */
    uint32_t rows_asked;
    char *declaring; /* the cursor that `parsing` is for; NULL: none */
    str outer;       /* the text of its DECLARE, and where the query is in it */
    int outer_at;
    uint64_t fetch_most;
    enum give fetch_how;
    struct giving giving;
    struct buf key;       /* cache key of the running question; empty: do not
                             cache */
    int64_t confirmed_us; /* when a worker thread last found the credential
                             valid */
    struct pg_cancel cancel;
    int64_t turn_us; /* the turn of the loop, and what it has cost so far */
    size_t cost;
    size_t key_len; /* of the cancel key that the client gets; 0: none yet */
};

/* --- session.c */

/* Send an error; the rest of the batch, or all up to Sync, is then skipped. */
void session_error(struct session *s, const struct pg_report *r);
void session_fail(struct session *s, const custos_err *err, str sql);
void session_refuse(struct session *s, const char *sqlstate, const char *format,
                    ...) CUSTOS_PRINTF(3, 4);
/* The same, and the session ends. */
void session_fatal(struct session *s, const char *sqlstate, const char *said,
                   const char *hint);

/* Sends ReadyForQuery; the next message can then be taken. */
void session_ready(struct session *s);

/* Continues as far as it can, until it needs something (session_need). */
void session_go(struct session *s, int64_t now_us);

/* --- session_task.c */

/* Begins a task. NULL: out of memory, and the client has been told. */
struct task *
session_want(struct session *s, enum task_kind kind, enum session_then then);

/* --- giving.c */

/* Sends rows; from a portal, at most `most` of them. They are held until they
   are sent. */
void session_give(struct session *s, struct rows *rows);
void session_give_some(struct session *s, struct portal *portal, enum give how,
                       uint64_t most);

/* Sends as many rows as there is space for. */
void giving_go(struct session *s);

/* --- login.c */

void login_first(struct session *s, const struct pg_message *m, size_t rest,
                 int64_t now_us);
void login_step(struct session *s, const struct pg_message *m, int64_t now_us);
void login_told(struct session *s, struct task *t);

/* --- asking.c */

struct asking {
    str text; /* as it came, for the cache; empty: do not use the cache */
    const struct statement *statement;
    str sql;                     /* of the statement */
    const struct portal *portal; /* parameters and formats; NULL: none */
};

/* Rows from the cache for this question, or NULL. Sets s->key to its cache key. */
struct rows *
asking_cached(struct session *s, const struct asking *a, int64_t now_us);

/* Begins a task that asks the question. False: refused. */
bool
asking_begin(struct session *s, const struct asking *a, enum session_then then);

/* True: the task failed, and the client has been told. Its statement begins at
   byte `at` of text. */
bool asking_failed(struct session *s, const struct task *t, str text, int at);

/* Returns the rows of a task that succeeded; sends the notices and puts the rows
   into the cache. */
struct rows *asking_end(struct session *s, struct task *t, int64_t now_us);

/* --- statements.c */

enum done {
    DONE,    /* its messages are written */
    FAILED,  /* the error is written */
    PENDING, /* a task runs, or rows are being sent */
};

/* Does a statement that is not a question, or refuses it. */
enum done statement_do(struct session *s, const struct statement *st, str text,
                       int64_t now_us);
bool statement_asks(enum statement_kind kind);

/* SET and RESET; false: refused. */
bool statement_set(struct session *s, const struct statement *st, str text);

/* False: refused, since the transaction is aborted and this does not end it. */
bool statement_allowed(struct session *s, const struct statement *st);

/* --- show.c */

bool show_is_budget(const struct statement *st);
/* The caller holds the rows; NULL: refused. values: those of the parameters, or
   NULL. */
struct rows *show_rows(struct session *s, const struct statement *st, str text,
                       const struct datum *values);

/* --- reading.c */

/* Parse a text into the batch, or the text of s->parsing; then simple_read,
   extended_read or cursor_read continues, perhaps after a task. */
void reading_batch(struct session *s, str text);
void reading_prepared(struct session *s);
void reading_told(struct session *s, struct task *t);

/* --- simple.c */

void simple_query(struct session *s, str text, int64_t now_us);
void simple_read(struct session *s); /* the batch has its statements */
void simple_told(struct session *s, struct task *t, int64_t now_us);
void simple_go(struct session *s, int64_t now_us); /* the next statement */

/* --- extended.c */

void
extended_message(struct session *s, const struct pg_message *m, int64_t now_us);
void extended_read(struct session *s); /* s->parsing has its statement */
void extended_parsed(struct session *s, struct task *t);
void extended_told(struct session *s, struct task *t, int64_t now_us);

/* Stores the values of a Bind message in a portal. */
CUSTOS_MUST_USE custos_status portal_bind_values(struct portal *p,
                                                 const struct pg_bind *m,
                                                 custos_err *err);

/* --- cursor.c */

enum done
cursor_declare(struct session *s, const struct statement *st, str text);
void cursor_read(struct session *s);     /* s->parsing has its statement */
void cursor_declared(struct session *s); /* s->parsing is described */
enum done
cursor_fetch(struct session *s, const struct statement *st, int64_t now_us);
void cursor_told(struct session *s, struct task *t, int64_t now_us);

#endif
