/*
 * What AIM may measure: all subsets of the sets of columns that the workload asks
 * for, each with its weight, and the model's marginals of them.
 */
#ifndef SYNTH_CANDIDATES_H
#define SYNTH_CANDIDATES_H

#include "synth/model.h"

/* The marginals that the synthetic rows are for. */
struct workload {
    const struct colset *sets; /* of at most WORKLOAD_ORDER columns each */
    const uint64_t *weights;   /* by set; NULL: all 1 */
    size_t n;
};

enum { WORKLOAD_ORDER = 8 };

struct candidate {
    struct colset set;
    uint64_t
        weight; /* sum over the workload's sets s of weight_s |set and s| */
    size_t cells;
};

struct candidates {
    custos_alloc alloc;
    struct candidate *of;
    size_t n, room;
};

/* Leaves out tables of more than `limit` cells. May fail: CUSTOS_ENOMEM,
   CUSTOS_EINVAL (an empty workload, or a set that is empty or too large). */
CUSTOS_MUST_USE custos_status candidates_make(
    const custos_alloc *alloc, const struct domain *d, const struct workload *w,
    size_t limit, struct candidates *out, custos_err *err);
void candidates_free(struct candidates *c);

/*
 * The marginal of a set by n rows drawn from a model, scaled to `total`. For sets
 * that no node of the tree covers it is far cheaper than the model's own, and as
 * legal: both are functions of released values.
 */
void rows_marginal(const struct domain *d, const uint16_t *rows, size_t n,
                   struct colset set, double total, double *out);

#endif
