/*
 * Reads the parts of a pair in steps, and puts points and bars into units.
 */
#include "curator/aggregate_pair.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/bars_pair.h"
#include "sql/aggregates.h"

struct pair {
    struct bar_pair parts;
    double step_x, step_y, centre_x, centre_y;
};

static struct bar_part
part_at(const struct released *r, const struct bars *bars, int part,
        size_t cell)
{
    if (part < 0)
        return (struct bar_part){.law = {.scale = 1}};
    return (struct bar_part){(double)r->values[part][cell], bars->laws[part]};
}

static struct bar
range_of(const struct part *part)
{
    return (struct bar){(double)(part->lower - part->centre),
                        (double)(part->upper - part->centre)};
}

static struct pair
pair_of(const struct plan *p, const struct released *r, const struct bars *bars,
        size_t slot, size_t cell)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    const struct part *x = &p->parts[f->sum], *y = &p->parts[f->sum_y];
    double step_x = step_of_grid(x->grid), step_y = step_of_grid(y->grid);

    return (struct pair){
        .parts = {.rows = aggregate_rows(p, r, bars, f, cell),
                  .sum_x = part_at(r, bars, f->sum, cell),
                  .sum_y = part_at(r, bars, f->sum_y, cell),
                  .squares_x = part_at(r, bars, f->squares, cell),
                  .squares_y = part_at(r, bars, f->squares_y, cell),
                  .product = part_at(r, bars, f->product, cell),
                  .product_step = step_of_grid(p->parts[f->product].grid) /
                                  (step_x * step_y),
                  .range_x = range_of(x),
                  .range_y = range_of(y)},
        .step_x = step_x,
        .step_y = step_y,
        .centre_x = (double)x->centre,
        .centre_y = (double)y->centre,
    };
}

static void
show(double x, bool has_bar, struct bar bar, struct value *out)
{
    out->datum = datum_of_double(has_bar ? x : bar_leading(x));
    out->certainty = has_bar ? BARRED : UNCERTAIN;
    out->low = fmin(bar.low, x);
    out->high = fmax(bar.high, x);
}

void
covariance_value(const struct plan *p, const struct released *r,
                 const struct bars *bars, size_t slot, size_t cell,
                 size_t level, struct value *out)
{
    enum bar_divisor divisor = aggregates[p->aggregates[slot].kind].sample
                                   ? BAR_SAMPLE
                                   : BAR_POPULATION;
    struct pair t = pair_of(p, r, bars, slot, cell);
    struct pair_point at = pair_point(&t.parts);
    double unit = t.step_x * t.step_y;
    struct bar bar = {0, 0};
    bool has_bar =
        bar_covariance(&t.parts, divisor, bars_miss(bars, level), &bar);
    double x = bar_clamp(at.xy / fmax(at.n - (int)divisor, 1), bar);

    bar.low *= unit;
    bar.high *= unit;
    show(x * unit, has_bar, bar, out);
}

/* The squares of all numbers of a bar. */
static struct bar
bar_squared(struct bar b)
{
    double low = b.low * b.low, high = b.high * b.high;

    return (struct bar){b.low <= 0 && b.high >= 0 ? 0 : fmin(low, high),
                        fmax(low, high)};
}

void
corr_value(const struct plan *p, const struct released *r,
           const struct bars *bars, size_t slot, size_t cell, size_t level,
           struct value *out)
{
    struct pair t = pair_of(p, r, bars, slot, cell);
    struct pair_point at = pair_point(&t.parts);
    struct bar bar, whole = {-1, 1};
    bool has_bar;
    double x;

    if (!(at.xx > 0 && at.yy > 0))
        return;
    x = bar_clamp(at.xy / (sqrt(at.xx) * sqrt(at.yy)), whole);
    has_bar = bar_corr(&t.parts, bars_miss(bars, level), &bar);
    if (p->aggregates[slot].kind == AGG_REGR_R2) {
        bar = bar_squared(bar);
        x *= x;
    }
    show(x, has_bar, bar, out);
}

void
slope_value(const struct plan *p, const struct released *r,
            const struct bars *bars, size_t slot, size_t cell, size_t level,
            struct value *out)
{
    struct pair t = pair_of(p, r, bars, slot, cell);
    struct pair_point at = pair_point(&t.parts);
    double unit = t.step_y / t.step_x;
    struct bar bar = {0, 0};
    bool has_bar;

    if (!(at.xx > 0))
        return;
    has_bar = bar_slope(&t.parts, bars_miss(bars, level), &bar);
    bar.low *= unit;
    bar.high *= unit;
    show(at.xy / at.xx * unit, has_bar, bar, out);
}

void
intercept_value(const struct plan *p, const struct released *r,
                const struct bars *bars, size_t slot, size_t cell, size_t level,
                struct value *out)
{
    struct pair t = pair_of(p, r, bars, slot, cell);
    struct pair_point at = pair_point(&t.parts);
    double zero = -t.centre_x, y;
    struct bar bar = {0, 0};
    bool has_bar;

    if (!(at.xx > 0))
        return;
    y = at.mean_y + at.xy / at.xx * (zero - at.mean_x);
    has_bar = bar_intercept(&t.parts, zero, bars_miss(bars, level), &bar);
    bar.low = (bar.low + t.centre_y) * t.step_y;
    bar.high = (bar.high + t.centre_y) * t.step_y;
    show((y + t.centre_y) * t.step_y, has_bar, bar, out);
}
