/*
 * Rare codes: a column's codes whose noisy count is below three standard
 * deviations are counted together from then on, as the last code. Their sum says
 * more than each of them alone, and tables of pairs stay small. Rows are decoded
 * at the end: one of the merged codes is drawn, each in proportion to its noisy count
 * if that is positive; if none is, all are equally likely.
 */
#ifndef SYNTH_RECODE_H
#define SYNTH_RECODE_H

#include "synth/domain.h"
#include "custos.h"

struct recoding {
    custos_alloc alloc;
    struct domain from;
    struct domain to;
    uint32_t *size;      /* to.size */
    uint32_t *from_size; /* from.size */
    uint16_t **map;      /* by column and code */
    double **share;      /* by column and code: the probability of it, given the
                            code that it is in */
};

/* Keeps all codes at first. Needs at most 2^16 codes a column. May fail:
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status recoding_new(const custos_alloc *alloc,
                                           const struct domain *d,
                                           struct recoding **out,
                                           custos_err *err);
void recoding_free(struct recoding *r);

/*
 * Merges the codes of a column where counts[code] < least, if there are two or
 * more. `values` and `merged` get the counts of the new codes, and how many old
 * ones each stands for. Cannot fail.
 */
void recoding_merge(struct recoding *r, size_t column, const int64_t *counts,
                    double least, double *values, double *merged);

/* Codes of a column that were merged: map[k] < to for each old code k < from, and its
   share of the code that it is in. Shares need not add up to 1; all 0 counts as all
   equal. */
struct merged_codes {
    const uint16_t *map;
    uint32_t from, to;
    const double *share; /* NULL: all equal */
};

/* Turns n codes, as model_rows() makes them, into old ones, drawn by their shares. May
   fail: CUSTOS_EENTROPY, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status merged_codes_draw(const struct merged_codes *m,
                                                const custos_alloc *alloc,
                                                custos_rng *rng, size_t n,
                                                uint16_t *codes,
                                                custos_err *err);

#endif
