/*
 * The base pairs: their densities, their losses, and where a loss has a given
 * value.
 */
#include "account/loss.h"

#include <math.h>

bool
loss_is_continuous(const struct loss *l)
{
    return l->base != BASE_ATOMS;
}

/* R at base loss l0. A sum of positive terms is as accurate as its terms. */
static double
ratio_at(const struct loss *l, double l0)
{
    return l->rate == 1 ? exp(l0) : (1 - l->rate) + l->rate * exp(l0);
}

/*
 * The loss of outcomes whose base loss is l0. Small losses are accurate. Near
 * R = 1 - q the error is a few units in the last place divided by 1 - q; the
 * rounding of q alone causes as much.
 */
static double
sampled_loss(const struct loss *l, double l0)
{
    double v = l->rate == 1 ? l0 : log1p(l->rate * expm1(l0));

    return l->order == ORDER_REMOVE ? v : -v;
}

static double
base_loss(const struct loss *l, double x)
{
    return l->base == BASE_GAUSSIAN ? l->size * (x - l->size / 2)
                                    : l->size * (2 * x - 1);
}

double
loss_value(const struct loss *l, double x)
{
    return sampled_loss(l, base_loss(l, x));
}

/*
 * Gaussian: P[Z > z] <= exp(-z^2/2)/2 = tail/2 on each side of N(0, 1) and of
 * N(size, 1). A mixture of the two has no heavier tails.
 */
struct loss_range
loss_range(const struct loss *l, double tail)
{
    double z = sqrt(-2 * log(tail));

    if (l->base == BASE_GAUSSIAN)
        return (struct loss_range){-z, l->size + z, tail};
    return (struct loss_range){0, 1, 0};
}

/* dQ0/dx */
static double
base_density(const struct loss *l, double x)
{
    if (l->base == BASE_GAUSSIAN)
        return 0.39894228040143268 * exp(-x * x / 2); /* 1 / sqrt(2 pi) */
    if (l->base == BASE_LAPLACE)
        return l->size / 2 * exp(-l->size * x);
    return l->size / -expm1(-l->size) * exp(-l->size * x);
}

struct loss_point
loss_at(const struct loss *l, double x)
{
    double q0 = base_density(l, x), r = q0 * ratio_at(l, base_loss(l, x));

    return l->order == ORDER_REMOVE ? (struct loss_point){r, q0}
                                    : (struct loss_point){q0, r};
}

/* The base loss at which ln R = w; -infinity if R is never that small. */
static double
base_loss_of(const struct loss *l, double w)
{
    double rest = expm1(w) + l->rate; /* q exp(l0) = R - (1 - q) */

    if (l->rate == 1)
        return w;
    return rest > 0 ? log(rest / l->rate) : -INFINITY;
}

double
loss_place(const struct loss *l, const struct loss_range *r, double v)
{
    double l0 = base_loss_of(l, l->order == ORDER_REMOVE ? v : -v);
    double x = l->base == BASE_GAUSSIAN ? l0 / l->size + l->size / 2
                                        : (l0 / l->size + 1) / 2;

    return x > r->from ? x < r->to ? x : r->to : r->from;
}

double
loss_step(const struct loss *l, double x)
{
    return l->base == BASE_GAUSSIAN ? 0.5 / (2 + fabs(x) + l->size)
                                    : 0.25 / l->size;
}

/*
 * Whether there is an atom of outcomes that only Q0 has. Under sampling they
 * have R = 1 - q, the least R of all.
 */
static bool
has_lone_atom(const struct loss *l)
{
    return l->base == BASE_ATOMS && l->rate < 1 && l->only_q > 0;
}

/* The i-th atom of the base pair, in order of rising l0. */
static bool
base_atom(const struct loss *l, size_t i, struct loss_atom *atom)
{
    if (l->base == BASE_LAPLACE && i < 2) {
        atom->l0 = i == 0 ? -l->size : l->size;
        atom->q0 = i == 0 ? 0.5 : exp(-l->size) / 2;
        return true;
    }
    if (l->base != BASE_ATOMS || i >= l->n_atoms)
        return false;
    *atom = l->atoms[i];
    return true;
}

bool
loss_atom(const struct loss *l, size_t i, double *value, double *mass)
{
    size_t n = l->base == BASE_LAPLACE ? 2 : l->n_atoms;
    size_t lone = has_lone_atom(l);
    struct loss_atom a;

    if (l->order == ORDER_ADD && i < n + lone)
        i = n + lone - 1 - i; /* i now counts by rising R */
    if (lone && i == 0) {
        *value = log1p(-l->rate);
        *mass = l->only_q;
        if (l->order == ORDER_REMOVE)
            *mass *= 1 - l->rate;
        else
            *value = -*value;
        return true;
    }
    if (!base_atom(l, i - lone, &a))
        return false;
    *value = sampled_loss(l, a.l0);
    *mass = l->order == ORDER_ADD ? a.q0 : a.q0 * ratio_at(l, a.l0);
    return true;
}

double
loss_infinite(const struct loss *l)
{
    if (l->order == ORDER_REMOVE)
        return l->rate * l->only_p;
    return l->rate == 1 ? l->only_q : 0;
}

double
loss_infinite_or_lost(const struct loss *l)
{
    return fmin(loss_infinite(l) + l->lost, 1);
}

double
loss_error(const struct loss *l, const struct loss_range *r)
{
    double reach = fmax(fabs(r->from), fabs(r->to)) + l->size, most = l->size;
    double input = l->rate < 1 ? 16 * l->rate / (1 - l->rate) : 0;

    if (l->base == BASE_GAUSSIAN)
        return 1e-14 + 0x1p-53 * (32 + 16 * reach * reach + input);
    if (l->base == BASE_ATOMS && l->n_atoms > 0)
        most = fmax(fabs(l->atoms[0].l0), fabs(l->atoms[l->n_atoms - 1].l0));
    return 1e-14 + 0x1p-53 * (32 + 16 * most + input) + 4 * l->error;
}

bool
loss_is_symmetric(const struct loss *l)
{
    size_t n = l->n_atoms;

    if (l->both_orders)
        return true;
    if (l->rate != 1 || l->only_p != l->only_q)
        return false;
    for (size_t i = 0; l->base == BASE_ATOMS && i < (n + 1) / 2; i++) {
        const struct loss_atom *a = &l->atoms[i], *b = &l->atoms[n - 1 - i];
        double p0 = a->q0 * exp(a->l0);

        if (a->l0 != -b->l0 ||
            fabs(p0 - b->q0) > (l->error + 0x1p-49 * (1 + fabs(a->l0))) * p0)
            return false;
    }
    return true;
}
