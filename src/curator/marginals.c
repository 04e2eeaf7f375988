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
 * rounding. The quantile of Laplace noise is the first term of Cornish's and
 * Fisher's expansion beyond that of normal noise. Both numbers are whole, so a
 * distance above h is h + 1 or more.
 */
static double
half_of_cell(const struct plan *p, size_t set, double z)
{
    int k = __builtin_popcount(p->marginals->sets[set]);
    double fourth, rounded = ldexp(1, k) / 12;
    double variance = marginals_variance(p, set, &fourth) * (1 + 1e-12);
    double far = z + fourth / (variance * variance) * (z * z * z - 3 * z) / 24;

    if (variance >= MANY)
        return fmax(ceil(far * sqrt(variance + rounded) - 0.5), 0);
    /* bars-tail: discrete noise is at most as wide as normal noise and a step */
    return fmax(ceil(far * sqrt(variance) + ldexp(1, k - 1)), 0);
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
marginals_bars(const struct plan *p, const struct bar_law *laws, double miss,
               double *half)
{
    const struct marginals *m = p->marginals;
    const double z = normal_quantile(miss);

    for (size_t s = 0; s < m->n_sets; s++)
        half[s] = m->kind == MARGINALS_TABLES && m->n_noisy == 1
                      ? half_of_sum(laws[0],
                                    p->tables[0].cells /
                                        marginals_cells(m, m->sets[s]),
                                    miss)
                      : half_of_cell(p, s, z);
}
