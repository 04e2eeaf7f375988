/*
 * The handle of a privacy-loss distribution: text in, text out, over the parts
 * of plan_pld.h, which keep the grids that were computed.
 */
#include "account/pld_public.h"

#include <math.h>

#include "account/plan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/rat_double.h"

/* ------------------------------------------------------------- making -- */

static custos_status
fail_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* A handle whose parts the caller makes. */
static custos_status
take_pld(const custos_alloc *alloc, custos_adjacency adjacency,
         custos_pld **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_pld *made = alloc_take(&hooks, 1, sizeof *made);

    if (!made)
        return fail_memory(err);
    made->alloc = hooks;
    made->adjacency = adjacency;
    *out = made;
    return CUSTOS_OK;
}

/* Hands out a handle, unless making its parts failed. */
static custos_status
give_pld(custos_status st, custos_pld *made, custos_pld **out, custos_err *err)
{
    custos_alloc hooks = made->alloc;

    if (st) {
        alloc_give(&hooks, made, 1, sizeof *made);
        return fail_memory(err);
    }
    *out = made;
    return CUSTOS_OK;
}

custos_status
custos_pld_new(const custos_plan *plan, custos_pld **out, custos_err *err)
{
    custos_pld *made = NULL;
    custos_status st;

    if (!plan || !out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (plan->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the plan is empty");
    st = take_pld(&plan->alloc, plan->adjacency, &made, err);
    if (st)
        return st;
    st = plan_parts_init(&made->parts, &made->alloc, plan->items, plan->n);
    return give_pld(st, made, out, err);
}

/* Whether arrays can be a distribution: losses that rise, and probabilities
   that add up to 1, rounding apart. *missing: what they may lack to 1, rounded
   up. */
static custos_status
check_arrays(const double *losses, const double *masses, size_t n,
             double infinite, double *missing, custos_err *err)
{
    double sum = infinite, lost = 0, next;

    if (!(infinite >= 0 && infinite <= 1))
        return custos_fail(err, CUSTOS_ERANGE,
                           "the probability of an infinite loss must lie "
                           "between 0 and 1");
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(losses[i]) || (i > 0 && losses[i] <= losses[i - 1]))
            return custos_fail(err, CUSTOS_ERANGE,
                               "losses must be finite and rise, as number %zu "
                               "does not",
                               i);
        if (!(masses[i] >= 0))
            return custos_fail(err, CUSTOS_ERANGE,
                               "probabilities must not be negative, as number "
                               "%zu is",
                               i);
        next = sum + masses[i]; /* what that loses is added at the end */
        lost +=
            sum > masses[i] ? sum - next + masses[i] : masses[i] - next + sum;
        sum = next;
    }
    sum += lost;
    /* Rounded upwards, they may add up to somewhat more. */
    if (!(sum >= 1 - 1e-6 && sum <= 1 + 1e-3))
        return custos_fail(err, CUSTOS_ERANGE,
                           "the probabilities must add up to 1, not to %.9g",
                           sum);
    *missing = sum < 1 ? 1 - sum + 0x1p-51 : 0;
    return CUSTOS_OK;
}

