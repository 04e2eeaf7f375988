/*
 * A task: work that a worker thread does for a PostgreSQL session. It owns copies
 * of all it works with, so it can outlive the session that made it.
 */
#ifndef PG_TASK_H
#define PG_TASK_H

#include "pg/mailbox.h"
#include "pg/rows.h"
#include "serve/bars.h"
#include "serve/question.h"
#include "serve/shares.h"
#include "sql/statement.h"
#include "wire/scram.h"

enum task_kind {
    TASK_VERIFIER, /* the verifier of a name, or a mock of one */
    TASK_ANSWER,
    TASK_DESCRIBE,
    TASK_CATALOG,
    TASK_CATALOG_DESCRIBE,
    TASK_BUDGET, /* what is left, as the text of one row */
    TASK_READ,   /* parses ask.sql into statements */
};

struct task {
    struct question q; /* first, so that its job can be cast to this */
    enum task_kind kind;
    arena *a;
    struct mailbox *box;        /* where it goes when it is done */
    uint32_t owner;             /* the id of the connection it is for */
    str user;                   /* TASK_VERIFIER */
    struct formats formats;     /* TASK_ANSWER, TASK_CATALOG */
    struct catalog_ask catalog; /* TASK_CATALOG, TASK_CATALOG_DESCRIBE */
    uint32_t *types;            /* of parameters, for descriptions; 0: not
                                   given */
    size_t n_types;
    struct share *share; /* of the analyst, held; the rows count there */
    size_t counted;
    size_t reply_max; /* bytes of rows in a free reply; 0: no limit */

    /* out */
    struct scram_verifier verifier;
    struct rows *rows;         /* held by the task */
    char cost[COST_MAX];       /* of a private answer; else empty */
    const char *note;          /* shown with a plan, or NULL */
    struct pg_column *columns; /* of descriptions, in a */
    size_t n_columns;
    uint32_t *params;
    size_t n_params;
    struct statement *statements; /* TASK_READ, in a */
    size_t n_statements;
};

/* The submitter sets work and done. NULL: out of memory. */
struct task *task_new(enum task_kind kind);
void task_free(struct task *t);

/* Copies a text into the task; .ptr is NULL if out of memory. */
str task_copy(struct task *t, str text);

/* job.work: does the task. */
void task_work(struct job *j, struct curator *c);

#endif
