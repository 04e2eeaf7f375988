/*
 * The privacy loss of one mechanism for one order of the neighbours:
 * L = ln dP/dQ, where the outcome is drawn from P.
 *
 * Every mechanism is a base pair (P0, Q0), possibly on a Poisson sample of
 * rate q. With R = 1 - q + q exp(l0), l0 the base loss:
 *
 *     remove:  dP = R dQ0,  Q = Q0      L =  ln R
 *     add:     P = Q0,      dQ = R dQ0  L = -ln R
 *
 * So a base is given by its Q0 and its l0, and q = 1 is the mechanism itself.
 * A base has atoms (sets of outcomes with one loss), a continuous part on an
 * interval of x, or both. loss_of.h makes losses from a mechanism's
 * parameters.
 */
#ifndef ACCOUNT_LOSS_H
#define ACCOUNT_LOSS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The continuous bases, on x. Gaussian: Q0 = N(0, 1), P0 = N(size, 1).
 * Laplace: noise of scale 1 / size around 0 and 1; the loss is constant
 * outside [0, 1], so the two flanks are atoms. Exponential mechanism: only the
 * middle part of Laplace.
 */
enum loss_base { BASE_GAUSSIAN, BASE_LAPLACE, BASE_EXPONENTIAL, BASE_ATOMS };
enum loss_order { ORDER_REMOVE, ORDER_ADD };

#define LOSS_MAX 600.0 /* of |L|: above it e^L comes near overflow */

/* The outcomes of one base loss, with their probability under Q0. */
struct loss_atom {
    double q0, l0;
};

struct loss {
    enum loss_base base;
    enum loss_order order;
    double rate; /* q, in (0, 1] */
    double size; /* Gaussian: sensitivity / sigma; else epsilon */
    const struct loss_atom *atoms; /* BASE_ATOMS: l0 rising; borrowed */
    size_t n_atoms;
    bool both_orders; /* an array, used as it is whichever the order */
    double only_p;    /* P0's probability where Q0 has none */
    double only_q;    /* Q0's probability where P0 has none */
    double lost;      /* bounds P's and Q's probability of outcomes left out */
    double error;     /* of the atoms' q0 (relative) and l0 (absolute) */
};

/* At one x of the continuous part: dP/dx and dQ/dx. */
struct loss_point {
    double p, q;
};

/* The continuous part is on [from, to], except at most `outside` of P. */
struct loss_range {
    double from, to;
    double outside;
};

bool loss_is_continuous(const struct loss *l);
struct loss_range loss_range(const struct loss *l, double tail);
struct loss_point loss_at(const struct loss *l, double x);

/* The loss at x, and the x of [r.from, r.to] whose loss is nearest to v. */
double loss_value(const struct loss *l, double x);
double loss_place(const struct loss *l, const struct loss_range *r, double v);

/* The width of one quadrature panel; valid at every position up to |x|. */
double loss_step(const struct loss *l, double x);

/*
 * The i-th atom in order of rising loss, including those of Laplace's flanks;
 * false after the last.
 */
bool loss_atom(const struct loss *l, size_t i, double *value, double *mass);

/* P's probability of an infinite loss; the second adds what was left out. */
double loss_infinite(const struct loss *l);
double loss_infinite_or_lost(const struct loss *l);

/*
 * Bounds the relative error of every density and mass and the absolute error
 * of every loss computed here, if the parameters are themselves rounded by up
 * to 4 units in the last place. doc/proofs/quadrature-weights.md, 2.
 */
double loss_error(const struct loss *l, const struct loss_range *r);

/* Whether both orders of the neighbours have the same loss distribution. */
bool loss_is_symmetric(const struct loss *l);

#endif
