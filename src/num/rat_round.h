/*
 * Rounding of rationals: to a few bits or digits, in the direction that the
 * name states, and to integers of any size.
 */
#ifndef NUM_RAT_ROUND_H
#define NUM_RAT_ROUND_H

#include "num/rat.h"

enum { RAT_DECIMAL_MAX = 32 }; /* bytes of rat_decimal's text, with the NUL */

/* The least m 2^e >= a with an m of at most `bits` bits. Needs a > 0. */
void rat_round_up(rat *r, const rat *a, unsigned bits);

/* The largest integer <= a, the smallest >= a, and of the two the one nearer to
   0. r may be a. */
void rat_floor(rat *r, const rat *a);
void rat_ceil(rat *r, const rat *a);
void rat_trunc(rat *r, const rat *a);

/* The smallest multiple of 10^-places >= a, the largest <= a. r may be a. */
void rat_places_up(rat *r, const rat *a, unsigned places);
void rat_places_down(rat *r, const rat *a, unsigned places);

/* a = num / den in lowest terms, den >= 1; false if one exceeds 128 bits. */
bool rat_parts_i128(const rat *a, i128 *num, i128 *den);

/* The bits of numerator and denominator together. */
size_t rat_size(const rat *a);

/* Whether a = 2^e for an integer e; sets *e. */
bool rat_is_pow2(const rat *a, long *e);

enum rat_direction { RAT_UP, RAT_DOWN };

/*
 * Writes a >= 0 in decimal with 17 significant digits, rounded in the
 * direction given; exact if 17 digits suffice ("0.1", "1e-30"). A number below
 * 2^-1328 becomes 2e-400, 1e-400 or 0, so that rat_read can read it back.
 * Needs a < 2^1328. Returns the length. Cannot fail.
 */
size_t rat_decimal(const rat *a, enum rat_direction direction,
                   char text[RAT_DECIMAL_MAX]);

#endif
