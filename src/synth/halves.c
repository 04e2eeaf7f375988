/* Walks in two halves. */
#include "synth/halves.h"

#include <string.h>

#include "base/base.h"

size_t
halves_cells(const struct walk *w, const struct beside *at)
{
    size_t cells = at->along ? w->row : 1;

    for (size_t i = 0; i < w->n; i++)
        cells *= at->step[i] ? w->size[i] : 1;
    return cells;
}

static bool
is_large(const struct walk *w)
{
    return w->rows >= 2 && w->rows * w->row >= HALVES_CELLS;
}

struct both {
    struct walk walk[2];
    enum { SUM, EXP, SCALE } what;
    bool more;
    double by; /* or the largest cell */
    double *x;
    const struct smaller *read; /* tables that are read ... */
    size_t n_read;
    const struct smaller *sums[2]; /* ... and those that get sums, by half */
    size_t n;
    double result[2];
};

static void
do_half(void *of, size_t which)
{
    struct both *b = of;
    const struct walk *w = &b->walk[which];

    if (b->what == SUM)
        b->result[which] = walk_sum(w, b->read, b->n_read, b->more, b->x);
    else if (b->what == EXP)
        b->result[which] =
            walk_exp(w, b->by, b->x, b->n ? b->sums[which] : NULL);
    else
        walk_scale(w, b->by, b->n_read ? b->read : NULL, b->x, b->sums[which],
                   b->n);
}

/* Both halves, with room of its own for the sums of the second. */
static void
do_both(const struct halves *h, const struct walk *w, struct both *b,
        const struct smaller *sums, size_t n)
{
    struct smaller own[WALK_TABLES];
    size_t cells = 0;

    CUSTOS_REQUIRE(n <= WALK_TABLES);
    for (size_t i = 0; i < n; i++) {
        own[i] = (struct smaller){sums[i].at, h->sums + cells};
        cells += halves_cells(w, sums[i].at);
    }
    if (n > 0)
        memset(h->sums, 0, cells * sizeof *h->sums);
    b->walk[0] = b->walk[1] = *w;
    b->walk[0].rows = b->walk[1].from = w->rows / 2;
    b->sums[0] = sums;
    b->sums[1] = own;
    b->n = n;
    team_run(h->team, do_half, b);
    for (size_t i = 0; i < n; i++) {
        const size_t of_table = halves_cells(w, sums[i].at);

        for (size_t k = 0; k < of_table; k++)
            sums[i].cells[k] += own[i].cells[k];
    }
}

double
halves_sum(const struct halves *h, const struct walk *w,
           const struct smaller *tables, size_t n, bool more, double *out)
{
    struct both b = {
        .what = SUM, .more = more, .x = out, .read = tables, .n_read = n};

    if (!is_large(w))
        return walk_sum(w, tables, n, more, out);
    do_both(h, w, &b, NULL, 0);
    return b.result[0] > b.result[1] ? b.result[0] : b.result[1];
}

double
halves_exp(const struct halves *h, const struct walk *w, double most, double *x,
           const struct smaller *sums)
{
    struct both b = {.what = EXP, .by = most, .x = x};

    if (!is_large(w))
        return walk_exp(w, most, x, sums);
    do_both(h, w, &b, sums, sums != NULL);
    return b.result[0] + b.result[1];
}

void
halves_scale(const struct halves *h, const struct walk *w, double by,
             const struct smaller *factor, double *x,
             const struct smaller *sums, size_t n)
{
    struct both b = {.what = SCALE,
                     .by = by,
                     .x = x,
                     .read = factor,
                     .n_read = factor != NULL};

    if (is_large(w))
        do_both(h, w, &b, sums, n);
    else
        walk_scale(w, by, factor, x, sums, n);
}
