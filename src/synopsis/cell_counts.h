/*
 * Linear questions about a marginal: sums over cells of a number times a count.
 *
 * THEOREM  synopsis-bar
 *   Let noisy tables be measured one after the other, each chosen, with the
 *   variance of its noise, by what came before, and let a question be
 *   sum g(cell) n(cell) for exact counts n >= 0 and low <= g <= high, cell by cell.
 *   The k-th table that has all columns of the question gives an interval: from sum
 *   low y - z_k |low| sigma to sum high y + z_k |high| sigma, with noise of standard
 *   deviation sigma on each cell of y, the table's sums over the question's columns;
 *   z_k is the normal quantile of beta w_k, with w_1 = 4/5 and
 *   w_k = 1/(5 k (k - 1)). All these intervals together hold the exact answer with
 *   probability 1 - beta.
 * SOURCE   doc/proofs/synopsis-bar.md
 * NEEDS    noise of a table that is discrete Gaussian and fresh given all before.
 *          Sums of such noise are taken as normal, which they are up to
 *          exp(-2 pi^2 sigma^2).
 * GIVES    cell_counts_sum sets low and high to the ends of what is in all intervals.
 * FAILS    cannot.
 * TESTED   bars_cover_at_their_rate
 *
 * Where no table has all columns, but AIM has a bound B on the l1 distance of the
 * model's marginal m to the exact one (last-selection-bound, measured-marginal-bound), the
 * interval is from sum low m - max |low| B to sum high m + max |high| B. That bound
 * misses in 5 % of releases, whatever beta is: one of several sums that are to hold
 * together has no such interval.
 */
#ifndef SYNOPSIS_CELL_COUNTS_H
#define SYNOPSIS_CELL_COUNTS_H

#include "synopsis/synopsis.h"

/* A sum's part in a cell: between low and high times the exact count, on average
   mean times. Cells that have no term add nothing. */
struct summand {
    size_t cell;
    double low, mean, high;
};

/* What is known of the counts over a set of columns. Cells are of the schema's
   codes. */
struct cell_counts {
    const struct domain *domain;
    size_t cells;
    double *
        expected; /* by cell: the count to expect, of the model or, without one,
                         the mean of the tables by their variances */
    struct cell_counts_table
        *tables; /* that have all the columns, in their order; without any,
                    the model's marginal, if its distance has a bound */
    size_t n;
};

struct interval {
    double x;         /* the sum to expect, within the bar */
    bool has_bar;     /* false: nothing bounds the sum */
    double low, high; /* hold the exact sum with probability 1 - beta */
};

/* Everything lives in the arena. May fail: CUSTOS_EUNSUPPORTED (without a model: no
   table has all columns), CUSTOS_EOVERFLOW (too many cells), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status cell_counts_make(arena *a,
                                               const struct synopsis *s,
                                               struct colset set,
                                               struct cell_counts *out,
                                               custos_err *err);

/* The same of a column that was counted finely: cells are its fine codes. */
CUSTOS_MUST_USE custos_status
cell_counts_of_range(arena *a, const struct released_range *r,
                     struct cell_counts *out, custos_err *err);

/* The steps (evaluate/effort.h) that cell_counts_make takes. */
uint64_t cell_counts_make_steps(const struct synopsis *s, struct colset set);

/* The steps that a sum of these terms takes: of table k, or of all. */
uint64_t cell_counts_steps_of_table(const struct cell_counts *e, size_t k,
                                    const struct summand *terms, size_t n);
uint64_t cell_counts_steps(const struct cell_counts *e,
                           const struct summand *terms, size_t n);

/* How many of the tables bound sums at this beta: none of them if it is a bound on the
   model and beta is less than RELEASED_BETA. */
size_t cell_counts_bounds(const struct cell_counts *e, double beta);

/* There is at most one term for each cell. */
struct interval
cell_counts_sum(const struct cell_counts *e, const struct summand *terms,
                size_t n, double beta);

/* The interval of table k alone, with its share of beta. */
struct interval
cell_counts_sum_of_table(const struct cell_counts *e, size_t k,
                         const struct summand *terms, size_t n, double beta);

/* What is in both; if nothing is, the first. */
void interval_narrow(struct interval *to, double low, double high);

#endif
