/*
 * Planning in three steps: read the options, choose the grid, then scale the
 * noise to the sensitivity *on the grid*, which rounding may have raised.
 *
 * THEOREM  grid-sensitivity
 *   Let x, y be vectors of n coordinates, rounded to the grid g (grid.h). If
 *   they differ in one coordinate, by at most D, the rounded vectors differ by
 *   at most ceil(D/g) steps. If they differ in several, the rounded ones
 *   differ by at most ceil(D/g) + n - 1 steps in l1, where D is the l1
 *   distance, and D/g + sqrt(n) in l2, where D is the l2 distance.
 * SOURCE   doc/proofs/grid-rounding-lipschitz.md
 * NEEDS    n >= 1, D > 0, g a power of two.
 * GIVES    p->steps is at least the sensitivity of the rounded values.
 * FAILS    CUSTOS_ERANGE, CUSTOS_EINVAL from the parameters.
 * TESTED   plan_sensitivity_holds_on_the_grid
 */
#include "mech/additive_plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "mech/calibrate.h"
#include "mech/grid.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    STEPS_LOG2 = 20,      /* a sensitivity is at least 2^20 default steps */
    SCALE_LOG2_MIN = -20, /* the range that noise.h can draw */
    SCALE_LOG2_MAX = 60,
    ROOT_BITS = 256,
    SQUARED_LOG2_MAX = 2000,
    UP_BITS = 96,             /* of an l2 sensitivity rounded up */
    PARAMETER_SIZE_MAX = 512, /* a rational with more bits is rounded */
    PARAMETER_BITS = 128,
};

/* The limit of CUSTOS_WIDE: leaves room for noise, far below overflow. */
#define WIDE_MAX ((i128)1 << 120)

/* The request, as numbers. */
struct asked {
    const custos_mech_options *o;
    size_t n;
    bool several;
    bool gaussian;
    rat sensitivity; /* Laplace */
    rat squared;     /* Gaussian */
    rat scale;       /* if o->scale is given */
};

void
additive_plan_init(struct additive_plan *p)
{
    rat_init(&p->steps);
    rat_init(&p->parameter);
    rat_init(&p->scale);
    rat_init(&p->epsilon);
    rat_init(&p->delta);
    rat_init(&p->rho);
    p->in_rho = false;
}

void
additive_plan_clear(struct additive_plan *p)
{
    rat_clear(&p->steps);
    rat_clear(&p->parameter);
    rat_clear(&p->scale);
    rat_clear(&p->epsilon);
    rat_clear(&p->delta);
    rat_clear(&p->rho);
}

/* ------------------------------------------------------------- reading -- */

