/*
 * Conversions against independent computations with 200 bits: other formulas
 * where they exist, golden-section searches, exact distributions.
 */
#include "account/convert.h"

#include "account/mp.h"
#include "support/said.h"

static int
cases(void)
{
    return test_size(6, 300);
}

static int
slow_cases(void)
{
    return test_size(3, 40);
}

/* -------------------------------------------------------- concentrated -- */

/* Epsilon at order 1 + e^x, from the hockey-stick bound in CKS20. */
static void
zcdp_at(mpfr_t r, const mpfr_t rho, const mpfr_t delta, const mpfr_t x)
{
    mpfr_t a, t, u;

    mpfr_inits2(MP_BITS, a, t, u, (mpfr_ptr)0);
    mpfr_exp(t, x, MPFR_RNDN);
    mpfr_add_ui(a, t, 1, MPFR_RNDN);
    mpfr_mul(r, a, rho, MPFR_RNDN);
    mpfr_mul(u, a, delta, MPFR_RNDN);
    mpfr_log(u, u, MPFR_RNDN);
    mpfr_div(u, u, t, MPFR_RNDN);
    mpfr_sub(r, r, u, MPFR_RNDN);
    mpfr_div(u, t, a, MPFR_RNDN);
    mpfr_log(u, u, MPFR_RNDN);
    mpfr_add(r, r, u, MPFR_RNDN);
    mpfr_clears(a, t, u, (mpfr_ptr)0);
}

/* The least epsilon over the orders a, by golden section on ln(a - 1). */
static void
zcdp_least(mpfr_t r, const mpfr_t rho, const mpfr_t delta)
{
    mpfr_t low, high, x, y, fx, fy;

    mpfr_inits2(MP_BITS, low, high, x, y, fx, fy, (mpfr_ptr)0);
    mpfr_set_si(low, -60, MPFR_RNDN);
    mpfr_set_si(high, 60, MPFR_RNDN);
    for (int i = 0; i < 130; i++) {
        mpfr_sub(x, high, low, MPFR_RNDN);
        mpfr_mul_d(x, x, 0.6180339887498949, MPFR_RNDN);
        mpfr_add(y, low, x, MPFR_RNDN);
        mpfr_sub(x, high, x, MPFR_RNDN);
        zcdp_at(fx, rho, delta, x);
        zcdp_at(fy, rho, delta, y);
        mpfr_set(mpfr_less_p(fx, fy) ? high : low, mpfr_less_p(fx, fy) ? y : x,
                 MPFR_RNDN);
    }
    mpfr_set(r, fx, MPFR_RNDN);
    if (mpfr_sgn(r) < 0)
        mpfr_set_zero(r, 1);
    mpfr_clears(low, high, x, y, fx, fy, (mpfr_ptr)0);
}

static void
convert_zcdp_fuzz(void **state)
{
    mpfr_t r, d, want;
    rat rho, delta, got, back;

    (void)state;
    mpfr_inits2(MP_BITS, r, d, want, (mpfr_ptr)0);
    rat_init(&rho);
    rat_init(&delta);
    rat_init(&got);
    rat_init(&back);
    mp_seed = 11;
    for (int i = 0; i < cases(); i++) {
        mp_random(&rho, -30, 6);
        mp_random(&delta, -100, 0 - 1);
        mp_set(r, &rho);
        mp_set(d, &delta);
        zcdp_least(want, r, d);
        assert_true(zcdp_epsilon_up(&rho, &delta, &got));
        mp_check_up(&got, want, 1e-15);
        if (rat_sign(&got) == 0)
            continue;
        /*
         * The largest rho within this epsilon is the rho we began with, or just
         * below.
         */
        zcdp_budget_down(&got, &delta, &back);
        rat_sub(&back, &back, &rho);
        rat_div(&back, &back, &rho);
        assert_true(mpq_get_d(back.q) < 1e-12 && mpq_get_d(back.q) > -1e-9);
        zcdp_delta_up(&rho, &got, &back);
        rat_div(&back, &back, &delta);
        assert_true(mpq_get_d(back.q) < 1 + 1e-9);
        assert_true(mpq_get_d(back.q) > 1 - 1e-6);
    }
    mpfr_clears(r, d, want, (mpfr_ptr)0);
    rat_clear(&rho);
    rat_clear(&delta);
    rat_clear(&got);
    rat_clear(&back);
}

