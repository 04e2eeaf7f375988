/*
 * Aggregates of released parts. Counts and sums stay whole numbers of steps;
 * means and variances are doubles, which is fine: they are after the noise.
 */
#include "curator/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ck.h"
#include "base/error.h"
#include "curator/aggregate_pair.h"
#include "curator/bars_share.h"
#include "curator/marginals.h"
#include "curator/running.h"
#include "curator/tail.h"
#include "mech/i128.h"
#include "mech/marginals.h"
#include "sql/aggregates.h"

/* How often a bar may miss, or any of those that hold at once. */
#define MISS 0.05

double
bars_miss(const struct bars *bars, size_t level)
{
    return MISS / ((double)level * (double)bars->at_once);
}

/*
 * The least whole number h of steps for which the bound of tail.h shows that
 * P[|Ns + c Nc| > h] <= beta. Values were centred at c, so their sum is
 * S + c N for a centred sum S and a count N, and its noise is Ns + c Nc.
 */
static double
sum_half(struct bar_law sum, struct bar_law count, double c, double beta)
{
    double one = 1, low = -1, high = 1;
    struct tail t;

    tail_init(&t, &sum, &one, &one, 1, count);
    while (2 * tail_above(&t, fabs(c), high + 1) > beta)
        high *= 2;
    while (high - low > 1) {
        double mid = floor(low + (high - low) / 2);

        if (mid <= low || mid >= high)
            break; /* past 2^53, where neighbouring doubles are more than 1
                      apart */
        if (2 * tail_above(&t, fabs(c), mid + 1) > beta)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* Is it a count that is read from the two numbers of a share? */
static bool
is_count_of_share(const struct plan_aggregate *f)
{
    return aggregates[f->kind].family == FAMILY_COUNT && f->share >= 0;
}

static bool
is_shifted_sum(const struct plan_aggregate *f)
{
    return aggregates[f->kind].family == FAMILY_SUM && f->rows >= 0;
}

static void
sums_make(const struct plan *p, struct bars *out)
{
    for (size_t i = 0; i < p->n_aggregates && !p->marginals; i++) {
        const struct plan_aggregate *f = &p->aggregates[i];

        for (size_t level = 1; level <= out->levels && is_shifted_sum(f);
             level++)
            out->sum_half[i * out->levels + level - 1] = sum_half(
                out->laws[f->sum], out->laws[f->rows],
                (double)p->parts[f->sum].centre, bars_miss(out, level));
        for (size_t level = 1; level <= out->levels && is_count_of_share(f);
             level++)
            out->sum_half[i * out->levels + level - 1] =
                sum_half(out->laws[f->share], out->laws[f->share], 1,
                         bars_miss(out, level));
    }
}

/* The half width of a part's bar that misses with probability 0.05 / times. For
   once it is that of the 95 % bar, which the planner has computed. */
static custos_status
half_width(const struct part *part, size_t times, i128 *out, custos_err *err)
{
    uint64_t units = 0;
    char beta[64];
    custos_status st;

    *out = part->bar;
    if (times == 1)
        return CUSTOS_OK;
    if (!part->served) {
        snprintf(beta, sizeof beta, "1/%zu", 20 * times);
        return mech_error_i128(part->mech, beta, 1, out, err);
    }
    snprintf(beta, sizeof beta, "%zu/%zu", 40 * times - 1, 40 * times);
    st = custos_keys_units(part->space->selection->rule, beta, &units, err);
    *out = (i128)units -
           custos_keys_report(part->space->selection->rule)->threshold;
    return st;
}

/* The law of a part's noise. Scales are reported rounded down by at most 1e-16;
   the factor makes up for that, so that no bar is too narrow. */
static struct bar_law
law_of(const struct part *part)
{
    const custos_keys_facts *k =
        part->served ? custos_keys_report(part->space->selection->rule) : NULL;
    const custos_facts *f = k ? NULL : custos_mech_facts(part->mech);
    bool gauss = k ? k->rule == CUSTOS_KEYS_GAUSSIAN
                   : f->law == CUSTOS_DISCRETE_GAUSSIAN;

    return (struct bar_law){
        .kind = gauss ? BAR_GAUSSIAN : BAR_LAPLACE,
        .scale = strtod(k ? k->scale : f->scale, NULL) * (1 + 1e-12),
    };
}

/* The bars of a part whose cells are added up; false without memory. */
static bool
running_make(arena *a, const struct plan *p, size_t part, struct bars *out)
{
    const struct running *r = p->parts[part].running;

    for (size_t level = 1; r && level <= out->levels; level++) {
        double *half = arena_take(a, r->n, sizeof *half);

        if (!half)
            return false;
        running_bars(r, out->laws[part], bars_miss(out, level), half);
        out->running[part * out->levels + level - 1] = half;
    }
    return true;
}

/* What the ends of a part's quantiles need; false without memory. The tables, which
   are large, do not depend on the level. answer_size.c counts all of it. */
static bool
quantiles_make(arena *a, const struct plan *p, size_t part, struct bars *out)
{
    const struct part_quantiles *q = p->parts[part].quantiles;
    const custos_facts *f = q->counts ? custos_mech_facts(q->counts) : NULL;
    double *rank = arena_take(a, q->n, sizeof *rank);
    struct quantile_tables *tables;
    struct bar_law law;

    if (!f || out->levels == 0)
        return true;
    law = (struct bar_law){f->law == CUSTOS_DISCRETE_GAUSSIAN ? BAR_GAUSSIAN
                                                              : BAR_LAPLACE,
                           strtod(f->scale, NULL) * (1 + 1e-12)};
    tables = quantile_tables_new(a, law, box_counts(q->n));
    if (!rank || !tables)
        return false;
    for (size_t i = 0; i < q->n; i++)
        rank[i] = strtod(q->rank[i], NULL);
    for (size_t level = 1; level <= out->levels; level++) {
        struct quantile_bars *bars = quantile_bars_new(
            a, q->draws, rank, law, tables, bars_miss(out, level));

        if (!bars)
            return false;
        out->quantiles[part * out->levels + level - 1] = bars;
    }
    return true;
}

custos_status
bars_make(arena *a, const struct plan *p, size_t levels, size_t groups,
          struct bars *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    out->levels = levels;
    out->at_once = p->query->options.bars.len > 0 && groups > 0 ? groups : 1;
    out->half = arena_take(a, p->n_parts * levels + 1, sizeof *out->half);
    out->laws = arena_take(a, p->n_parts + 1, sizeof *out->laws);
    out->sum_half =
        arena_take(a, p->n_aggregates * levels + 1, sizeof *out->sum_half);
    out->running = arena_take(a, p->n_parts * levels + 1, sizeof *out->running);
    out->quantiles = arena_take(a, p->n_parts * levels + 1, sizeof(void *));
    if (!out->half || !out->laws || !out->sum_half || !out->running ||
        !out->quantiles)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < p->n_parts && !st; i++) {
        if (p->parts[i].kind == PART_QUANTILES) {
            if (!quantiles_make(a, p, i, out))
                st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
            continue;
        }
        out->laws[i] = law_of(&p->parts[i]);
        for (size_t level = 1; level <= levels && !st; level++)
            st = half_width(&p->parts[i], level * out->at_once,
                            &out->half[i * levels + level - 1], err);
        if (!st && !running_make(a, p, i, out))
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (!st && !marginals_bars_make(a, p, out))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        sums_make(p, out);
    return st;
}

double
step_of_grid(struct grid g)
{
    return pow(g.base, -g.digits);
}

/* n grid steps as a number; exact on decimal grids. */
static struct datum
steps_datum(i128 n, struct grid g)
{
    if (g.base == 10)
        return (struct datum){
            .type = g.digits ? TYPE_DECIMAL : TYPE_INT,
            .n = n,
            .scale = g.digits,
        };
    return datum_of_double((double)n * step_of_grid(g));
}

/* A whole number of steps, with a bar from n - half to n + half. */
static void
steps_value(i128 n, double half, struct grid g, struct value *out)
{
    double step = step_of_grid(g);

    out->datum = steps_datum(n, g);
    out->certainty = BARRED;
    out->low = ((double)n - half) * step;
    out->high = ((double)n + half) * step;
}

/* One released number, unchanged: the first that a part has for the group. */
static void
plain_value(const struct plan *p, const struct released *r,
            const struct bars *bars, int part, size_t cell, size_t level,
            struct value *out)
{
    const size_t at = (size_t)part * bars->levels + level - 1;
    const struct marginals *m = p->marginals;

    steps_value(r->values[part][cell * part_numbers(&p->parts[part])],
                m ? bars->tables[at][marginals_set_of(m, cell)]
                  : (double)bars->half[at],
                p->parts[part].grid, out);
}

/*
 * The bar of a noisy count of units that itself decided whether its group is
 * shown.
 *
 * THEOREM  bars-chosen
 *   Let y = n + Y be shown when y >= t, Y symmetric and log-concave, and h
 *   such that P[|Y| > h] <= beta. If y is shown, then, with probability at
 *   least 1 - beta given that, n lies between y - h and y + h or, where
 *   y - h <= t, between the least count of a shown group and y + h.
 * SOURCE   doc/proofs/bars-chosen.md
 * NEEDS    the half width of the noise.
 * GIVES    a bar that also holds in groups that are shown only thanks to noise.
 * FAILS    cannot.
 * TESTED   lucky_groups_have_honest_bars
 */
static void
widen_chosen(const struct selection *s, i128 y, i128 half, struct value *out)
{
    const custos_keys_facts *f = custos_keys_report(s->rule);

    if (y - half <= f->threshold)
        out->low = fmin(out->low, (double)f->least);
}

/* Clamps a distinct count and its bar to [0, domain], where the exact count is:
   the bar still covers it. */
static void
cut_distinct(uint64_t domain, struct value *out)
{
    i128 most = (i128)domain;

    out->datum.n = out->datum.n < 0      ? 0
                   : out->datum.n > most ? most
                                         : out->datum.n;
    out->low = fmin(fmax(out->low, 0), (double)domain);
    out->high = fmin(fmax(out->high, 0), (double)domain);
}

static void
sum_value(const struct plan *p, const struct released *r,
          const struct bars *bars, size_t slot, size_t cell, size_t level,
          struct value *out)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    const struct part *sum = &p->parts[f->share >= 0 ? f->share : f->sum];
    double half;
    i128 s, n;

    if (f->share >= 0) {
        plain_value(p, r, bars, f->share, cell, level, out);
        return;
    }
    if (f->rows < 0 && !f->counted) {
        plain_value(p, r, bars, f->sum, cell, level, out);
        return;
    }
    s = r->values[f->sum][cell];
    n = f->counted ? (i128)p->known_rows : r->values[f->rows][cell];
    /* UNREACHABLE overflow: the plan's limits are far below 128 bits */
    if (!ck_mul_i128(n, sum->centre, &n) || !ck_add_i128(n, s, &n))
        n = s < 0 ? I128_MIN : I128_MAX;
    half = f->counted
               ? (double)bars->half[(size_t)f->sum * bars->levels + level - 1]
           : p->marginals
               ? bars->table_sums[slot * bars->levels + level - 1]
                                 [marginals_set_of(p->marginals, cell)]
               : bars->sum_half[slot * bars->levels + level - 1];
    steps_value(n, half, sum->grid, out);
}

struct group {
    struct bar_part rows, sum, squares;
    struct bar range; /* of one value minus its centre, in steps */
    double centre, step;
};

static struct bar_part
released_part(const struct plan *p, const struct released *r,
              const struct bars *bars, int part, size_t cell)
{
    const struct marginals *m = p->marginals;
    struct bar_part x = {.law = {.scale = 1}};

    if (part < 0)
        return x;
    x.value = (double)r->values[part][cell];
    x.law = m ? bars->table_laws[(size_t)part * m->n_sets +
                                 marginals_set_of(m, cell)]
              : bars->laws[part];
    return x;
}

struct bar_part
aggregate_rows(const struct plan *p, const struct released *r,
               const struct bars *bars, const struct plan_aggregate *f,
               size_t cell)
{
    /* such noise is 0, but with probability 10^-43 */
    const struct bar_law none = {BAR_LAPLACE, 0.01};

    if (f->counted)
        return (struct bar_part){(double)p->known_rows, none};
    return released_part(p, r, bars, f->rows, cell);
}

static struct group
group_of(const struct plan *p, const struct released *r,
         const struct bars *bars, const struct plan_aggregate *f, size_t cell)
{
    const struct part *sum = &p->parts[f->sum];

    return (struct group){
        .rows = aggregate_rows(p, r, bars, f, cell),
        .sum = released_part(p, r, bars, f->sum, cell),
        .squares = released_part(p, r, bars, f->squares, cell),
        .range = {(double)(sum->lower - sum->centre),
                  (double)(sum->upper - sum->centre)},
        .centre = (double)sum->centre,
        .step = step_of_grid(sum->grid),
    };
}

static void
real_value(double x, struct bar bar, struct value *out)
{
    out->datum = datum_of_double(x);
    out->certainty = BARRED;
    out->low = fmin(bar.low, x);
    out->high = fmax(bar.high, x);
}

static void
share_value(const struct plan *p, const struct released *r,
            const struct bars *bars, size_t part, size_t cell, size_t level,
            struct value *out)
{
    const struct part *share = &p->parts[part];
    const i128 *n = r->values[part] + 2 * cell;
    double t = (double)n[0], rest = (double)n[1];
    double unit = (double)share->upper * step_of_grid(share->grid);
    struct bar bar =
        bar_share(t, rest, bars->laws[part], bars_miss(bars, level));

    bar.low *= unit;
    bar.high *= unit;
    real_value(bar_share_point(t, rest) * unit, bar, out);
}

/* The bar of a mean of a known number of rows: that of its sum, divided. */
static struct bar
mean_of_known(const struct group *g, double half)
{
    double n = g->rows.value, low = (g->sum.value - half) / n;

    return (struct bar){
        fmax(g->range.low, fmin(low, g->range.high)),
        fmin(g->range.high, fmax((g->sum.value + half) / n, g->range.low))};
}

static void
mean_value(const struct plan *p, const struct released *r,
           const struct bars *bars, size_t slot, size_t cell, size_t level,
           struct value *out)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    struct group g;
    struct bar bar;
    double x;

    if (f->share >= 0) {
        share_value(p, r, bars, (size_t)f->share, cell, level, out);
        return;
    }
    g = group_of(p, r, bars, f, cell);
    x = bar_ratio_point(g.sum.value, g.rows.value, g.range);
    if (f->counted)
        bar = mean_of_known(
            &g, (double)bars->half[(size_t)f->sum * bars->levels + level - 1]);
    else
        bar = bar_ratio(g.sum, g.rows, g.range, bars_miss(bars, level));
    bar.low = (bar.low + g.centre) * g.step;
    bar.high = (bar.high + g.centre) * g.step;
    real_value((x + g.centre) * g.step, bar, out);
}

