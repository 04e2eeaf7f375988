/*
 * Bounds from counts: Clopper-Pearson against exact binomial sums, bounds on
 * epsilon and mu against laws whose epsilon and mu are known.
 */
#include <math.h>

#include "audit/bound.h"
#include "support/support.h"

enum { N = 60 };

/* P[H = h] of n runs. */
static double
binomial(int n, int h, double p)
{
    return exp(lgamma(n + 1) - lgamma(h + 1) - lgamma(n - h + 1) + h * log(p) +
               (n - h) * log1p(-p));
}

/* The probability that a bound is wrong, added up over all outcomes. */
static void
clopper_pearson_covers(void **state)
{
    static const double alphas[] = {0.5, 0.05, 1e-3, 1e-6};

    (void)state;
    for (size_t a = 0; a < 4; a++)
        for (double p = 0.005; p < 1; p += 0.005) {
            double low_wrong = 0, high_wrong = 0;

            for (int h = 0; h <= N; h++) {
                double weight = binomial(N, h, p);

                low_wrong +=
                    bound_p_low((uint64_t)h, N, alphas[a]) > p ? weight : 0;
                high_wrong +=
                    bound_p_high((uint64_t)h, N, alphas[a]) < p ? weight : 0;
            }
            assert_true(low_wrong <= alphas[a]);
            assert_true(high_wrong <= alphas[a]);
        }
}

/* The bounds are the best of their kind: the tail at the bound is alpha. */
static void
clopper_pearson_is_tight(void **state)
{
    (void)state;
    for (int h = 1; h < N; h += 7) {
        double low = bound_p_low((uint64_t)h, N, 0.05), tail = 0;
        double high = bound_p_high((uint64_t)h, N, 0.05), other = 0;

        for (int k = h; k <= N; k++)
            tail += binomial(N, k, low);
        for (int k = 0; k <= h; k++)
            other += binomial(N, k, high);
        assert_true(fabs(tail - 0.05) < 1e-5 && fabs(other - 0.05) < 1e-5);
    }
    assert_true(bound_p_low(0, N, 0.05) == 0);
    assert_true(bound_p_high(N, N, 0.05) == 1);
    /* No hit of n: 1 - alpha^(1/n). */
    assert_true(fabs(bound_p_high(0, 10000000, 1e-6) -
                     -expm1(log(1e-6) / 10000000)) < 1e-9);
    /* Large counts: within a thousandth of the normal approximation. */
    assert_true(fabs((0.5 - bound_p_low(50000000, 100000000, 0.025)) /
                         (1.959964 * 0.5e-4) -
                     1) < 1e-3);
}

/* Randomized response with ln 3: over all outcomes of both arms, the bound is
   above ln 3 with probability at most alpha. The same for mu. */
static void
bounds_of_known_laws_hold(void **state)
{
    const double p = 0.75, q = 0.25, alpha = 0.2;
    double epsilon_wrong = 0, mu_wrong = 0, rho_wrong = 0;

    (void)state;
    for (int h = 0; h <= N; h++)
        for (int k = 0; k <= N; k++) {
            struct bound b =
                bound_of_counts((uint64_t)h, (uint64_t)k, N, 0, alpha);
            double weight = binomial(N, h, p) * binomial(N, k, q);

            epsilon_wrong += b.epsilon > log(3) ? weight : 0;
            mu_wrong +=
                b.mu > bound_normal_quantile(p) - bound_normal_quantile(q)
                    ? weight
                    : 0;
            rho_wrong += b.rho > bound_rho(p, q) ? weight : 0;
        }
    assert_true(epsilon_wrong <= alpha && mu_wrong <= alpha);
    assert_true(rho_wrong <= alpha && rho_wrong > 1e-4);
    assert_true(epsilon_wrong >
                1e-4); /* the claim is not met by saying nothing */
}

static void
delta_is_taken_off(void **state)
{
    struct bound none = bound_of_counts(900, 100, 1000, 0, 0.05);
    struct bound some = bound_of_counts(900, 100, 1000, 0.5, 0.05);
    struct bound all = bound_of_counts(900, 100, 1000, 0.9, 0.05);

    (void)state;
    assert_true(fabs(none.epsilon - log(none.p_low / none.other_high)) < 1e-12);
    assert_true(fabs(some.epsilon - log((some.p_low - 0.5) / some.other_high)) <
                1e-12);
    assert_true(all.epsilon == 0);
    assert_true(bound_of_counts(100, 900, 1000, 0, 0.05).epsilon == 0);
}

/* P[X >= k] for the discrete Gaussian of parameter sigma around `mean`. */
static double
discrete_tail(double sigma, int mean, int k)
{
    double all = 0, tail = 0;

    for (int x = mean - 100; x <= mean + 100; x++) {
        double weight = exp(-pow(x - mean, 2) / (2 * sigma * sigma));

        all += weight;
        tail += x >= k ? weight : 0;
    }
    return tail / all;
}

/* It is rho-zCDP with rho = 1/(2 sigma^2), exactly, but has a larger mu than
   sqrt(2 rho): no event may refute its rho. */
static void
rho_of_discrete_gaussian(void **state)
{
    (void)state;
    for (double sigma = 0.25; sigma < 10; sigma *= 1.3) {
        double rho = 1 / (2 * sigma * sigma), most = 0;

        for (int k = -(int)(3 * sigma); k <= 1 + 4 * sigma; k++)
            most = fmax(most, bound_rho(discrete_tail(sigma, 1, k),
                                        discrete_tail(sigma, 0, k)));
        assert_true(most <= rho * (1 + 1e-9));
        assert_true(most > 0.5 * rho);
    }
    assert_true(bound_normal_quantile(discrete_tail(0.5, 1, 1)) -
                    bound_normal_quantile(discrete_tail(0.5, 0, 1)) >
                2.4);
    assert_true(bound_rho(0.3, 0.3) == 0 && bound_rho(0.2, 0.3) == 0);
}

static void
normal_quantiles(void **state)
{
    (void)state;
    assert_true(fabs(bound_normal_quantile(0.975) - 1.959963984540054) < 1e-9);
    assert_true(fabs(bound_normal_quantile(1e-9) + 5.997807015007687) < 1e-6);
    assert_true(bound_normal_quantile(0) == -INFINITY);
    assert_true(bound_normal_quantile(1) == INFINITY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clopper_pearson_covers),
        cmocka_unit_test(clopper_pearson_is_tight),
        cmocka_unit_test(bounds_of_known_laws_hold),
        cmocka_unit_test(delta_is_taken_off),
        cmocka_unit_test(rho_of_discrete_gaussian),
        cmocka_unit_test(normal_quantiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
