/*
 * Values and certified ends of quantiles. After noise, so doubles are safe.
 */
#include "curator/quantile.h"

#include <math.h>
#include <string.h>

#include "base/ck.h"

/* How much of the noisy distance from the wanted position a value makes up for,
   and how far beyond an end of its box the position must be for that end to be
   the value. Both only affect accuracy. */
#define CORRECTION 0.25
#define BEYOND 0.25

static size_t
edges_of(const struct quantile_bars *bars)
{
    return BOX_EDGES * bars->boxes->ranks;
}

struct quantile_bars *
quantile_bars_new(arena *a, const custos_quantile *boxes, const double *rank,
                  struct bar_law law, struct quantile_tables *tables,
                  double miss)
{
    struct quantile_bars *bars = arena_take(a, 1, sizeof *bars);
    size_t edges = BOX_EDGES * boxes->ranks, n = box_counts(boxes->ranks);

    if (!bars)
        return NULL;
    *bars = (struct quantile_bars){
        .boxes = boxes,
        .law = law,
        .miss = miss,
        .rank = rank,
        .limit = arena_take(a, edges * boxes->ranks, sizeof *bars->limit),
        .tables = tables,
        .released = arena_take(a, box_numbers(boxes->ranks), sizeof(i128)),
        .edges = arena_take(a, edges, sizeof *bars->edges),
        .sums = arena_take(a, n, sizeof *bars->sums),
        .below = arena_take(a, edges, sizeof *bars->below),
    };
    if (!bars->limit || !bars->released || !bars->edges || !bars->sums ||
        !bars->below)
        return NULL;
    bars->limits =
        quantile_limit_count(bars->tables, box_limit_steps(boxes->ranks));
    for (size_t i = 0; i < edges * boxes->ranks; i++)
        bars->limit[i] = -1;
    return bars;
}

/* The noise on D of an edge. */
static struct noise_sum
noise_at(const struct quantile_bars *bars, size_t rank, size_t edge)
{
    double p = bars->rank[rank];

    return (struct noise_sum){bars->law, 1 - p, edge + 1, p,
                              edges_of(bars) - edge};
}

/* c of theorem quantile-ends, for one end: computed when it is first needed, or
   `far` when enough were computed. */
static double
limit_at(struct quantile_bars *bars, size_t rank, size_t edge, double far)
{
    double *limit = &bars->limit[rank * edges_of(bars) + edge];
    struct noise_sum noise = noise_at(bars, rank, edge);

    if (*limit < 0 && bars->limits == 0)
        return far;
    if (*limit < 0) {
        bars->limits--;
        *limit = quantile_limit(bars->tables, &noise, bars->miss / 2);
    }
    return *limit;
}

/*
 * Is an edge so far beyond the quantile that it certainly is an end? A limit is
 * between QUANTILE_LIMIT_LEAST and 1 times the quick bound, which decides for most
 * edges. Were one smaller, the interval would only be wider.
 */
static bool
edge_holds(struct quantile_bars *bars, size_t rank, size_t edge,
           double distance)
{
    struct noise_sum noise = noise_at(bars, rank, edge);
    double far = quantile_limit_far(&noise, bars->miss / 2);

    if (distance > 1 + far)
        return true;
    return distance > 1 + QUANTILE_LIMIT_LEAST * far &&
           distance > 1 + limit_at(bars, rank, edge, far);
}

/* Sets bars->edges and bars->sums, which all ranks of a group share. */
static void
edges_set(struct quantile_bars *bars, const i128 *released)
{
    const custos_quantile *q = bars->boxes;
    size_t bytes = box_numbers(q->ranks) * sizeof *released;
    double sum = 0;

    if (bars->known && !memcmp(bars->released, released, bytes))
        return;
    memcpy(bars->released, released, bytes);
    bars->known = true;
    boxes_edges(released, q->ranks, q->lower, (i128)q->lower + (i128)q->width,
                bars->edges);
    for (size_t i = 0; i <= edges_of(bars); i++)
        bars->sums[i] = sum += (double)released[2 * q->ranks + i];
}

/* Sets bars->below: the noisy D of each edge. */
static void
below_set(struct quantile_bars *bars, size_t rank)
{
    size_t edges = edges_of(bars);

    for (size_t i = 0; i < edges; i++)
        bars->below[i] = bars->sums[i] - bars->rank[rank] * bars->sums[edges];
}

/* The noisy D of an edge of a box. */
static double
below_edge(const struct quantile_bars *bars, i128 edge)
{
    size_t i = 0;

    while (i + 1 < edges_of(bars) && bars->edges[i] < edge)
        i++;
    return bars->below[i];
}

/* The middle of the box, corrected by how far it is off according to the
   counts. */
static i128
value_of(const struct quantile_bars *bars, const i128 *box, size_t rank)
{
    const custos_quantile *q = bars->boxes;
    const struct node *node = &q->nodes[rank];
    i128 a = box[0], b = box[1], edges[BOX_EDGES], value;
    double reach = (double)node->reach, low, high;

    box_edges(a, b, q->lower, (i128)q->lower + (i128)q->width, edges);
    low = below_edge(bars, edges[0]) - (double)node->place;
    high = below_edge(bars, edges[BOX_SIDE]) - (double)node->place;
    if (high < -BEYOND * reach)
        return b;
    if (low > BEYOND * reach)
        return a;
    value = a + (b - a) / 2 -
            (i128)(CORRECTION * (low + high) / 2 * (double)(b - a) / 2 / reach);
    return clamp_i128(value, a, b);
}

void
quantile_find(struct quantile_bars *bars, const i128 *released, size_t rank,
              struct quantile_found *out)
{
    const custos_quantile *q = bars->boxes;
    size_t edges = edges_of(bars), i;

    edges_set(bars, released);
    below_set(bars, rank);
    out->low = q->lower;
    for (i = 0; i < edges && edge_holds(bars, rank, i, -bars->below[i]); i++)
        out->low = bars->edges[i];
    out->high = (i128)q->lower + (i128)q->width;
    for (i = edges; i > 0 && edge_holds(bars, rank, i - 1, bars->below[i - 1]);
         i--)
        out->high = bars->edges[i - 1] - 1;
    out->value = value_of(bars, released + 2 * rank, rank);
    if (out->low <= out->high)
        out->value = clamp_i128(out->value, out->low, out->high);
}