static void
variance_value(const struct plan *p, const struct released *r,
               const struct bars *bars, size_t slot, size_t cell, size_t level,
               struct value *out)
{
    const struct aggregate_row *row = &aggregates[p->aggregates[slot].kind];
    struct group g = group_of(p, r, bars, &p->aggregates[slot], cell);
    enum bar_divisor divisor = row->sample ? BAR_SAMPLE : BAR_POPULATION;
    double x = bar_variance_point(g.squares.value, g.sum.value, g.rows.value,
                                  g.range, divisor);
    struct bar bar = bar_variance(g.squares, g.sum, g.rows, g.range, divisor,
                                  bars_miss(bars, level));
    double unit = row->root ? g.step : g.step * g.step;

    if (row->root) {
        x = sqrt(x);
        bar = bar_root(bar);
    }
    bar.low *= unit;
    bar.high *= unit;
    real_value(x * unit, bar, out);
}

/* A number of steps as a double, rounded down (way < 0) or up. */
static double
steps_outward(i128 n, double step, int way)
{
    double x = (double)n * step;

    /* past 2^53 steps a double may have been rounded the other way */
    return n < -(INT64_C(1) << 53) || n > INT64_C(1) << 53
               ? nextafter(x, way < 0 ? -HUGE_VAL : HUGE_VAL)
               : x;
}