static custos_status
check_words(const custos_mech_options *o, custos_err *err)
{
    if (o->kind != CUSTOS_LAPLACE && o->kind != CUSTOS_GAUSSIAN)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the mechanism must be Laplace or Gaussian");
    if (o->domain < CUSTOS_INTS || o->domain > CUSTOS_WIDE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the domain must be ints, reals or wide ints");
    if ((unsigned)o->changes > CUSTOS_CHANGES_SEVERAL)
        return custos_fail(err, CUSTOS_EINVAL,
                           "changes must be one or several");
    if ((unsigned)o->calibration > CUSTOS_ZCDP ||
        (o->kind == CUSTOS_LAPLACE && o->calibration))
        return custos_fail(err, CUSTOS_EINVAL,
                           "this mechanism has no such calibration");
    if (!o->sensitivity == !o->sensitivity_squared)
        return custos_fail(err, CUSTOS_EINVAL,
                           "give either the sensitivity or its square");
    if (o->kind == CUSTOS_LAPLACE && (!o->sensitivity || o->delta))
        return custos_fail(err, CUSTOS_EINVAL,
                           "Laplace takes an l1 sensitivity and no delta");
    return CUSTOS_OK;
}

/* A price in rho determines the noise, so nothing else of it can be given. */
static custos_status
check_rho(const custos_mech_options *o, custos_err *err)
{
    if (o->kind != CUSTOS_GAUSSIAN)
        return custos_fail(err, CUSTOS_EINVAL, "only a Gaussian takes rho");
    if (o->epsilon || o->delta || o->scale)
        return custos_fail(err, CUSTOS_EINVAL,
                           "give rho alone, without epsilon, delta and the "
                           "scale");
    if (o->calibration && o->calibration != CUSTOS_ZCDP)
        return custos_fail(err, CUSTOS_EINVAL,
                           "with rho the calibration must be zCDP");
    return CUSTOS_OK;
}

/*
 * Laplace: one of (epsilon, scale) is unknown; Gaussian: one of (epsilon,
 * delta, scale), unless rho is given.
 */
static custos_status
check_unknown(const custos_mech_options *o, custos_err *err)
{
    int given = (o->epsilon != NULL) + (o->scale != NULL);

    if (o->rho)
        return check_rho(o, err);
    if (o->kind == CUSTOS_LAPLACE && given != 1)
        return custos_fail(err, CUSTOS_EINVAL,
                           "give either epsilon or the scale");
    given += o->delta != NULL;
    if (o->kind == CUSTOS_GAUSSIAN && given != 2)
        return custos_fail(err, CUSTOS_EINVAL,
                           "give two of epsilon, delta and the scale");
    if (o->scale && (o->calibration == CUSTOS_CLASSICAL ||
                     o->calibration == CUSTOS_ANALYTIC))
        return custos_fail(err, CUSTOS_EINVAL,
                           "with a scale the calibration must be exact or "
                           "zCDP");
    return CUSTOS_OK;
}

static custos_status
read_numbers(struct asked *a, struct additive_plan *p, custos_err *err)
{
    const custos_mech_options *o = a->o;
    custos_status st;

    if (o->sensitivity) {
        st = rat_read_positive(o->sensitivity, "sensitivity", &a->sensitivity,
                               err);
        rat_mul(&a->squared, &a->sensitivity, &a->sensitivity);
    } else {
        st = rat_read_positive(o->sensitivity_squared, "sensitivity squared",
                               &a->squared, err);
    }
    if (!st && labs(rat_log2_floor(&a->squared)) > SQUARED_LOG2_MAX)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "the sensitivity must lie between 2^-%d and 2^%d",
                         SQUARED_LOG2_MAX / 2, SQUARED_LOG2_MAX / 2);
    if (!st && o->epsilon)
        st = rat_read_positive(o->epsilon, "epsilon", &p->epsilon, err);
    if (!st && o->epsilon)
        st = calibrate_check_epsilon(&p->epsilon, err);
    if (!st && o->delta)
        st = rat_read_open_unit(o->delta, "delta", &p->delta, err);
    if (!st && o->scale)
        st = rat_read_positive(o->scale, "scale", &a->scale, err);
    if (!st && o->rho)
        st = rat_read_positive(o->rho, "rho", &p->rho, err);
    p->in_rho = o->rho != NULL;
    return st;
}

/* ---------------------------------------------------------------- grid -- */

/* floor(log2 of the sensitivity), exactly, from its square. */
static long
sensitivity_log2(const struct asked *a)
{
    long e = rat_log2_floor(&a->squared);

    return (e - (e & 1)) / 2;
}

/*
 * A grid so fine that rounding raises the sensitivity by at most a millionth;
 * it depends only on the parameters.
 */
static long
default_grid(const struct asked *a, const struct additive_plan *p)
{
    long least = sensitivity_log2(a), other;

    if (a->o->scale)
        other = rat_log2_floor(&a->scale);
    else if (p->in_rho) /* sigma = D / sqrt(2 rho) is at least 2^other */
        other = least - (rat_log2_floor(&p->rho) + 3) / 2;
    else
        other = least - 1 - rat_log2_floor(&p->epsilon);
    least = (other < least ? other : least) - STEPS_LOG2;
    for (size_t n = a->n; a->several && n > 0; n /= 2)
        least--;
    return least;
}

static custos_status
lay_grid(const struct asked *a, struct additive_plan *p, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat g;

    rat_init(&g);
    p->grid_log2 = a->o->domain == CUSTOS_REALS ? default_grid(a, p) : 0;
    if (a->o->grid) {
        st = rat_read_positive(a->o->grid, "grid", &g, err);
        if (!st && !rat_is_pow2(&g, &p->grid_log2))
            st = custos_fail(err, CUSTOS_EINVAL,
                             "the grid must be a power of two such as 1/1024");
        if (!st && a->o->domain != CUSTOS_REALS && p->grid_log2 != 0)
            st = custos_fail(err, CUSTOS_EINVAL, "the grid of ints must be 1");
    }
    if (!st && (p->grid_log2 < GRID_LOG2_MIN || p->grid_log2 > GRID_LOG2_MAX))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "the grid must lie between 2^%d and 2^%d",
                         (int)GRID_LOG2_MIN, (int)GRID_LOG2_MAX);
    rat_clear(&g);
    return st;
}