custos_status
custos_pld_of_arrays(const custos_alloc *alloc, custos_adjacency adjacency,
                     const double *losses, const double *probabilities,
                     size_t n, double infinite, custos_pld **out,
                     custos_err *err)
{
    custos_pld *made = NULL;
    double missing = 0;
    custos_status st;

    if (!losses || !probabilities || n == 0 || !out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (adjacency != CUSTOS_ADD_REMOVE && adjacency != CUSTOS_CHANGE_ONE)
        return custos_fail(err, CUSTOS_EINVAL, "unknown adjacency");
    st = check_arrays(losses, probabilities, n, infinite, &missing, err);
    if (!st)
        st = take_pld(alloc, adjacency, &made, err);
    if (st)
        return st;
    st = plan_parts_of_arrays(&made->parts, &made->alloc, losses, probabilities,
                              n, fmin(1, infinite + missing));
    return give_pld(st, made, out, err);
}

custos_status
custos_pld_compose(const custos_pld *a, const custos_pld *b, custos_pld **out,
                   custos_err *err)
{
    custos_pld *made = NULL;
    custos_status st;

    if (!a || !b || !out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (a->adjacency != b->adjacency)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the two distributions have different adjacencies");
    st = take_pld(&a->alloc, a->adjacency, &made, err);
    if (st)
        return st;
    st =
        plan_parts_join(&made->parts, &made->alloc, &a->parts, 1, &b->parts, 1);
    return give_pld(st, made, out, err);
}

custos_status
custos_pld_self_compose(const custos_pld *pld, uint64_t times, custos_pld **out,
                        custos_err *err)
{
    custos_pld *made = NULL;
    custos_status st;

    if (!pld || !out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (times == 0)
        return custos_fail(err, CUSTOS_EINVAL, "times must be at least 1");
    st = take_pld(&pld->alloc, pld->adjacency, &made, err);
    if (st)
        return st;
    st = plan_parts_join(&made->parts, &made->alloc, &pld->parts, times,
                         &pld->parts, 0);
    return give_pld(st, made, out, err);
}

void
custos_pld_free(custos_pld *pld)
{
    custos_alloc hooks;

    if (!pld)
        return;
    plan_parts_clear(&pld->parts);
    hooks = pld->alloc;
    alloc_give(&hooks, pld, 1, sizeof *pld);
}

/* ------------------------------------------------------------ reading -- */

/*
 * The default width, relative to the answer: chosen so that a computation takes
 * less than a second.
 */
static double
width_part(size_t n)
{
    return n <= 8 ? 2e-4 : n <= 32 ? 1e-3 : 1e-2;
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

/*
 * Chooses the default width, relative to the answer. The rough epsilon may be
 * far too large, so a first computation improves it.
 */
static custos_status
choose_width(struct plan_parts *p, const rat *delta, double *width)
{
    double part = width_part(p->n), rough = 1;
    struct bounds b = {0, 0};
    const char *reason = NULL;
    custos_status st;

    *width = part;
    if (p->reason)
        return CUSTOS_OK;
    st =
        pld_rough_epsilon(&p->alloc, p->parts, p->n, rat_double(delta), &rough);
    if (st)
        return st == CUSTOS_ENOMEM ? st : CUSTOS_OK;
    *width = part * (rough > 1e-9 && rough < 1e6 ? rough : 1);
    st = plan_pld_epsilon_up(p, delta, 16 * *width, &b, &reason);
    if (!st && !reason && b.high > 0 && part * b.high < *width)
        *width = part * b.high;
    return st;
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

static custos_status
check_question(const custos_pld *pld, const char *at, const void *out,
               custos_err *err)
{
    if (!pld || !at)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    return result_check(out, err);
}

custos_status
custos_pld_epsilon(custos_pld *pld, const char *delta, const char *width,
                   custos_interval *out, custos_err *err)
{
    custos_status st = check_question(pld, delta, out, err);
    struct bounds b = {0, 0};
    const char *reason = NULL;
    double w = 0;
    rat d;

    if (st)
        return st;
    rat_init(&d);
    st = rat_read_open_unit(delta, "delta", &d, err);
    if (!st)
        st = read_width(width, 0, &w, err);
    if (!st && ((w == 0 && choose_width(&pld->parts, &d, &w)) ||
                plan_pld_epsilon(&pld->parts, &d, w, &b, &reason)))
        st = fail_memory(err);
    if (!st)
        interval_write(b, reason, out);
    rat_clear(&d);
    return st;
}

custos_status
custos_pld_delta(custos_pld *pld, const char *epsilon, const char *width,
                 custos_interval *out, custos_err *err)
{
    custos_status st = check_question(pld, epsilon, out, err);
    struct bounds b = {0, 0};
    const char *reason = NULL;
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
    if (!st && plan_pld_delta(&pld->parts, &e, w, &b, &reason))
        st = fail_memory(err);
    if (!st)
        interval_write(b, reason, out);
    rat_clear(&e);
    return st;
}
