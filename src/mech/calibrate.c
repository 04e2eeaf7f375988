/*
 * Calibration by bisection between a value certified to keep the promise and
 * one that is not. The certified end is always the one returned, so neither
 * the search nor a curve that is not monotone costs privacy.
 *
 * THEOREM  calibrate-least
 *   Let keeps(x) be true only if x is certified to keep the promise. The
 *   search ends with an x for which keeps(x) holds, while keeps(x') does not
 *   hold for some x' in [x (1 - 2^-46), x); or with x = 2^-64, the least
 *   epsilon tried. (calibrate_sigma_near stops early: 2^-12, not 2^-46.)
 * SOURCE   doc/proofs/calibrate-least.md
 * NEEDS    0 < delta < 1; epsilon, sensitivity > 0.
 * GIVES    sigma (or epsilon) that keeps the promise by the route's theorem
 *          and is within 2^-46 of the least, if the curve falls; an epsilon of
 *          2^-64 where the least is below that.
 * FAILS    CUSTOS_ERANGE, which depends only on the parameters.
 * TESTED   calibrate_fuzz calibrate_is_least
 */
#include "mech/calibrate.h"

#include <string.h>

#include "base/error.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    MANTISSA_BITS = 48,
    COARSE_BITS = 14,
    SIGMA_REACH = 128, /* sigma epsilon / D is within 2^-70 .. 2^24 */
    EPSILON_LOG2_MIN = -64,
    EPSILON_LOG2_MAX = 20,
    CLASSICAL_BITS = 256,
    SIGMA_BITS = 60,
};

/* Which number of the point is searched for. */
enum unknown { SIGMA, EPSILON };

struct search {
    enum gauss_route route;
    enum unknown unknown;
    struct gauss_point *p;
    const rat *delta;
    int bits; /* of the answer */
};

static bool
keeps(const struct search *s, const rat *x)
{
    if (s->unknown == SIGMA)
        rat_mul(&s->p->variance, x, x);
    else
        rat_set(&s->p->epsilon, x);
    return gauss_delta_at_most(s->route, s->p, s->delta);
}

static bool
keeps_pow2(const struct search *s, long e)
{
    bool kept;
    rat x;

    rat_init(&x);
    rat_set_pow2(&x, e);
    kept = keeps(s, &x);
    rat_clear(&x);
    return kept;
}

/*
 * Finds an e such that keeps(2^e), but not keeps(2^(e-1)) unless e is `least`.
 * Starts at `near`; false if no power from there up to 2^most is kept.
 */
static bool
bracket_power(const struct search *s, long near, long least, long most, long *e)
{
    *e = near;
    if (keeps_pow2(s, near)) {
        while (*e > least && keeps_pow2(s, *e - 1))
            --*e;
        return true;
    }
    while (*e < most)
        if (keeps_pow2(s, ++*e))
            return true;
    return false;
}

/* Sets x to the certified end, and the point to x. */
static bool
search_least(const struct search *s, long near, long least, long most, rat *x)
{
    long e;
    rat low, half, middle;

    if (!bracket_power(s, near, least, most, &e))
        return false;
    rat_init(&low);
    rat_init(&half);
    rat_init(&middle);
    rat_set_pow2(x, e);
    rat_set_pow2(&low, e - 1);
    rat_set_i64(&half, 1, 2);
    for (int i = 1; i < s->bits && e > least; i++) {
        rat_add(&middle, &low, x);
        rat_mul(&middle, &middle, &half);
        rat_set(keeps(s, &middle) ? x : &low, &middle);
    }
    if (s->unknown == SIGMA)
        rat_mul(&s->p->variance, x, x);
    else
        rat_set(&s->p->epsilon, x);
    rat_clear(&low);
    rat_clear(&half);
    rat_clear(&middle);
    return true;
}

/* floor(e / 2), also for negative e. */
static long
half_floor(long e)
{
    return (e - (e & 1)) / 2;
}

custos_status
calibrate_check_epsilon(const rat *epsilon, custos_err *err)
{
    long e = rat_log2_floor(epsilon);

    if (e < EPSILON_LOG2_MIN || e >= EPSILON_LOG2_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "epsilon must lie between 2^%d and 2^%d",
                           (int)EPSILON_LOG2_MIN, (int)EPSILON_LOG2_MAX);
    return CUSTOS_OK;
}

static custos_status
sigma_search(enum gauss_route route, struct gauss_point *p, const rat *delta,
             int bits, rat *sigma, custos_err *err)
{
    struct search s = {route, SIGMA, p, delta, bits};
    long near = half_floor(rat_log2_floor(&p->sensitivity_squared)) -
                rat_log2_floor(&p->epsilon);
    bool found =
        search_least(&s, near, near - SIGMA_REACH, near + SIGMA_REACH, sigma);

    if (!found) /* UNREACHABLE: the reach is wide enough (calibrate-least) */
        return custos_fail(err, CUSTOS_ERANGE,
                           "no sigma gives this epsilon and delta");
    return CUSTOS_OK;
}

