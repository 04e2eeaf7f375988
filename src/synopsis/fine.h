/*
 * Columns that were counted finely (struct released_range): a question that uses no other
 * column is answered from their running sums, in their many codes.
 */
#ifndef SYNOPSIS_FINE_H
#define SYNOPSIS_FINE_H

#include "synopsis/synopsis.h"

/* The most cells of a range in a synopsis. */
enum { FINE_CELLS = 4096 };

/* By column of the domain: the column with its fine codes; without a name if it has
   none. NULL: no memory. */
struct schema_column *fine_columns(arena *a, const struct synopsis *s);

/* Says of every column that was counted finely where its rows are within its runs. False
   without memory. */
CUSTOS_MUST_USE bool fine_spread(arena *a, const struct synopsis *s);

/* The range of the column, or NULL. */
const struct released_range *
fine_range(const struct synopsis *s, size_t column);

/*
 * The variance of sum g[k] (the rows of fine code k), by the noise of the running sums; and
 * the most that their rounding to whole numbers can add to it. The sum is that of
 * (g[k] - g[k + 1]) S_k; so draw j counts sum over k >= j of (g[k] - g[k + 1]) c_(k - j)
 * times.
 */
double fine_variance(const struct released_range *r, const double *g,
                     double *rounding);

#endif
