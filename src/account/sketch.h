/*
 * A sketch describes each part of a plan by SKETCH_POINTS points, from which
 * the plan's approximate cumulants are computed. They serve to choose tilts,
 * steps and windows. Any choice gives valid bounds; a sketch only makes them
 * narrow.
 */
#ifndef ACCOUNT_SKETCH_H
#define ACCOUNT_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "account/loss.h"
#include "custos.h"

struct pld_part {
    struct loss loss;
    uint64_t count;
};

/* Where the bounds should be sharpest. */
struct pld_aim {
    enum { AIM_DELTA, AIM_EPSILON } at;
    double value;
};

struct sketch {
    custos_alloc alloc;
    const struct pld_part *parts; /* borrowed */
    size_t n;
    double *value, *mass; /* SKETCH_POINTS for each part */
    double counts;        /* of all parts */
    double tail;          /* probability that each part may leave out */
    double span;          /* the largest |loss| */
    double mean, top;     /* mean and maximum of the sum of losses */
    double theta;         /* the tilt for the aim */
};

enum { SKETCH_POINTS = 256 };

/* ln E e^(tX) with its first and second derivatives. */
struct cumulant {
    double k0, k1, k2;
};

/*
 * Fails with CUSTOS_ENOMEM; with CUSTOS_EOVERFLOW for losses above LOSS_MAX,
 * too many atoms, or counts above 2^40.
 */
CUSTOS_MUST_USE custos_status sketch_init(struct sketch *s,
                                          const custos_alloc *alloc,
                                          const struct pld_part *parts,
                                          size_t n, struct pld_aim aim);
void sketch_clear(struct sketch *s);

struct cumulant sketch_cumulant(const struct sketch *s, double t);

/*
 * The Chernoff bound on ln P~[X > x] (step > 0) or ln P~[X < x] (step < 0)
 * under the law tilted by t. *best is the step that gives it: `step` divided
 * by a power of two.
 */
double sketch_outside(const struct sketch *s, double t, double step, double x,
                      double *best);

#endif
