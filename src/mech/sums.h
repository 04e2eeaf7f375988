/*
 * The contents of a handle for partial sums.
 */
#ifndef MECH_SUMS_H
#define MECH_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "custos.h"
#include "mech/factor.h"
#include "noise/noise.h"
#include "num/rat.h"

struct custos_sums {
    custos_alloc alloc;
    custos_sums_method method;
    size_t n;
    custos_noise *noise;
    uint64_t *root;    /* square root: C, n entries */
    uint64_t *weights; /* square root: weights[t], see sums_error.c */
    custos_facts facts;
    char epsilon[CUSTOS_NUMBER_MAX];
    char delta[CUSTOS_NUMBER_MAX];
    char scale[CUSTOS_NUMBER_MAX];
    char sensitivity[CUSTOS_NUMBER_MAX];
    char grid[CUSTOS_NUMBER_MAX];
};

/* The parameters as numbers. */
struct sums_plan {
    rat epsilon, delta, sensitivity; /* as given */
    rat steps;     /* sensitivity of what gets the noise; l2: squared */
    rat parameter; /* of the noise law */
};

/* Fills s->weights from s->root; `work` has n cells. Cannot fail. */
void sums_weigh(struct custos_sums *s, i128 *work);

#endif
