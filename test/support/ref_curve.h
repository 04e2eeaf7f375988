/*
 * What plans cost, by other methods than the accountant's: closed forms, sums
 * over all outcomes and binomial sums, with MPFR at CURVE_BITS. Here a plan has
 * any number of discrete parts and at most one continuous one (Gaussians
 * without sampling count as one).
 */
#ifndef TEST_REF_CURVE_H
#define TEST_REF_CURVE_H

#include <mpfr.h>
#include <stdint.h>

#include "account/loss_of.h"
#include "account/pld.h"

enum { CURVE_BITS = 200 };

enum ref_kind {
    REF_GAUSSIAN,    /* a: mu */
    REF_LAPLACE,     /* a: epsilon */
    REF_EXPONENTIAL, /* a: epsilon */
    REF_RESPONSE,    /* a: epsilon, b: choices */
    REF_APPROXIMATE, /* a: epsilon, delta */
    REF_DLAPLACE,    /* a: epsilon, b: sensitivity */
    REF_DGAUSSIAN,   /* a: variance, b: sensitivity */
};

/* One mechanism of a plan, with exactly these doubles as parameters. */
struct ref_mechanism {
    enum ref_kind kind;
    double a;
    uint64_t b;
    double delta;
    double rate;
    uint64_t count;
};

/* The same mechanism for the accountant. Fails the test if it is rejected. */
struct pld_part ref_part(const struct ref_mechanism *m, struct loss_of *owner);

/* A composed law: outcomes, and possibly a continuous part. */
struct ref_curve {
    enum loss_order order;
    mpfr_t *loss, *mass;
    size_t n;
    mpfr_t finite; /* 1 - P[inf] */
    bool smooth;   /* there is a continuous part: */
    struct ref_mechanism part;
    mpfr_t square; /* Gaussian: the sum of count mu^2 */
};

void ref_curve_init(struct ref_curve *c, enum loss_order order);
void ref_curve_clear(struct ref_curve *c);
void ref_curve_add(struct ref_curve *c, const struct ref_mechanism *m);

/* delta(epsilon), correct to many more digits than any check needs. */
void ref_curve_delta(const struct ref_curve *c, double epsilon, mpfr_t out);

/*
 * What is wrong with bounds on epsilon(delta), or NULL. *loose is roughly by
 * how much high exceeds the true value.
 */
const char *ref_curve_check(const struct ref_curve *c, double delta,
                            struct bounds b, double *loose);

#endif
