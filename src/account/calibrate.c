/*
 * Finds the least noise, or the largest count, that keeps a promise. The
 * search runs in doubles and may try any value; the value that it returns has
 * been checked with a certified upper bound.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/compose.h"
#include "account/plan_pld.h"
#include "account/plan_scale.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/batch.h"
#include "num/rat_double.h"
#include "num/rat_round.h"

enum { FINE_PARTS = 32 }; /* with more parts, a finer bound takes seconds */
#define FACTOR_MOST 0x1p40
#define COUNT_TOP ((uint64_t)1 << 40)

enum { STEPS_MAX = 120, DIGITS = 8 }; /* digits of the factor */

/* The promise, and the plan that is to keep it. */
struct task {
    const struct custos_plan *plan;
    rat epsilon, delta;
    double target;    /* epsilon, rounded down */
    double finest;    /* least width of bounds, relative to the target */
    double tolerance; /* of the factor, relative */
};

/* The result of one try. */
struct verdict {
    bool fits;
    double cost; /* approximate */
    char epsilon[CUSTOS_NUMBER_MAX];
    const char *theorem;
};

static void
verdict_take(const struct task *t, const rat *epsilon, const char *theorem,
             struct verdict *v)
{
    double cost = rat_double(epsilon);

    if (v->cost > cost)
        v->cost = cost;
    if (v->fits || rat_cmp(epsilon, &t->epsilon) > 0)
        return;
    v->fits = true;
    v->theorem = theorem;
    rat_decimal(epsilon, RAT_UP, v->epsilon);
}

/*
 * Narrows the bounds until both are on one side of the target, or until they
 * stop narrowing. If that does not decide, the plan counts as too costly.
 */
static custos_status
try_pld(const struct task *t, const struct custos_plan *plan, struct verdict *v,
        const char **reason)
{
    struct plan_parts parts;
    struct bounds b = {0, INFINITY};
    double part = 2e-2, last = INFINITY;
    custos_status st;

    st = plan_parts_init(&parts, &plan->alloc, plan->items, plan->n);
    if (st)
        return st;
    while (part >= t->finest && !st) {
        st = plan_pld_epsilon_up(&parts, &t->delta, part * t->target, &b,
                                 reason);
        if (st || *reason || b.high < t->target || b.low > t->target ||
            b.high - b.low > fmax(0.5 * last, part * t->target))
            break;
        last = b.high - b.low;
        part /= 20;
    }
    plan_parts_clear(&parts);
    if (st || *reason)
        return st;
    v->cost = fmin(v->cost, b.high);
    if (!v->fits && b.high < t->target) { /* target is rounded down */
        v->fits = true;
        v->theorem = "plan-pld";
        bound_write_up(b.high, v->epsilon);
    }
    return st;
}

static custos_status
try_plan(const struct task *t, const struct custos_plan *plan,
         struct verdict *v)
{
    custos_status st = CUSTOS_OK;
    const char *reason = "delta is 0";
    rat e;

    *v = (struct verdict){.cost = INFINITY};
    rat_init(&e);
    if (!compose_basic(plan, &t->delta, &e))
        verdict_take(t, &e, "compose-basic", v);
    if (!v->fits && rat_sign(&t->delta) > 0) {
        reason = NULL;
        st = try_pld(t, plan, v, &reason);
        if (!st && reason && !compose_zcdp(plan, &t->delta, &e))
            verdict_take(t, &e, "compose-zcdp", v);
    }
    rat_clear(&e);
    return st;
}

/* ---------------------------------------------------------------- noise -- */

/* Rounds x > 0 up to a decimal of `digits` digits. */
static void
decimal_up(double x, int digits, char text[CUSTOS_NUMBER_MAX], rat *out)
{
    int e = (int)floor(log10(x)) - digits + 1;
    double unit = pow(10, e);
    custos_status st;

    snprintf(text, CUSTOS_NUMBER_MAX, "%.0fe%d", ceil(x / unit - 1e-9), e);
    st = rat_read(text, "factor", out, NULL);
    CUSTOS_REQUIRE(!st);
    rat_decimal(out, RAT_UP, text); /* exact: it has few digits */
}