/* r = a / 2^(times * grid), exact. */
static void
in_steps(rat *r, const rat *a, const struct additive_plan *p, int times)
{
    rat g;

    rat_init(&g);
    rat_set_pow2(&g, -times * p->grid_log2);
    rat_mul(r, a, &g);
    rat_clear(&g);
}

/* r = ceil(sqrt(r))^2. False if the root exceeds 127 bits. */
static bool
square_of_ceil_root(rat *r)
{
    bool certain, fits;
    i128 root = 0;
    ival x;

    ival_init(&x, ROOT_BITS);
    ival_set_rat(&x, r);
    ival_sqrt(&x, &x);
    fits = ival_ceil_up(&x, &root, &certain);
    rat_set_i128(r, root);
    rat_mul(r, r, r);
    ival_clear(&x);
    return fits;
}

/* r = (sqrt(r) + sqrt(n))^2, rounded up. */
static void
add_root(rat *r, size_t n)
{
    ival x, y;
    rat count;

    ival_init(&x, ROOT_BITS);
    ival_init(&y, ROOT_BITS);
    rat_init(&count);
    rat_set_i128(&count, (i128)n);
    ival_set_rat(&x, r);
    ival_sqrt(&x, &x);
    ival_set_rat(&y, &count);
    ival_sqrt(&y, &y);
    ival_add(&x, &x, &y);
    ival_mul(&x, &x, &x);
    ival_up(&x, r);
    rat_round_up(r, r, UP_BITS);
    ival_clear(&x);
    ival_clear(&y);
    rat_clear(&count);
}

/* The sensitivity on the grid, by theorem grid-sensitivity. */
static custos_status
count_steps(const struct asked *a, struct additive_plan *p, custos_err *err)
{
    bool rounds = a->several && a->o->domain == CUSTOS_REALS, fits = true;
    rat more;

    if (a->gaussian) {
        in_steps(&p->steps, &a->squared, p, 2);
        if (rounds)
            add_root(&p->steps, a->n);
        else if (!a->several)
            fits = square_of_ceil_root(&p->steps);
    } else {
        in_steps(&p->steps, &a->sensitivity, p, 1);
        rat_ceil(&p->steps, &p->steps);
        if (rounds) {
            rat_init(&more);
            rat_set_i128(&more, (i128)a->n - 1);
            rat_add(&p->steps, &p->steps, &more);
            rat_clear(&more);
        }
    }
    if (!fits)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the sensitivity is more than 2^127 grid steps");
    return CUSTOS_OK;
}

/* --------------------------------------------------------------- noise -- */

/* Rounds a very long parameter up. Must come before certification. */
static void
shorten_up(rat *parameter)
{
    if (rat_size(parameter) > PARAMETER_SIZE_MAX)
        rat_round_up(parameter, parameter, PARAMETER_BITS);
}

static custos_status
scale_laplace(const struct asked *a, struct additive_plan *p)
{
    p->law = CUSTOS_DISCRETE_LAPLACE;
    p->theorem = "laplace-discrete";
    if (a->o->scale) {
        in_steps(&p->parameter, &a->scale, p, 1);
        shorten_up(&p->parameter);
        rat_div(&p->epsilon, &p->steps, &p->parameter);
    } else {
        rat_div(&p->parameter, &p->steps, &p->epsilon);
        shorten_up(&p->parameter); /* more noise: epsilon still holds */
    }
    return CUSTOS_OK;
}

/* Chooses the theorem that the promise rests on. */
static custos_status
choose_route(const struct asked *a, enum gauss_route *route, custos_err *err)
{
    custos_calibration c = a->o->calibration;

    if (a->several && (c == CUSTOS_EXACT || c == CUSTOS_ANALYTIC))
        return custos_fail(err, CUSTOS_EINVAL,
                           "where several values change, the calibration must "
                           "be classical or zCDP");
    *route = a->several ? GAUSS_VECTOR : GAUSS_DISCRETE;
    if (c == CUSTOS_ZCDP)
        *route = GAUSS_ZCDP;
    return CUSTOS_OK;
}

/*
 * Finds sigma from epsilon and delta; raises it if the discrete law needs
 * more.
 */
