/*
 * Functions that initialise and clear several numbers together, and short
 * combinations of other operations.
 */
#ifndef NUM_BATCH_H
#define NUM_BATCH_H

#include <stddef.h>

#include "num/ival.h"

void ivals_init(ival *x, size_t n, long bits);
void ivals_clear(ival *x, size_t n);

void rats_init(rat *r, size_t n);
void rats_clear(rat *r, size_t n);

/* Sets r to a 64-bit unsigned integer. */
void rat_set_u64(rat *r, uint64_t value);

/* r = a b, and r = a + b, where b is exact. */
void ival_mul_rat(ival *r, const ival *a, const rat *b);
void ival_add_rat(ival *r, const ival *a, const rat *b);

/* Whether no point is above 0. */
bool ival_is_at_most_zero(const ival *a);

/* Encloses the larger of the two numbers. */
void ival_max(ival *r, const ival *a, const ival *b);

#endif