static custos_status
try_factor(const struct task *t, const rat *factor, struct verdict *v)
{
    struct custos_plan copy;
    custos_status st = plan_scale(t->plan, factor, 1, &copy);

    if (!st) {
        plan_round(&copy);
        st = try_plan(t, &copy, v);
        plan_scale_clear(&copy);
    }
    return st;
}

/* Encloses the least factor that fits: `no` does not fit, `yes` > `no` does. */
struct bracket {
    double no, yes;
    double cost_no, cost_yes;
};

/*
 * The next factor to try: where the line through both ends of the bracket, in
 * logarithms, meets the target. A point near an end is moved inward, so that
 * the bracket shrinks from both sides.
 */
static double
bracket_next(const struct bracket *b, const struct task *t, int step)
{
    double u = log(b->no), v = log(b->yes);
    double f = log(b->cost_no / t->target), g = log(b->cost_yes / t->target);
    bool line = isfinite(f) && isfinite(g) && f > 0 && g < 0;
    double x = line ? u + (v - u) * f / (f - g) : (u + v) / 2;
    double inward = t->tolerance / 3;

    if (step % 4 == 3)
        x = (u + v) / 2;
    if (fabs(v - u) < 3 * inward)
        return exp((u + v) / 2);
    return exp(fmin(fmax(x + inward, u + inward), v - inward));
}

/* A rough factor, by the composition theorems that are quick to compute. */
static custos_status
rough_factor(const struct task *t, double *out)
{
    custos_status st = CUSTOS_OK;
    char text[CUSTOS_NUMBER_MAX];
    struct custos_plan copy;
    double x = 1;
    rat r;

    rat_init(&r);
    for (int i = 0; i < 8 && !st; i++) {
        bool got = false;

        decimal_up(x, 7, text, &r);
        st = plan_scale(t->plan, &r, 1, &copy);
        if (st)
            break;
        got = !compose_zcdp(&copy, &t->delta, &r) ||
              !compose_basic(&copy, &t->delta, &r);
        plan_scale_clear(&copy);
        if (!got)
            break;
        x *= fmin(fmax(rat_double(&r) / t->target, 0x1p-10), 0x1p10);
        x = fmin(fmax(x, 1 / FACTOR_MOST), FACTOR_MOST);
    }
    rat_clear(&r);
    *out = x;
    return st;
}

/*
 * Starts at a rough factor and moves until one factor fits and another does
 * not.
 */
static custos_status
noise_bracket(const struct task *t, struct bracket *b, custos_err *err)
{
    double x = 1, next;
    bool no = false, yes = false;
    char text[CUSTOS_NUMBER_MAX];
    struct verdict v;
    custos_status st = rough_factor(t, &x);
    rat factor;

    rat_init(&factor);
    while (!st && !(no && yes)) {
        decimal_up(x, DIGITS, text, &factor);
        st = try_factor(t, &factor, &v);
        if (st)
            break;
        if (v.fits) {
            yes = true;
            b->yes = x;
            b->cost_yes = v.cost;
        } else {
            no = true;
            b->no = x;
            b->cost_no = v.cost;
        }
        next = isfinite(v.cost) && v.cost > 0 ? v.cost / t->target
               : v.fits                       ? 0.25
                                              : 4;
        if (v.fits)
            x *= fmin(fmax(next * 0.98, 1.0 / 4096), 0.9);
        else
            x *= fmax(fmin(next * 1.02, 4096), 1.1);
        if (!(no && yes) && (x > FACTOR_MOST || x < 1 / FACTOR_MOST))
            st = custos_fail(
                err, CUSTOS_ERANGE,
                yes ? "the plan fits epsilon and delta with next to no noise"
                    : "no amount of noise makes the plan fit epsilon and "
                      "delta");
    }
    rat_clear(&factor);
    return st;
}

