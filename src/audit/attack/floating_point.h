/* Pieces of the floating-point attack. */
#ifndef AUDIT_ATTACK_FLOATING_POINT_H
#define AUDIT_ATTACK_FLOATING_POINT_H

#include "audit/attack/attack.h"

/* The naive server: x plus Laplace noise, in doubles. */
double float_release(struct coins *coins, double x, double scale);

/* Whether any uniform makes the naive server release y for x. */
bool float_possible(double y, double x, double scale);

/* Whether y is not a multiple of 2^-53. */
bool float_is_fine(double y);

#endif
