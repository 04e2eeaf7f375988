/*
 * A mechanism as the accountant sees it: its kind and its exact parameters,
 * read from text. It holds no data and draws no noise.
 *
 *     laplace:epsilon=0.1:count=100
 *     gaussian:sigma=20:sensitivity=1:sample=0.01:count=50
 */
#ifndef ACCOUNT_MECHANISM_H
#define ACCOUNT_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "custos.h"
#include "num/rat.h"

enum mechanism_kind {
    MECHANISM_LAPLACE,           /* continuous; epsilon */
    MECHANISM_DISCRETE_LAPLACE,  /* epsilon at an integer sensitivity */
    MECHANISM_GAUSSIAN,          /* continuous; sigma, l2 sensitivity */
    MECHANISM_DISCRETE_GAUSSIAN, /* sigma, integer squared sensitivity */
    MECHANISM_RESPONSE,          /* randomized response; epsilon, values */
    MECHANISM_EXPONENTIAL,       /* epsilon, which also bounds its range */
    MECHANISM_PERMUTE_FLIP,      /* epsilon */
    MECHANISM_NOISY_MAX,         /* epsilon */
    MECHANISM_SPARSE_VECTOR,     /* epsilon of all answers together */
    MECHANISM_GENERIC,           /* epsilon, delta */
};

struct mechanism {
    enum mechanism_kind kind;
    custos_adjacency adjacency;
    rat epsilon;             /* of one release before sampling, or 0 */
    rat delta;               /* generic only, else 0 */
    rat sigma;               /* Gaussians only, else 0 */
    rat sensitivity;         /* 1 by default; 0 if only its square is given */
    rat sensitivity_squared; /* l2, Gaussians */
    rat sample;              /* Poisson rate, 1 for none */
    uint64_t values;         /* answers of randomized response, >= 2 */
    uint64_t count;          /* 1 to 2^63 */
};

void mechanism_init(struct mechanism *m);
void mechanism_clear(struct mechanism *m);

/*
 * Reads the text form. The message names the mechanism and the key. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE; m is then unspecified, but can
 * be cleared or read again.
 */
CUSTOS_MUST_USE custos_status mechanism_read(const char *text,
                                             custos_adjacency adjacency,
                                             struct mechanism *m,
                                             custos_err *err);

/* The kind's name in the text form. */
const char *mechanism_name(enum mechanism_kind kind);

bool mechanism_is_sampled(const struct mechanism *m);
bool mechanism_is_gaussian(const struct mechanism *m); /* discrete or not */

#endif
