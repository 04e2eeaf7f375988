/*
 * How many units a discovered group needs to be shown, by weights and by counts,
 * if a unit may be in 10 groups. For three kinds of data, which differ in how
 * many groups their units are in, the least number of units is found with which
 * at least half of 2,000 releases show the group. Each figure is the largest
 * ratio, by weights over by counts, at three prices.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "custos.h"
#include "measure.h"

enum { GROUPS = 10, RUNS = 2000 };

/* One unit in `of` is in 1 to GROUPS groups, evenly; the others in `usual`. */
struct data {
    const char *name;
    uint64_t usual;
    unsigned of;
};

static const struct data sets[] = {
    {"err_keys10", 1, 20}, /* most units are in one group */
    {"err_keys10_mixed", 3, 2},
    {"err_keys10_full", GROUPS, 1000000},
};

static const struct {
    const char *epsilon, *delta;
} prices[] = {{"1", "1e-6"}, {"0.1", "1e-6"}, {"0.5", "1e-9"}};

static void
must(custos_status st, const custos_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "errors_keys: %s\n", err->said);
    exit(1);
}

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* In how many of RUNS releases a group of n units is shown; each run draws the
   units anew. */
static int
shown(const custos_keys *rule, custos_rng *rng, const struct data *data,
      uint64_t n)
{
    static int64_t sums[RUNS];
    static uint8_t kept[RUNS];
    custos_err err = CUSTOS_ERR_INIT;
    custos_sealed *sealed = NULL;
    uint64_t state = n;
    int count = 0;

    for (size_t i = 0; i < RUNS; i++) {
        sums[i] = 0;
        for (uint64_t u = 0; u < n; u++) {
            uint64_t held =
                draw(&state, data->of) ? data->usual : 1 + draw(&state, GROUPS);

            sums[i] += (int64_t)custos_keys_weight(rule, held);
        }
    }
    must(custos_seal_ints(NULL, sums, RUNS, &sealed, &err), &err);
    must(custos_keys_release(rule, rng, sealed, NULL, kept, RUNS, &err), &err);
    custos_sealed_free(sealed);
    for (size_t i = 0; i < RUNS; i++)
        count += kept[i];
    return count;
}

/* The least number of units with which the group is shown half of the time. */
static uint64_t
half_point(custos_keys_rule rule, size_t price, const struct data *data,
           custos_rng *rng)
{
    const custos_keys_options o = {.size = sizeof o,
                                   .rule = rule,
                                   .adjacency = CUSTOS_ADD_REMOVE,
                                   .keys_per_unit = GROUPS,
                                   .epsilon = prices[price].epsilon,
                                   .delta = prices[price].delta};
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t low = 0, high = 1;
    custos_keys *k = NULL;

    must(custos_keys_new(NULL, &o, &k, &err), &err);
    for (; shown(k, rng, data, high) < RUNS / 2; high *= 2)
        low = high;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (shown(k, rng, data, middle) < RUNS / 2)
            low = middle;
        else
            high = middle;
    }
    custos_keys_free(k);
    return high;
}

int
main(void)
{
    static const size_t all = COUNT_OF(sets) * COUNT_OF(prices);
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;

    must(custos_rng_new(&rng, &err), &err);
    for (size_t d = 0; d < COUNT_OF(sets); d++) {
        double worst = 0;

        for (size_t p = 0; p < COUNT_OF(prices); p++) {
            uint64_t counts =
                half_point(CUSTOS_KEYS_GAUSSIAN, p, &sets[d], rng);
            uint64_t weights =
                half_point(CUSTOS_KEYS_WEIGHTED, p, &sets[d], rng);

            printf("%-17s epsilon %-4s delta %s: %4llu units by counts, %4llu "
                   "by weights\n",
                   sets[d].name, prices[p].epsilon, prices[p].delta,
                   (unsigned long long)counts, (unsigned long long)weights);
            worst = fmax(worst, (double)weights / (double)counts);
            measure_progress("errors_keys", d * COUNT_OF(prices) + p + 1, all);
        }
        measure_print(sets[d].name, worst, "ratio");
    }
    custos_rng_free(rng);
    return 0;
}
