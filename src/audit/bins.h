/*
 * Bins of a feature, learned from values of both arms together: ranges between
 * quantiles, finer towards the tails, with values that occur often alone in
 * theirs; for names, one bin for each that was seen often and one for the rest.
 */
#ifndef AUDIT_BINS_H
#define AUDIT_BINS_H

#include "audit/audit.h"

enum {
    BINS_CELLS = 1024,
    BINS_FEW = 64, /* up to so many, tails are not divided further */
};

struct bins {
    size_t n;     /* how many */
    double *edge; /* n - 1, ascending. Bin k: edge[k-1] < x <= edge[k]; with
                     names: x = edge[k], and the last bin has all others */
    bool names;
    /* Ranges are found from cells of equal width: in cell i the search begins
       at start[i]. */
    double from, per_cell;
    uint16_t *start; /* BINS_CELLS + 1; with names NULL */
};

/*
 * Learns at most about `want` bins. Sorts the values. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status bins_learn(struct bins *out, double *values,
                                         size_t n, size_t want, bool names,
                                         custos_err *err);
void bins_clear(struct bins *bins);

size_t bins_find(const struct bins *bins, double x);

/* The ends of bin k: above least, at most `most`; both are the value of a name. */
void bins_range(const struct bins *bins, size_t k, double *least, double *most);

#endif
