/*
 * Decimal arithmetic on whole steps: price * (1 - discount) as products of the
 * stored grid integers, in 64 bits and without rounding.
 */
#ifndef ENGINE_GRID_STEPS_H
#define ENGINE_GRID_STEPS_H

#include "plan/plan.h"

/* What is known of the steps: their size is 10^-digits. */
struct grid_steps {
    int digits;
    i128 lower, upper;
    i128 reach; /* as plan/bare.c has it: of any order of terms and factors */
};

/*
 * THEOREM  steps-are-exact
 *   Let e be made of sums, differences, products, negations, CASE and COALESCE
 *   over stored whole numbers and decimals with declared ranges and over
 *   literals. Its value times 10^digits is the printed whole number, exactly;
 *   it and every intermediate result lie within +-2^62, in whatever order its
 *   terms and factors are taken, so that no row makes 64 bits overflow; and it
 *   lies within [lower, upper].
 * SOURCE   doc/proofs/steps-are-exact.md
 * NEEDS    stored columns within their declared ranges (view.h).
 * GIVES    false where e is not so made or the proof of the range fails; the
 *          text is unusable then.
 * FAILS    cannot otherwise.
 * TESTED   steps_equal_the_rational_value steps_stay_within_their_range
 *          no_order_of_terms_overflows
 */
bool grid_steps_print(const struct plan *plan, const struct expr *e, int digits,
                      struct grid_steps *known, struct buf *out);

#endif
