/*
 * Counts by a key that comes from the data itself, such as a diagnosis. The
 * mere existence of a key may reveal a person, so rare keys are left out.
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

enum { KEYS = 4 };

int
main(void)
{
    static const char *const keys[KEYS] = {"influenza", "asthma", "measles",
                                           "a disease of one person"};
    static const int64_t exact[KEYS] = {420, 260, 95, 1};
    int64_t counts[KEYS];
    uint8_t kept[KEYS];
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_threshold *threshold = NULL;
    custos_sealed *sealed = NULL;
    custos_threshold_options options = {
        .size = sizeof options,
        .adjacency = CUSTOS_ADD_REMOVE,
        .epsilon = "1",
        .delta = "1e-9",
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_threshold_new(NULL, &options, &threshold, &err), &err);
    check(custos_seal_ints(NULL, exact, KEYS, &sealed, &err), &err);
    check(custos_threshold_release(threshold, rng, sealed, counts, kept, KEYS,
                                   &err),
          &err);
    printf("keys with a noisy count of at least %" PRId64 ":\n",
           custos_threshold_report(threshold)->threshold);
    for (size_t i = 0; i < KEYS; i++)
        if (kept[i])
            printf("  %-10s %" PRId64 "\n", keys[i], counts[i]);

    custos_sealed_free(sealed);
    custos_threshold_free(threshold);
    custos_rng_free(rng);
    return 0;
}
