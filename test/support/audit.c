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

double
audit_epsilon_low(uint64_t hits, uint64_t other_hits, uint64_t n, double alpha)
{
    return log(bound_p_low(hits, n, alpha / 2) /
               bound_p_high(other_hits, n, alpha / 2));
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
