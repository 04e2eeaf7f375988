/*
 * A histogram under both adjacencies, with an error bar that holds for all bins
 * at once. The bins are disjoint, so all of them together cost one epsilon.
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

enum { BINS = 5 };

static void
release(custos_adjacency adjacency, const char *name)
{
    static const int64_t exact[BINS] = {412, 1530, 2208, 977, 61};
    int64_t released[BINS];
    double band;
    custos_err err = CUSTOS_ERR_INIT;
    custos_rng *rng = NULL;
    custos_mech *mech = NULL;
    custos_sealed *sealed = NULL;
    custos_histogram_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .adjacency = adjacency,
        .bins = BINS,
        .epsilon = "0.1",
    };

    check(custos_rng_new(&rng, &err), &err);
    check(custos_histogram_new(NULL, &options, &mech, &err), &err);
    check(custos_seal_ints(NULL, exact, BINS, &sealed, &err), &err);
    check(custos_release_ints(mech, rng, sealed, released, BINS, &err), &err);
    check(custos_mech_error(mech, "0.05", BINS, &band, &err), &err);

    printf("%s: sensitivity %s, epsilon %s, theorem %s\n ", name,
           custos_mech_facts(mech)->sensitivity,
           custos_mech_facts(mech)->epsilon, custos_mech_facts(mech)->theorem);
    for (size_t i = 0; i < BINS; i++)
        printf(" %" PRId64, released[i]);
    printf("  each ± %.0f (95%% for all at once)\n", band);

    custos_sealed_free(sealed);
    custos_mech_free(mech);
    custos_rng_free(rng);
}

int
main(void)
{
    release(CUSTOS_ADD_REMOVE, "add/remove");
    release(CUSTOS_CHANGE_ONE, "change-one"); /* twice the noise */
    return 0;
}