/* A value of the quantile's own type: whole numbers and dates stay whole. */
static struct datum
quantile_datum(i128 n, struct grid g, enum data_type type)
{
    struct datum d;

    for (; g.digits < 0 && type != TYPE_REAL; g.digits++)
        n *= g.base; /* stays within the range, or next to its end */
    d = steps_datum(n, g);
    if (d.type != TYPE_NULL && (type != TYPE_DECIMAL || g.base == 10))
        d.type = type;
    return d;
}

static void
quantile_value(const struct plan *p, const struct released *r,
               const struct bars *bars, size_t slot, size_t cell, size_t level,
               struct value *out)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    const struct part *part = &p->parts[f->rows];
    const i128 *released = r->values[f->rows] + cell * part_width(part);
    double step = step_of_grid(part->grid);
    struct quantile_found x;

    if (!part->quantiles->counts) {
        out->datum =
            quantile_datum(released[f->rank], part->grid, f->expr->type);
        return;
    }
    quantile_find(bars->quantiles[(size_t)f->rows * bars->levels + level - 1],
                  released, f->rank, &x);
    out->datum = quantile_datum(x.value, part->grid, f->expr->type);
    out->certainty = BARRED;
    out->low = steps_outward(x.value < x.low ? x.value : x.low, step, -1);
    out->high = steps_outward(x.value > x.high ? x.value : x.high, step, 1);
}