/* The delta at epsilon that follows from a divergence of `loss` at alpha. */
static void
rdp_delta(mpfr_t r, const rat *alpha, const rat *loss, const rat *epsilon)
{
    mpfr_t a, t, x;

    mpfr_inits2(MP_BITS, a, t, x, (mpfr_ptr)0);
    mp_set(a, alpha);
    mpfr_sub_ui(t, a, 1, MPFR_RNDN);
    mpfr_div(r, t, a, MPFR_RNDN);
    mpfr_pow(r, r, a, MPFR_RNDN);
    mpfr_div(r, r, t, MPFR_RNDN); /* (1 - 1/a)^a / (a-1) */
    mp_set(x, loss);
    mp_set(a, epsilon);
    mpfr_sub(x, x, a, MPFR_RNDN);
    mpfr_mul(x, x, t, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul(r, r, x, MPFR_RNDN);
    mpfr_clears(a, t, x, (mpfr_ptr)0);
}

/* The budget is safe: the cost of what it allows is within epsilon. */
static void
convert_budgets_are_safe(void **state)
{
    rat epsilon, delta, x, cost, alpha = mp_rat("7/2");
    mpfr_t least;
    long up = 0;

    (void)state;
    mpfr_init2(least, MP_BITS);
    rat_init(&epsilon);
    rat_init(&delta);
    rat_init(&x);
    rat_init(&cost);
    mp_seed = 12;
    for (int i = 0; i < cases(); i++) {
        mp_random(&epsilon, -20, 8);
        mp_random(&delta, -100, -1);
        zcdp_budget_down(&epsilon, &delta, &x);
        assert_true(zcdp_epsilon_up(&x, &delta, &cost));
        rat_sub(&cost, &cost, &epsilon);
        rat_div(&cost, &cost, &epsilon);
        assert_true(mpq_get_d(cost.q) < 1e-12);
        if (i < slow_cases()) {
            gdp_budget_down(&epsilon, &delta, &x);
            assert_true(gdp_epsilon_up(&x, &delta, &cost));
            assert_true(rat_cmp(&cost, &epsilon) <= 0);
            rat_sub(&cost, &epsilon, &cost);
            rat_div(&cost, &cost, &epsilon);
            assert_true(mpq_get_d(cost.q) < 1e-9);
        }
        rdp_budget_down(&alpha, &epsilon, &delta, &x);
        if (rat_sign(&x) == 0)
            continue;
        up++;
        assert_true(rdp_epsilon_up(&alpha, &x, &delta, &cost));
        rat_sub(&cost, &cost, &epsilon);
        assert_true(mpq_get_d(cost.q) < 1e-30);
        rdp_delta(least, &alpha, &x, &epsilon);
        mp_check_up(&delta, least, 1e-9);
    }
    assert_true(up > cases() / 15);
    mpfr_clear(least);
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&x);
    rat_clear(&cost);
    rat_clear(&alpha);
}

static void
convert_rdp_fuzz(void **state)
{
    mpfr_t t, d, l, want;
    rat alpha, loss, delta, got, one = mp_rat("1");

    (void)state;
    mpfr_inits2(MP_BITS, t, d, l, want, (mpfr_ptr)0);
    rat_init(&alpha);
    rat_init(&loss);
    rat_init(&delta);
    rat_init(&got);
    mp_seed = 13;
    for (int i = 0; i < cases(); i++) {
        mp_random(&alpha, -10, 10);
        mp_random(&loss, -20, 6);
        mp_random(&delta, -100, -1);
        mp_set(t, &alpha);
        mp_set(d, &delta);
        mp_set(l, &loss);
        mpfr_log(t, t, MPFR_RNDN);
        rat_add(&alpha, &alpha, &one);
        /* solve delta = e^((a-1)(B-e)) (1-1/a)^a/(a-1) for e */
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_add_ui(want, t, 1, MPFR_RNDN);
        mpfr_div(want, t, want, MPFR_RNDN);
        {
            mpfr_t a, p;

            mpfr_inits2(MP_BITS, a, p, (mpfr_ptr)0);
            mpfr_add_ui(a, t, 1, MPFR_RNDN);
            mpfr_pow(p, want, a, MPFR_RNDN);
            mpfr_div(p, p, t, MPFR_RNDN);
            mpfr_div(p, p, d, MPFR_RNDN);
            mpfr_log(p, p, MPFR_RNDN);
            mpfr_div(p, p, t, MPFR_RNDN);
            mpfr_add(want, l, p, MPFR_RNDN);
            mpfr_clears(a, p, (mpfr_ptr)0);
        }
        if (mpfr_sgn(want) < 0)
            mpfr_set_zero(want, 1);
        assert_true(rdp_epsilon_up(&alpha, &loss, &delta, &got));
        mp_check_up(&got, want, 1e-15);
    }
    mpfr_clears(t, d, l, want, (mpfr_ptr)0);
    rat_clear(&alpha);
    rat_clear(&loss);
    rat_clear(&delta);
    rat_clear(&got);
    rat_clear(&one);
}

