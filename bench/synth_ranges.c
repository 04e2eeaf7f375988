/*
 * Errors of counts of ranges of one numeric column, by the strategies for running sums
 * at rho = 1/2: the root mean square over all ranges, and over those from the first
 * code, as ratios to the square root of the matrix of running sums over the reals. The
 * error is measured with exact noise, and computed from the strategy.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "measure.h"
#include "mech/i128.h"
#include "mech/running.h"
#include "num/rat.h"

enum { RUNS = 400 };

/* Root mean squares. */
struct errors {
    double ranges, prefixes;
};

/* Those of the square root over the reals, to three digits. */
static const struct reference {
    size_t n, tree_levels;
    struct errors root;
} REFERENCES[] = {{256, 9, {3.263, 2.669}}, {1024, 11, {3.896, 3.110}}};

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

/* The squared errors of all ranges s + 1 .. t are those of all differences of the
   errors e of running sums 0 .. n: (n + 1) sum e^2 - (sum e)^2. */
static void
add_errors(const double *e, size_t n, struct errors *sum)
{
    double squares = 0, all = 0;

    for (size_t t = 0; t < n; t++) {
        squares += e[t] * e[t];
        all += e[t];
    }
    sum->prefixes += squares / (double)n;
    sum->ranges += ((double)(n + 1) * squares - all * all) /
                   ((double)n * (double)(n + 1) / 2);
}

static struct errors
measured(const struct running *r, custos_rng *rng)
{
    i128 *x = calloc(r->n, sizeof *x), *out = calloc(r->n, sizeof *out);
    double *e = calloc(r->n, sizeof *e);
    custos_mech *mech = gaussian(r);
    struct errors sum = {0, 0};

    measure_need(!x || !out || !e);
    for (int run = 0; run < RUNS; run++) {
        custos_sealed *sealed = NULL;

        measure_need(seal_i128(NULL, x, r->n, &sealed, NULL));
        measure_need(running_release(r, mech, rng, sealed, out, r->n, NULL));
        custos_sealed_free(sealed);
        for (size_t t = 0; t < r->n; t++)
            e[t] = (double)out[t];
        add_errors(e, r->n, &sum);
    }
    custos_mech_free(mech);
    free(x);
    free(out);
    free(e);
    return (struct errors){sqrt(sum.ranges / RUNS), sqrt(sum.prefixes / RUNS)};
}

/* The noise of each number of C x in turn, with standard deviation 1, in all sums. */
static struct errors
computed(const struct running *r)
{
    i128 *y = calloc(r->n, sizeof *y), *line = calloc(2 * r->n, sizeof *line);
    const double one = ldexp(1, (int)running_bits(r) + 20);
    double *e = calloc(r->n, sizeof *e);
    struct errors sum = {0, 0};
    uint64_t l1;
    u128 l2;

    measure_need(!y || !line || !e);
    running_sensitivity(r, &l1, &l2);
    for (size_t k = 0; k < r->n; k++) {
        for (size_t t = 0; t < r->n; t++)
            y[t] = t == k ? (i128)one : 0;
        running_add_up(r, y, r->n, line);
        for (size_t t = 0; t < r->n; t++) /* a step of noise is 2^-bits */
            e[t] = (double)y[t] * sqrt((double)l2) / one;
        add_errors(e, r->n, &sum);
    }
    free(y);
    free(line);
    free(e);
    return (struct errors){sqrt(sum.ranges), sqrt(sum.prefixes)};
}

static struct errors
compare(const struct running *r, const struct errors *root, const char *name,
        custos_rng *rng)
{
    const struct errors is = measured(r, rng), should = computed(r);

    fprintf(stderr,
            "%s of %zu: all ranges %.3f (computed %.3f), prefixes %.3f "
            "(computed %.3f); ratios %.3f and %.3f\n",
            name, r->n, is.ranges, should.ranges, is.prefixes, should.prefixes,
            is.ranges / root->ranges, is.prefixes / root->prefixes);
    return is;
}

int
main(void)
{
    arena *a = arena_new(NULL, (size_t)1 << 26);
    custos_rng *rng = NULL;

    measure_need(!a || custos_rng_new(&rng, NULL));
    for (size_t i = 0; i < COUNT_OF(REFERENCES); i++) {
        const struct reference *of = &REFERENCES[i];
        struct running root, tree;
        char name[40];
        double ratio;

        measure_need(!running_root(a, of->n, 1, &root) ||
                     !running_tree(a, of->n, 1, 2, of->tree_levels, &tree));
        compare(&tree, &of->root, "binary tree", rng);
        ratio = compare(&root, &of->root, "square root", rng).ranges /
                of->root.ranges;
        snprintf(name, sizeof name, "synth_ranges_%zu", of->n);
        measure_print(name, ratio, "ratio");
    }
    custos_rng_free(rng);
    arena_free(a);
    return 0;
}
