/*
 * A count, released with an error bar.
 *
 *   cc private_count.c $(pkg-config --cflags --libs custos) -o private_count
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
    int64_t smokers = 1834; /* the exact count: it is not released */
    int64_t released;
    double error;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_mech *mech = NULL;
    custos_sealed *sealed = NULL;
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_INTS,
        .epsilon = "0.5",   /* text: exactly one half */
        .sensitivity = "1", /* one person changes a count by one */
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_mech_new(NULL, &options, &mech, &err), &err);
    check(custos_seal_ints(NULL, &smokers, 1, &sealed, &err), &err);
    check(custos_release_ints(mech, rng, sealed, &released, 1, &err), &err);
    check(custos_mech_error(mech, "0.05", 1, &error, &err), &err);
    printf("%" PRId64 " ± %.0f (95%%)\n", released, error);

    /* A seal opens once: a second draw would have to be paid for again. */
    if (custos_release_ints(mech, rng, sealed, &released, 1, &err) !=
        CUSTOS_ETAKEN)
        return 1;

    custos_sealed_free(sealed);
    custos_mech_free(mech);
    custos_rng_free(rng);
    return 0;
}
