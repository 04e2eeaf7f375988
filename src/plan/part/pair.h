/*
 * The values that aggregates of two numbers sum, as expressions: the product of
 * both less their centres, and each of them on rows where the other is not NULL.
 */
#ifndef PLAN_PAIR_H
#define PLAN_PAIR_H

#include "plan/part/parts.h"

/*
 * THEOREM  pair-parts
 *   Let x' be x where y is not NULL and NULL elsewhere, y' likewise, and
 *   z = (x - c)(y - d). Then x', y' and z are NULL on the same rows, and the
 *   count, sums and sums of squares of x', y' and z are those of the rows
 *   where neither x nor y is NULL. Each is the sum of one value of a row, so
 *   part-add-remove and part-change-one give its sensitivity.
 * SOURCE   doc/proofs/bars-pair.md
 * NEEDS    typed expressions with ranges; c and d within them.
 * GIVES    x' and z, typed, each total by itself as every expression is
 *          (total-expressions), clamped to its range as every summed value is.
 * FAILS    CUSTOS_ENOMEM, CUSTOS_EOVERFLOW: the product may exceed 2^126.
 * TESTED   pairs_are_rows_without_null moments_are_exact
 */
CUSTOS_MUST_USE custos_status pair_masked(struct work *w, const struct expr *x,
                                          const struct expr *by,
                                          struct expr **out);
CUSTOS_MUST_USE custos_status pair_product(struct work *w, const struct expr *x,
                                           const struct part_value *at_x,
                                           const struct expr *y,
                                           const struct part_value *at_y,
                                           struct expr **out);

#endif