/* ------------------------------------------------------------ Gaussian -- */

static void
convert_gdp_fuzz(void **state)
{
    mpfr_t e, want;
    rat mu2, epsilon, delta, got;

    (void)state;
    mpfr_inits2(MP_BITS, e, want, (mpfr_ptr)0);
    rat_init(&mu2);
    rat_init(&epsilon);
    rat_init(&delta);
    rat_init(&got);
    mp_seed = 14;
    for (int i = 0; i < 2 * slow_cases(); i++) {
        mp_random(&mu2, -20, 5);
        mp_random(&epsilon, -10, 4);
        mp_set(e, &epsilon);
        mp_gdp_delta(want, &mu2, &epsilon);
        if (mpfr_cmp_d(want, 1e-80) < 0)
            continue; /* too small to compute with 200 bits */
        /* Converting this delta back gives the epsilon we began with. */
        mpfr_get_q(delta.q, want);
        assert_true(gdp_epsilon_up(&mu2, &delta, &got));
        mp_check_up(&got, e, 1e-9);
        /* Likewise mu, rounded down. */
        gdp_budget_down(&epsilon, &delta, &got);
        rat_sub(&got, &mu2, &got);
        rat_div(&got, &got, &mu2);
        assert_true(mpq_get_d(got.q) > -1e-30 && mpq_get_d(got.q) < 1e-9);
    }
    mpfr_clears(e, want, (mpfr_ptr)0);
    rat_clear(&mu2);
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&got);
}

/* Gaussian sigma = 50, 1000 times: mu^2 = 0.4. */
static void
convert_gdp_known_values(void **state)
{
    static const struct {
        const char *delta, *low, *high;
    } known[] = {
        {"1e-5", "2.5943833805", "2.5943833815"},
        {"1e-10", "3.9841919905", "3.9841919915"},
        {"1e-20", "5.8700041785", "5.8700041795"},
        {"1e-30", "7.2874847445", "7.2874847455"},
    };
    rat mu2 = mp_rat("0.4"), got;

    (void)state;
    rat_init(&got);
    for (size_t i = 0; i < 4; i++) {
        rat delta = mp_rat(known[i].delta), low = mp_rat(known[i].low),
            high = mp_rat(known[i].high);

        assert_true(gdp_epsilon_up(&mu2, &delta, &got));
        assert_true(rat_cmp(&got, &low) > 0 && rat_cmp(&got, &high) < 0);
        rat_clear(&delta);
        rat_clear(&low);
        rat_clear(&high);
    }
    rat_clear(&mu2);
    rat_clear(&got);
}

/* The cost from rho = mu^2/2 must never be below the exact Gaussian curve. */
static void
convert_zcdp_bounds_the_gaussian(void **state)
{
    rat mu2, rho, delta, half = mp_rat("1/2"), a, b;

    (void)state;
    rat_init(&mu2);
    rat_init(&rho);
    rat_init(&delta);
    rat_init(&a);
    rat_init(&b);
    mp_seed = 15;
    for (int i = 0; i < 2 * slow_cases(); i++) {
        mp_random(&mu2, -20, 4);
        mp_random(&delta, -80, -1);
        rat_mul(&rho, &mu2, &half);
        assert_true(gdp_epsilon_up(&mu2, &delta, &a));
        assert_true(zcdp_epsilon_up(&rho, &delta, &b));
        assert_true(rat_cmp(&a, &b) <= 0);
    }
    rat_clear(&mu2);
    rat_clear(&rho);
    rat_clear(&delta);
    rat_clear(&half);
    rat_clear(&a);
    rat_clear(&b);
}

