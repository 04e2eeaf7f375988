/*
 * A mean of reals. Values are cut to a public range first; the number of rows
 * is public here (change-one adjacency), so the mean is a sum with a divisor,
 * and the library says how far one person can move it.
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

enum { PEOPLE = 1000 };

/* The mean of temperatures between 35 and 42; made up. */
static double
exact_mean(void)
{
    double sum = 0;

    for (int i = 0; i < PEOPLE; i++) {
        double t = 36.2 + (i * 37 % 101) / 80.0;

        sum += t < 35 ? 35 : t > 42 ? 42 : t;
    }
    return sum / PEOPLE;
}

int
main(void)
{
    double mean = exact_mean(), released, error;
    custos_err err;
    custos_rng *rng = NULL;
    custos_mech *mech = NULL;
    custos_sealed *sealed = NULL;
    custos_sensitivity sensitivity;
    custos_query query = {
        .size = sizeof query,
        .family = CUSTOS_LINEAR,
        .lower = "35",
        .upper = "42",
        .divisor = "1000",
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
    check(custos_seal_reals(NULL, &mean, 1, &sealed, &err), &err);
    check(custos_release_reals(mech, rng, sealed, &released, 1, &err), &err);
    check(custos_mech_error(mech, "0.05", 1, &error, &err), &err);
    printf("sensitivity %s, sigma %s, grid %s\n", sensitivity.l1,
           custos_mech_facts(mech)->scale, custos_mech_facts(mech)->grid);
    /* Rounding the value moves it too, by half a thousandth at most. */
    printf("%.3f ± %.3f (95%%)\n", released, ceil(error * 1e3 + 0.5) / 1e3);

    custos_sealed_free(sealed);
    custos_mech_free(mech);
    custos_rng_free(rng);
    return 0;
}
