/*
 * The virtual queue with a simulated clock, and a simulation of workers that
 * run what it admits.
 */
#include "../support/support.h"

#include "serve/reply_queue.h"
#include "serve/response_steps.h"

enum { MS = 1000, QUESTIONS = 2000, SERVERS_MAX = 7 };

static uint32_t
next_word(uint32_t *x)
{
    *x = *x * 1664525 + 1013904223;
    return *x >> 8;
}

struct question {
    int64_t asked, now, class;
};

/*
 * Random questions in the order of their admission: bursts, pauses, all
 * classes.
 */
static void
make_questions(uint32_t seed, struct question *q)
{
    int64_t now = 1;

    for (size_t i = 0; i < QUESTIONS; i++) {
        now += next_word(&seed) % 4 ? next_word(&seed) % (3 * MS)
                                    : next_word(&seed) % (900 * MS);
        q[i].now = now;
        q[i].asked = now - (int64_t)(next_word(&seed) % (250 * MS));
        if (q[i].asked < 0)
            q[i].asked = 0;
        q[i].class = (100 * MS / 64) << next_word(&seed) % 10;
    }
}

/* The queue by definition: without a heap, comparing all servers. */
static int64_t
admit_plainly(int64_t *free_us, size_t n, const struct question *q)
{
    int64_t begin = q->asked + moment_after(q->now - q->asked);
    size_t first = 0;

    for (size_t i = 1; i < n; i++)
        if (free_us[i] < free_us[first])
            first = i;
    if (begin < free_us[first])
        begin = free_us[first];
    free_us[first] = begin + q->class;
    return free_us[first];
}

static void
moments_depend_on_arrivals_and_classes_alone(void **state)
{
    static struct question q[QUESTIONS];

    (void)state;
    for (size_t n = 1; n <= SERVERS_MAX; n++) {
        struct reply_queue *a = reply_queue_new(n, REPLY_ALLOWANCE_US);
        struct reply_queue *b = reply_queue_new(n, REPLY_ALLOWANCE_US);
        int64_t plain[SERVERS_MAX] = {0};

        make_questions((uint32_t)n, q);
        for (size_t i = 0; i < QUESTIONS; i++) {
            int64_t due =
                reply_queue_admit(a, q[i].asked, q[i].now, q[i].class);
            /* Admission later in the same step gives the same moment. */
            int64_t same = q[i].asked + moment_after(q[i].now - q[i].asked);

            assert_int_equal(
                due, reply_queue_admit(b, q[i].asked, same, q[i].class));
            assert_int_equal(due, admit_plainly(plain, n, &q[i]) +
                                      REPLY_ALLOWANCE_US);
            assert_true(due >= q[i].now + q[i].class + REPLY_ALLOWANCE_US);
        }
        reply_queue_free(a);
        reply_queue_free(b);
    }
}

/*
 * A stopped question gives its time back only if nothing was admitted behind
 * it. Its own moment does not change.
 */
static void
a_stopped_question_gives_its_time_back(void **state)
{
    struct reply_queue *q = reply_queue_new(2, 0);
    int64_t first, second;

    (void)state;
    first = reply_queue_admit(q, 0, 0, 1000 * MS);
    second = reply_queue_admit(q, 0, 0, 500 * MS);
    reply_queue_give_back(q, first, 100 * MS);
    assert_int_equal(reply_queue_admit(q, 200 * MS, 200 * MS, 1000 * MS),
                     1210 * MS);               /* where the first was */
    reply_queue_give_back(q, first, 300 * MS); /* a second time: no effect */
    assert_int_equal(reply_queue_admit(q, 200 * MS, 200 * MS, 10 * MS),
                     second + 10 * MS);
    reply_queue_give_back(q, second, 300 * MS); /* another is behind it */
    assert_int_equal(reply_queue_admit(q, 200 * MS, 200 * MS, 10 * MS),
                     second + 20 * MS);
    reply_queue_free(q);
}

