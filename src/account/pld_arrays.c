/*
 * A composed distribution as arrays: atoms at evenly spaced losses whose curve
 * is above the plan's in both orders of the neighbours.
 *
 * THEOREM  pld-arrays
 *   Let d(e) be the curve of a pair of distributions, e any real number, and
 *   u_i >= d(e_i) at points e_0 < ... < e_m. Let atoms at the points have
 *   masses p_i >= 0 and let P[inf] = v be so that, at every i,
 *   v + sum over j > i of p_j (1 - e^(e_i - e_j)) >= u_i, and that all masses
 *   add up to at least 1. Then the atoms' curve is above d everywhere, and the
 *   same holds after composition.
 * SOURCE   doc/proofs/pld-arrays.md; Doroshenko, Ghazi, Kamath, Kumar,
 *          Manurangsi 2022, arXiv:2207.04380, for the estimate; Zhu, Dong, Wang
 *          2022, arXiv:2106.08567, Theorem 10, for composition.
 * NEEDS    u_i from tilted-composition, in each order.
 * GIVES    such masses, chosen from the top so that each is as small as the
 *          ones above it allow.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_ERANGE if the distribution or epsilon at delta
 *          is out of reach.
 * TESTED   arrays_lie_above_the_curve, arrays_compose_above_the_plan
 */
#include <math.h>

#include "account/line.h"
#include "account/pld_public.h"
#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "num/rat_double.h"

#define UNIT 0x1p-53
#define FAR 1e-6 /* the atoms reach to epsilon at FAR delta */

/*
 * Lowers u[order] to the bounds of one more grid, which is sharp near epsilon
 * `at`. The points are -top, -top + h, ...; the bounds are read slightly below
 * them, because the points are rounded.
 */
static custos_status
lower_by_grid(const struct plan_parts *p, double at, double top, double h,
              double *u[2], size_t n)
{
    const struct pld_aim aim = {AIM_EPSILON, at};
    struct pld_kept kept[2] = {{.asked = 0}, {.asked = 0}};
    struct bounds unused[2];
    custos_status st =
        pld_bounds(&p->alloc, p->parts, p->n, aim, 1e-3, kept, unused);

    for (int order = 0; order < 2 && !st; order++) {
        /* A symmetric plan has one grid, for both orders. */
        const struct pld *grid = &kept[kept[order].grid.up ? order : 0].grid;

        if (grid->up)
            pld_lower_deltas(grid, -top * (1 + 16 * UNIT), h, u[order], n);
    }
    pld_kept_clear(&kept[0]);
    pld_kept_clear(&kept[1]);
    return st;
}

/*
 * Lowers the bounds to chords: the curve is convex in e^epsilon and 1 at
 * e^epsilon = 0. Below a grid's window this is the only bound.
 */
static void
lower_to_chords(double *u, size_t n, double top, double h)
{
    const double less = 1 - 16 * UNIT * (1 + top); /* rounding of alpha */
    double slope = 0;

    for (size_t i = n; i-- > 0;) {
        double alpha = exp((double)i * h - top);

        slope = fmax(slope, (1 - u[i]) / alpha * less);
        u[i] = fmin(u[i], 1 - alpha * slope + 4 * UNIT);
    }
}

/* u = upper bounds on the larger of both orders' curves at n points. */
static custos_status
bound_curve(const struct plan_parts *p, double at, double top, double *u,
            size_t n)
{
    const double h = 2 * top / (double)(n - 1), aims[] = {0, at, top};
    double *other = alloc_take(&p->alloc, n, sizeof *other);
    double *both[2] = {u, other};
    custos_status st = CUSTOS_OK;

    if (!other)
        return CUSTOS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        u[i] = other[i] = 1;
    for (size_t i = 0; i < COUNT_OF(aims) && !st; i++)
        st = lower_by_grid(p, aims[i], top, h, both, n);
    for (size_t i = 0; i < n; i++)
        u[i] = fmax(u[i], other[i]);
    lower_to_chords(u, n, top, h);
    alloc_give(&p->alloc, other, n, sizeof *other);
    return st;
}

/*
 * Turns the bounds u into the masses of the theorem, in place, and returns v.
 * `part` is the sum in the theorem, `sum` that of the masses. All terms are
 * positive, so each sum is within 8 n units of rounding.
 */
static double
masses_from_bounds(double *u, size_t n, double h)
{
    const double fade = exp(-h), rest = -expm1(-h);
    const double more = 1 + 32 * UNIT * (double)n;
    const double infinite = u[n - 1] * more;
    double sum = 0, part = 0, mass = 0;

    for (size_t i = n - 1; i > 0; i--) {
        double want = (u[i - 1] * more - infinite - fade * part) / rest - sum;

        mass = fmax(want, 0) * more;
        u[i] = mass;
        sum += mass;
        part = fade * part + rest * sum;
    }
    u[0] = fmax(1 - infinite - sum, 0) + 8 * UNIT * (double)n;
    return infinite;
}

/* Epsilon at delta times `scale`, or infinity if it is out of reach. */
static custos_status
epsilon_at(struct plan_parts *p, const rat *delta, double scale, double *out)
{
    const double at = rat_double(delta) * scale;
    struct bounds b = {0, INFINITY};
    const char *reason = NULL;
    custos_status st = CUSTOS_OK;
    rat d;

    rat_init(&d);
    if (at > 0) {
        bound_exact(at, &d);
        st = plan_pld_epsilon_up(p, &d, 1e-2, &b, &reason);
    }
    rat_clear(&d);
    *out = reason ? INFINITY : b.high;
    return st;
}

static custos_status
fill_arrays(struct plan_parts *p, const rat *delta, double *losses,
            double *masses, size_t n, double *infinite, custos_err *err)
{
    double at = INFINITY, top = INFINITY;
    custos_status st = p->reason ? CUSTOS_OK : epsilon_at(p, delta, 1, &at);

    if (!st && at < INFINITY)
        st = epsilon_at(p, delta, FAR, &top);
    if (!st && !(at < LOSS_MAX))
        return custos_fail(err, CUSTOS_ERANGE,
                           "there is no epsilon at this delta: %s",
                           p->reason ? p->reason
                                     : "the losses are too large, or infinite "
                                       "with a higher probability");
    if (!(top < LOSS_MAX))
        top = fmin(2 * at, LOSS_MAX);
    top = fmax(top, 1e-9);
    if (!st)
        st = bound_curve(p, at, top, masses, n);
    if (st == CUSTOS_ENOMEM)
        return custos_fail(err, st, "out of memory");
    if (st)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the distribution is out of reach");
    for (size_t i = 0; i < n; i++)
        losses[i] = top * ((2 * (double)i - (double)(n - 1)) / (double)(n - 1));
    *infinite = masses_from_bounds(masses, n, 2 * top / (double)(n - 1));
    return CUSTOS_OK;
}

custos_status
custos_pld_arrays(custos_pld *pld, const char *delta, double *losses,
                  double *probabilities, size_t n, double *infinite,
                  custos_err *err)
{
    custos_status st;
    rat d;

    if (!pld || !delta || !losses || !probabilities || !infinite)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (n < 2 || n >= LINE_ATOMS_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "n must lie between 2 and 2^20 - 1");
    rat_init(&d);
    st = rat_read_open_unit(delta, "delta", &d, err);
    if (!st)
        st = fill_arrays(&pld->parts, &d, losses, probabilities, n, infinite,
                         err);
    rat_clear(&d);
    return st;
}
