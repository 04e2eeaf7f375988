/*
 * The privacy loss of one mechanism for one order of the neighbours:
 * L = ln dP/dQ with the outcome drawn from P.
 *
 * Every mechanism is a base pair (P0, Q0), perhaps behind Poisson sampling of
 * rate q. With R = 1 - q + q exp(l0), l0 the base loss:
 *
 *     remove:  dP = R dQ0,  Q = Q0      L =  ln R
 *     add:     P = Q0,      dQ = R dQ0  L = -ln R
 *
 * so a base is its Q0 and its l0, and q = 1 is the mechanism itself. A base
 * has atoms (outcomes of one loss), a continuous part on an interval of x, or
 * both. loss_of.h makes them from parameters.
 */
#ifndef ACCOUNT_LOSS_H
#define ACCOUNT_LOSS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The continuous ones, on x: Q0 = N(0, 1), P0 = N(size, 1); Laplace noise of
 * scale 1 / size around 0 and 1, whose flanks are atoms; and the exponential
 * mechanism's, Laplace's middle alone.
 */
enum loss_base { BASE_GAUSSIAN, BASE_LAPLACE, BASE_EXPONENTIAL, BASE_ATOMS };
enum loss_order { ORDER_REMOVE, ORDER_ADD };

#define LOSS_MAX 600.0 /* of |L|: past it doubles come near overflow in e^L */

/* Outcomes of one base loss, by their probability under Q0. */
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
    double only_p; /* P0's probability where Q0 has none */
    double only_q; /* Q0's probability where P0 has none */
    double lost;   /* P's and Q's probability of outcomes left out, at most */
    double error;  /* of the atoms' q0 (relative) and l0 (absolute) */
};

/* At one x of the continuous part: dP/dx and dQ/dx. */
struct loss_point {
    double p, q;
};

/* The continuous part lies on [from, to], except at most `outside` of P. */
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

/* A step in x, anywhere up to |x|, that one panel of quadrature can take. */
double loss_step(const struct loss *l, double x);

/*
 * Atoms by rising loss, those of Laplace's flanks included: the i-th; false
 * past the last.
 */
bool loss_atom(const struct loss *l, size_t i, double *value, double *mass);

/* P's probability of an infinite loss; the same plus what was left out. */
double loss_infinite(const struct loss *l);
double loss_infinite_or_lost(const struct loss *l);

/*
 * Bounds the relative error of every density and mass and the absolute error
 * of every loss computed here, for parameters that are themselves rounded by
 * up to 4 units. doc/proofs/quadrature-weights.md, 2.
 */
double loss_error(const struct loss *l, const struct loss_range *r);

/* Whether the other order of neighbours has the same law. */
bool loss_is_symmetric(const struct loss *l);

#endif
