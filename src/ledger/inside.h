/*
 * What the files of this folder share: the handle, and how a transaction is
 * done. Everything that writes goes through ledger_write, everything that
 * reads several things through ledger_read.
 */
#ifndef LEDGER_INSIDE_H
#define LEDGER_INSIDE_H

#include "ledger/budgets.h"

struct ledger {
    custos_alloc alloc;
    char *path;
    size_t path_bytes;
    int lock;
    struct db *db;       /* NULL: a failure closed it; the next use opens it */
    struct terms *terms; /* those in force when last looked at, or NULL */
    bool read_only;      /* the disk is: no row can be added */
    bool suspect; /* a commit or sync failed: reopen before admitting again */
};

typedef custos_status ledger_step(struct ledger *l, void *arg, custos_err *err);

/*
 * Lock, BEGIN IMMEDIATE, step, COMMIT, unlock. On success what step wrote is
 * durable; on failure it is undone, or, where the commit itself failed, may
 * stand. A step that refuses has written nothing (held to: else all of it is
 * undone).
 */
CUSTOS_MUST_USE custos_status ledger_write(struct ledger *l, ledger_step *step,
                                           void *arg, custos_err *err);

/* One of several steps of a transaction, and what became of it. */
struct ledger_part {
    ledger_step *step;
    void *arg;
    custos_status status;
    custos_err *err;
};

/*
 * The same for several, one after the other: each sees what those before it
 * wrote, one that refuses leaves the others alone, and one commit is for all.
 * If the disk or the memory fails, none of them takes effect and each has that
 * failure.
 */
void ledger_write_all(struct ledger *l, struct ledger_part *parts, size_t n);

/* What each kind of job does; arg is the job. */
ledger_step step_charge, step_act, step_keep;

/* One snapshot for all that step reads. */
CUSTOS_MUST_USE custos_status ledger_read(struct ledger *l, ledger_step *step,
                                          void *arg, custos_err *err);

/*
 * Brings l->terms up to date with this transaction. May fail: CUSTOS_EPOLICY
 * (there are none), CUSTOS_ECORRUPT, CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status ledger_terms_now(struct ledger *l,
                                               custos_err *err);

/*
 * Adds a row, the very first one if need be, and brings the state of the whole
 * up to date with it; c, own: a charge, and the analyst's sums before it.
 */
CUSTOS_MUST_USE custos_status ledger_append(struct ledger *l,
                                            struct ledger_row *row,
                                            const struct charge *c,
                                            struct sums *own, custos_err *err);

/* A name's credentials, or CUSTOS_ENAME; and whether the policy in force has the name,
   as it always has the owner. */
struct ledger_credential;
CUSTOS_MUST_USE custos_status credentials_find_name(
    struct db *d, str name, struct ledger_credential *out, custos_err *err);
CUSTOS_MUST_USE custos_status credentials_check_name(struct ledger *l, str name,
                                                     custos_err *err);

/* Makes an empty ledger at a path where nothing is. */
CUSTOS_MUST_USE custos_status ledger_make(const char *path, custos_err *err);

/* Brings an opened file to LEDGER_FORMAT, or refuses it. */
CUSTOS_MUST_USE custos_status ledger_migrate(struct db *d, custos_err *err);

#endif
