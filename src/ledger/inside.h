/*
 * What the files of this folder share: the handle, and transactions. Rows are
 * written through ledger_write or ledger_write_all; a read that needs more than
 * one statement goes through ledger_read.
 */
#ifndef LEDGER_INSIDE_H
#define LEDGER_INSIDE_H

#include "ledger/budgets.h"

struct ledger {
    custos_alloc alloc;
    char *path;
    size_t path_bytes;
    int lock;
    struct db *db;       /* NULL: closed after a failure; the next use opens
                            it */
    struct terms *terms; /* the terms in force when last read, or NULL */
    bool read_only;      /* the disk is read-only: no row can be added */
    bool suspect; /* a commit or sync failed: reopen before admitting again */
};

typedef custos_status ledger_step(struct ledger *l, void *arg, custos_err *err);

/*
 * Lock, BEGIN IMMEDIATE, step, COMMIT, unlock. On success what the step wrote
 * is durable; on failure it is rolled back or, if the commit itself failed, may
 * be in the ledger. A step that is refused must not have written anything; if
 * it has, the transaction is rolled back.
 */
CUSTOS_MUST_USE custos_status ledger_write(struct ledger *l, ledger_step *step,
                                           void *arg, custos_err *err);

/* One of several steps of a transaction, and its result. */
struct ledger_part {
    ledger_step *step;
    void *arg;
    custos_status status;
    custos_err *err;
};

/*
 * The same for several steps with one commit: each sees what those before it
 * wrote, and one that is refused does not affect the others. If the disk or
 * memory fails, all of them fail.
 */
void ledger_write_all(struct ledger *l, struct ledger_part *parts, size_t n);

/* What each kind of job does; arg is the job. */
ledger_step step_charge, step_charges, step_act, step_keep;

/* May the analyst be charged at all: is the policy of the request in force, and
   the analyst not suspended? Also checks the request itself. */
CUSTOS_MUST_USE custos_status charge_check(struct ledger *l,
                                           const struct ledger_request *r,
                                           custos_err *err);

/* Runs a step in a transaction that only reads. */
CUSTOS_MUST_USE custos_status ledger_read(struct ledger *l, ledger_step *step,
                                          void *arg, custos_err *err);

/*
 * Brings l->terms up to date with this transaction. May fail: CUSTOS_EPOLICY
 * (there are none), CUSTOS_ECORRUPT, CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status ledger_terms_now(struct ledger *l,
                                               custos_err *err);

/*
 * Appends a row (to an empty chain the opening row first), and updates the
 * common sums. c, own: for a charge, its cost and the analyst's sums before it,
 * to which the cost is added.
 */
CUSTOS_MUST_USE custos_status ledger_append(struct ledger *l,
                                            struct ledger_row *row,
                                            const struct charge *c,
                                            struct sums *own, custos_err *err);

/* credentials_find_name finds a name's credentials, or fails with CUSTOS_ENAME.
   credentials_check_name checks that the policy in force has the name (always
   true for the owner). */
struct ledger_credential;
CUSTOS_MUST_USE custos_status credentials_find_name(
    struct db *d, str name, struct ledger_credential *out, custos_err *err);
CUSTOS_MUST_USE custos_status credentials_check_name(struct ledger *l, str name,
                                                     custos_err *err);

/* Creates an empty ledger at a path that does not exist. */
CUSTOS_MUST_USE custos_status ledger_make(const char *path, custos_err *err);

/* Migrates an open file to LEDGER_FORMAT, or rejects it. */
CUSTOS_MUST_USE custos_status ledger_migrate(struct db *d, custos_err *err);

#endif
