/*
 * A mean of reals. Values are clamped to a public range first. The number of
 * rows is public here (change-one adjacency), so the sum is released and then
 * divided; the library says how far one person can move the sum.
 *
 * The sum is computed in whole steps of 1/1024 degree. In floating point it
 * would depend on the order and on every rounding, and one person could move it
 * further than the sensitivity says.
 */
#include <custos.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
check(custos_status status, const custos_err *err)
{
    if (status) {
        fprintf(stderr, "%s\n", err->said);
        exit(1);
    }
}

enum { PEOPLE = 1000, STEPS = 1024 }; /* steps per degree */

/* The sum of invented temperatures, clamped to [35, 42]. */
static double
exact_sum(void)
{
    int64_t sum = 0;

    for (int i = 0; i < PEOPLE; i++) {
        double t = 36.2 + (i * 37 % 101) / 80.0;

        sum += llround((t < 35 ? 35 : t > 42 ? 42 : t) * STEPS);
    }
    /* Exact: STEPS is a power of two, and sum is below 2^53. */
    return (double)sum / STEPS;
}

int
main(void)
{
    double sum = exact_sum(), released, error;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_mech *mech = NULL;
    custos_sealed *sealed = NULL;
    custos_sensitivity sensitivity = CUSTOS_SENSITIVITY_INIT;
    custos_query query = {
        .size = sizeof query,
        .family = CUSTOS_LINEAR,
        .lower = "35",
        .upper = "42",
    };
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_GAUSSIAN,
        .domain = CUSTOS_REALS,
        .epsilon = "0.5",
        .delta = "1e-6",
        .sensitivity_squared = sensitivity.l2_squared,
    };

    check(custos_sensitivity_of(&query, CUSTOS_CHANGE_ONE, &sensitivity, &err),
          &err);
    check(custos_rng_new(&rng, &err), &err);
    check(custos_mech_new(NULL, &options, &mech, &err), &err);
    check(custos_seal_reals(NULL, &sum, 1, &sealed, &err), &err);
    check(custos_release_reals(mech, rng, sealed, &released, 1, &err), &err);
    check(custos_mech_error(mech, "0.05", 1, &error, &err), &err);
    printf("sensitivity %s, sigma %s, grid %s\n", sensitivity.l1,
           custos_mech_facts(mech)->scale, custos_mech_facts(mech)->grid);
    /*
     * The bar also covers two roundings: the printed mean is off by up to half a
     * thousandth, and each person's temperature by up to half a step, which is
     * less.
     */
    printf("%.3f ± %.3f (95%%)\n", released / PEOPLE,
           ceil(error / PEOPLE * 1e3 + 1) / 1e3);

    custos_sealed_free(sealed);
    custos_mech_free(mech);
    custos_rng_free(rng);
    return 0;
}
