/*
 * A private choice: which of the candidates has the most votes? Only the winner
 * is released, so it costs one epsilon however many candidates there are.
 */
#include <custos.h>
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
    static const char *const names[] = {"tea", "coffee", "water", "juice"};
    static const int64_t votes[] = {310, 452, 288, 97};
    size_t winner;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_sealed *scores = NULL;
    custos_select_options options = {
        .size = sizeof options,
        .rule = CUSTOS_PERMUTE_AND_FLIP,
        .scores = CUSTOS_SCORES_MONOTONE, /* one more voter lowers no score */
        .epsilon = "0.1",
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_seal_ints(NULL, votes, 4, &scores, &err), &err);
    check(custos_select(NULL, &options, rng, scores, 4, &winner, &err), &err);
    printf("most votes: %s\n", names[winner]);

    custos_sealed_free(scores);
    custos_rng_free(rng);
    return 0;
}
