/*
 * An alarm: many counts are watched, few are expected to be high. Answers
 * "below" cost nothing; after three answers "above" the handle is used up.
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

int
main(void)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_sparse *alarm = NULL;
    custos_sparse_options options = {
        .size = sizeof options,
        .answers = 3,
        .moves = CUSTOS_SCORES_MONOTONE,
        .epsilon = "0.5",
        .value_epsilon = "0.5", /* also release the value; total cost 1 */
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_sparse_new(NULL, &options, rng, &alarm, &err), &err);
    for (int week = 1; week <= 52 && custos_sparse_left(alarm); week++) {
        int64_t cases = week % 10 == 0 ? 900 : 100, value = 0;
        custos_sealed *sealed = NULL;
        bool above = false;

        check(custos_seal_ints(NULL, &cases, 1, &sealed, &err), &err);
        check(custos_sparse_ask(alarm, rng, sealed, 500, &above, &value, &err),
              &err);
        if (above)
            printf("week %2d: above 500, about %" PRId64 "\n", week, value);
        custos_sealed_free(sealed);
    }
    printf("answers left: %" PRIu32 "\n", custos_sparse_left(alarm));

    custos_sparse_free(alarm);
    custos_rng_free(rng);
    return 0;
}
