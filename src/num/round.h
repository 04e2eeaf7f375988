/*
 * Rationals rounded to whole numbers and to decimal places, in the direction
 * the name says, and taken apart into machine integers.
 */
#ifndef NUM_ROUND_H
#define NUM_ROUND_H

#include <stdbool.h>

#include "base/base.h"
#include "num/rat.h"

/* The smallest whole number >= a. r may be a. */
void rat_ceil(rat *r, const rat *a);

/* The smallest multiple of 10^-places >= a, the largest <= a. r may be a. */
void rat_places_up(rat *r, const rat *a, unsigned places);
void rat_places_down(rat *r, const rat *a, unsigned places);

/* a = num / den in lowest terms, den >= 1; false when they pass 128 bits. */
bool rat_parts_i128(const rat *a, i128 *num, i128 *den);

#endif
