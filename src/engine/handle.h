/*
 * An open engine as those files of this folder see it that do not depend on which
 * engine it is: they build statements (statement.h), an engine runs them and gives
 * rows (rows.h).
 */
#ifndef ENGINE_HANDLE_H
#define ENGINE_HANDLE_H

#include <stdatomic.h>

#include "engine/engine.h"
#include "engine/statement/rows.h"
#include "engine/statement/statement.h"

/* A table as queries see it. */
struct engine_table {
    bool sorted;   /* by unit and rank */
    int64_t *cuts; /* ascending units, about equal numbers of rows apart */
    size_t n_cuts;
    /* For a public table: the number of its rows, then for each column the most
       rows that share a value. Stored plus 1; 0: not counted yet (count.c). */
    _Atomic uint64_t *counts;
};

/* What an engine does. Its messages never leave it: a failure is one constant
   sentence, and the original goes to err->noted. */
struct engine_ops {
    /* Runs a select in a lane; each lane is for one thread at a time. Rows of a
       scan of one sorted table, with filters and projections alone, come in the
       order of storage. s need not outlive the call. On success the caller
       frees *out. */
    custos_status (*ask)(struct engine *e, size_t lane, const struct select *s,
                         struct result **out, custos_err *err);
    /* Computes a select into INPUT_KEPT `number`, which statements of lane 0 can
       read until `forget`, called with the number of kept tables. */
    custos_status (*keep)(struct engine *e, size_t number,
                          const struct select *s, custos_err *err);
    void (*forget)(struct engine *e, size_t n);
    /* Writes a text that is the same for equal inputs and different for others. */
    void (*write)(const struct engine *e, const struct input *in,
                  struct buf *out);
    /* Can this table be read, and is it unchanged? Messages call it `name`. Reads
       no values. */
    custos_status (*check)(struct engine *e, const struct policy_table *t,
                           str name, custos_err *err);
    custos_status (*share)(struct engine *e, struct engine **out,
                           custos_err *err);
    void (*interrupt)(struct engine *e);
    void (*close)(struct engine *e);
};

/* A handle, for one question at a time. An engine makes its own kind, of which this
   is the first member. */
struct engine {
    const struct engine_ops *ops;
    const struct policy *policy;
    uint64_t version;
    struct engine_table *tables; /* by number */
    size_t lanes;
    struct prepared *prepared; /* public parts of the question: prepare.h */
    size_t n_prepared;
};

#endif
