/*
 * Bins from quantiles, or one for each name.
 */
#include "audit/bins.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum {
    NAME_SEEN = 3, /* times a name must be seen to have a bin */
    NAMES_MAX = 16384,
};

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Past the last of the values that are equal to the i-th. */
static size_t
end_of_run(const double *values, size_t n, size_t i)
{
    size_t end = i + 1;

    while (end < n && values[end] <= values[i])
        end++;
    return end;
}

static void
learn_names(struct bins *out, const double *values, size_t n)
{
    size_t edges = 0;

    for (size_t i = 0, end; i < n && edges < NAMES_MAX; i = end) {
        end = end_of_run(values, n, i);
        if (end - i >= NAME_SEEN)
            out->edge[edges++] = values[i];
    }
    out->n = edges == 1 && values[0] >= values[n - 1] ? 1 : edges + 1;
}

/*
 * Is rank i of n the end of a bin? Every n/want-th rank is, and, if bins are
 * many, every rank in both tails that is a power of two.
 */
static bool
is_cut(size_t i, size_t n, size_t want)
{
    size_t step = n / want + 1, below = i + 1, above = n - i - 1;
    bool tails = want > BINS_FEW;

    return below % step == 0 || (tails && (below & (below - 1)) == 0) ||
           (tails && (above & (above - 1)) == 0);
}

static void
learn_ranges(struct bins *out, const double *values, size_t n, size_t want)
{
    size_t edges = 0, often = n / (2 * want) + 2;

    for (size_t i = 0, end; i < n; i = end) {
        bool cut = false;

        end = end_of_run(values, n, i);
        for (size_t k = i; k < end && !cut; k++)
            cut = is_cut(k, n, want);
        if (end - i >= often && edges && out->edge[edges - 1] < values[i - 1])
            out->edge[edges++] = values[i - 1]; /* alone in its bin */
        if ((cut || end - i >= often) && end < n)
            out->edge[edges++] = values[i];
    }
    out->n = edges + 1;
}

/* Few different values: a bin for each. Returns false if there are too many. */
static bool
learn_distinct(struct bins *out, const double *values, size_t n, size_t want)
{
    size_t edges = 0;

    for (size_t i = 0, end; i < n; i = end) {
        end = end_of_run(values, n, i);
        if (end == n)
            break;
        if (edges == 2 * want)
            return false;
        out->edge[edges++] = values[i];
    }
    out->n = edges + 1;
    return true;
}

/* The first edge that is not below x, from edge `at` on. */
static size_t
first_edge(const struct bins *bins, size_t at, double x)
{
    for (size_t len = bins->n - 1 - at; len > 0;) {
        size_t half = len / 2;
        bool right = bins->edge[at + half] < x;

        at += right ? half + 1 : 0;
        len = right ? len - half - 1 : half;
    }
    return at;
}

/* Cells over the middle of the edges: the tails may reach far. */
static void
make_cells(struct bins *bins)
{
    size_t edges = bins->n - 1, tail = edges / 10;
    double from = edges ? bins->edge[tail] : 0;
    double to = edges ? bins->edge[edges - 1 - tail] : 0;

    if (bins->names || !(to > from) || !isfinite(from) || !isfinite(to))
        return;
    bins->start = calloc(BINS_CELLS + 1, sizeof *bins->start);
    if (!bins->start)
        return; /* slower, not wrong */
    bins->from = from;
    bins->per_cell = BINS_CELLS / (to - from);
    for (size_t i = 0; i <= BINS_CELLS; i++)
        bins->start[i] = (uint16_t)first_edge(
            bins, 0, from + ((double)i - 0.001) / bins->per_cell);
}

custos_status
bins_learn(struct bins *out, double *values, size_t n, size_t want, bool names,
           custos_err *err)
{
    size_t room = names ? NAMES_MAX : 6 * want + 160;

    *out =
        (struct bins){.names = names, .edge = calloc(room, sizeof *out->edge)};
    if (!out->edge)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    qsort(values, n, sizeof *values, by_value);
    if (names)
        learn_names(out, values, n);
    else if (!learn_distinct(out, values, n, want))
        learn_ranges(out, values, n, want);
    make_cells(out);
    return CUSTOS_OK;
}

void
bins_clear(struct bins *bins)
{
    free(bins->edge);
    free(bins->start);
    *bins = (struct bins){0};
}

size_t
bins_find(const struct bins *bins, double x)
{
    const double *edge = bins->edge;
    size_t edges = bins->n - 1, at;
    double cell = (x - bins->from) * bins->per_cell;

    if (bins->start && cell > 0 && cell < BINS_CELLS) {
        at = bins->start[(size_t)cell];
        while (at < edges && edge[at] < x)
            at++;
        return at;
    }
    at = first_edge(bins, 0, x);
    if (bins->names && (at == edges || edge[at] > x))
        return edges;
    return at;
}

void
bins_range(const struct bins *bins, size_t k, double *least, double *most)
{
    bool last = k == bins->n - 1;

    if (bins->names) {
        *least = *most = last ? HUGE_VAL : bins->edge[k];
        return;
    }
    *least = k ? bins->edge[k - 1] : -HUGE_VAL;
    *most = last ? HUGE_VAL : bins->edge[k];
}
