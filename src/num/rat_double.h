/*
 * From exact numbers to doubles, for those parts of the accountant that work
 * in doubles with a stated error. Never on the private path.
 */
#ifndef NUM_RAT_DOUBLE_H
#define NUM_RAT_DOUBLE_H

#include "num/rat.h"

/* The nearest double towards 0; infinite past the largest. Cannot fail. */
double rat_double(const rat *a);

#endif