/* ---------------------------------------------------------------- pure -- */

static void
convert_pure_fuzz(void **state)
{
    mpfr_t e, a, p, w, x, y;
    rat epsilon, alpha, got, cap, one = mp_rat("1");

    (void)state;
    mpfr_inits2(MP_BITS, e, a, p, w, x, y, (mpfr_ptr)0);
    rat_init(&epsilon);
    rat_init(&alpha);
    rat_init(&got);
    rat_init(&cap);
    mp_seed = 16;
    for (int i = 0; i < cases(); i++) {
        mp_random(&epsilon, -16, 5);
        mp_random(&alpha, -6, 8);
        rat_add(&alpha, &alpha, &one);
        mp_set(e, &epsilon);
        mp_set(a, &alpha);
        /*
         * by definition, for outcomes of probabilities p and w: sum p^a w^(1-a)
         */
        mpfr_exp(p, e, MPFR_RNDN);
        mpfr_add_ui(w, p, 1, MPFR_RNDN);
        mpfr_div(p, p, w, MPFR_RNDN);
        mpfr_ui_div(w, 1, w, MPFR_RNDN);
        mpfr_div(x, p, w, MPFR_RNDN);
        mpfr_pow(y, x, a, MPFR_RNDN);
        mpfr_mul(y, y, w, MPFR_RNDN);
        mpfr_ui_div(x, 1, x, MPFR_RNDN);
        mpfr_pow(x, x, a, MPFR_RNDN);
        mpfr_mul(x, x, p, MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        mpfr_sub_ui(y, a, 1, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        pure_rdp_up(&epsilon, &alpha, &got);
        mp_check_up(&got, x, 1e-15);
        /* rho bounds the curve (D_a <= a rho) and equals it at a = 1. */
        pure_rho_up(&epsilon, &cap);
        mpfr_sub(y, p, w, MPFR_RNDN);
        mpfr_mul(y, y, e, MPFR_RNDN); /* the KL divergence */
        mp_check_up(&cap, y, 1e-15);
        rat_mul(&cap, &cap, &alpha);
        assert_true(rat_cmp(&got, &cap) <= 0);
    }
    mpfr_clears(e, a, p, w, x, y, (mpfr_ptr)0);
    rat_clear(&epsilon);
    rat_clear(&alpha);
    rat_clear(&got);
    rat_clear(&cap);
    rat_clear(&one);
}

/*
 * The delta that (epsilon, have)-DP needs at another epsilon, by the definition
 * of the hockey stick: two outcomes and one that reveals everything.
 */
static void
approx_delta(mpfr_t r, const rat *epsilon, const rat *have, const rat *at)
{
    mpfr_t d, p, w;

    mpfr_inits2(MP_BITS, d, p, w, (mpfr_ptr)0);
    mp_set(p, epsilon);
    mpfr_exp(p, p, MPFR_RNDN);
    mpfr_add_ui(w, p, 1, MPFR_RNDN);
    mpfr_div(p, p, w, MPFR_RNDN);
    mp_set(r, at);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_div(r, r, w, MPFR_RNDN);
    mpfr_sub(r, p, r, MPFR_RNDN);
    if (mpfr_sgn(r) < 0)
        mpfr_set_zero(r, 1);
    mp_set(d, have);
    mpfr_ui_sub(p, 1, d, MPFR_RNDN);
    mpfr_mul(r, r, p, MPFR_RNDN);
    mpfr_add(r, r, d, MPFR_RNDN);
    mpfr_clears(d, p, w, (mpfr_ptr)0);
}

/*
 * The mu of pure DP: P[Z > mu/2] equals 1/(1 + e^eps), and the Gaussian curve
 * is above the curve of randomized response at every epsilon.
 */
static void
convert_pure_mu_touches_the_curve(void **state)
{
    mpfr_t e, m, x, y;
    rat epsilon, mu2, at, zero = mp_rat("0");

    (void)state;
    mpfr_inits2(MP_BITS, e, m, x, y, (mpfr_ptr)0);
    rat_init(&epsilon);
    rat_init(&mu2);
    rat_init(&at);
    mp_seed = 17;
    for (int i = 0; i < slow_cases(); i++) {
        mp_random(&epsilon, -30, 6);
        mp_set(e, &epsilon);
        pure_mu_squared_up(&epsilon, &mu2);
        mp_set(m, &mu2);
        mpfr_sqrt(m, m, MPFR_RNDN);
        mpfr_div_ui(m, m, 2, MPFR_RNDN);
        mp_two_tails(x, m);
        mpfr_exp(y, e, MPFR_RNDN);
        mpfr_add_ui(y, y, 1, MPFR_RNDN);
        mpfr_ui_div(y, 2, y, MPFR_RNDN);
        assert_true(mpfr_lessequal_p(x, y));
        mpfr_sub(x, y, x, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        assert_true(mpfr_cmp_d(x, 1e-9) < 0);
        for (int k = 0; k < 8; k++) {
            rat_set_i64(&at, k, 8);
            rat_mul(&at, &at, &epsilon);
            mp_gdp_delta(x, &mu2, &at);
            approx_delta(y, &epsilon, &zero, &at);
            mpfr_mul_d(x, x, 1 + 1e-15, MPFR_RNDN);
            assert_true(mpfr_lessequal_p(y, x));
        }
    }
    mpfr_clears(e, m, x, y, (mpfr_ptr)0);
    rat_clear(&epsilon);
    rat_clear(&mu2);
    rat_clear(&at);
    rat_clear(&zero);
}

/* Converting epsilon to delta and back gives the same epsilon. */
static void
convert_approx_fuzz(void **state)
{
    mpfr_t at, x;
    rat epsilon, have, other, delta, back, one = mp_rat("1");

    (void)state;
    mpfr_inits2(MP_BITS, at, x, (mpfr_ptr)0);
    rat_init(&epsilon);
    rat_init(&have);
    rat_init(&other);
    rat_init(&delta);
    rat_init(&back);
    mp_seed = 18;
    for (int i = 0; i < cases(); i++) {
        mp_random(&epsilon, -10, 5);
        mp_random(&have, -40, -1);
        if (i % 3 == 0)
            rat_set_i64(&have, 0, 1);
        mp_random(&other, -10, 5);
        mp_set(at, &other);
        approx_delta(x, &epsilon, &have, &other);
        mpfr_get_q(delta.q, x);
        assert_true(approx_epsilon_up(&epsilon, &have, &delta, &back));
        if (rat_cmp(&other, &epsilon) < 0)
            mp_check_up(&back, at, 1e-15);
        else
            assert_int_equal(rat_cmp(&back, &epsilon), 0);
        rat_sub(&back, &have, &one);
        assert_false(approx_epsilon_up(&epsilon, &have, &back, &back));
    }
    mpfr_clears(at, x, (mpfr_ptr)0);
    rat_clear(&epsilon);
    rat_clear(&have);
    rat_clear(&other);
    rat_clear(&delta);
    rat_clear(&back);
    rat_clear(&one);
}

static void
convert_ends(void **state)
{
    rat zero = mp_rat("0"), one = mp_rat("1"), d = mp_rat("0.9"), x;

    (void)state;
    rat_init(&x);
    assert_true(zcdp_epsilon_up(&zero, &d, &x) && rat_sign(&x) == 0);
    zcdp_delta_up(&zero, &one, &x);
    assert_int_equal(rat_sign(&x), 0);
    assert_true(gdp_epsilon_up(&zero, &d, &x) && rat_sign(&x) == 0);
    assert_true(gdp_epsilon_up(&one, &d, &x) && rat_sign(&x) == 0);
    rat_clear(&d);
    d = mp_rat("1e-390");
    assert_true(zcdp_epsilon_up(&one, &d, &x) && rat_sign(&x) > 0);
    assert_true(gdp_epsilon_up(&one, &d, &x) && rat_sign(&x) > 0);
    rat_clear(&one);
    one = mp_rat("1e-60");
    zcdp_budget_down(&one, &d, &x);
    assert_true(rat_cmp(&x, &one) < 0);
    gdp_budget_down(&one, &d, &x);
    assert_int_equal(rat_sign(&x), 0);
    /* Rho is so small that no order is best: the largest order is taken. */
    rat_clear(&one);
    one = mp_rat("1e-100");
    rat_set_i64(&d, 1, 1000);
    assert_true(zcdp_epsilon_up(&one, &d, &x));
    assert_true(rat_cmp_i64(&x, 1) < 0);
    zcdp_delta_up(&one, &d, &x);
    assert_true(rat_cmp(&x, &d) < 0);
    /* A delta that would exceed 1 is 1; one below 2^-1400 is 2^-1400. */
    rat_set_i64(&d, 100, 1);
    zcdp_delta_up(&d, &zero, &x);
    assert_int_equal(rat_cmp_i64(&x, 1), 0);
    rat_set_i64(&one, 1, 10000);
    zcdp_delta_up(&one, &d, &x);
    assert_int_equal(rat_log2_floor(&x), -1400);
    rat_clear(&zero);
    rat_clear(&one);
    rat_clear(&d);
    rat_clear(&x);
}

/* ------------------------------------------------ the public interface -- */

static custos_bound
exchange(custos_convert_options o)
{
    custos_bound b = CUSTOS_BOUND_INIT;

    o.size = sizeof o;
    assert_int_equal(custos_convert(&o, &b, NULL), CUSTOS_OK);
    assert_true((b.value[0] == '\0') == (b.reason != NULL));
    assert_true((b.source == NULL) == (b.reason != NULL));
    return b;
}

static double
number(custos_bound b)
{
    assert_null(b.reason);
    return strtod(b.value, NULL);
}

static void
convert_all_pairs(void **state)
{
    size_t none = 0;
    custos_bound b = CUSTOS_BOUND_INIT;

    (void)state;
    for (int from = CUSTOS_IN_PURE; from <= CUSTOS_IN_GDP; from++)
        for (int to = CUSTOS_IN_PURE; to <= CUSTOS_IN_GDP; to++) {
            b = exchange((custos_convert_options){.from = (custos_currency)from,
                                                  .amount = "0.7",
                                                  .delta = "1e-9",
                                                  .order = "4",
                                                  .to = (custos_currency)to,
                                                  .to_delta = "1e-6",
                                                  .to_order = "3"});
            none += b.reason != NULL;
        }
    assert_int_equal(none, 4 + 2 + 3 + 1);
    assert_string_equal(
        exchange((custos_convert_options){.from = CUSTOS_IN_ZCDP,
                                          .amount = "0.1",
                                          .to_order = "3",
                                          .to = CUSTOS_IN_RDP})
            .value,
        "0.3");
    assert_string_equal(exchange((custos_convert_options){.from = CUSTOS_IN_GDP,
                                                          .amount = "2",
                                                          .to = CUSTOS_IN_ZCDP})
                            .value,
                        "2");
    assert_true(
        fabs(
            number(exchange((custos_convert_options){
                .from = CUSTOS_IN_PURE, .amount = "1", .to = CUSTOS_IN_ZCDP})) -
            tanh(0.5)) < 1e-15);
    /* P[Z > mu/2] = 1/(1 + e): mu = 1.23 */
    assert_true(fabs(0.5 * erfc(number(exchange((custos_convert_options){
                                    .from = CUSTOS_IN_PURE,
                                    .amount = "1",
                                    .to = CUSTOS_IN_GDP})) /
                                sqrt(8)) -
                     1 / (1 + exp(1))) < 1e-12);
    b = exchange((custos_convert_options){.from = CUSTOS_IN_RDP,
                                          .amount = "0.1",
                                          .order = "2",
                                          .to = CUSTOS_IN_RDP,
                                          .to_order = "3"});
    assert_non_null(strstr(b.reason, "higher"));
    b = exchange((custos_convert_options){.from = CUSTOS_IN_APPROX,
                                          .amount = "0.1",
                                          .delta = "0.1",
                                          .to = CUSTOS_IN_APPROX,
                                          .to_delta = "0.01"});
    assert_non_null(strstr(b.reason, "below"));
    b = exchange((custos_convert_options){.from = CUSTOS_IN_APPROX,
                                          .amount = "0.1",
                                          .delta = "0",
                                          .to = CUSTOS_IN_PURE});
    assert_string_equal(b.value, "0.1");
}

static void
convert_public_budgets(void **state)
{
    custos_bound b = CUSTOS_BOUND_INIT;

    (void)state;
    assert_int_equal(
        custos_convert_budget("1", "1e-6", CUSTOS_IN_ZCDP, NULL, &b, NULL),
        CUSTOS_OK);
    assert_true(number(b) > 0.0175 && number(b) < 0.05);
    assert_int_equal(
        custos_convert_budget("1", "1e-6", CUSTOS_IN_GDP, NULL, &b, NULL),
        CUSTOS_OK);
    assert_true(number(b) > 0.2 && number(b) < 0.3);
    assert_int_equal(
        custos_convert_budget("1", "1e-6", CUSTOS_IN_RDP, "20", &b, NULL),
        CUSTOS_OK);
    assert_true(number(b) > 0.3 && number(b) < 0.6);
}

static void
convert_refuses(void **state)
{
    custos_convert_options o = {.size = sizeof o,
                                .from = CUSTOS_IN_PURE,
                                .amount = "1",
                                .to = CUSTOS_IN_ZCDP};
    custos_bound b = {.size = sizeof b, .value = "unset"};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_convert(NULL, &b, &err), CUSTOS_EINVAL);
    assert_int_equal(custos_convert(&o, NULL, &err), CUSTOS_EINVAL);
    o.amount = "-1";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.amount = "1e-30";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.amount = "1e30";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.amount = "1";
    o.to = 6;
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_EINVAL);
    o.to = 0;
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_EINVAL);
    o.to = CUSTOS_IN_RDP;
    o.to_order = "1";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    assert_non_null(strstr(whole_said(&err), "order"));
    o.to_order = "1e7";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.to_order = NULL;
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_EPARSE);
    o.to = CUSTOS_IN_APPROX;
    o.to_delta = "0";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.from = CUSTOS_IN_APPROX;
    o.delta = "1";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.from = CUSTOS_IN_RDP;
    o.order = "0.5";
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_ERANGE);
    o.from = 0;
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_EINVAL);
    o.from = 9;
    assert_int_equal(custos_convert(&o, &b, &err), CUSTOS_EINVAL);
    assert_int_equal(
        custos_convert_budget("1", "0.1", CUSTOS_IN_PURE, NULL, &b, &err),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_convert_budget("1", "0.1", CUSTOS_IN_ZCDP, NULL, NULL, &err),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_convert_budget("0", "0.1", CUSTOS_IN_ZCDP, NULL, &b, &err),
        CUSTOS_ERANGE);
    assert_int_equal(
        custos_convert_budget("1", "1", CUSTOS_IN_ZCDP, NULL, &b, &err),
        CUSTOS_ERANGE);
    assert_int_equal(
        custos_convert_budget("1", "0.1", CUSTOS_IN_RDP, NULL, &b, &err),
        CUSTOS_EPARSE);
    assert_string_equal(b.value, "unset");
}

