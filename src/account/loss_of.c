/*
 * Constructors of losses. The atoms of a symmetric mechanism are symmetric to
 * the last bit of their losses: pld_bounds then computes only one order.
 */
#include "account/loss_of.h"

#include <math.h>
#include <string.h>

#include "account/line.h"
#include "base/alloc.h"
#include "base/base.h"
#include "num/rat_double.h"

#define ATOM_ERROR 2e-13 /* of q0 and l0; doc/proofs/quadrature-weights.md */

void
loss_of_clear(struct loss_of *l)
{
    alloc_give(&l->alloc, l->atoms, l->n, sizeof *l->atoms);
    l->atoms = NULL;
}

/* Converts a parameter to a double; false unless it is in (1e-100, most]. */
static bool
read_double(const rat *a, double most, double *out)
{
    *out = rat_double(a);
    return *out > 1e-100 && *out <= most;
}

/*
 * Converts a rate; false if it is tiny, or so close to 1 that 1 - rate would be
 * inaccurate.
 */
static bool
read_rate(const rat *rate, double *out)
{
    *out = rat_double(rate);
    if (rat_cmp_i64(rate, 1) == 0)
        return true;
    return *out > 1e-100 && *out < 1 - 1e-12;
}

static custos_status
make_continuous(enum loss_base base, const rat *size, const rat *rate,
                struct loss_of *out)
{
    struct loss l = {.base = base, .order = ORDER_REMOVE};

    if (!read_double(size, LOSS_MAX, &l.size) || !read_rate(rate, &l.rate))
        return CUSTOS_EOVERFLOW;
    *out = (struct loss_of){.loss = l};
    return CUSTOS_OK;
}

custos_status
loss_of_gaussian(const rat *mu, const rat *rate, struct loss_of *out)
{
    return make_continuous(BASE_GAUSSIAN, mu, rate, out);
}

custos_status
loss_of_laplace(const rat *epsilon, const rat *rate, struct loss_of *out)
{
    return make_continuous(BASE_LAPLACE, epsilon, rate, out);
}

custos_status
loss_of_exponential(const rat *epsilon, const rat *rate, struct loss_of *out)
{
    return make_continuous(BASE_EXPONENTIAL, epsilon, rate, out);
}

/* Allocates n atoms; the caller fills them and sets the other fields. */
static custos_status
take_atoms_at(const custos_alloc *alloc, size_t n, double q,
              struct loss_of *out)
{
    if (n >= LINE_ATOMS_MAX)
        return CUSTOS_EOVERFLOW;
    *out = (struct loss_of){.alloc = alloc_or_default(alloc), .n = n};
    out->atoms = alloc_take(&out->alloc, n, sizeof *out->atoms);
    if (!out->atoms)
        return CUSTOS_ENOMEM;
    out->loss = (struct loss){.base = BASE_ATOMS,
                              .order = ORDER_REMOVE,
                              .rate = q,
                              .atoms = out->atoms,
                              .n_atoms = n,
                              .error = ATOM_ERROR};
    return CUSTOS_OK;
}

static custos_status
take_atoms(const custos_alloc *alloc, size_t n, const rat *rate,
           struct loss_of *out)
{
    double q;

    return read_rate(rate, &q) ? take_atoms_at(alloc, n, q, out)
                               : CUSTOS_EOVERFLOW;
}

custos_status
loss_of_discrete_laplace(const custos_alloc *alloc, const rat *epsilon,
                         uint64_t sensitivity, const rat *rate,
                         struct loss_of *out)
{
    const double width = (double)sensitivity;
    double e, q;
    custos_status st;

    CUSTOS_REQUIRE(sensitivity > 0);
    if (sensitivity >= LINE_ATOMS_MAX || !read_double(epsilon, LOSS_MAX, &e))
        return CUSTOS_EOVERFLOW;
    st = take_atoms(alloc, (size_t)sensitivity + 1, rate, out);
    if (st)
        return st;
    q = exp(-e / width);
    for (size_t x = 0; x < out->n; x++) {
        double inner = x > 0 && x < sensitivity ? -expm1(-e / width) : 1;

        out->atoms[x].q0 = inner / (1 + q) * exp(-e * ((double)x / width));
        out->atoms[x].l0 = e * ((2 * (double)x - width) / width);
    }
    return CUSTOS_OK;
}

enum { REACH = 16 }; /* standard deviations of the discrete Gaussian */

#define LOST_MOST 1e-39 /* limit on the probability of unlisted outcomes */

/*
 * How far beyond 0 and beyond the sensitivity outcomes are listed: REACH
 * deviations, or less, so that exp(-x^2 / 2v) divided by its total stays above
 * e^-706, where x is the distance to 0 or to the sensitivity. The total is
 * below 4 sqrt(v) + 2.
 * Negative if no outcome can be listed.
 */
static double
gauss_reach(double v, double width)
{
    double most = floor(sqrt(2 * v * (704 - log(4 * sqrt(v) + 2))));

    return fmin(ceil(REACH * sqrt(v)) + 1, most - width);
}

/* Kahan's sum of exp(-x^2 / 2v) over |x| <= reach, smallest terms first. */
static double
gauss_total(double v, long reach)
{
    double sum = 0, rest = 0;

    for (long x = reach; x > 0; x--) {
        double term = 2 * exp(-(double)x * (double)x / (2 * v)) - rest;
        double now = sum + term;

        rest = (now - sum) - term;
        sum = now;
    }
    return 1 + sum;
}

