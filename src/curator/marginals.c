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

/* The noise of a cell, and how far rounding may move it. */
struct noise {
    double variance, fourth; /* fourth: the fourth cumulant */
    double rounded, most;    /* the variance of rounding; its bound */
};

/*
 * A sum of 2^k sums that are rounded to whole numbers has the variance 2^k/12 of
 * rounding. The factor makes up for scales that are reported rounded down.
 */
static struct noise
noise_of_cell(const struct plan *p, size_t layer, size_t set)
{
    int k = __builtin_popcount(p->marginals->sets[set]);
    struct noise x = {.rounded = ldexp(1, k) / 12, .most = ldexp(1, k - 1)};

    x.variance = marginals_variance(p, layer, set, &x.fourth) * (1 + 1e-12);
    return x;
}

/* The quantile of Laplace noise is the first term of Cornish's and Fisher's
   expansion beyond that of normal noise. The released and the exact number are
   whole, so a distance above h is h + 1 or more. */
static double
half_of_noise(const struct noise *x, double z)
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
marginals_bars(const struct plan *p, size_t layer, struct bar_law law,
               double miss, double *half)
{
    const struct marginals *m = p->marginals;
    const double z = normal_quantile(miss);

    for (size_t s = 0; s < m->n_sets; s++) {
        struct noise x = noise_of_cell(p, layer, s);

        half[s] = m->kind == MARGINALS_TABLES && m->n_noisy == 1
                      ? half_of_sum(law,
                                    p->tables[0].cells /
                                        marginals_cells(m, m->sets[s]),
                                    miss)
                      : half_of_noise(&x, z);
    }
}

void
marginals_sum_bars(const struct plan *p, const struct plan_aggregate *f,
                   double miss, double *half)
{
    const double c = fabs((double)p->parts[f->sum].centre);
    const double z = normal_quantile(miss);

    for (size_t s = 0; s < p->marginals->n_sets; s++) {
        struct noise x = noise_of_cell(p, (size_t)f->sum, s);
        struct noise n = noise_of_cell(p, (size_t)f->rows, s);

        x.variance += c * c * n.variance;
        x.fourth += c * c * c * c * n.fourth;
        x.rounded += c * c * n.rounded;
        x.most += c * n.most;
        half[s] = half_of_noise(&x, z);
    }
}

void
marginals_laws(const struct plan *p, size_t layer, struct bar_law *laws)
{
    const bool laplace = p->parts[layer].mech_kind == CUSTOS_LAPLACE;

    for (size_t s = 0; s < p->marginals->n_sets; s++) {
        struct noise x = noise_of_cell(p, layer, s);
        double variance =
            x.variance + (x.variance >= MANY ? x.rounded : x.most * x.most);

        laws[s] = laplace ? (struct bar_law){BAR_LAPLACE, sqrt(variance / 2)}
                          : (struct bar_law){BAR_GAUSSIAN, sqrt(variance)};
    }
}
