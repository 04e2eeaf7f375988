/*
 * The statements in a text that a session received, and the kind of each, from
 * PostgreSQL's own tree. A session executes settings, transactions and cursors
 * itself, passes queries on and refuses the rest by name.
 */
#ifndef SQL_STATEMENT_H
#define SQL_STATEMENT_H

#include "base/arena.h"
#include "custos.h"

enum statement_kind {
    STATEMENT_SELECT,    /* for curator_answer and curator_describe */
    STATEMENT_EXPLAIN,   /* of a SELECT: the same */
    STATEMENT_CATALOG,   /* a SELECT that names no table but those of pg_catalog
                           and information_schema: for curator_catalog */
    STATEMENT_SET,       /* name, value; local */
    STATEMENT_RESET,     /* name; empty: all. SET x TO DEFAULT is this too */
    STATEMENT_SHOW,      /* name, or "all". Also SELECT set_config(...),
                            with sets, value (NULL: the default) and local */
    STATEMENT_BEGIN,     /* BEGIN, START TRANSACTION */
    STATEMENT_COMMIT,    /* COMMIT, END */
    STATEMENT_ROLLBACK,  /* ROLLBACK, ABORT */
    STATEMENT_SAVEPOINT, /* name; the next two also have one */
    STATEMENT_RELEASE,   /* RELEASE SAVEPOINT */
    STATEMENT_ROLLBACK_TO, /* ROLLBACK TO SAVEPOINT */
    STATEMENT_DISCARD,     /* value: "all", "plans", "sequences", "temp" */
    STATEMENT_PREPARE,     /* name; query_at, query_len */
    STATEMENT_EXECUTE,     /* name */
    STATEMENT_DEALLOCATE,  /* name; empty: all */
    STATEMENT_DECLARE,     /* name; query_at, query_len; hold, scroll */
    STATEMENT_FETCH,       /* name; forward, count */
    STATEMENT_MOVE,        /* the same, without showing rows */
    STATEMENT_CLOSE,       /* name; empty: all */
    STATEMENT_LISTEN,      /* LISTEN, NOTIFY */
    STATEMENT_UNLISTEN,    /* a no-op; connection pools send it */
    STATEMENT_COPY,
    STATEMENT_WRITE, /* INSERT, UPDATE, DELETE, MERGE, TRUNCATE, LOCK */
    STATEMENT_OTHER, /* DDL, functions, and everything else */
};

enum {
    STATEMENTS_MAX = 1000,
    /* In words and symbols (peek.h): */
    STATEMENT_TOKENS_SHORT = 300, /* up to this length, any text is parsed */
    STATEMENT_TOKENS_MAX =
        3000, /* only a single SELECT of the policy's tables may be longer */
};

#define STATEMENT_ALL INT64_MAX /* FETCH ALL */

struct statement {
    int at, len; /* bytes of the text, without the semicolon and blanks */
    enum statement_kind kind;
    str word;   /* its first word in PostgreSQL's spelling: "SELECT"; "CREATE"
                  for CREATE TABLE */
    str name;   /* in lower case unless it was quoted */
    str value;  /* SET: as SHOW would show it; several are joined by ", " */
    bool local; /* SET LOCAL */
    bool sets;  /* SHOW: sets the value before it shows it */
    str column; /* SHOW: name of the output column; empty: the setting's */
    int name_param, value_param; /* parameters with name and value; 0: none */
    int query_at, query_len;
    bool hold, scroll;
    bool forward; /* FETCH: NEXT or FORWARD; other directions are refused */
    int64_t count;
};

/*
 * The statements of a text, in order; empty ones are left out, so n may be 0.
 * As in PostgreSQL, a mistake anywhere rejects the whole text. The exception is
 * a long SELECT of the policy's tables: it is recognised by its words, and
 * parsed only when it is answered. So this takes about a millisecond, and about
 * ten for a text that is neither short nor such a SELECT. May fail:
 * CUSTOS_ESYNTAX, CUSTOS_EOVERFLOW (too long), CUSTOS_EUNSUPPORTED (too deep,
 * too many), CUSTOS_ENOMEM. All texts live in a.
 */
CUSTOS_MUST_USE custos_status statements_read(arena *a, str text,
                                              struct statement **out, size_t *n,
                                              custos_err *err);

/*
 * The error for a statement that no session supports: COPY, writing, DDL,
 * LISTEN, cursors WITH HOLD and the like. CUSTOS_EUNSUPPORTED at its position.
 */
custos_status statement_refuse(const struct statement *s, custos_err *err);

#endif
