/*
 * A11: a query that fails for a person who is in the data, and is answered for
 * one who is not, reveals at any epsilon who is in the data. Each query of
 * errors.txt does so in an engine without our protections.
 *
 * Ours: the queries about both persons have the same outcome, and no charged
 * query fails. The twins are the patches of test/mutants that name this test;
 * by section of errors.txt:
 *
 *   real to integer             real-to-whole-bare, double-cast-throws
 *   integers at the ends        bare-add-always, bare-mod-always
 *   dates                       date-shift-bare-mul
 *   NULL; reals that overflow   cast-throws
 *   the planner's type          decimals-not-double
 *   computed columns            computed-bare-mul
 *   texts and conditions        text-cast-throws
 *   literals multiplied first   bare-zero-factor, bare-terms-cancel
 *
 * No single patch breaks group keys outside the calendar, because three
 * protections cover them: date_shift, the calendar of stored dates, and the
 * index of a key.
 */
#include "attack/pairs.h"

/* Fails if the corpus has lost its queries. */
enum { QUERIES_LEAST = 100 };

static int
begin(void **state)
{
    const enum pairs_size *size = *state;

    test_rng_new_seeded(11);
    pairs_open(&pairs, "errors.txt", *size);
    return 0;
}

/*
 * For both persons the status, the charge and the answer's shape are the same,
 * and no charged query fails.
 */
static void
no_query_tells_by_failing(void **state)
{
    static struct pairs_query q;
    char *at = pairs.corpus;
    unsigned asked = 0, answered = 0, broken = 0;

    (void)state;
    while (pairs_next(&at, &q)) {
        struct pairs_outcome here, gone;
        const char *fault;

        pairs_ask(&pairs, &q, PAIRS_PRESENT, &here);
        pairs_ask(&pairs, &q, PAIRS_ABSENT, &gone);
        fault = pairs_differ(&here, &gone);
        if (!fault && here.status && here.charges)
            fault = "both fail after the charge";
        asked++;
        answered += here.status == CUSTOS_OK;
        broken += fault != NULL;
        if (fault)
            print_message("# %s: %s\n#   present: %d %s (%s)\n"
                          "#   absent: %d %s (%s)\n",
                          fault, q.sql, (int)here.status, here.err.said,
                          here.err.noted, (int)gone.status, gone.err.said,
                          gone.err.noted);
    }
    print_message("# %u queries, %u answered, %u broken\n", asked, answered,
                  broken);
    assert_int_equal(broken, 0);
    assert_true(asked >= QUERIES_LEAST);
    assert_true(answered > asked / 2);
}

int
main(void)
{
    static enum pairs_size small = PAIRS_SMALL, large = PAIRS_LARGE;
    const struct CMUnitTest tests[] = {
        {"no_query_tells_by_failing_in_a_small_store",
         no_query_tells_by_failing, begin, pairs_end, &small},
        {"no_query_tells_by_failing_in_a_large_store",
         no_query_tells_by_failing, begin, pairs_end, &large},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
