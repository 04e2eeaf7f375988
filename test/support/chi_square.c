/*
 * Goodness-of-fit tests for laws with large parameters.
 */
#include <math.h>

#include "support/support.h"

/* Series for small x, continued fraction (Lentz) for large x. */
double
test_gamma_q(double a, double x)
{
    double front;

    if (x <= 0)
        return 1;
    front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;

        for (double n = a + 1; term > sum * 1e-17; n++)
            sum += term *= x / n;
        return 1 - front * sum;
    } else {
        double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;

        for (int i = 1; i < 100000; i++) {
            double an = -i * (i - a), step;

            b += 2;
            d = 1 / (an * d + b);
            c = b + an / c;
            h *= step = d * c;
            if (fabs(step - 1) < 1e-15)
                break;
        }
        return front * h;
    }
}

double
test_chi_square_p(const uint64_t *counts, const double *expected, size_t cells)
{
    double sum = 0, pooled_count = 0, pooled_expected = 0;
    size_t used = 0;

    for (size_t i = 0; i < cells; i++) {
        if (expected[i] < 10) {
            pooled_count += (double)counts[i];
            pooled_expected += expected[i];
            continue;
        }
        sum += ((double)counts[i] - expected[i]) *
               ((double)counts[i] - expected[i]) / expected[i];
        used++;
    }
    if (pooled_expected >= 1) {
        sum += (pooled_count - pooled_expected) *
               (pooled_count - pooled_expected) / pooled_expected;
        used++;
    } else if (pooled_count > 5) {
        return 0; /* nearly nothing was expected there */
    }
    return used < 2 ? 1 : test_gamma_q((double)(used - 1) / 2, sum / 2);
}
