/*
 * A close upper bound on the tail of noise plus a convex function of two other
 * noises, computed in microseconds. This is for error bars, after noise, so
 * doubles are safe.
 *
 * The values of each of the two noises are divided into cells. In a cell a convex
 * function is at most the chord between its ends, so the tail needs to be
 * computed at the ends of cells only.
 */
#ifndef CURATOR_TAIL_CONVEX_H
#define CURATOR_TAIL_CONVEX_H

#include "curator/bars.h"

enum { CELLS_HALF = 10, CELLS = 2 * CELLS_HALF, CELL_ENDS = CELLS + 1 };

/* A law in cells. The expectation of each chord's two weights: low[k] belongs to
   at[k], high[k] to at[k + 1]; together they are the mass of cell k. */
struct tail_cells {
    double at[CELL_ENDS];
    double low[CELLS], high[CELLS];
    double beyond; /* the probability outside all cells */
};

void tail_cells_init(struct tail_cells *t, struct bar_law law);

/*
 * THEOREM  bars-tail-convex
 *   The tail of N, where it is not concave, and its tangent at 0, where it is,
 *   are a convex function G >= P[N >= y] that falls. For convex f the
 *   expectation of G(x - f) over a cell is at most that of the chord, and that
 *   of the tail is at most the mass of the cell.
 * SOURCE   doc/proofs/bars-tail.md
 * NEEDS    f convex in (i, j); INFINITY is allowed.
 * GIVES    an upper bound on P[N + f(I, J) >= x], the three independent.
 * FAILS    cannot.
 * TESTED   tail_of_convex_is_an_upper_bound
 */
double tail_convex_above(struct bar_law law, const struct tail_cells *i,
                         const struct tail_cells *j,
                         double (*f)(const void *ctx, double i, double j),
                         const void *ctx, double x);

#endif
