/* The public interface of plan_pld.h: text in, text out. */

#include "account/compose.h"
#include "account/plan_pld.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/batch.h"
#include "num/rat_double.h"

/*
 * The default width, relative to the answer: chosen so that a computation takes
 * less than a second.
 */
static double
width_part(size_t n)
{
    return n <= 8 ? 2e-4 : n <= 32 ? 1e-3 : 1e-2;
}

/* A rough epsilon by the fast theorems, for choosing a width. */
static double
rough_epsilon(const struct custos_plan *plan, const rat *delta)
{
    double best = 1;
    bool any = false;
    rat e;

    rat_init(&e);
    if (!compose_zcdp(plan, delta, &e)) {
        best = rat_double(&e);
        any = true;
    }
    if (!compose_basic(plan, delta, &e) && (!any || rat_double(&e) < best))
        best = rat_double(&e);
    rat_clear(&e);
    return best > 1e-9 && best < 1e6 ? best : 1;
}

static custos_status
read_width(const char *text, double otherwise, double *out, custos_err *err)
{
    custos_status st;
    rat x;

    *out = otherwise;
    if (!text)
        return CUSTOS_OK;
    rat_init(&x);
    st = rat_read_positive(text, "width", &x, err);
    if (!st)
        *out = rat_double(&x);
    rat_clear(&x);
    if (!st && !(*out > 1e-100 && *out < 1e100))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "width must lie between 1e-100 and 1e100");
    return st;
}

static custos_status
check_plan(const custos_plan *plan, const char *text, const void *out,
           custos_err *err)
{
    if (!plan || !text)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (plan->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the plan is empty");
    return result_check(out, err);
}

static void
interval_write(struct bounds b, const char *reason, custos_interval *out)
{
    custos_interval made = CUSTOS_INTERVAL_INIT;

    made.theorem = "plan-pld";
    made.source = "Zhu, Dong, Wang 2022; Doroshenko et al. 2022";
    made.reason = reason;
    if (!reason) {
        bound_write_down(b.low, made.low);
        bound_write_up(b.high, made.high);
    }
    result_write(out, &made, sizeof made);
}

typedef custos_status
bounds_of(const struct plan_parts *p, const rat *at, double width,
          struct bounds *out, const char **reason);

static custos_status
enclose_cost(const custos_plan *plan, bounds_of *of, const rat *at,
             double width, custos_interval *out, custos_err *err)
{
    struct bounds b = {0, 0};
    const char *reason = NULL;
    struct plan_parts parts;
    custos_status st;

    st = plan_parts_init(&parts, &plan->alloc, plan->items, plan->n);
    if (!st) {
        st = of(&parts, at, width, &b, &reason);
        plan_parts_clear(&parts);
    }
    if (st)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    interval_write(b, reason, out);
    return CUSTOS_OK;
}

/*
 * Chooses the default width, relative to the answer. The rough epsilon may be
 * far too large (zCDP ignores sampling), so a first computation improves it.
 */
static custos_status
choose_width(const custos_plan *plan, const rat *delta, double *width)
{
    double part = width_part(plan->n);
    struct bounds b = {0, 0};
    const char *reason = NULL;
    struct plan_parts parts;
    custos_status st;

    *width = part * rough_epsilon(plan, delta);
    st = plan_parts_init(&parts, &plan->alloc, plan->items, plan->n);
    if (st)
        return st;
    st = plan_pld_epsilon_up(&parts, delta, 16 * *width, &b, &reason);
    plan_parts_clear(&parts);
    if (!st && !reason && b.high > 0 && part * b.high < *width)
        *width = part * b.high;
    return st;
}

custos_status
custos_plan_pld_epsilon(const custos_plan *plan, const char *delta,
                        const char *width, custos_interval *out,
                        custos_err *err)
{
    custos_status st = check_plan(plan, delta, out, err);
    double w = 0;
    rat d;

    if (st)
        return st;
    rat_init(&d);
    st = rat_read_open_unit(delta, "delta", &d, err);
    if (!st)
        st = read_width(width, 0, &w, err);
    if (!st && w == 0 && choose_width(plan, &d, &w))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = enclose_cost(plan, plan_pld_epsilon, &d, w, out, err);
    rat_clear(&d);
    return st;
}

custos_status
custos_plan_pld_delta(const custos_plan *plan, const char *epsilon,
                      const char *width, custos_interval *out, custos_err *err)
{
    custos_status st = check_plan(plan, epsilon, out, err);
    double w = 0;
    rat e;

    if (st)
        return st;
    rat_init(&e);
    st = rat_read(epsilon, "epsilon", &e, err);
    if (!st && rat_sign(&e) < 0)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon must not be negative, as %.40s is", epsilon);
    if (!st)
        st = read_width(width, 1e-3, &w, err);
    if (!st)
        st = enclose_cost(plan, plan_pld_delta, &e, w, out, err);
    rat_clear(&e);
    return st;
}
