/*
 * Randomized response: people who trust nobody flip two coins before they
 * answer yes or no, and the share of yes is estimated from their reports.
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

enum { PEOPLE = 10000 };

int
main(void)
{
    static int64_t truths[PEOPLE], reports[PEOPLE];
    char epsilon[1024], estimate[2][1024], error[1024];
    uint64_t counts[2] = {0, 0}; /* no, yes */
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_rr *rr = NULL;
    custos_sealed *sealed = NULL;
    custos_rr_options options = {
        .size = sizeof options,
        .kind = CUSTOS_RR_TWO_COINS,
    };

    for (int i = 0; i < PEOPLE; i++)
        truths[i] = i % 10 < 3;
    check(custos_rng_new(&rng, &err), &err);
    check(custos_rr_new(NULL, &options, &rr, &err), &err);
    check(custos_seal_ints(NULL, truths, PEOPLE, &sealed, &err), &err);
    check(custos_rr_answer(rr, rng, sealed, PEOPLE, reports, &err), &err);
    for (int i = 0; i < PEOPLE; i++)
        counts[reports[i]]++;
    check(custos_rr_epsilon(rr, epsilon, sizeof epsilon, &err), &err);
    check(custos_rr_estimate(rr, counts, 2, PEOPLE, estimate[0],
                             sizeof estimate[0], &err),
          &err);
    check(custos_rr_error(rr, PEOPLE, "0.05", error, sizeof error, &err), &err);
    printf("a report costs epsilon %.6s...\n", epsilon);
    /* Four decimals, rounded up: an error bar must not shrink. */
    printf("share of yes: %s ± %.4f (95%%), of no: %s\n", estimate[1],
           ceil(strtod(error, NULL) * 1e4) / 1e4, estimate[0]);

    custos_sealed_free(sealed);
    custos_rr_free(rr);
    custos_rng_free(rng);
    return 0;
}
