/*
 * Errors of running counts, as a ratio to those of the square-root factorization
 * over the reals at the same price (Fichtenberger, Henzinger, Upadhyay 2022): the
 * root mean square over all running counts at rho = 1/2, one row per unit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "measure.h"
#include "mech/i128.h"
#include "mech/running.h"
#include "num/rat.h"

enum { RUNS = 2000 };

/* |c| times the root of the mean of the squared rows of C. */
static double
reference(size_t n)
{
    double f = 1, energy = 0, rows = 0;

    for (size_t k = 0; k < n; k++) {
        f *= k ? (2 * (double)k - 1) / (2 * (double)k) : 1;
        energy += f * f;
        rows += energy;
    }
    return sqrt(energy * rows / (double)n);
}

static custos_mech *
gaussian(const struct running *r)
{
    char squared[CUSTOS_NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = r->n,
                             .rho = "1/2",
                             .sensitivity_squared = squared};
    custos_mech *mech = NULL;
    uint64_t l1;
    u128 l2;
    rat x;

    running_sensitivity(r, &l1, &l2);
    rat_init(&x);
    rat_set_i128(&x, (i128)l2);
    measure_need(!rat_write_into(&x, squared, sizeof squared));
    rat_clear(&x);
    measure_need(custos_mech_new(NULL, &o, &mech, NULL));
    return mech;
}

static double
measured(size_t n)
{
    arena *a = arena_new(NULL, (size_t)1 << 26);
    i128 *x = calloc(n, sizeof *x), *out = calloc(n, sizeof *out);
    custos_rng *rng = NULL;
    custos_mech *mech;
    struct running r;
    double sum = 0;

    measure_need(!a || !x || !out || custos_rng_new(&rng, NULL));
    measure_need(!running_root(a, n, 1, &r));
    mech = gaussian(&r);
    for (size_t i = 0; i < n; i++)
        x[i] = (i128)(i * i % 1009);
    for (int run = 0; run < RUNS; run++) {
        custos_sealed *sealed = NULL;
        i128 exact = 0;

        measure_progress("running counts", (size_t)run + 1, RUNS);
        measure_need(seal_i128(NULL, x, n, &sealed, NULL));
        measure_need(running_release(&r, mech, rng, sealed, out, n, NULL));
        custos_sealed_free(sealed);
        for (size_t t = 0; t < n; t++) {
            exact += x[t];
            sum += pow((double)(out[t] - exact), 2);
        }
    }
    custos_mech_free(mech);
    custos_rng_free(rng);
    free(x);
    free(out);
    arena_free(a);
    return sqrt(sum / RUNS / (double)n);
}

int
main(void)
{
    static const size_t lengths[] = {256, 1024};

    for (size_t i = 0; i < 2; i++) {
        double ours = measured(lengths[i]), theirs = reference(lengths[i]);
        char name[40];

        fprintf(stderr, "%zu running counts: RMSE %.3f, reference %.3f\n",
                lengths[i], ours, theirs);
        snprintf(name, sizeof name, "err_cdf_%zu", lengths[i]);
        measure_print(name, ours / theirs, "ratio");
    }
    return 0;
}
