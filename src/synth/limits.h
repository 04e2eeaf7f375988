/*
 * What AIM's last selection says about all sets of columns that it passed over: had
 * the model been far off there, that set would have been selected.
 *
 * THEOREM  last-selection-bound
 *   Let the exponential mechanism, with epsilon and for scores of sensitivity D,
 *   select among n sets r with scores w_r (||exact_r - m_r||_1 - b_r) the set s, which
 *   is then measured as y, with discrete Gaussian noise of variance v on each of its
 *   c cells. With probability 1 - beta, for all r at once,
 *
 *     ||exact_r - m_r||_1 <= b_r + (w_s (||y - m_s||_1 + sqrt(2 v c ln(2/beta))
 *                                   - b_s) + 2 D/epsilon ln(2n/beta))/w_r.
 * SOURCE   McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, section 5;
 *          doc/proofs/last-selection-bound.md
 * NEEDS    n, m, b and w depend on released values alone; so does which selection is
 *          the last, and it is known to be before it is made.
 * GIVES    limits_bounds: for every set that was kept, that plus the l1 distance of
 *          m_r to the model's marginal, in rows.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   selection_bound_fails_at_its_rate noise_bound_fails_at_its_rate
 *          limits_hold_for_all_sets_at_once
 */
#ifndef SYNTH_LIMITS_H
#define SYNTH_LIMITS_H

#include "synth/model.h"
#include "synth/released.h"

/* One of the sets of the last selection. */
struct passed {
    struct colset set;
    double weight, penalty; /* w and b */
    size_t cells;
    /* m, a whole number of steps of the lattice; NULL: not kept */
    float *marginal;
};

struct limits {
    custos_alloc alloc;
    struct passed *of;
    size_t n, room;
    size_t bytes; /* that marginals may still take */
};

/* Room for n sets, whose marginals take at most `bytes`. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status limits_init(struct limits *l,
                                          const custos_alloc *alloc, size_t n,
                                          size_t bytes, custos_err *err);
void limits_clear(struct limits *l);

/* Adds a set, and its marginal by the model in steps of the lattice, if there is
   room for that. Cannot fail: then the set has no bound. */
void limits_pass(struct limits *l, struct colset set, uint64_t weight,
                 double penalty, const int64_t *marginal, size_t cells);

/* The selection and the measurement after it. */
struct chosen {
    size_t winner; /* its number among the sets, in the order of limits_pass */
    double distance;    /* ||y - m_s||_1 */
    double variance;    /* v */
    double epsilon;     /* rounded down */
    double sensitivity; /* D, in rows */
};

/* The right side of the theorem for set number i. */
double limits_selection_bound(const struct limits *l, const struct chosen *c,
                              size_t i, double beta);

/*
 * Bounds that hold all at once with probability 1 - beta: for the sets that a node
 * of the model's tree covers, and for others if neither the tree nor a table on
 * the way to their marginal has more than `most` cells. *n is how many; `out` has room for l->n.
 */
CUSTOS_MUST_USE custos_status limits_bounds(const struct limits *l,
                                            const struct chosen *c,
                                            const struct model *m, size_t most,
                                            double beta,
                                            struct released_limit *out,
                                            size_t *n, custos_err *err);

#endif
