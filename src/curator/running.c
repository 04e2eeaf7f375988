/*
 * Error bars of running counts. After noise, so doubles are safe.
 */
#include "curator/running.h"

#include <math.h>

/* What the rounding of factor_solve and of the sums to whole numbers may add. */
#define ROUNDED 0.51

enum { HALVINGS = 60, DRAWS_MAX = 512 };

/*
 * An upper bound on P[sum of k Laplace variables of scale 1 > x], x >= 0. Its
 * density is a polynomial times exp(-x) with terms above 0: the tail is the sum
 * over j < k of (k-1+j)! / ((k-1)! j! 2^(k+j)) P[Poisson(x) < k - j].
 */
static double
laplaces_above(size_t k, double x)
{
    double below[DRAWS_MAX + 1] = {0}, term = exp(-x), sum = 0;
    double share = ldexp(1, -(int)k);

    for (size_t m = 0; m < k; m++) {
        below[m + 1] = below[m] + term;
        term *= x / (double)(m + 1);
    }
    for (size_t j = 0; j < k; j++) {
        sum += share * below[k - j];
        share *= (double)(k + j) / (2 * (double)(j + 1));
    }
    return sum * (1 + 1e-9);
}

static double
normal_beyond(size_t k, double x)
{
    (void)k;
    return erfc(x / M_SQRT2) / 2 * (1 + 1e-9);
}

/* The least x, from above, with tail(k, x) <= chance. */
static double
quantile_of(double (*tail)(size_t k, double x), size_t k, double chance)
{
    double low = 1e-9, high = 1;

    while (tail(k, high) > chance)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double mid = low + (high - low) / 2;

        if (tail(k, mid) > chance)
            low = mid;
        else
            high = mid;
    }
    return high;
}

static void
bars_gaussian(const struct running *r, struct bar_law law, double miss,
              double *half)
{
    double z = quantile_of(normal_beyond, 1, miss / 2);
    double step = ldexp(1, -(int)running_bits(r));

    for (size_t t = 0; t < r->n; t++) {
        double weight = ldexp((double)r->weight[t], -32);
        double terms = r->kind == RUNNING_TREE ? weight : (double)(t + 1);
        /* the sum of |b| is at most the root of terms times weight */
        double h = (z * law.scale * sqrt(weight) + sqrt(terms * weight)) * step;

        half[t] = r->kind == RUNNING_TREE ? fmax(ceil(h - 1), 0) : h + ROUNDED;
    }
}

static size_t
most_draws(const struct running *r)
{
    uint64_t most = 0;

    for (size_t t = 0; t < r->n; t++)
        most = r->weight[t] > most ? r->weight[t] : most;
    return (size_t)(most >> 32);
}

/* Sums of equally many draws have equal bars. */
static void
bars_laplace(const struct running *r, struct bar_law law, double miss,
             double *half)
{
    double q = exp(-1 / law.scale);
    double shift = 1 - law.scale * log(2 / (1 + q));

    for (size_t t = 0; t < r->n; t++) {
        size_t k = (size_t)(r->weight[t] >> 32), same = 0;

        while (same < t && r->weight[same] != r->weight[t])
            same++;
        half[t] =
            same < t
                ? half[same]
                : ceil(quantile_of(laplaces_above, k, miss / 2) * law.scale +
                       (double)k * shift - 1);
    }
}

/* Laplace noise on the square root, or very many draws, by Chernoff's bound, with
   the best of some s. */
static void
bars_mixed(const struct running *r, struct bar_law law, double miss,
           double *half)
{
    double step = ldexp(1, -(int)running_bits(r)), log_miss = log(2 / miss);

    for (size_t t = 0; t < r->n; t++) {
        double weight = ldexp((double)r->weight[t], -32), best = HUGE_VAL;

        for (int i = 1; i < 50; i++) {
            double s = 0.02 * i;

            best = fmin(best, (weight * s * s / (1 - s * s) + log_miss) / s);
        }
        half[t] = best * law.scale * step * (1 + 1e-9) + ROUNDED;
    }
}

void
running_bars(const struct running *r, struct bar_law law, double miss,
             double *half)
{
    if (law.kind == BAR_GAUSSIAN)
        bars_gaussian(r, law, miss, half);
    else if (r->kind == RUNNING_TREE && most_draws(r) <= DRAWS_MAX)
        bars_laplace(r, law, miss, half);
    else
        bars_mixed(r, law, miss, half);
}