/* Every amount the interface accepts has an answer, tested at the corners. */
static void
convert_corners(void **state)
{
    static const char *const amounts[] = {"1e-19", "1e12"};
    static const char *const deltas[] = {"1e-400", "0.999"};
    static const char *const orders[] = {"1.000001", "1048575"};

    (void)state;
    for (int from = CUSTOS_IN_PURE; from <= CUSTOS_IN_GDP; from++)
        for (int to = CUSTOS_IN_PURE; to <= CUSTOS_IN_GDP; to++)
            for (int i = 0; i < 16; i += test_size(7, 1))
                (void)exchange(
                    (custos_convert_options){.from = (custos_currency)from,
                                             .amount = amounts[i & 1],
                                             .delta = "0.3",
                                             .order = orders[i >> 1 & 1],
                                             .to = (custos_currency)to,
                                             .to_delta = deltas[i >> 2 & 1],
                                             .to_order = orders[i >> 3 & 1]});
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convert_zcdp_fuzz),
        cmocka_unit_test(convert_budgets_are_safe),
        cmocka_unit_test(convert_rdp_fuzz),
        cmocka_unit_test(convert_gdp_fuzz),
        cmocka_unit_test(convert_gdp_known_values),
        cmocka_unit_test(convert_zcdp_bounds_the_gaussian),
        cmocka_unit_test(convert_pure_fuzz),
        cmocka_unit_test(convert_pure_mu_touches_the_curve),
        cmocka_unit_test(convert_approx_fuzz),
        cmocka_unit_test(convert_ends),
        cmocka_unit_test(convert_all_pairs),
        cmocka_unit_test(convert_public_budgets),
        cmocka_unit_test(convert_refuses),
        cmocka_unit_test(convert_corners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
