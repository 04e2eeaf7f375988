/*
 * Error bars of marginals. After noise, so doubles are safe.
 */
#include "curator/marginals.h"

#include <math.h>

#include "curator/running.h"
#include "plan/part/marginals.h"

/* From this variance on, rounding is a small part of the noise, and is spread
   evenly over its range. */
#define MANY 100.0

/* z with P[|N| > z] = miss, N standard normal; rounded up. */
static double
normal_quantile(double miss)
{
    double low = 0, high = 40;

    while (high - low > 1e-9) {
        double mid = low + (high - low) / 2;

        if (erfc(mid / sqrt(2)) > miss)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/*
 * A sum of 2^k sums that are rounded to whole numbers has the variance 2^k/12 of
 * rounding. The factor makes up for scales that are reported rounded down.
 */
void
marginals_noise(const struct plan *p, struct cell_noise *out)
{
    const struct marginals *m = p->marginals;

    for (size_t i = 0; m && i < p->n_layers * m->n_sets; i++) {
        const size_t layer = i / m->n_sets, set = i % m->n_sets;
        const int k = __builtin_popcount(m->sets[set]);

        out[i].variance =
            marginals_variance(p, layer, set, &out[i].fourth) * (1 + 1e-12);
        out[i].rounded = ldexp(1, k) / 12;
        out[i].most = ldexp(1, k - 1);
    }
}

/* The quantile of Laplace noise is the first term of Cornish's and Fisher's
   expansion beyond that of normal noise. The released and the exact number are
   whole, so a distance above h is h + 1 or more. */
static double
half_of_noise(const struct cell_noise *x, double z)
{
    double far =
        z + x->fourth / (x->variance * x->variance) * (z * z * z - 3 * z) / 24;

    if (x->variance >= MANY)
        return fmax(ceil(far * sqrt(x->variance + x->rounded) - 0.5), 0);
    /* bars-tail: discrete noise is at most as wide as normal noise and a step */
    return fmax(ceil(far * sqrt(x->variance) + x->most), 0);
}

/* Of a sum of n equal draws. */
static double
half_of_sum(struct bar_law law, size_t n, double miss)
{
    uint64_t weight = (uint64_t)n << 32;
    struct running r = {.kind = RUNNING_TREE, .n = 1, .weight = &weight};
    double half;

    running_bars(&r, law, miss, &half);
    return half;
}

void
marginals_bars(const struct plan *p, const struct cell_noise *noise,
               struct bar_law law, double miss, double *half)
{
    const struct marginals *m = p->marginals;
    const double z = normal_quantile(miss);

    for (size_t s = 0; s < m->n_sets; s++)
        half[s] = m->kind == MARGINALS_TABLES && m->n_noisy == 1
                      ? half_of_sum(law,
                                    p->tables[0].cells /
                                        marginals_cells(m, m->sets[s]),
                                    miss)
                      : half_of_noise(&noise[s], z);
}

void
marginals_sum_bars(const struct plan *p, const struct plan_aggregate *f,
                   const struct cell_noise *noise, double miss, double *half)
{
    const double c = fabs((double)p->parts[f->sum].centre);
    const size_t n = p->marginals->n_sets;
    const double z = normal_quantile(miss);

    for (size_t s = 0; s < n; s++) {
        const struct cell_noise *count = &noise[(size_t)f->rows * n + s];
        struct cell_noise x = noise[(size_t)f->sum * n + s];

        x.variance += c * c * count->variance;
        x.fourth += c * c * c * c * count->fourth;
        x.rounded += c * c * count->rounded;
        x.most += c * count->most;
        half[s] = half_of_noise(&x, z);
    }
}

struct bar_law
marginals_law(const struct plan *p, const struct cell_noise *x)
{
    double variance =
        x->variance + (x->variance >= MANY ? x->rounded : x->most * x->most);

    if (p->parts[0].mech_kind == CUSTOS_LAPLACE)
        return (struct bar_law){BAR_LAPLACE, sqrt(variance / 2)};
    return (struct bar_law){BAR_GAUSSIAN, sqrt(variance)};
}

bool
marginals_bars_make(arena *a, const struct plan *p, struct bars *out)
{
    const size_t n = p->marginals ? p->marginals->n_sets : 0;
    const size_t halves = (p->n_layers + p->n_aggregates) * out->levels;
    double *half = arena_take(a, halves * n + 1, sizeof *half);
    struct cell_noise *noise =
        arena_take(a, p->n_layers * n + 1, sizeof *noise);

    out->tables =
        arena_take(a, p->n_layers * out->levels + 1, sizeof(double *));
    out->table_sums =
        arena_take(a, p->n_aggregates * out->levels + 1, sizeof(double *));
    out->table_laws =
        arena_take(a, p->n_layers * n + 1, sizeof *out->table_laws);
    if (!half || !noise || !out->tables || !out->table_sums || !out->table_laws)
        return false;
    marginals_noise(p, noise);
    for (size_t i = 0; i < p->n_layers * n; i++)
        out->table_laws[i] = marginals_law(p, &noise[i]);
    for (size_t level = 1; level <= out->levels && n > 0; level++) {
        for (size_t l = 0; l < p->n_layers; l++, half += n) {
            marginals_bars(p, noise + l * n, out->laws[l],
                           bars_miss(out, level), half);
            out->tables[l * out->levels + level - 1] = half;
        }
        for (size_t i = 0; i < p->n_aggregates; i++, half += n) {
            const struct plan_aggregate *f = &p->aggregates[i];

            if (f->sum >= 0 && f->rows >= 0)
                marginals_sum_bars(p, f, noise, bars_miss(out, level), half);
            out->table_sums[i * out->levels + level - 1] = half;
        }
    }
    return true;
}
