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

/* Adds one day's count, which is known only now. */
static int64_t
publish(custos_stream *stream, custos_rng *rng, int64_t admitted,
        custos_err *err)
{
    custos_sealed *sealed = NULL;
    int64_t sum = 0;

    check(custos_seal_ints(NULL, &admitted, 1, &sealed, err), err);
    check(custos_stream_add(stream, rng, sealed, &sum, 1, err), err);
    custos_sealed_free(sealed);
    return sum;
}

int
main(void)
{
    int64_t error;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_stream *stream = NULL;
    custos_sums_options options = {
        .size = sizeof options,
        .method = CUSTOS_BINARY_TREE,
        .elements = DAYS,
        .epsilon = "0.5",
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_stream_new(NULL, &options, &stream, &err), &err);
    for (size_t day = 1; day <= DAYS; day++) {
        int64_t sum = publish(stream, rng, 40 + (int64_t)day * 7 % 23, &err);

        if (day % 91 != 1)
            continue;
        check(custos_sums_error_i64(custos_stream_sums(stream), day, "0.05",
                                    &error, &err),
              &err);
        printf("day %3zu: %6" PRId64 " ± %" PRId64 " (95%%)\n", day, sum,
               error);
    }

    custos_stream_free(stream);
    custos_rng_free(rng);
    return 0;
}
