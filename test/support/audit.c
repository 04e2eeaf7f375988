/*
 * See audit.h. Doubles are good enough for the attacker's side.
 */
#include "support/audit.h"

#include <math.h>
#include <stdlib.h>

bool
audit_long(void)
{
    return getenv("CUSTOS_LONG") != NULL;
}

bool
audit_quick(void)
{
    return getenv("CUSTOS_QUICK") != NULL;
}

size_t
audit_size(size_t few, size_t some, size_t many)
{
    return audit_quick() ? few : audit_long() ? many : some;
}

/* Lentz's continued fraction, for x below the mean. */
static double
beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (int m = 1; m < 100000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 + even * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return h;
}

double
audit_beta(double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x >= 1;
    front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The x at which I_x(a, b) = p, by halving. */
static double
beta_inverse(double a, double b, double p)
{
    double low = 0, high = 1;

    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;

        if (audit_beta(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double
audit_p_low(uint64_t hits, uint64_t n, double alpha)
{
    if (hits == 0)
        return 0;
    return beta_inverse((double)hits, (double)(n - hits) + 1, alpha);
}

double
audit_p_high(uint64_t hits, uint64_t n, double alpha)
{
    if (hits == n)
        return 1;
    return beta_inverse((double)hits + 1, (double)(n - hits), 1 - alpha);
}

double
audit_epsilon_low(uint64_t hits, uint64_t other_hits, uint64_t n, double alpha)
{
    return log(audit_p_low(hits, n, alpha / 2) /
               audit_p_high(other_hits, n, alpha / 2));
}

static int
by_value(const void *a, const void *b)
{
    double x = ((const struct audit_point *)a)->value;
    double y = ((const struct audit_point *)b)->value;

    return (x > y) - (x < y);
}

double
audit_auc(struct audit_point *points, size_t n)
{
    double large = 0, ranks = 0;

    qsort(points, n, sizeof *points, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && points[end].value <= points[i].value; end++)
            ;
        for (size_t k = i; k < end; k++) {
            large += points[k].large;
            ranks += points[k].large ? (double)(i + end + 1) / 2 : 0;
        }
    }
    return (ranks - large * (large + 1) / 2) / (large * ((double)n - large));
}

double
audit_ks_p(struct audit_point *points, size_t n)
{
    double count[2] = {0}, seen[2] = {0}, distance = 0, lambda, p = 0;

    for (size_t i = 0; i < n; i++)
        count[points[i].large]++;
    qsort(points, n, sizeof *points, by_value);
    for (size_t i = 0; i < n; i++) {
        seen[points[i].large]++;
        if (i + 1 == n || points[i + 1].value > points[i].value)
            distance =
                fmax(distance, fabs(seen[0] / count[0] - seen[1] / count[1]));
    }
    lambda = distance * sqrt(count[0] * count[1] / (double)n);
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * lambda * lambda);
    return lambda < 0.2 ? 1 : fmin(fmax(p, 0), 1);
}