static custos_status
find_sigma(const struct asked *a, const struct additive_plan *p,
           enum gauss_route route, struct gauss_point *point, rat *sigma,
           custos_err *err)
{
    custos_calibration c = a->o->calibration;
    custos_status st;

    if (c == CUSTOS_CLASSICAL)
        st = calibrate_classical(point, &p->delta, sigma, err);
    else if (c == CUSTOS_ANALYTIC)
        st = calibrate_sigma(GAUSS_ANALYTIC, point, &p->delta, sigma, err);
    else
        return calibrate_sigma(route, point, &p->delta, sigma, err);
    if (!st && !gauss_delta_at_most(route, point, &p->delta))
        st = calibrate_sigma(route, point, &p->delta, sigma, err);
    return st;
}

/*
 * THEOREM  certified-as-drawn
 *   Noise is drawn with exactly the variance at which epsilon and delta were
 *   certified. More noise may cost more here: at a fixed epsilon, the delta of
 *   the discrete Gaussian rises with the variance in places.
 * SOURCE   doc/proofs/gauss-discrete-exact.md, "More noise".
 * NEEDS    nothing changes p->parameter after this function.
 * GIVES    (p->epsilon, p->delta) certified at p->parameter.
 * FAILS    as calibrate-least.
 * TESTED   long_sigma_is_certified_as_drawn delta_may_rise_with_sigma
 */
static custos_status
scale_gauss(const struct asked *a, struct additive_plan *p, custos_err *err)
{
    enum gauss_route route = GAUSS_DISCRETE;
    struct gauss_point point;
    custos_status st = choose_route(a, &route, err);
    rat sigma;

    if (st)
        return st;
    gauss_point_init(&point);
    rat_init(&sigma);
    p->law = CUSTOS_DISCRETE_GAUSSIAN;
    p->theorem = route == GAUSS_DISCRETE ? "gauss-discrete-exact"
                 : route == GAUSS_VECTOR ? "gauss-vector"
                                         : "gauss-zcdp";
    rat_set(&point.sensitivity_squared, &p->steps);
    rat_set(&point.epsilon, &p->epsilon);
    if (!a->o->scale) {
        st = find_sigma(a, p, route, &point, &sigma, err);
    } else {
        in_steps(&sigma, &a->scale, p, 1);
        rat_mul(&point.variance, &sigma, &sigma);
        shorten_up(&point.variance);
        if (a->o->epsilon)
            gauss_delta_up(route, &point, &p->delta);
        else
            st = calibrate_epsilon(route, &point, &p->delta, err);
    }
    rat_set(&p->parameter, &point.variance);
    rat_set(&p->epsilon, &point.epsilon);
    rat_set(&p->scale, &sigma);
    rat_clear(&sigma);
    gauss_point_clear(&point);
    return st;
}

/*
 * THEOREM  gauss-rho
 *   Let f be integer-valued with l2 sensitivity D. Adding independent discrete
 *   Gaussian noise of parameter v >= D^2 / (2 rho) to each coordinate is
 *   rho-zCDP, in any dimension and under any clamping of the sums. It is
 *   epsilon-DP for no epsilon: for values D apart, the logarithm of the ratio
 *   of probabilities at y is D (2y + D) / 2v, which has no bound. At equal rho
 *   its standard deviation is 1/sqrt(2) of that of Laplace noise with D1 = D:
 *   D/epsilon against sqrt(2) D/epsilon, where rho = epsilon^2/2.
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, theorem 4 and
 *          proposition 5 (divergence at most alpha D^2 / 2v); Bun, Steinke
 *          2016, arXiv:1605.02065, definition 1.1, lemma 1.7 (coordinates
 *          add), proposition 1.4 (epsilon-DP is epsilon^2/2-zCDP).
 * NEEDS    the values of neighbours, on the grid, differ by at most the given
 *          sensitivity (grid-sensitivity).
 * GIVES    rho-zCDP, without a delta. A larger v keeps it, so a very long
 *          parameter may be rounded up.
 * FAILS    CUSTOS_ERANGE from the parameters.
 * TESTED   rho_determines_the_variance rho_bounds_the_divergence
 *          at_equal_rho_the_gaussian_deviates_less
 */
static custos_status
scale_rho(struct additive_plan *p)
{
    ival sigma;
    rat x;

    p->law = CUSTOS_DISCRETE_GAUSSIAN;
    p->theorem = "gauss-rho";
    rat_init(&x);
    rat_add(&x, &p->rho, &p->rho);
    rat_div(&p->parameter, &p->steps, &x);
    shorten_up(&p->parameter);
    rat_clear(&x);
    ival_init(&sigma, ROOT_BITS);
    ival_set_rat(&sigma, &p->parameter);
    ival_sqrt(&sigma, &sigma);
    ival_down(&sigma, &p->scale);
    ival_clear(&sigma);
    return CUSTOS_OK;
}

