/*
 * Tables beside each other: a walk goes over the cells of one table, the *wide*
 * one, row by row (a row has all codes of its last column), and finds in smaller
 * tables, whose columns are among its own, the cells that belong to each row.
 * There a row is either as many cells in sequence or a single cell.
 *
 * All tables are arrays of doubles of released values or of what was computed
 * from them. The loops over a row are the hot part of the estimator.
 */
#ifndef SYNTH_WALK_H
#define SYNTH_WALK_H

#include "synth/domain.h"

/* Columns with at least 2 codes in a table of less than 2^48 cells. */
enum { WALK_AXES = 48 };

struct walk {
    size_t row; /* cells of a row */
    size_t from,
        rows; /* goes over rows from ... rows - 1; 0 and all at first */
    size_t n; /* the other axes */
    size_t size[WALK_AXES]; /* their codes, the last varying fastest */
    size_t column[WALK_AXES];
    size_t last; /* the column of the row; SYNTH_COLUMNS_MAX if there is none */
};

/* How a smaller table lies beside the wide one. */
struct beside {
    bool along; /* it has the row's column: a row is w->row of its cells */
    size_t step[WALK_AXES]; /* between its cells, by axis; 0: not its column */
};

/* Needs a wide table of less than 2^48 cells. */
void walk_init(struct walk *w, const struct domain *d, struct colset wide);

/* Needs a set within the wide one. */
void walk_beside(const struct walk *w, const struct domain *d,
                 struct colset set, struct beside *out);

/* A smaller table. */
struct smaller {
    const struct beside *at;
    double *cells;
};

/* The most tables beside a wide one in one call. */
enum { WALK_TABLES = 16 };

/*
 * out[i] = the sum over the smaller tables of their cells there (`more`: added to
 * what is there). Returns the largest. n may be 0.
 */
double walk_sum(const struct walk *w, const struct smaller *tables, size_t n,
                bool more, double *out);

/*
 * x[i] = exp(x[i] - most), which must be at most 1; 0 where that is below
 * e^-700. Adds every cell of x to the cell of `sums`, unless that is NULL.
 * Returns the sum of all.
 */
double walk_exp(const struct walk *w, double most, double *x,
                const struct smaller *sums);

/*
 * x[i] *= by, and by the cell of `factor`, unless that is NULL; and adds the
 * cells to those of the n tables `sums`.
 */
void walk_scale(const struct walk *w, double by, const struct smaller *factor,
                double *x, const struct smaller *sums, size_t n);

/* Raises the cells of the smaller table to the largest of x there. */
void
walk_raise(const struct walk *w, const double *x, const struct smaller *most);

/* Adds the cells of x to those of the smaller table. */
void
walk_collapse(const struct walk *w, const double *x, const struct smaller *to);

/* The sum of all cells of the wide table. */
double walk_total(const struct walk *w, const double *x);

/* These functions, for processors with AVX2. */
struct walk_loops {
    double (*sum)(const struct walk *w, const struct smaller *tables, size_t n,
                  bool more, double *out);
    double (*exp)(const struct walk *w, double most, double *x,
                  const struct smaller *sums);
    void (*scale)(const struct walk *w, double by, const struct smaller *factor,
                  double *x, const struct smaller *sums, size_t n);
    void (*collapse)(const struct walk *w, const double *x,
                     const struct smaller *to);
    void (*raise)(const struct walk *w, const double *x,
                  const struct smaller *most);
    double (*total)(const struct walk *w, const double *x);
};
extern const struct walk_loops walk_loops_avx2;

#endif
