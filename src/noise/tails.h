/*
 * The tails of all base-16 digits of a geometric variable, computed together,
 * so that a table of dials costs one exponential instead of hundreds.
 */
#ifndef NOISE_TAILS_H
#define NOISE_TAILS_H

#include "noise/dials.h"

/* q^k and 1 - q^k for the ratio q of one digit, enclosed. */
struct tails {
    ival power[DIAL_CUTS + 1];
    ival rest[DIAL_CUTS + 1];
    ival share; /* 1 / (1 - q^16) */
    ival some;  /* 2q / (1 + q) */
};

/* Starts at digit 0, whose ratio is q = exp(-rate), rate > 0. */
void tails_init(struct tails *t, const rat *rate);
void tails_clear(struct tails *t);

/* Moves to the next digit, whose ratio is q^16. */
void tails_next(struct tails *t);

/* P[D > cut]: of a lower digit (cut < 15), and of the top one (cut < 16). */
void tails_digit(const struct tails *t, size_t cut, ival *out);
void tails_top(const struct tails *t, size_t cut, ival *out);

/* P[outcome > cut] of row 0 of the two-sided law, cut < 16. */
void tails_zero(const struct tails *t, size_t cut, ival *out);

/* The precision that `out` should have. */
enum { TAILS_BITS = 256 };

#endif