/* Simulates real workers, which take work in the order of admission. */
static int64_t
run_really(int64_t *free_us, size_t n, int64_t now, int64_t takes)
{
    size_t first = 0;

    for (size_t i = 1; i < n; i++)
        if (free_us[i] < free_us[first])
            first = i;
    if (now < free_us[first])
        now = free_us[first];
    free_us[first] = now + takes;
    return free_us[first];
}

static void
work_within_its_class_never_overruns(void **state)
{
    static struct question q[QUESTIONS];

    (void)state;
    for (uint32_t run = 0; run < 60; run++) {
        size_t n = 1 + run % SERVERS_MAX;
        struct reply_queue *virtual = reply_queue_new(n, 0);
        int64_t real[SERVERS_MAX] = {0};
        uint32_t seed = run;

        make_questions(run, q);
        for (size_t i = 0; i < QUESTIONS; i++) {
            int64_t due =
                reply_queue_admit(virtual, q[i].asked, q[i].now, q[i].class);
            /* The work takes its full class time, none of it, or a part. */
            int64_t takes = run % 3 == 0 ? q[i].class
                            : run % 3 == 1
                                ? 0
                                : next_word(&seed) % (q[i].class + 1);

            assert_true(run_really(real, n, q[i].now, takes) <= due);
        }
        reply_queue_free(virtual);
    }
}

/* Work that takes longer than its class time can make the next reply late. */
static void
work_beyond_its_class_can_overrun(void **state)
{
    struct reply_queue *q = reply_queue_new(1, 0);
    int64_t real[1] = {0};

    (void)state;
    (void)!reply_queue_admit(q, 0, 1, 50 * MS);
    (void)!run_really(real, 1, 1, 90 * MS);
    assert_true(run_really(real, 1, 2, 50 * MS) >
                reply_queue_admit(q, 0, 2, 50 * MS));
    reply_queue_free(q);
}

/* A full queue of n servers finishes exactly n questions in each class time. */
static void
capacity_is_servers_by_class(void **state)
{
    enum { CLASS = 100 * MS / 64, ROUNDS = 1000 };

    (void)state;
    for (size_t n = 1; n <= SERVERS_MAX; n++) {
        struct reply_queue *q = reply_queue_new(n, 0);
        int64_t first = moment_after(0);

        for (int64_t round = 1; round <= ROUNDS; round++)
            for (size_t i = 0; i < n; i++)
                assert_int_equal(reply_queue_admit(q, 0, 0, CLASS),
                                 first + round * CLASS);
        /* After a pause nothing of the load is left. */
        assert_int_equal(reply_queue_admit(q, 3600000 * (int64_t)MS,
                                           3600000 * (int64_t)MS, CLASS),
                         3600000 * (int64_t)MS + first + CLASS);
        reply_queue_free(q);
    }
}

static void
large_classes_do_not_overflow(void **state)
{
    struct reply_queue *q = reply_queue_new(2, REPLY_ALLOWANCE_US);

    (void)state;
    assert_int_equal(reply_queue_admit(q, 5, 5, INT64_MAX), INT64_MAX);
    assert_int_equal(reply_queue_admit(q, 5, 5, INT64_MAX - 20000), INT64_MAX);
    assert_int_equal(reply_queue_admit(q, 5, 5, 1), INT64_MAX);
    assert_int_equal(reply_queue_admit(q, INT64_MAX - 1, INT64_MAX, INT64_MAX),
                     INT64_MAX);
    reply_queue_free(q);
    reply_queue_free(NULL);
    assert_null(reply_queue_new(SIZE_MAX / 8, 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_depend_on_arrivals_and_classes_alone),
        cmocka_unit_test(a_stopped_question_gives_its_time_back),
        cmocka_unit_test(work_within_its_class_never_overruns),
        cmocka_unit_test(work_beyond_its_class_can_overrun),
        cmocka_unit_test(capacity_is_servers_by_class),
        cmocka_unit_test(large_classes_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
