/*
 * A plan in a few hundred points per part: its cumulants, roughly. It serves to
 * choose tilts, steps and windows, which are valid whatever they are; no bound
 * rests on it.
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

/* Where the bounds are to be sharpest. */
struct pld_aim {
    enum { AIM_DELTA, AIM_EPSILON } at;
    double value;
};

struct sketch {
    custos_alloc alloc;
    const struct pld_part *parts; /* borrowed */
    size_t n;
    double *value, *mass; /* SKETCH_POINTS a part */
    double counts;        /* of all parts */
    double tail;          /* what each part's outcomes may leave out */
    double span;          /* the largest |loss| */
    double mean, top;     /* of the sum of losses: its mean, the largest */
    double theta;         /* the tilt for the aim */
};

enum { SKETCH_POINTS = 256 };

/* ln E e^(tX), its first and second derivative. */
struct cumulant {
    double k0, k1, k2;
};

/*
 * CUSTOS_ENOMEM; CUSTOS_EOVERFLOW for losses past LOSS_MAX, too many atoms, or
 * counts past 2^40.
 */
CUSTOS_MUST_USE custos_status sketch_init(struct sketch *s,
                                          const custos_alloc *alloc,
                                          const struct pld_part *parts,
                                          size_t n, struct pld_aim aim);
void sketch_clear(struct sketch *s);

struct cumulant sketch_cumulant(const struct sketch *s, double t);

/* ln P~[X > x] (step > 0) or ln P~[X < x] (step < 0) by Chernoff, in the law
   tilted by t; *best is the step that gives it, a part of `step`. */
double sketch_outside(const struct sketch *s, double t, double step, double x,
                      double *best);

#endif
