/*
 * Synthetic rows of a release: drawn from its model, decoded to values of the schema.
 * They have the columns of the original in their order, its types and its NULLs.
 */
#ifndef SYNOPSIS_SYNTHETIC_H
#define SYNOPSIS_SYNTHETIC_H

#include "synopsis/estimate.h"
#include "synopsis/table_file.h"

/* As many rows as the measurements say there are: the noisy total. */
#define SYNTHETIC_ROWS_NOISY SIZE_MAX

/* The most rows that can be drawn of so many columns: their codes fit in 2 GiB. */
static inline size_t
synthetic_rows_most(size_t columns)
{
    return ((size_t)1 << 30) / (columns + 1);
}

/*
 * Draws n rows; the caller frees them. May fail: CUSTOS_EINVAL (there is no model, as
 * with method "tables"), CUSTOS_EOVERFLOW (n above synthetic_rows_most()),
 * CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status synthetic_draw(const struct synopsis *s,
                                             custos_rng *rng, size_t n,
                                             struct synthetic_rows *out,
                                             custos_err *err);
void synthetic_free(struct synthetic_rows *rows);

/*
 * What rows satisfy beyond having values of the schema. settle draws values of a row,
 * by column of the schema, again until they do, within the row's codes; *holds: it
 * found some. May fail: CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
struct synthetic_rules {
    custos_status (*settle)(void *ctx, const struct synthetic_rows *rows,
                            size_t row, struct datum *values, custos_rng *rng,
                            bool *holds, custos_err *err);
    void *ctx;
};

/*
 * Writes DIR/synthetic.csv. A value of a run is drawn uniformly from it; columns that
 * are not modelled count the rows (numbered_value). A row whose codes have no values that
 * satisfy the rules (or NULL: none) repeats the row before it; there is none before the
 * first that does. *out, in `a`, describes the file. May fail: CUSTOS_EIO,
 * CUSTOS_EINVAL (the path is too long), CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status synthetic_write(
    const struct synopsis *s, const struct synthetic_rows *rows,
    const struct synthetic_rules *rules, custos_rng *rng, const char *dir,
    arena *a, void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
    struct table_file *out, custos_err *err);

#endif
