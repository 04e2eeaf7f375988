/*
 * The account of planning. Everything above the charge is free of cost in
 * budget, so it must not be free of cost in time: each plan has a number of
 * steps and of bytes, and a query that needs more is refused with a sentence
 * that says what to make smaller.
 *
 * Steps are counted, never measured: the verdict is a function of query, policy
 * and counts of public tables, and the same for EXPLAIN, for a description and
 * for the question itself, on every machine. A step is about 25 ns of work, the
 * work of one node of an expression on one value. Whatever loops more often
 * than the text is long takes its steps first; what takes memory in each turn
 * is bounded by the bytes.
 *
 * Below plan_make an exhausted account looks like a failure for want of memory
 * (CUSTOS_ENOMEM), which every path already passes up; plan_make puts it into
 * words.
 */
#ifndef PLAN_EFFORT_H
#define PLAN_EFFORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Memory of one plan, in the arena. The steps are the policy's. */
#define EFFORT_BYTES ((size_t)128 << 20)

/* What work takes that is no loop of ours, in steps: measured, rounded up. */
enum {
    EFFORT_NODE = 100,         /* typing one node of an expression */
    EFFORT_FROM = 200,         /* a table, join or subquery in FROM */
    EFFORT_PERIOD = 3,         /* one period of a calendar */
    EFFORT_TEXT_BYTE = 40,     /* parsing one byte of a view */
    EFFORT_LAPLACE = 12000,    /* a Laplace mechanism and its error bar */
    EFFORT_GAUSSIAN = 150000,  /* calibrating a Gaussian one */
    EFFORT_QUANTILE = 4000,    /* the trees of a part, */
    EFFORT_RANK = 5000,        /* and for each of its ranks */
    EFFORT_SELECTION = 100000, /* a rule that chooses groups, */
    EFFORT_ENTRY = 15, /* and for each entry of the optimal one's table */
};

enum effort_state {
    EFFORT_GOES_ON,
    EFFORT_OUT_OF_STEPS,
    EFFORT_OUT_OF_BYTES,
    EFFORT_STOPPED, /* nobody wants the plan any more */
};

struct effort {
    uint64_t remaining;      /* steps */
    uint64_t unwatched;      /* steps since `stop` was looked at */
    const _Atomic int *stop; /* not 0: stop; NULL: nobody stops it */
    enum effort_state state;
};

enum { EFFORT_WATCH = 1 << 14 }; /* steps between looks at `stop` */

/* Ends the account: every later effort_take fails. */
void effort_end(struct effort *e, enum effort_state why);

/* The rarer half of effort_take. */
CUSTOS_MUST_USE bool effort_look(struct effort *e, uint64_t steps);

/* Takes so many steps. False: there are not as many, or the plan is stopped.
   e may be NULL, for work below the charge. */
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

/* The same as a status: CUSTOS_OK or CUSTOS_ENOMEM, which plan_make words. */
CUSTOS_MUST_USE custos_status effort_spend(struct effort *e, uint64_t steps,
                                           custos_err *err);

/* The refusal of an account that has ended: CUSTOS_EOVERFLOW, or
   CUSTOS_EENGINE where it was stopped. */
custos_status effort_refuse(const struct effort *e, custos_err *err);

#endif
