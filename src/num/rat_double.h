/*
 * Conversion of exact numbers to doubles, for those parts of the accountant
 * that compute in doubles with a stated error. Never used on exact private
 * values.
 */
#ifndef NUM_RAT_DOUBLE_H
#define NUM_RAT_DOUBLE_H

#include "num/rat.h"

/* Rounded towards 0; infinite above the largest double. Cannot fail. */
double rat_double(const rat *a);

#endif
