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

/* ----------------------------------------------------------------- drawing -- */

/* The old codes of each code, one code after the other, with the sums of their shares
   so far. */
struct parts {
    uint32_t *first; /* by code; two more */
    uint16_t *old;
    double *up_to;
};

static bool
parts_take(const struct merged_codes *m, const custos_alloc *a, struct parts *p)
{
    p->first = alloc_take(a, (size_t)m->to + 2, sizeof *p->first);
    p->old = alloc_take(a, m->from, sizeof *p->old);
    p->up_to = alloc_take(a, m->from, sizeof *p->up_to);
    return p->first && p->old && p->up_to;
}

static void
parts_give(const struct merged_codes *m, const custos_alloc *a, struct parts *p)
{
    alloc_give(a, p->first, (size_t)m->to + 2, sizeof *p->first);
    alloc_give(a, p->old, m->from, sizeof *p->old);
    alloc_give(a, p->up_to, m->from, sizeof *p->up_to);
}

static void
parts_fill(const struct merged_codes *m, struct parts *p)
{
    /* While old codes are placed, first[c + 1] is the next place of code c. */
    for (uint32_t k = 0; k < m->from; k++)
        p->first[m->map[k] + 2]++;
    for (uint32_t c = 0; c < m->to; c++)
        p->first[c + 1] += p->first[c];
    for (uint32_t k = 0; k < m->from; k++)
        p->old[p->first[m->map[k] + 1]++] = (uint16_t)k;
    for (uint32_t c = 0; c < m->to; c++) {
        double all = 0;

        for (uint32_t i = p->first[c]; i < p->first[c + 1]; i++) {
            all += m->share ? m->share[p->old[i]] : 1;
            p->up_to[i] = all;
        }
        for (uint32_t i = p->first[c]; !(all > 0) && i < p->first[c + 1]; i++)
            p->up_to[i] = i - p->first[c] + 1;
    }
}

/* The first old code up to which there is more than the word's part of all. */
static uint16_t
draw_one(const struct parts *p, uint16_t code, uint64_t word)
{
    uint32_t low = p->first[code], high = p->first[code + 1];
    double u;

    if (low == high)
        return 0; /* no old code became this one */
    high--;
    u = (double)(word >> 11) * 0x1p-53 * p->up_to[high];
    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (u < p->up_to[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return p->old[low];
}

custos_status
merged_codes_draw(const struct merged_codes *m, const custos_alloc *alloc,
                  custos_rng *rng, size_t n, uint16_t *codes, custos_err *err)
{
    const custos_alloc a = alloc_or_default(alloc);
    struct parts p = {.first = NULL};
    uint64_t words[256];
    custos_status st = parts_take(m, &a, &p) ? CUSTOS_OK : CUSTOS_ENOMEM;

    if (!st)
        parts_fill(m, &p);
    for (size_t i = 0; !st && i < n; i++) {
        if (i % COUNT_OF(words) == 0)
            st = rng_words(rng, words, COUNT_OF(words));
        if (!st)
            codes[i] = draw_one(&p, codes[i], words[i % COUNT_OF(words)]);
    }
    parts_give(m, &a, &p);
    return st ? custos_fail(err, st, "%s", custos_status_words(st)) : st;
}
