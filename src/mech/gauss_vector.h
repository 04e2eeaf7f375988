/*
 * A bound on the delta of discrete Gaussian noise for any number of changed
 * coordinates (GAUSS_VECTOR of gauss_delta.h).
 */
#ifndef MECH_GAUSS_VECTOR_H
#define MECH_GAUSS_VECTOR_H

#include "mech/gauss_delta.h"

/* Encloses the bound; false, and delta is not set, if the variance is too small
   for it. */
bool gauss_vector(const struct gauss_point *p, ival *delta);

#endif
