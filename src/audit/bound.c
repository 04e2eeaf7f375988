/*
 * Bounds on probabilities, epsilon and mu from counts.
 */
#include "audit/bound.h"

#include <math.h>

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
bound_beta(double a, double b, double x)
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

/* lgamma of 10^8 is known to 1e-6: what is left of a level after this rounding
   is still a level. */
static double
shrink_level(double alpha)
{
    return alpha * (1 - 1e-5);
}

/*
 * THEOREM  clopper-pearson
 *   Let H be the number of n independent runs in which an event of probability p
 *   occurs. The p_low with I_{p_low}(h, n - h + 1) = alpha is above p with
 *   probability at most alpha, and so is p below the p_high with
 *   I_{1 - p_high}(n - h, h + 1) = alpha.
 * SOURCE   Clopper and Pearson 1934, Biometrika 26(4), 404-413; the tail of the
 *          binomial law as an incomplete beta function: P[H >= h] = I_p(h, n-h+1).
 * NEEDS    the event and n were fixed before the runs; the runs are independent.
 * GIVES    each bound is wrong with probability at most alpha.
 * FAILS    cannot fail.
 * TESTED   clopper_pearson_covers
 */
double
bound_p_low(uint64_t hits, uint64_t n, double alpha)
{
    double low = 0, high = (double)hits / (double)n;

    if (hits == 0)
        return 0;
    alpha = shrink_level(alpha);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (bound_beta((double)hits, (double)(n - hits) + 1, middle) < alpha)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double
bound_p_high(uint64_t hits, uint64_t n, double alpha)
{
    double low = (double)hits / (double)n, high = 1;

    if (hits == n)
        return 1;
    alpha = shrink_level(alpha);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (bound_beta((double)(n - hits), (double)hits + 1, 1 - middle) <
            alpha)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* By halving. */
double
bound_normal_quantile(double p)
{
    double x, low = -38, high = 38;

    if (p <= 0 || p >= 1)
        return p <= 0 ? -INFINITY : INFINITY;
    for (int i = 0; i < 80; i++) {
        x = (low + high) / 2;
        if (erfc(-x / M_SQRT2) / 2 < p)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

/* Renyi divergence of order a > 1 between coins with probabilities p and q. */
static double
coin_divergence(double p, double q, double a)
{
    double heads = a * log(p) + (1 - a) * log(q);
    double tails = a * log1p(-p) + (1 - a) * log1p(-q);

    return (fmax(heads, tails) + log1p(exp(-fabs(heads - tails)))) / (a - 1);
}

/*
 * THEOREM  audit-refutes-rho
 *   If a mechanism is rho-zCDP then D_a(P || Q) <= rho a for every order a > 1.
 *   Whether an event occurs is a function of the output, so the coins with
 *   probabilities P[E] and Q[E] are no farther apart. For p > q their divergence
 *   grows with p and falls with q.
 * SOURCE   Bun and Steinke 2016, arXiv:1605.02065, def. 1.1 and lemma 2.2.
 * NEEDS    0 < q, p < 1; P[E] >= p, Q[E] <= q.
 * GIVES    rho is at least the result: every order gives a bound, and the largest
 *          over some orders is one too.
 * FAILS    cannot fail.
 * TESTED   bounds_of_known_laws_hold, rho_of_discrete_gaussian
 */
double
bound_rho(double p, double q)
{
    double most = 0;

    if (!(p > q) || q <= 0 || p >= 1)
        return p > q ? INFINITY : 0;
    for (int i = 0; i <= 65; i++) { /* orders 1.001 to 2000 */
        double order = 1 + 1e-3 * pow(1.25, i);

        most = fmax(most, coin_divergence(p, q, order) / order);
    }
    return most;
}

/*
 * THEOREM  audit-refutes
 *   If a mechanism is (epsilon, delta)-DP then P[E] <= e^epsilon Q[E] + delta for
 *   every event E; if it is mu-GDP then Phi^-1(P[E]) - Phi^-1(Q[E]) <= mu. With
 *   P[E] >= p_low and Q[E] <= q_high, epsilon >= ln((p_low - delta)/q_high) and
 *   mu >= Phi^-1(p_low) - Phi^-1(q_high).
 * SOURCE   the definition; Dong, Roth and Su 2019, arXiv:1905.02383, def. 2.6.
 * NEEDS    the event was fixed before the counted runs.
 * GIVES    all bounds hold together, rho's too, wrong with probability at most
 *          alpha.
 * FAILS    cannot fail.
 * TESTED   bounds_of_known_laws_hold
 */
struct bound
bound_of_counts(uint64_t hits, uint64_t other_hits, uint64_t n, double delta,
                double alpha)
{
    struct bound out = {
        .p_low = bound_p_low(hits, n, alpha / 2),
        .other_high = bound_p_high(other_hits, n, alpha / 2),
    };

    if (out.p_low <= out.other_high)
        return out;
    if (out.p_low - delta > out.other_high)
        out.epsilon = log((out.p_low - delta) / out.other_high);
    out.mu = bound_normal_quantile(out.p_low) -
             bound_normal_quantile(out.other_high);
    /* With delta: each law is a mixture, at least 1 - delta of it rho-zCDP. */
    out.rho = bound_rho(out.p_low - delta, out.other_high / (1 - delta));
    return out;
}