custos_status
calibrate_sigma(enum gauss_route route, struct gauss_point *p, const rat *delta,
                rat *sigma, custos_err *err)
{
    return sigma_search(route, p, delta, MANTISSA_BITS, sigma, err);
}

custos_status
calibrate_sigma_near(enum gauss_route route, struct gauss_point *p,
                     const rat *delta, rat *sigma, custos_err *err)
{
    return sigma_search(route, p, delta, COARSE_BITS, sigma, err);
}

custos_status
calibrate_epsilon(enum gauss_route route, struct gauss_point *p,
                  const rat *delta, custos_err *err)
{
    struct search s = {route, EPSILON, p, delta, MANTISSA_BITS};
    custos_status st = CUSTOS_OK;
    rat x;

    rat_init(&x);
    if (!search_least(&s, 0, EPSILON_LOG2_MIN, EPSILON_LOG2_MAX, &x))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "no epsilon up to 2^%d goes with this sigma and delta",
                         (int)EPSILON_LOG2_MAX);
    rat_clear(&x);
    return st;
}

/*
 * THEOREM  gauss-classical
 *   For epsilon < 1, normal noise of deviation
 *   sqrt(2 ln(1.25/delta)) D / epsilon is (epsilon, delta)-DP.
 * SOURCE   Dwork, Roth 2014, theorem A.1; Kamath 2020, lecture 5.
 * NEEDS    0 < delta < 1, 0 < epsilon < 1.
 * GIVES    sigma rounded up to 60 bits. The theorem is about the continuous
 *          law; additive_plan.c checks this sigma against the discrete law.
 * FAILS    CUSTOS_ERANGE when epsilon >= 1, where the formula can be false: at
 *          epsilon 10 and delta 1e-5, its sigma has a delta of 2.3e-5.
 * TESTED   calibrate_fuzz classical_formula_fails_at_ten
 */
