/*
 * Public parts of private queries when another process does the work: they are
 * tried before the charge and computed again after it. If the second time
 * fails, this does not count for the tripwire.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/executor.h"
#include "curator/shared_state.h"
#include "support/hospital.h"
#include "support/said.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10}\nquery: {epsilon: 0.1, max_epsilon: 1}\n"
    "analysts:\n  ana: {}\ntables:\n"
    "  people:\n    source: people.csv\n    unit: id\n"
    "    columns: {id: {type: integer, nullable: false},\n"
    "              code: {type: integer, range: [0, 9]}}\n"
    "  codes:\n    source: codes.csv\n    public: true\n"
    "    columns: {k: {type: integer}, w: {type: integer}}\n"
    "  far:\n    source: codes.csv\n    public: true\n    attach: true\n"
    "    columns: {k: {type: integer}, w: {type: integer}}\n";

static struct test_store files;
static struct curator *asks, *works;

/* What the executor was asked to do, and what the test does in between. */
struct seen {
    int tried, charged;
    bool change; /* change the attached file before charged work */
    bool busy;   /* no worker is ready */
    custos_status worked;
};

static struct seen seen;

static custos_status
run(void *ctx, const struct work *w, struct answer **out, enum work_end *end,
    custos_err *err)
{
    custos_status st;

    (void)ctx;
    seen.tried += w->prepare_only;
    seen.charged += work_is_charged(w);
    if (seen.change && work_is_charged(w)) {
        char path[160];

        snprintf(path, sizeof path, "%s/codes.csv", files.folder);
        assert_int_equal(truncate(path, 8), 0);
    }
    st = seen.worked = curator_work(works, w, out, err);
    *end = st == CUSTOS_EINTERNAL ? WORK_LOST : st ? WORK_FAILED : WORK_DONE;
    return st;
}

static custos_status
await(void *ctx, const struct work *w, custos_err *err)
{
    (void)ctx;
    (void)w;
    return seen.busy ? custos_fail(err, CUSTOS_EBUSY, "busy") : CUSTOS_OK;
}

static const struct executor executor = {.await = await, .run = run};

static int
begin(void **state)
{
    struct work_limits limits = {.spill = files.folder,
                                 .memory_bytes = (uint64_t)1 << 30};
    struct work_snapshot of;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_seeded(7);
    test_store_write(&files, policy, "people.csv",
                     "id,code\n1,1\n2,2\n3,2\n4,3\n", "codes.csv",
                     "k,w\n1,10\n2,20\n3,30\n", NULL);
    test_store_init(&files);
    assert_int_equal(curator_open(files.store, &asks, &err), CUSTOS_OK);
    answer_free(test_ask(asks, "ana", "SELECT count(*) FROM people", "0.1"));
    of = curator_snapshot(asks);
    assert_int_equal(curator_open_work(files.store, &of, &limits, &works, &err),
                     CUSTOS_OK);
    curator_use(asks, &executor);
    seen = (struct seen){0};
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(works);
    curator_close(asks);
    test_store_remove(&files);
    return 0;
}

static void
parts_are_tried_before_the_charge(void **state)
{
    char before[64], after[64];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    answer_free(test_ask(asks, "ana",
                         "SELECT count(*) FROM people JOIN codes "
                         "ON k = code",
                         "0.1"));
    assert_int_equal(seen.tried, 0); /* it has no public part */
    assert_int_equal(seen.charged, 1);
    answer_free(test_ask(asks, "ana",
                         "SELECT count(*) FROM people JOIN "
                         "(SELECT sum(w) AS s FROM codes) AS q "
                         "ON s > 0",
                         "0.1"));
    answer_free(test_ask(asks, "ana",
                         "SELECT count(*) FROM people JOIN far ON "
                         "k = code",
                         "0.1"));
    assert_int_equal(seen.tried, 2);
    assert_int_equal(seen.charged, 3);
    test_left(asks, "", before);
    assert_int_equal(test_refused(asks, "ana",
                                  "SELECT count(*) FROM people JOIN (SELECT "
                                  "stddev_pop(w * 1e35 * 1e35 * 1e35 * 1e35 * "
                                  "1e35) AS s FROM codes) AS q ON s > 0",
                                  "0.1", &err),
                     CUSTOS_EINVAL);
    assert_non_null(
        strstr(whole_said(&err), "public tables cannot be computed"));
    assert_string_equal(test_left(asks, "", after), before);
    assert_int_equal(seen.tried, 3);
    assert_int_equal(seen.charged, 3);
}

/*
 * The file changes between the trial and the charged work: the worker reads
 * nothing, and the analyst is not suspended.
 */
static void
a_part_lost_after_the_charge_is_no_failure(void **state)
{
    struct curator_trips trips;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    seen.change = true;
    assert_int_not_equal(test_refused(asks, "ana",
                                      "SELECT count(*) FROM people JOIN far ON "
                                      "k = code WHERE id > 0",
                                      "0.1", &err),
                         CUSTOS_OK);
    assert_int_equal(seen.charged, 1);
    assert_int_equal(seen.worked, CUSTOS_EINTERNAL);
    curator_trips(asks, &trips);
    assert_int_equal(trips.failures, 0);
    answer_free(test_ask(asks, "ana",
                         "SELECT count(*) FROM people WHERE id > "
                         "1",
                         "0.1"));
}

/* Waiting for workers that must open new data first costs nothing. */
static void
workers_are_awaited_before_the_charge(void **state)
{
    char before[64], after[64];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_left(asks, "", before);
    seen.busy = true;
    assert_int_equal(test_refused(asks, "ana",
                                  "SELECT count(*) FROM people WHERE id > 2",
                                  "0.1", &err),
                     CUSTOS_EBUSY);
    assert_string_equal(test_left(asks, "", after), before);
    assert_int_equal(seen.charged, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_are_tried_before_the_charge),
        TEST(a_part_lost_after_the_charge_is_no_failure),
        TEST(workers_are_awaited_before_the_charge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