static void
count_value(const struct plan *p, const struct released *r,
            const struct bars *bars, size_t slot, size_t cell, size_t level,
            struct value *out)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    size_t part = (size_t)f->rows;

    if (f->share >= 0) {
        const i128 *n = r->values[f->share] + 2 * cell;

        steps_value(n[0] + n[1],
                    bars->sum_half[slot * bars->levels + level - 1],
                    (struct grid){10, 0}, out);
        return;
    }
    plain_value(p, r, bars, f->rows, cell, level, out);
    if (p->parts[part].served)
        widen_chosen(p->parts[part].space->selection, r->values[part][cell],
                     bars->half[part * bars->levels + level - 1], out);
    if (p->parts[part].domain > 0)
        cut_distinct(p->parts[part].domain, out);
}

/* Of a total: the last of the group's sequence. */
static void
running_value(const struct plan *p, const struct released *r,
              const struct bars *bars, size_t slot, size_t cell, size_t level,
              struct value *out)
{
    size_t part = (size_t)p->aggregates[slot].rows;
    const struct running *of = p->parts[part].running;
    size_t t = cell / of->stride % of->n;

    if (p->aggregates[slot].kind == AGG_TOTAL_ROWS) {
        cell += (of->n - 1 - t) * of->stride;
        t = of->n - 1;
    }
    steps_value(r->values[part][cell],
                bars->running[part * bars->levels + level - 1][t],
                (struct grid){10, 0}, out);
    out->datum.type = TYPE_DECIMAL;
}

