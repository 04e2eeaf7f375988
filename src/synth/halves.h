/*
 * Walks over large tables in two halves, which two threads can do at the same time.
 * A table that gets sums gets those of the first half, and then those of the second,
 * which are taken apart: the result is the same with one thread.
 */
#ifndef SYNTH_HALVES_H
#define SYNTH_HALVES_H

#include "synth/team.h"
#include "synth/walk.h"

/* Tables of fewer cells are walked over at once. */
enum { HALVES_CELLS = 1 << 15 };

struct halves {
    struct team *team; /* or NULL */
    /* Room for all sums beside a large table in one call (model_build()). */
    double *sums;
};

/* The cells of a smaller table. */
size_t halves_cells(const struct walk *w, const struct beside *at);

/* As walk_sum, walk_exp and walk_scale. */
double
halves_sum(const struct halves *h, const struct walk *w,
           const struct smaller *tables, size_t n, bool more, double *out);
double halves_exp(const struct halves *h, const struct walk *w, double most,
                  double *x, const struct smaller *sums);
void halves_scale(const struct halves *h, const struct walk *w, double by,
                  const struct smaller *factor, double *x,
                  const struct smaller *sums, size_t n);

#endif
