/*
 * Quartiles of rows with values from 0 to 100.
 */
#include <stdlib.h>

#include "audit/library/part.h"
#include "base/base.h"

enum { RANKS = 3, LOWER = 0, UPPER = 100, CELLS = AUDIT_WIDTH_MAX + 1 };

struct quantile {
    custos_quantile *quantile;
};

static void
clear_quantile(void *handle)
{
    custos_quantile_free(((struct quantile *)handle)->quantile);
}

static int
by_size(const void *a, const void *b)
{
    uint64_t x = ((const custos_wide *)a)->low;
    uint64_t y = ((const custos_wide *)b)->low;

    return (x > y) - (x < y);
}

/* Cells for any number of rows: how many there are, then the rows in order. */
static void
fill_cells(const struct data *data, custos_wide cells[CELLS])
{
    size_t n = data->n < CELLS - 1 ? data->n : CELLS - 1;

    cells[0] = (custos_wide){n, 0};
    for (size_t i = 0; i < n; i++) {
        int64_t x = part_int(data->value[i]);

        x = x < LOWER ? LOWER : x > UPPER ? UPPER : x;
        cells[1 + i] = (custos_wide){(uint64_t)x, 0};
    }
    qsort(cells + 1, n, sizeof *cells, by_size);
}

static custos_status
sample_quantile(const struct audit_target *target, void *state,
                const struct data *data, struct coins *coins, struct batch *out,
                custos_err *err)
{
    const struct quantile *h = target->self;
    custos_wide cells[CELLS] = {{0}};
    custos_status st = CUSTOS_OK;

    (void)coins;
    fill_cells(data, cells);
    for (size_t i = 0; i < out->n && !st; i++) {
        custos_sealed *sealed = NULL;
        int64_t released[RANKS] = {0};

        st = custos_seal_wide(NULL, cells, CELLS, &sealed, err);
        if (!st)
            st = custos_quantile_release(h->quantile, state, sealed, CELLS,
                                         released, err);
        custos_sealed_free(sealed);
        for (size_t k = 0; k < RANKS; k++)
            out->number[i * out->width + k] = (double)released[k];
        out->length[i] = RANKS;
    }
    return st;
}

custos_status
make_quantile(const struct library_options *options, struct library_target *out,
              custos_err *err)
{
    static const char *const rank[RANKS] = {"1/4", "1/2", "3/4"};
    const custos_quantile_options o = {.size = sizeof o,
                                       .adjacency = CUSTOS_ADD_REMOVE,
                                       .lower = LOWER,
                                       .upper = UPPER,
                                       .ranks = RANKS,
                                       .rank = rank,
                                       .epsilon = options->epsilon};
    struct quantile *h;
    custos_status st = part_begin(out, sizeof *h, clear_quantile, err);

    h = out->handle;
    if (!st)
        st = custos_quantile_new(NULL, &o, &h->quantile, err);
    if (st)
        return st;
    out->target.width = RANKS;
    out->target.sample = sample_quantile;
    out->claim = part_claim(custos_quantile_report(h->quantile)->epsilon, "0");
    return patterns_add_rows(&out->pairs, LOWER, UPPER, err);
}
