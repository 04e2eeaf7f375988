/* The subsets of a workload, and marginals of drawn rows. */
#include "synth/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"

void
candidates_free(struct candidates *c)
{
    alloc_give(&c->alloc, c->of, c->room, sizeof *c->of);
    c->of = NULL;
}

static custos_status
check_workload(const struct domain *d, const struct workload *w,
               size_t *subsets, custos_err *err)
{
    *subsets = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t order = colset_count(w->sets[i]);

        if (order < 1 || order > WORKLOAD_ORDER ||
            !colset_within(w->sets[i], domain_all(d)))
            return custos_fail(err, CUSTOS_EINVAL,
                               "a marginal of the workload must have 1 to %d "
                               "of the table's columns",
                               WORKLOAD_ORDER);
        *subsets += ((size_t)1 << order) - 1;
    }
    return w->n > 0 ? CUSTOS_OK
                    : custos_fail(err, CUSTOS_EINVAL, "the workload is empty");
}

static int
by_set(const void *a, const void *b)
{
    const struct colset x = ((const struct candidate *)a)->set;
    const struct colset y = ((const struct candidate *)b)->set;

    if (x.word[1] != y.word[1])
        return x.word[1] < y.word[1] ? -1 : 1;
    return (x.word[0] > y.word[0]) - (x.word[0] < y.word[0]);
}

static uint64_t
weight_of(const struct workload *w, struct colset set)
{
    uint64_t weight = 0;

    for (size_t i = 0; i < w->n; i++)
        weight += (w->weights ? w->weights[i] : 1) *
                  colset_count(colset_and(set, w->sets[i]));
    return weight;
}

custos_status
candidates_make(const custos_alloc *alloc, const struct domain *d,
                const struct workload *w, size_t limit, struct candidates *out,
                custos_err *err)
{
    size_t kept = 0;
    custos_status st = check_workload(d, w, &out->room, err);

    out->alloc = alloc_or_default(alloc);
    out->of = NULL;
    out->n = 0;
    if (st)
        return st;
    out->of = alloc_take(&out->alloc, out->room, sizeof *out->of);
    if (!out->of)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < w->n; i++)
        for (size_t bits = 1; bits >> colset_count(w->sets[i]) == 0; bits++)
            out->of[out->n++].set = colset_pick(w->sets[i], bits);
    qsort(out->of, out->n, sizeof *out->of, by_set);
    for (size_t i = 0; i < out->n; i++) {
        struct candidate c = {.set = out->of[i].set,
                              .cells = domain_cells(d, out->of[i].set)};

        if (c.cells <= limit &&
            (kept == 0 || !colset_same(c.set, out->of[kept - 1].set))) {
            c.weight = weight_of(w, c.set);
            out->of[kept++] = c;
        }
    }
    out->n = kept;
    return CUSTOS_OK;
}

/* cell[i]: where row i is in the table, by its columns' steps. */
static void
find_cells(const uint16_t *const *code, const uint32_t *step, size_t columns,
           size_t n, uint32_t *cell)
{
    memset(cell, 0, n * sizeof *cell);
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < n; i++)
            cell[i] += code[k][i] * step[k];
}

void
rows_marginal(const struct domain *d, const uint16_t *rows, size_t n,
              struct colset set, double total, double *out)
{
    enum { BLOCK = 1024 };
    const size_t cells = domain_cells(d, set);
    const uint16_t *code[WORKLOAD_ORDER];
    uint32_t step[WORKLOAD_ORDER], cell[BLOCK], s = (uint32_t)cells;
    const double each = total / (double)n;
    size_t k = 0;

    CUSTOS_REQUIRE(cells <= UINT32_MAX && colset_count(set) <= WORKLOAD_ORDER);
    COLSET_EACH(c, set)
    {
        s /= d->size[c];
        step[k] = s;
        code[k++] = rows + c * n;
    }
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t m = n - i < BLOCK ? n - i : BLOCK;

        find_cells(code, step, k, m, cell);
        for (size_t r = 0; r < m; r++)
            out[cell[r]] += each;
        for (size_t c = 0; c < k; c++)
            code[c] += m;
    }
}