/*
 * Finds the factor with the fewest digits that is in the bracket and fits. The
 * last one tried is `yes`, which has fitted before. Each one is tried, because
 * a larger factor need not fit: the cost of the discrete Gaussian can rise
 * with its noise, and so can a bound that is mostly rounding error.
 */
static custos_status
noise_settle(const struct task *t, const struct bracket *b,
             custos_calibrated *out)
{
    custos_status st = CUSTOS_OK;
    struct verdict v = {.fits = false};
    rat factor;

    rat_init(&factor);
    for (int digits = 1; digits <= DIGITS && !st && !v.fits; digits++) {
        decimal_up(digits < DIGITS ? b->no : b->yes, digits, out->factor,
                   &factor);
        if (rat_double(&factor) > b->yes && digits < DIGITS)
            continue;
        st = try_factor(t, &factor, &v);
    }
    rat_clear(&factor);
    if (st)
        return st;
    if (!v.fits)
        return CUSTOS_EINTERNAL; /* UNREACHABLE: it has fitted before */
    out->count = 1;
    memcpy(out->epsilon, v.epsilon, sizeof out->epsilon);
    out->theorem = v.theorem;
    return CUSTOS_OK;
}

static custos_status
noise_search(const struct task *t, custos_calibrated *out, custos_err *err)
{
    struct bracket b = {0};
    char text[CUSTOS_NUMBER_MAX];
    custos_status st = noise_bracket(t, &b, err);
    rat factor;

    rat_init(&factor);
    for (int i = 0; i < STEPS_MAX && !st && b.yes > b.no * (1 + t->tolerance);
         i++) {
        double x = bracket_next(&b, t, i);
        struct verdict v;

        decimal_up(x, DIGITS, text, &factor);
        st = try_factor(t, &factor, &v);
        if (st)
            break;
        if (v.fits) {
            b.yes = x;
            b.cost_yes = v.cost;
        } else {
            b.no = x;
            b.cost_no = v.cost;
        }
    }
    rat_clear(&factor);
    return st ? st : noise_settle(t, &b, out);
}

/* --------------------------------------------------------------- counts -- */

static custos_status
try_count(const struct task *t, uint64_t count, struct verdict *v)
{
    struct custos_plan copy;
    custos_status st;
    rat one;

    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    st = plan_scale(t->plan, &one, count, &copy);
    rat_clear(&one);
    *v = (struct verdict){.cost = INFINITY};
    if (st == CUSTOS_EOVERFLOW)
        return CUSTOS_OK; /* does not fit */
    if (!st) {
        st = try_plan(t, &copy, v);
        plan_scale_clear(&copy);
    }
    return st;
}

static void
keep_count(uint64_t count, const struct verdict *v, custos_calibrated *out)
{
    out->count = count;
    memcpy(out->epsilon, v->epsilon, sizeof out->epsilon);
    out->theorem = v->theorem;
}

/*
 * Interpolates in logarithms: costs grow like the count or like its square
 * root.
 */