static const struct {
    void (*value)(const struct plan *p, const struct released *r,
                  const struct bars *bars, size_t slot, size_t cell,
                  size_t level, struct value *out);
} rules[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define VALUE(rule) rule
#include "sql/aggregates.def"
};

bool
aggregate_value(const struct plan *p, const struct released *r,
                const struct bars *bars, size_t slot, size_t cell, size_t level,
                struct value *out)
{
    *out = (struct value){.certainty = UNCERTAIN};
    rules[p->aggregates[slot].kind].value(p, r, bars, slot, cell, level, out);
    return true;
}

bool
aggregate_within(const struct plan *p, const struct bars *bars, size_t slot,
                 struct datum *out)
{
    const struct plan_aggregate *f = &p->aggregates[slot];
    enum aggregate_family family = aggregates[f->kind].family;
    bool sum = family == FAMILY_SUM;
    int part = f->share >= 0 ? f->share : sum ? f->sum : f->rows;

    if (family == FAMILY_MEAN && f->counted) {
        *out = datum_of_double(
            (double)bars->half[(size_t)f->sum * bars->levels] *
            step_of_grid(p->parts[f->sum].grid) / (double)p->known_rows);
        return true;
    }
    if ((!sum && family != FAMILY_COUNT) || p->marginals)
        return false;
    if (is_count_of_share(f))
        *out = datum_of_double(bars->sum_half[slot * bars->levels]);
    else if (is_shifted_sum(f))
        *out = datum_of_double(bars->sum_half[slot * bars->levels] *
                               step_of_grid(p->parts[f->sum].grid));
    else
        *out = steps_datum(bars->half[(size_t)part * bars->levels],
                           sum ? p->parts[part].grid : (struct grid){10, 0});
    return true;
}
