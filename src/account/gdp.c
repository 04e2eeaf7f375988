/*
 * Gaussian DP: the exact curve of the normal law, and its inverses by a
 * certified search. Small mu and small epsilon need more bits, because of
 * cancellation.
 *
 * THEOREM  gdp-to-approx
 *   mu-GDP is (epsilon, delta)-DP for all epsilon >= 0 with delta =
 *   P[Z > epsilon/mu - mu/2] - exp(epsilon) P[Z > epsilon/mu + mu/2]. For the
 *   normal mechanism with D/sigma = mu, no smaller delta holds.
 * SOURCE   Dong, Roth, Su 2019, arXiv:1905.02383, corollary 2.13; Balle, Wang
 *          2018, arXiv:1805.06530, theorem 8.
 * NEEDS    mu^2 >= 0. The discrete Gaussian is not D/sigma-GDP.
 * GIVES    epsilon rounded up, mu^2 rounded down.
 * FAILS    cannot; an epsilon above 2^1300 is reported as none.
 * TESTED   convert_gdp_fuzz convert_gdp_known_values
 */
#include "account/convert.h"

#include "account/search.h"
#include "num/batch.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    BITS_FIRST = 128,
    BITS_LAST = 2560,
    SEARCH_BITS = 44,
    STEP_BITS = 60,
    STEPS = 40,
};

struct gdp_case {
    const rat *mu_squared;
    const rat *epsilon;
    const rat *delta;
};

/* r = 2 P[Z > x] for a normal Z; root is sqrt(1/2). */
static void
two_tails(ival *r, const ival *x, const ival *root)
{
    ival_mul(r, x, root);
    ival_erfc(r, r);
}

/*
 * Encloses delta, and fall = exp(epsilon) P[Z > epsilon/mu + mu/2], the rate
 * at which delta falls with epsilon.
 */
static void
delta_enclose(const rat *mu_squared, const rat *epsilon, ival *delta,
              ival *fall)
{
    ival x[4];

    ivals_init(x, 4, ival_bits(delta));
    ival_set_i64(&x[0], 1);
    ival_mul_pow2(&x[0], &x[0], -1);
    ival_sqrt(&x[0], &x[0]);
    ival_set_rat(&x[1], mu_squared);
    ival_sqrt(&x[1], &x[1]);
    ival_set_rat(&x[2], epsilon);
    ival_div(&x[2], &x[2], &x[1]);
    ival_mul_pow2(&x[1], &x[1], -1);
    ival_sub(&x[3], &x[2], &x[1]);
    ival_add(&x[2], &x[2], &x[1]);
    two_tails(delta, &x[3], &x[0]);
    two_tails(fall, &x[2], &x[0]);
    ival_set_rat(&x[1], epsilon);
    ival_exp(&x[1], &x[1]);
    if (ival_is_finite(&x[1]))
        ival_mul(fall, fall, &x[1]);
    else
        ival_from_zero(fall, delta); /* fall is less than delta's first term */
    ival_sub(delta, delta, fall);
    ival_mul_pow2(delta, delta, -1);
    ival_mul_pow2(fall, fall, -1);
    ivals_clear(x, 4);
}

/* Whether delta(mu, epsilon) < delta is certain. */
static bool
delta_is_below(const struct gdp_case *c)
{
    bool below = false, above = false;

    for (long bits = BITS_FIRST; bits <= BITS_LAST; bits *= 2) {
        ival x[2];

        ivals_init(x, 2, bits);
        delta_enclose(c->mu_squared, c->epsilon, &x[0], &x[1]);
        below = ival_certainly_less_rat(&x[0], c->delta);
        above = ival_certainly_above_rat(&x[0], c->delta);
        ivals_clear(x, 2);
        if (below || above)
            break;
    }
    return below;
}

/*
 * One step of Newton's method on ln delta, which is concave in epsilon, so a
 * step from above stays above. *to = epsilon + ln(delta(epsilon)/delta)
 * delta/fall, rounded up to 60 bits. False if that is no improvement.
 */
static bool
newton_step(const struct gdp_case *c, long bits, rat *to)
{
    ival x[4];
    bool got = false;

    ivals_init(x, 4, bits);
    delta_enclose(c->mu_squared, c->epsilon, &x[0], &x[1]);
    if (ival_is_positive(&x[0]) && ival_is_positive(&x[1])) {
        ival_set_rat(&x[3], c->delta);
        ival_div(&x[2], &x[0], &x[3]);
        ival_log(&x[2], &x[2]);
        ival_mul(&x[2], &x[2], &x[0]);
        ival_div(&x[2], &x[2], &x[1]);
        ival_add_rat(&x[2], &x[2], c->epsilon);
        got = ival_is_positive(&x[2]) && bound_up(&x[2], to);
    }
    if (got)
        rat_round_up(to, to, STEP_BITS);
    ivals_clear(x, 4);
    return got && rat_cmp(to, c->epsilon) < 0;
}

/*
 * Lowers epsilon towards its least value; each value is certified before use.
 */
static void
newton_search(struct gdp_case c, rat *epsilon)
{
    long bits = BITS_FIRST;
    rat next;

    rat_init(&next);
    for (int i = 0; i < STEPS && bits <= BITS_LAST; i++) {
        c.epsilon = epsilon;
        if (!newton_step(&c, bits, &next)) {
            bits *= 2; /* too wide, or the search has converged */
            if (bits > 4L * BITS_FIRST)
                break;
            continue;
        }
        c.epsilon = &next;
        if (!delta_is_below(&c))
            break;
        rat_set(epsilon, &next);
    }
    rat_clear(&next);
}

bool
gdp_epsilon_up(const rat *mu_squared, const rat *delta, rat *epsilon)
{
    struct gdp_case c = {mu_squared, NULL, delta};
    rat x;
    bool got;

    rat_init(&x);
    c.epsilon = &x;
    if (rat_sign(mu_squared) == 0 || delta_is_below(&c)) {
        rat_set_i64(epsilon, 0, 1);
        rat_clear(&x);
        return true;
    }
    rat_set_i64(&x, 1, 2);
    rat_mul(&x, &x, mu_squared);
    got = zcdp_epsilon_up(&x, delta, epsilon); /* a Gaussian is also zCDP */
    if (got)
        newton_search(c, epsilon);
    rat_clear(&x);
    return got;
}

static bool
mu_keeps(const void *of, const rat *mu)
{
    struct gdp_case c = *(const struct gdp_case *)of;
    bool kept;
    rat square;

    rat_init(&square);
    rat_mul(&square, mu, mu);
    c.mu_squared = &square;
    kept = delta_is_below(&c);
    rat_clear(&square);
    return kept;
}

void
gdp_budget_down(const rat *epsilon, const rat *delta, rat *mu_squared)
{
    static const struct search_range in = {-140, 40, SEARCH_BITS};
    struct gdp_case c = {NULL, epsilon, delta};
    rat mu;

    rat_init(&mu);
    if (search_most(mu_keeps, &c, in, &mu))
        rat_mul(mu_squared, &mu, &mu);
    else
        rat_set_i64(mu_squared, 0, 1);
    rat_clear(&mu);
}
