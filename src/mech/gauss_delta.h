/*
 * The cost of Gaussian noise: encloses the delta for a given epsilon, by one
 * of four routes.
 */
#ifndef MECH_GAUSS_DELTA_H
#define MECH_GAUSS_DELTA_H

#include <stdbool.h>

#include "num/ival.h"

enum gauss_route {
    GAUSS_ANALYTIC, /* the continuous law, any sensitivity */
    GAUSS_DISCRETE, /* the discrete law, one coordinate, integer sensitivity */
    GAUSS_ZCDP,     /* both laws, any dimension, by Renyi divergences */
    GAUSS_VECTOR,   /* the discrete law, any dimension (gauss_vector.h) */
};

/*
 * Owns its numbers, which are in the unit of the noise (grid steps for the
 * discrete law).
 */
struct gauss_point {
    rat variance;            /* > 0 */
    rat sensitivity_squared; /* > 0 */
    rat epsilon;             /* > 0 */
};

void gauss_point_init(struct gauss_point *p);
void gauss_point_clear(struct gauss_point *p);

/* Encloses delta. For GAUSS_DISCRETE the sensitivity must be an integer. */
void
gauss_delta(enum gauss_route route, const struct gauss_point *p, ival *delta);

/* True if delta(p) <= delta is certain; false otherwise. */
bool gauss_delta_at_most(enum gauss_route route, const struct gauss_point *p,
                         const rat *delta);

/*
 * An upper bound, within one part in 2^60 of delta(p); at least 2^-1400, at
 * most 1.
 */
void
gauss_delta_up(enum gauss_route route, const struct gauss_point *p, rat *delta);

#endif