custos_status
calibrate_classical(struct gauss_point *p, const rat *delta, rat *sigma,
                    custos_err *err)
{
    ival x, y;
    rat q;

    if (rat_cmp_i64(&p->epsilon, 1) >= 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the classical calibration needs epsilon below 1");
    ival_init(&x, CLASSICAL_BITS);
    ival_init(&y, CLASSICAL_BITS);
    rat_init(&q);
    rat_set_i64(&q, 5, 4);
    rat_div(&q, &q, delta);
    ival_set_rat(&x, &q);
    ival_log(&x, &x);
    ival_mul_pow2(&x, &x, 1);
    rat_div(&q, &p->sensitivity_squared, &p->epsilon);
    rat_div(&q, &q, &p->epsilon);
    ival_set_rat(&y, &q);
    ival_mul(&x, &x, &y);
    ival_sqrt(&x, &x);
    ival_up(&x, sigma);
    rat_round_up(sigma, sigma, SIGMA_BITS);
    rat_mul(&p->variance, sigma, sigma);
    ival_clear(&x);
    ival_clear(&y);
    rat_clear(&q);
    return CUSTOS_OK;
}

/* ------------------------------------------------- the public interface -- */

/* The route of a calibration; false for the classical one, which has none. */
static bool
route_of(custos_calibration calibration, enum gauss_route *route)
{
    switch (calibration) {
    case CUSTOS_ANALYTIC: *route = GAUSS_ANALYTIC; return true;
    case CUSTOS_EXACT: *route = GAUSS_DISCRETE; return true;
    case CUSTOS_ZCDP: *route = GAUSS_ZCDP; return true;
    default: return false;
    }
}

/* Exact calibration is only for integer sensitivities. */
static custos_status
check_whole(custos_calibration calibration, const rat *squared, custos_err *err)
{
    bool certain, whole;
    i128 root = 0;
    ival x;
    rat r;

    if (calibration != CUSTOS_EXACT)
        return CUSTOS_OK;
    ival_init(&x, CLASSICAL_BITS);
    rat_init(&r);
    ival_set_rat(&x, squared);
    ival_sqrt(&x, &x);
    whole = ival_ceil_up(&x, &root, &certain);
    rat_set_i128(&r, root);
    rat_mul(&r, &r, &r);
    whole = whole && rat_cmp(&r, squared) == 0;
    ival_clear(&x);
    rat_clear(&r);
    if (!whole)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the exact calibration needs a whole sensitivity");
    return CUSTOS_OK;
}

/* Reads the sensitivity and those other numbers of a point that are given. */
static custos_status
point_read(struct gauss_point *p, custos_calibration calibration,
           const char *sensitivity_squared, const char *epsilon,
           const char *sigma, custos_err *err)
{
    custos_status st =
        rat_read_positive(sensitivity_squared, "sensitivity squared",
                          &p->sensitivity_squared, err);

    if (!st)
        st = check_whole(calibration, &p->sensitivity_squared, err);
    if (!st && epsilon)
        st = rat_read_positive(epsilon, "epsilon", &p->epsilon, err);
    if (!st && epsilon)
        st = calibrate_check_epsilon(&p->epsilon, err);
    if (!st && sigma) {
        st = rat_read_positive(sigma, "sigma", &p->variance, err);
        rat_mul(&p->variance, &p->variance, &p->variance);
    }
    return st;
}

/*
 * Writes sigma as text, rounded up, and certifies the rounded value: more
 * noise is not always better (certified-as-drawn). The classical formula holds
 * for every sigma at or above its own, so it needs no check.
 */
static custos_status
sigma_write(custos_calibration calibration, enum gauss_route route,
            struct gauss_point *p, const rat *delta, const rat *sigma,
            char text[CUSTOS_NUMBER_MAX], custos_err *err)
{
    custos_status st;
    rat x;

    rat_decimal(sigma, RAT_UP, text);
    if (calibration == CUSTOS_CLASSICAL)
        return CUSTOS_OK;
    rat_init(&x);
    st = rat_read_positive(text, "sigma", &x, err);
    rat_mul(&p->variance, &x, &x);
    rat_clear(&x);
    if (!st && !gauss_delta_at_most(route, p, delta)) /* UNREACHABLE: no such
                                         point is known; it must not pass */
        st = custos_fail(err, CUSTOS_ERANGE,
                         "no sigma of 17 digits gives this epsilon and delta");
    return st;
}

custos_status
custos_gauss_sigma(custos_calibration calibration, const char *epsilon,
                   const char *delta, const char *sensitivity_squared,
                   char sigma[CUSTOS_NUMBER_MAX], custos_err *err)
{
    enum gauss_route route = GAUSS_ANALYTIC;
    struct gauss_point p;
    custos_status st;
    rat d, s;

    if (!epsilon || !sigma ||
        (!route_of(calibration, &route) && calibration != CUSTOS_CLASSICAL))
        return custos_fail(err, CUSTOS_EINVAL,
                           "give epsilon and a calibration");
    gauss_point_init(&p);
    rat_init(&d);
    rat_init(&s);
    st = point_read(&p, calibration, sensitivity_squared, epsilon, NULL, err);
    if (!st)
        st = rat_read_open_unit(delta, "delta", &d, err);
    if (!st && calibration == CUSTOS_CLASSICAL)
        st = calibrate_classical(&p, &d, &s, err);
    else if (!st)
        st = calibrate_sigma(route, &p, &d, &s, err);
    if (!st)
        st = sigma_write(calibration, route, &p, &d, &s, sigma, err);
    gauss_point_clear(&p);
    rat_clear(&d);
    rat_clear(&s);
    return st;
}

custos_status
custos_gauss_delta(custos_calibration calibration, const char *sigma,
                   const char *epsilon, const char *sensitivity_squared,
                   char delta[CUSTOS_NUMBER_MAX], custos_err *err)
{
    enum gauss_route route;
    struct gauss_point p;
    custos_status st;
    rat d;

    if (!epsilon || !sigma || !delta || !route_of(calibration, &route))
        return custos_fail(err, CUSTOS_EINVAL,
                           "give sigma, epsilon and a calibration other than "
                           "the classical one");
    gauss_point_init(&p);
    rat_init(&d);
    st = point_read(&p, calibration, sensitivity_squared, epsilon, sigma, err);
    if (!st) {
        gauss_delta_up(route, &p, &d);
        rat_decimal(&d, RAT_UP, delta);
    }
    gauss_point_clear(&p);
    rat_clear(&d);
    return st;
}

custos_status
custos_gauss_epsilon(custos_calibration calibration, const char *sigma,
                     const char *delta, const char *sensitivity_squared,
                     char epsilon[CUSTOS_NUMBER_MAX], custos_err *err)
{
    enum gauss_route route;
    struct gauss_point p;
    custos_status st;
    rat d;

    if (!epsilon || !sigma || !route_of(calibration, &route))
        return custos_fail(err, CUSTOS_EINVAL,
                           "give sigma and a calibration other than the "
                           "classical one");
    gauss_point_init(&p);
    rat_init(&d);
    st = point_read(&p, calibration, sensitivity_squared, NULL, sigma, err);
    if (!st)
        st = rat_read_open_unit(delta, "delta", &d, err);
    if (!st)
        st = calibrate_epsilon(route, &p, &d, err);
    if (!st)
        rat_decimal(&p.epsilon, RAT_UP, epsilon);
    gauss_point_clear(&p);
    rat_clear(&d);
    return st;
}