custos_status
loss_of_discrete_gaussian(const custos_alloc *alloc, const rat *variance,
                          uint64_t sensitivity, const rat *rate,
                          struct loss_of *out)
{
    const double width = (double)sensitivity;
    double v, total, lost, far;
    long reach;
    custos_status st;

    CUSTOS_REQUIRE(sensitivity > 0);
    if (sensitivity >= LINE_ATOMS_MAX || !read_double(variance, 1e12, &v) ||
        gauss_reach(v, width) < 0)
        return CUSTOS_EOVERFLOW;
    reach = (long)gauss_reach(v, width);
    /* Outcomes further out: a geometric series on each side, for P and Q. */
    far = (double)reach + 1;
    lost = 4 * exp(-far * far / (2 * v)) / -expm1(-far / v) + 1e-290;
    if (lost > LOST_MOST)
        return CUSTOS_EOVERFLOW;
    st = take_atoms(alloc, (size_t)(2 * reach + 1) + (size_t)sensitivity, rate,
                    out);
    if (st)
        return st;
    total = gauss_total(v, reach);
    for (size_t i = 0; i < out->n; i++) {
        double x = (double)((long)i - reach);

        out->atoms[i].q0 = exp(-x * x / (2 * v)) / total;
        out->atoms[i].l0 = (2 * x - width) * (width / (2 * v));
    }
    far = (double)reach + width;
    out->loss.error = fmax(ATOM_ERROR, 0x1p-50 * (far * far / (2 * v)));
    out->loss.lost = lost;
    return CUSTOS_OK;
}

custos_status
loss_of_response(const custos_alloc *alloc, const rat *epsilon,
                 uint64_t choices, const rat *rate, struct loss_of *out)
{
    double e, others = (double)choices - 2, right;
    custos_status st;
    size_t last = choices > 2 ? 2 : 1;

    CUSTOS_REQUIRE(choices >= 2);
    if (!read_double(epsilon, LOSS_MAX, &e))
        return CUSTOS_EOVERFLOW;
    st = take_atoms(alloc, last + 1, rate, out);
    if (st)
        return st;
    right = 1 / (1 + (others + 1) * exp(-e)); /* P[the true answer] */
    out->atoms[0] = (struct loss_atom){right, -e};
    if (last == 2)
        out->atoms[1] = (struct loss_atom){others * (right * exp(-e)), 0};
    out->atoms[last] = (struct loss_atom){right * exp(-e), e};
    return CUSTOS_OK;
}

custos_status
loss_of_approximate(const custos_alloc *alloc, const rat *epsilon,
                    const rat *delta, const rat *rate, struct loss_of *out)
{
    double e = 0, d = rat_double(delta), right;
    custos_status st;

    if (rat_sign(epsilon) > 0 && !read_double(epsilon, LOSS_MAX, &e))
        return CUSTOS_EOVERFLOW;
    if (rat_sign(delta) > 0 && !(d > 1e-290 && d < 1 - 1e-12))
        return CUSTOS_EOVERFLOW;
    st = take_atoms(alloc, 2, rate, out);
    if (st)
        return st;
    right = (1 - d) / (1 + exp(-e));
    out->atoms[0] = (struct loss_atom){right, -e};
    out->atoms[1] = (struct loss_atom){right * exp(-e), e};
    out->loss.only_p = out->loss.only_q = d * (1 + 0x1p-52);
    return CUSTOS_OK;
}

#define MASS_LEAST 1e-290 /* below, doubles lose digits */

custos_status
loss_of_arrays(const custos_alloc *alloc, const double *losses,
               const double *masses, size_t n, double infinite,
               struct loss_of *out)
{
    custos_status st = take_atoms_at(alloc, n, 1, out);
    double lost = 0;
    size_t kept = 0;

    if (st)
        return st;
    for (size_t i = 0; i < n; i++) {
        double q0 =
            fabs(losses[i]) <= LOSS_MAX ? masses[i] * exp(-losses[i]) : 0;

        if (q0 >= MASS_LEAST && masses[i] >= MASS_LEAST)
            out->atoms[kept++] = (struct loss_atom){q0, losses[i]};
        else
            lost += masses[i];
    }
    if (kept == 0) {
        loss_of_clear(out);
        return CUSTOS_EOVERFLOW;
    }
    out->loss.n_atoms = kept;
    out->loss.both_orders = true;
    out->loss.only_p = infinite;
    out->loss.lost = lost * (1 + 0x1p-52 * (double)n);
    return CUSTOS_OK;
}

custos_status
loss_of_copy(const custos_alloc *alloc, const struct loss_of *from,
             struct loss_of *out)
{
    *out = *from;
    out->alloc = alloc_or_default(alloc);
    if (!from->atoms)
        return CUSTOS_OK;
    out->atoms = alloc_take(&out->alloc, from->n, sizeof *out->atoms);
    if (!out->atoms)
        return CUSTOS_ENOMEM;
    memcpy(out->atoms, from->atoms, from->n * sizeof *out->atoms);
    out->loss.atoms = out->atoms;
    return CUSTOS_OK;
}
