/*
 * A count that is published every day of a year. The binary tree pays once for
 * all 365 sums; its error grows only like a power of the logarithm of the
 * number of days.
 */
#include <custos.h>
#include <inttypes.h>
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

enum { DAYS = 365 };

int
main(void)
{
    static int64_t admitted[DAYS], sums[DAYS];
    int64_t error;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_sums *tree = NULL;
    custos_sealed *sealed = NULL;
    custos_sums_options options = {
        .size = sizeof options,
        .method = CUSTOS_BINARY_TREE,
        .elements = DAYS,
        .epsilon = "0.5",
    };

    for (int i = 0; i < DAYS; i++)
        admitted[i] = 40 + i * 7 % 23;
    check(custos_rng_new(&rng, &err), &err);
    check(custos_sums_new(NULL, &options, &tree, &err), &err);
    check(custos_seal_ints(NULL, admitted, DAYS, &sealed, &err), &err);
    check(custos_sums_release(tree, rng, sealed, sums, DAYS, &err), &err);
    for (size_t day = 1; day <= DAYS; day += 91) {
        check(custos_sums_error_i64(tree, day, "0.05", &error, &err), &err);
        printf("day %3zu: %6" PRId64 " ± %" PRId64 " (95%%)\n", day,
               sums[day - 1], error);
    }

    custos_sealed_free(sealed);
    custos_sums_free(tree);
    custos_rng_free(rng);
    return 0;
}
