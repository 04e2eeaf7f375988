/* Merges rare codes, and draws them again. */
#include "synth/recode.h"

#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "random/rng.h"

void
recoding_free(struct recoding *r)
{
    custos_alloc a;

    if (!r)
        return;
    a = r->alloc;
    for (size_t c = 0; r->map && r->from_size && c < r->from.n; c++)
        if (r->map[c])
            alloc_give(&a, r->map[c], r->from_size[c], sizeof **r->map);
    for (size_t c = 0; r->share && r->from_size && c < r->from.n; c++)
        if (r->share[c])
            alloc_give(&a, r->share[c], r->from_size[c], sizeof **r->share);
    alloc_give(&a, r->map, r->from.n, sizeof *r->map);
    alloc_give(&a, r->share, r->from.n, sizeof *r->share);
    alloc_give(&a, r->size, r->from.n, sizeof *r->size);
    alloc_give(&a, r->from_size, r->from.n, sizeof *r->from_size);
    alloc_give(&a, r, 1, sizeof *r);
}

custos_status
recoding_new(const custos_alloc *alloc, const struct domain *d,
             struct recoding **out, custos_err *err)
{
    const custos_alloc a = alloc_or_default(alloc);
    struct recoding *r = alloc_take(&a, 1, sizeof *r);
    bool all = r != NULL;

    if (r) {
        r->alloc = a;
        r->from.n = r->to.n = d->n;
        r->from.size = r->from_size =
            alloc_take(&a, d->n, sizeof *r->from_size);
        r->to.size = r->size = alloc_take(&a, d->n, sizeof *r->size);
        r->map = alloc_take(&a, d->n, sizeof *r->map);
        r->share = alloc_take(&a, d->n, sizeof *r->share);
        all = r->from_size && r->size && r->map && r->share;
    }
    for (size_t c = 0; all && c < d->n; c++) {
        CUSTOS_REQUIRE(d->size[c] <= 1 << 16);
        r->from_size[c] = r->size[c] = d->size[c];
        r->map[c] = alloc_take(&a, d->size[c], sizeof **r->map);
        r->share[c] = alloc_take(&a, d->size[c], sizeof **r->share);
        all = r->map[c] && r->share[c];
        for (uint32_t k = 0; all && k < d->size[c]; k++) {
            r->map[c][k] = (uint16_t)k;
            r->share[c][k] = 1;
        }
    }
    if (!all) {
        recoding_free(r);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    *out = r;
    return CUSTOS_OK;
}

void
recoding_merge(struct recoding *r, size_t column, const int64_t *counts,
               double least, double *values, double *merged)
{
    const uint32_t n = r->from_size[column];
    uint32_t rare = 0, kept = 0;
    double all = 0; /* of the rare ones, where positive */

    for (uint32_t k = 0; k < n; k++)
        if ((double)counts[k] < least) {
            rare++;
            all += counts[k] > 0 ? (double)counts[k] : 0;
        }
    memset(values, 0, n * sizeof *values);
    memset(merged, 0, n * sizeof *merged);
    for (uint32_t k = 0; k < n; k++) {
        bool alone = rare < 2 || !((double)counts[k] < least);
        uint32_t code = alone ? kept++ : n - rare;

        r->map[column][k] = (uint16_t)code;
        values[code] += (double)counts[k];
        merged[code] += 1;
        r->share[column][k] = alone           ? 1
                              : !(all > 0)    ? 1.0 / rare
                              : counts[k] > 0 ? (double)counts[k] / all
                                              : 0;
    }
    r->size[column] = rare < 2 ? n : n - rare + 1;
}

/* Draws an old code among those that became `code`. */
static uint16_t
find_old(const struct recoding *r, size_t column, uint16_t code, uint64_t word)
{
    const uint16_t *map = r->map[column];
    const double *share = r->share[column];
    const double u = (double)(word >> 11) * 0x1p-53;
    uint32_t last = 0;
    double at = 0;

    for (uint32_t k = 0; k < r->from_size[column]; k++)
        if (map[k] == code) {
            at += share[k];
            last = k;
            if (u < at)
                break;
        }
    return (uint16_t)last;
}

custos_status
recoding_decode(const struct recoding *r, custos_rng *rng, size_t n,
                uint16_t *rows, custos_err *err)
{
    for (size_t c = 0; c < r->from.n; c++)
        for (size_t i = 0; r->size[c] < r->from_size[c] && i < n; i++) {
            uint64_t word;
            custos_status st = rng_words(rng, &word, 1);

            if (st)
                return custos_fail(err, st, "%s", custos_status_words(st));
            rows[c * n + i] = find_old(r, c, rows[c * n + i], word);
        }
    return CUSTOS_OK;
}
