/*
 * Decimal arithmetic on whole steps: price * (1 - discount) as products of the
 * stored grid integers, in 64 bits and without rounding.
 */
#ifndef ENGINE_GRID_STEPS_H
#define ENGINE_GRID_STEPS_H

#include "engine/statement/statement.h"
#include "plan/plan.h"

/* What is known about a value in steps of 10^-digits. */
struct grid_steps {
    int digits;
    i128 lower, upper;
    i128
        reach; /* bounds results in every order of evaluation: plan/type/bare.c */
};

/*
 * THEOREM  steps-are-exact
 *   Let e be made of sums, differences, products, negations, CASE and COALESCE
 *   over stored whole numbers and decimals with declared ranges and over
 *   literals. Its value times 10^digits is exactly the whole number returned.
 *   This number and every intermediate result are within +-2^62, in whatever
 *   order terms and factors are taken, so that no row makes 64 bits overflow.
 *   The number is within [lower, upper].
 * SOURCE   doc/proofs/steps-are-exact.md
 * NEEDS    stored columns within their declared ranges (view.h).
 * GIVES    NULL if e has another form or the proof of the range fails.
 * FAILS    cannot otherwise.
 * TESTED   steps_equal_the_rational_value steps_stay_within_their_range
 *          no_order_of_terms_overflows
 */
const struct term *
grid_steps_term(struct builder *b, const struct plan *plan,
                const struct expr *e, int digits, struct grid_steps *known);

#endif