static custos_status
count_search(const struct task *t, custos_calibrated *out)
{
    uint64_t yes = 0, no = COUNT_TOP + 1, next = 1;
    double cost_yes = 0, cost_no = INFINITY;
    custos_status st = CUSTOS_OK;

    memcpy(out->factor, "1", sizeof "1");
    for (int i = 0; i < STEPS_MAX && !st && no - yes > 1; i++) {
        struct verdict v;

        st = try_count(t, next, &v);
        if (!st && v.fits) {
            keep_count(next, &v, out);
            yes = next;
            cost_yes = v.cost;
        } else {
            no = next;
            cost_no = v.cost;
        }
        if (no > COUNT_TOP && yes < COUNT_TOP) {
            next = yes * 8 < COUNT_TOP ? yes * 8 : COUNT_TOP;
            continue;
        }
        next = yes + (no - yes) / 2;
        if (yes > 0 && isfinite(cost_no) && cost_yes > 0 &&
            cost_yes < t->target && i % 4 != 3) {
            double f = log(cost_yes / t->target), g = log(cost_no / t->target);
            double x = log((double)yes) +
                       (log((double)no) - log((double)yes)) * f / (f - g);

            next =
                (uint64_t)fmin(fmax(exp(x), (double)yes + 1), (double)no - 1);
        }
        if (next <= yes || next >= no)
            next = yes + (no - yes) / 2;
    }
    return st;
}

/* --------------------------------------------------------------- public -- */

static custos_status
task_init(struct task *t, const custos_plan *plan, const char *epsilon,
          const char *delta, const custos_calibrated *out, custos_err *err)
{
    custos_status st;

    rat_init(&t->epsilon);
    rat_init(&t->delta);
    st = result_check(out, err);
    if (st)
        return st;
    if (!plan || !epsilon)
        return custos_fail(err, CUSTOS_EINVAL, "epsilon must be given");
    if (plan->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the plan is empty");
    t->plan = plan;
    st = rat_read_positive(epsilon, "epsilon", &t->epsilon, err);
    if (!st && delta)
        st = rat_read_delta(delta, "delta", &t->delta, err);
    t->target = rat_double(&t->epsilon);
    t->finest = plan->n <= FINE_PARTS ? 1e-6 : 2e-2;
    t->tolerance = plan->n <= FINE_PARTS ? 1e-4 : 2e-3;
    if (!st && !(t->target > 1e-12 && t->target < 1e6))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon must lie between 1e-12 and 1e6, not %.40s",
                         epsilon);
    return st;
}

static void
task_clear(struct task *t)
{
    rat_clear(&t->epsilon);
    rat_clear(&t->delta);
}

/* Adds the message for failures of functions that write none. */
static custos_status
explain_failure(custos_status st, custos_err *err)
{
    if (st == CUSTOS_ENOMEM)
        return custos_fail(err, st, "out of memory");
    if (st == CUSTOS_EINTERNAL)
        return custos_fail(err, st, "the search for the least noise failed");
    return st;
}

/*
 * THEOREM  calibrate-noise
 *   A plan whose composed upper bound at delta is at most epsilon is
 *   (epsilon, delta)-DP.
 * SOURCE   compose-basic, plan-pld, compose-zcdp: the result names the one
 *          whose bound held. A plan with more noise need not be covered
 *          (certified-as-drawn).
 * NEEDS    parameters fixed in advance.
 * GIVES    a factor, count and epsilon for which the bound was computed.
 * FAILS    as declared in custos.h.
 * TESTED   calibrated_noise_fits_and_less_does_not,
 *          calibrated_count_fits_and_one_more_does_not,
 *          calibration_of_a_thousand_queries
 */
custos_status
custos_calibrate_noise(const custos_plan *plan, const char *epsilon,
                       const char *delta, custos_calibrated *out,
                       custos_err *err)
{
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;
    struct task t;
    custos_status st = task_init(&t, plan, epsilon, delta, out, err);

    if (!st)
        st = explain_failure(noise_search(&t, &got, err), err);
    task_clear(&t);
    if (!st)
        result_write(out, &got, sizeof got);
    return st;
}

custos_status
custos_calibrate_count(const custos_plan *plan, const char *epsilon,
                       const char *delta, custos_calibrated *out,
                       custos_err *err)
{
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;
    struct task t;
    custos_status st = task_init(&t, plan, epsilon, delta, out, err);

    if (!st)
        st = explain_failure(count_search(&t, &got), err);
    task_clear(&t);
    if (!st)
        result_write(out, &got, sizeof got);
    return st;
}
