/*
 * A12: a query whose work grows without bound only if a person is in the data
 * reveals by its time or memory who is in the data. Each query of time.txt does
 * so in an engine without our protections.
 *
 * Ours: the work one person can cause is bounded and small. This test looks for
 * gross differences, so that it works on a busy machine: it takes the minimum of
 * a few runs and allows far more time than the hospital's 39 people need. The
 * twins are the patches of test/mutants that name this test.
 */
#include <time.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "attack/pairs.h"

enum {
    QUERIES_LEAST = 20,
    ANSWERED_LEAST = 30, /* rejected queries take no time */
    RUNS = 3,
    RATIO_MOST = 5,
    SLACK_MS = 250, /* for other load on the machine */
    VALGRIND = 50,  /* how much slower the engine may be under valgrind */
};

static int
begin(void **state)
{
    (void)state;
    test_rng_new_seeded(12);
    pairs_open(&pairs, "time.txt", PAIRS_SMALL);
    return 0;
}

static int64_t
now_ms(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * The least time of a few runs, about the present and the absent person in turn.
 * A slow query is not repeated: one slow run is enough.
 */
static const char *
time_both(const struct pairs_query *q, int64_t least[PAIRS_ARMS],
          unsigned *answered)
{
    struct pairs_outcome out[PAIRS_ARMS];
    const char *fault = NULL;

    least[PAIRS_PRESENT] = least[PAIRS_ABSENT] = INT64_MAX;
    for (int run = 0; run < RUNS && !fault; run++) {
        for (int arm = 0; arm < PAIRS_ARMS; arm++) {
            int64_t start = now_ms(), took;

            pairs_ask(&pairs, q, (enum pairs_arm)arm, &out[arm]);
            took = now_ms() - start;
            least[arm] = took < least[arm] ? took : least[arm];
        }
        fault = pairs_differ(&out[PAIRS_PRESENT], &out[PAIRS_ABSENT]);
        if (!fault && out[PAIRS_PRESENT].status && out[PAIRS_PRESENT].charges)
            fault = "both fail after the charge";
        if (out[PAIRS_PRESENT].status || least[PAIRS_PRESENT] > 2000)
            break;
    }
    *answered += out[PAIRS_PRESENT].status == CUSTOS_OK;
    if (!fault && least[PAIRS_PRESENT] >
                      RATIO_MOST * least[PAIRS_ABSENT] +
                          SLACK_MS * (RUNNING_ON_VALGRIND ? VALGRIND : 1))
        fault = "the present person takes longer";
    return fault;
}

static void
no_query_tells_by_its_time(void **state)
{
    static struct pairs_query q;
    char *at = pairs.corpus;
    unsigned asked = 0, answered = 0, broken = 0;

    (void)state;
    while (pairs_next(&at, &q)) {
        int64_t least[PAIRS_ARMS];
        const char *fault = time_both(&q, least, &answered);

        asked++;
        broken += fault != NULL;
        if (fault)
            print_message("# %s (%lld and %lld ms): %.300s\n", fault,
                          (long long)least[PAIRS_PRESENT],
                          (long long)least[PAIRS_ABSENT], q.sql);
    }
    print_message("# %u queries, %u answered, %u broken\n", asked, answered,
                  broken);
    assert_int_equal(broken, 0);
    assert_true(asked >= QUERIES_LEAST);
    assert_true(answered >= ANSWERED_LEAST);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_query_tells_by_its_time),
    };

    return cmocka_run_group_tests(tests, begin, pairs_end);
}
