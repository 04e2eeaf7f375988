/*
 * Several numbers at one price (epsilon, delta): one joint Gaussian compared
 * with a Gaussian for each at (epsilon/k, delta/k), by the 95 % error of
 * simulated releases of counts and of sums; each figure is the largest ratio of
 * three prices and three sensitivities. Then, where one unit changes several
 * cells: sigma over that of continuous noise, from 5 grid steps on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "custos.h"
#include "measure.h"

enum { RUNS = 20000, TEXT = 64 };

static const struct {
    double epsilon, delta;
} prices[] = {{1, 1e-6}, {0.1, 1e-6}, {0.5, 1e-9}};

static const long moves[] = {1, 120, 500000};

static void
must(custos_status st, const custos_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "errors_joint: %s\n", err->said);
    exit(1);
}

/* The 95 % error of one of k numbers, each of which one unit moves by `move`. */
static double
error_of(custos_rng *rng, size_t price, long move, long k, bool joint)
{
    static int64_t values[RUNS];
    static double sizes[RUNS];
    char epsilon[TEXT], delta[TEXT], squared[TEXT];
    const custos_mech_options o = {.size = sizeof o,
                                   .kind = CUSTOS_GAUSSIAN,
                                   .domain = CUSTOS_INTS,
                                   .values = RUNS,
                                   .epsilon = epsilon,
                                   .delta = delta,
                                   .sensitivity_squared = squared,
                                   .changes = joint ? CUSTOS_CHANGES_SEVERAL
                                                    : CUSTOS_CHANGES_ONE};
    custos_err err = CUSTOS_ERR_INIT;
    custos_sealed *sealed = NULL;
    custos_mech *m = NULL;
    long each = joint ? 1 : k;

    snprintf(epsilon, TEXT, "%.17g", prices[price].epsilon / (double)each);
    snprintf(delta, TEXT, "%.17g", prices[price].delta / (double)each);
    snprintf(squared, TEXT, "%ld", joint ? k * move * move : move * move);
    must(custos_mech_new(NULL, &o, &m, &err), &err);
    for (size_t i = 0; i < RUNS; i++)
        values[i] = 0;
    must(custos_seal_ints(NULL, values, RUNS, &sealed, &err), &err);
    must(custos_release_ints(m, rng, sealed, values, RUNS, &err), &err);
    for (size_t i = 0; i < RUNS; i++)
        sizes[i] = fabs((double)values[i]);
    custos_sealed_free(sealed);
    custos_mech_free(m);
    return measure_most(sizes, RUNS);
}

static void
print_joint(custos_rng *rng, const char *name, long k)
{
    double worst = 0;

    for (size_t p = 0; p < COUNT_OF(prices); p++)
        for (size_t i = 0; i < COUNT_OF(moves); i++) {
            double one = error_of(rng, p, moves[i], k, true);
            double each = error_of(rng, p, moves[i], k, false);

            printf("%-11s epsilon %-4g delta %-6g moves %-7ld %.4g, not %.4g\n",
                   name, prices[p].epsilon, prices[p].delta, moves[i], one,
                   each);
            worst = fmax(worst, one / each);
        }
    measure_print(name, worst, "ratio");
}

/* sigma for several changed cells over that of the continuous law. */
static double
sigma_ratio(size_t price, long squared, custos_calibration how)
{
    char epsilon[TEXT], delta[TEXT], square[TEXT], least[CUSTOS_NUMBER_MAX];
    const custos_mech_options o = {.size = sizeof o,
                                   .kind = CUSTOS_GAUSSIAN,
                                   .domain = CUSTOS_INTS,
                                   .values = 100,
                                   .epsilon = epsilon,
                                   .delta = delta,
                                   .sensitivity_squared = square,
                                   .calibration = how,
                                   .changes = CUSTOS_CHANGES_SEVERAL};
    custos_err err = CUSTOS_ERR_INIT;
    custos_mech *m = NULL;
    double sigma;

    snprintf(epsilon, TEXT, "%.17g", prices[price].epsilon);
    snprintf(delta, TEXT, "%.17g", prices[price].delta);
    snprintf(square, TEXT, "%ld", squared);
    must(custos_mech_new(NULL, &o, &m, &err), &err);
    must(custos_gauss_sigma(CUSTOS_ANALYTIC, epsilon, delta, square, least,
                            &err),
         &err);
    sigma = strtod(custos_mech_facts(m)->scale, NULL);
    custos_mech_free(m);
    return sigma < 5 ? 1 : sigma / strtod(least, NULL);
}

static void
print_cells(const char *name, custos_calibration how)
{
    static const long squares[] = {2, 3, 10, 50, 2500, 1000000};
    double worst = 0;

    for (size_t p = 0; p < COUNT_OF(prices); p++)
        for (size_t i = 0; i < COUNT_OF(squares); i++)
            worst = fmax(worst, sigma_ratio(p, squares[i], how));
    measure_print(name, worst, "ratio");
}

int
main(void)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;

    must(custos_rng_new(&rng, &err), &err);
    print_joint(rng, "err_joint4", 4);
    print_joint(rng, "err_joint16", 16);
    print_cells("err_cells", CUSTOS_CALIBRATION_DEFAULT);
    print_cells("err_cells_zcdp", CUSTOS_ZCDP);
    custos_rng_free(rng);
    return 0;
}
