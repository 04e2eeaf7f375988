/*
 * All files of a release but its synopsis:
 *
 *     tables/N.csv, N.parquet       the tables of the workload, and an index
 *     consistent/N.csv, N.parquet  on request, the same tables without negative cells
 *     synthetic.csv, .parquet      synthetic rows
 *     schema.sql                   a table that they fit
 *     report.html, report.json     how accurate all this is, from noise levels
 *
 * All of it is computed from what was released.
 */
#ifndef RELEASE_PRODUCTS_H
#define RELEASE_PRODUCTS_H

#include "synopsis/synthetic.h"
#include "synopsis/tables.h"

/* `what` names the step. */
typedef void (*products_progress)(void *ctx, const char *what, size_t done,
                                  size_t all);

struct products_options {
    const struct synthetic_rules *rules; /* of synthetic rows; or NULL */
    products_progress progress;          /* or NULL */
    void *ctx;
};

/*
 * Writes them into a folder that has none of them. rows: drawn by synthetic_draw;
 * NULL: the release has no model, so none are written. May fail: CUSTOS_EIO,
 * CUSTOS_EINVAL (the path is too long), CUSTOS_EENTROPY, CUSTOS_EENGINE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status products_write(const struct synopsis *s,
                                             const struct synthetic_rows *rows,
                                             custos_rng *rng,
                                             const struct products_options *o,
                                             const char *folder,
                                             custos_err *err);

/* Writes consistent/ into a folder that has none. May fail: CUSTOS_EIO, CUSTOS_EINVAL
   (the path is too long), CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status products_write_consistent(
    const struct synopsis *s, const struct products_options *o,
    const char *folder, custos_err *err);

#endif
