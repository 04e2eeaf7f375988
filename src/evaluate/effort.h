/*
 * The limits of planning. Everything above the charge costs no budget, so its
 * time must be limited in another way: each plan may take a number of steps and
 * of bytes. A query that needs more is refused, and the message says what to
 * make smaller.
 *
 * Steps are counted, never measured: whether a plan exceeds them is a function
 * of query, policy and counts of public tables. It is the same for EXPLAIN, for
 * describing a prepared statement and for the query itself, on every machine. A
 * step is about 25 ns: the work of one node of an expression on one value. A
 * loop that can run more often than the text has bytes takes its steps before
 * it runs; one that allocates memory in each turn is bounded by the bytes.
 *
 * Inside plan_make an exhausted limit looks like a lack of memory
 * (CUSTOS_ENOMEM), which every function already passes on; plan_make turns it
 * into its own error.
 */
#ifndef EVALUATE_EFFORT_H
#define EVALUATE_EFFORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Memory of one plan, in the arena. The policy limits the steps. */
#define EFFORT_BYTES ((size_t)128 << 20)

/* Steps of work outside our own loops: measured, rounded up. */
enum {
    EFFORT_NODE = 100,         /* typing one node of an expression */
    EFFORT_FROM = 200,         /* a table, join or subquery in FROM */
    EFFORT_PERIOD = 3,         /* one period of a calendar */
    EFFORT_TEXT_BYTE = 40,     /* parsing one byte of a view */
    EFFORT_LAPLACE = 12000,    /* a Laplace mechanism and its error bar */
    EFFORT_GAUSSIAN = 150000,  /* calibrating a Gaussian one */
    EFFORT_QUANTILE = 4000,    /* the trees of a part of quantiles, */
    EFFORT_RANK = 5000,        /* and for each of its ranks */
    EFFORT_SELECTION = 100000, /* a rule of partition selection, */
    EFFORT_ENTRY = 15, /* and for each entry of the optimal rule's table */
};

enum effort_state {
    EFFORT_GOES_ON,
    EFFORT_OUT_OF_STEPS,
    EFFORT_OUT_OF_BYTES,
    EFFORT_STOPPED, /* planning was cancelled */
};

struct effort {
    uint64_t remaining;      /* steps */
    uint64_t unwatched;      /* steps since `stop` was last read */
    const _Atomic int *stop; /* not 0: stop; NULL: cannot be stopped */
    enum effort_state state;
};

/* `stop` is read whenever this many steps were taken since it was last read. */
enum { EFFORT_WATCH = 1 << 14 };

/* From now on every effort_take fails. */
void effort_end(struct effort *e, enum effort_state why);

/* The slow path of effort_take. */
CUSTOS_MUST_USE bool effort_look(struct effort *e, uint64_t steps);

/* Takes `steps` steps. False: fewer remain, or planning was cancelled. e may be
   NULL, for work below the charge. */
CUSTOS_MUST_USE static inline bool
effort_take(struct effort *e, uint64_t steps)
{
    if (!e)
        return true;
    if (steps > e->remaining || (e->unwatched += steps) >= EFFORT_WATCH)
        return effort_look(e, steps);
    e->remaining -= steps;
    return true;
}

/* As effort_take, with a status: CUSTOS_OK, or the CUSTOS_ENOMEM that plan_make
   replaces. */
CUSTOS_MUST_USE custos_status effort_spend(struct effort *e, uint64_t steps,
                                           custos_err *err);

/* The error of an exhausted limit: CUSTOS_EOVERFLOW, or CUSTOS_EENGINE where
   planning was cancelled. */
custos_status effort_refuse(const struct effort *e, custos_err *err);

#endif