/* From the promise and the sensitivity on the grid to the noise. */
static custos_status
scale_noise(const struct asked *a, struct additive_plan *p, custos_err *err)
{
    if (p->in_rho)
        return scale_rho(p);
    return a->gaussian ? scale_gauss(a, p, err) : scale_laplace(a, p);
}

/* Checks that the noise can be drawn; converts its scale to value units. */
static custos_status
settle_scale(struct additive_plan *p, custos_err *err)
{
    rat low, high;
    bool drawn;

    if (p->law == CUSTOS_DISCRETE_LAPLACE)
        rat_set(&p->scale, &p->parameter);
    rat_init(&low);
    rat_init(&high);
    rat_set_pow2(&low, SCALE_LOG2_MIN);
    rat_set_pow2(&high, SCALE_LOG2_MAX);
    drawn = rat_cmp(&p->scale, &low) >= 0 && rat_cmp(&p->scale, &high) <= 0;
    rat_set_pow2(&low, p->grid_log2);
    rat_mul(&p->scale, &p->scale, &low);
    rat_clear(&low);
    rat_clear(&high);
    if (!drawn)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the noise scale must lie between 2^%d and 2^%d "
                           "grid steps (of 2^%ld here)",
                           (int)SCALE_LOG2_MIN, (int)SCALE_LOG2_MAX,
                           p->grid_log2);
    return CUSTOS_OK;
}

/* -------------------------------------------------------------- limits -- */

/*
 * Reads one limit in whole steps, rounded inward, within the limits of the
 * type.
 */
static custos_status
read_limit(const char *text, const char *name, const struct additive_plan *p,
           enum rat_direction direction, i128 *limit, custos_err *err)
{
    custos_status st;
    i128 steps = 0;
    bool fits = true;
    rat x;

    if (!text)
        return CUSTOS_OK;
    rat_init(&x);
    st = rat_read(text, name, &x, err);
    if (!st) {
        in_steps(&x, &x, p, 1);
        fits = direction == RAT_UP ? rat_ceil_i128(&x, &steps)
                                   : rat_floor_i128(&x, &steps);
    }
    rat_clear(&x);
    if (!st && (!fits || steps < p->lower || steps > p->upper))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "the %s is outside the limits of the type", name);
    if (!st)
        *limit = steps;
    return st;
}

static custos_status
set_limits(const struct asked *a, struct additive_plan *p, custos_err *err)
{
    static const i128 limits[][2] = {
        [CUSTOS_INTS] = {INT64_MIN, INT64_MAX},
        [CUSTOS_REALS] = {-GRID_MAX, GRID_MAX},
        [CUSTOS_WIDE] = {-WIDE_MAX, WIDE_MAX},
    };
    custos_status st;
    i128 lower, upper;

    p->lower = lower = limits[a->o->domain][0];
    p->upper = upper = limits[a->o->domain][1];
    st = read_limit(a->o->lower, "lower limit", p, RAT_UP, &lower, err);
    if (!st)
        st = read_limit(a->o->upper, "upper limit", p, RAT_DOWN, &upper, err);
    if (!st && lower > upper)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "no value lies between the lower and upper limit");
    p->lower = lower;
    p->upper = upper;
    return st;
}

custos_status
additive_plan_make(struct additive_plan *p, const custos_mech_options *o,
                   custos_err *err)
{
    struct asked a = {.o = o, .gaussian = o->kind == CUSTOS_GAUSSIAN};
    custos_status st = check_words(o, err);

    if (!st)
        st = check_unknown(o, err);
    if (st)
        return st;
    a.n = o->values ? o->values : 1;
    a.several = o->changes ? o->changes == CUSTOS_CHANGES_SEVERAL : a.n > 1;
    rat_init(&a.sensitivity);
    rat_init(&a.squared);
    rat_init(&a.scale);
    st = read_numbers(&a, p, err);
    if (!st)
        st = lay_grid(&a, p, err);
    if (!st)
        st = count_steps(&a, p, err);
    if (!st)
        st = scale_noise(&a, p, err);
    if (!st)
        st = settle_scale(p, err);
    if (!st)
        st = set_limits(&a, p, err);
    rat_clear(&a.sensitivity);
    rat_clear(&a.squared);
    rat_clear(&a.scale);
    return st;
}
