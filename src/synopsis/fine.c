/* What running sums say of ranges, and of where the rows of a run are. */
#include "synopsis/fine.h"

#include <math.h>

#include "base/base.h"
#include "synth/edges.h"

/* Half a step, and what the rounded entries of the root add. */
#define ROUNDED 0.51

const struct released_range *
fine_range(const struct synopsis *s, size_t column)
{
    for (size_t i = 0; i < s->released->n_ranges; i++)
        if (s->released->ranges[i].column == column)
            return &s->released->ranges[i];
    return NULL;
}

struct schema_column *
fine_columns(arena *a, const struct synopsis *s)
{
    const size_t n = s->schema->domain.n;
    struct schema_column *out = arena_take(a, n + 1, sizeof *out);

    for (size_t i = 0; out && i < n; i++) {
        const struct released_range *r = fine_range(s, i);

        if (!r)
            continue;
        out[i] = s->schema->columns[s->schema->column[i]];
        out[i].n = r->n;
        out[i].cuts = r->cuts;
    }
    return out;
}

/* A column of the schema, which is the synopsis's own. */
static bool
spread_column(arena *a, const struct released_range *r, struct schema_column *c)
{
    struct schema_spread *spread = arena_take(a, 1, sizeof *spread);
    double *rows = arena_take(a, (size_t)r->n + 1, sizeof *rows);

    if (!spread || !rows)
        return false;
    sums_fit(r->sums, r->n, rows + 1);
    *spread = (struct schema_spread){r->n, r->cuts, rows};
    c->spread = spread;
    return true;
}

bool
fine_spread(arena *a, const struct synopsis *s)
{
    const struct released *r = s->released;
    bool all = true;

    for (size_t i = 0; all && i < r->n_ranges; i++)
        all = spread_column(
            a, &r->ranges[i],
            &s->schema->columns[s->schema->column[r->ranges[i].column]]);
    return all;
}

double
fine_variance(const struct released_range *r, const double *g, double *rounding)
{
    double root[FINE_CELLS], draws[FINE_CELLS], variance = 0, steps = 0;

    CUSTOS_REQUIRE(r->cells <= FINE_CELLS);
    for (size_t k = 0; k < r->cells; k++) {
        root[k] =
            k == 0 ? 1 : root[k - 1] * (2 * (double)k - 1) / (2 * (double)k);
        draws[k] = 0;
    }
    for (size_t k = 0; k < r->cells; k++) {
        const double by = g[k] - (k + 1 < r->cells ? g[k + 1] : 0);

        if (!(by < 0 || by > 0)) /* most, where a range is asked for */
            continue;
        steps += fabs(by);
        for (size_t j = 0; j <= k; j++)
            draws[j] += by * root[k - j];
    }
    for (size_t j = 0; j < r->cells; j++)
        variance += draws[j] * draws[j];
    *rounding = ROUNDED * steps;
    return variance * r->variance;
}
