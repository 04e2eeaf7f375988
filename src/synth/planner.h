/*
 * ResidualPlanner (Xiao, He, Zhang, Kifer 2023, arXiv:2305.08175): measures the residual
 * of every subset of the tables that are asked for, with the noise divided so that the
 * variances of all their cells together are least. The tables that follow from this
 * agree with each other, and each of their cells has a known error. For what was not
 * asked for, and for synthetic rows, a model is fitted to those of the tables that say most
 * and have room in it.
 */
#ifndef SYNTH_PLANNER_H
#define SYNTH_PLANNER_H

#include "synth/ask.h"
#include "synth/candidates.h"

struct planner_options {
    const struct domain *domain;
    amount rho;                    /* of all residuals together */
    uint64_t l2_squared;           /* of a marginal, as in price_variance() */
    struct workload workload;      /* every column is added as a table */
    const struct forbidden *zeros; /* of the model */
    size_t n_zeros;
    size_t bytes; /* of the model's tree, at most */
};

/* The most numbers that are measured. */
enum { PLANNER_CELLS = 1 << 26 };

struct planned {
    struct colset set;
    size_t cells;
    amount rho;      /* the price of its residual */
    double variance; /* of the noise of each number */
    int64_t *values; /* NULL until it is measured */
};

struct planner {
    custos_alloc alloc;
    struct domain domain;
    struct colset *sets; /* of the tables, those of single columns last */
    size_t n_sets, sets_room;
    struct planned *parts; /* by set, ascending; the empty set is the first */
    size_t n_parts, parts_room;
    size_t cells; /* of all parts */
};

/*
 * Divides the price. May fail: CUSTOS_EINVAL (the workload), CUSTOS_EOVERFLOW (more than
 * PLANNER_CELLS), CUSTOS_ERANGE (rho is too small to be divided), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status planner_make(const custos_alloc *alloc,
                                           const struct planner_options *o,
                                           struct planner *out,
                                           custos_err *err);
void planner_free(struct planner *p);

/* The variance of a cell of the table of a set that is a subset of one of p->sets. */
double planner_variance(const struct planner *p, struct colset set);

/* May also fail as the calls of the trusted side, and with CUSTOS_EOVERFLOW (columns and
   zeros alone exceed o->bytes). */
CUSTOS_MUST_USE custos_status planner_run(const custos_alloc *alloc,
                                          const struct planner_options *o,
                                          const struct trusted *t,
                                          struct synthesis *out,
                                          custos_err *err);

#endif
