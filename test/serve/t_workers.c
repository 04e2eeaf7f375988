/*
 * Worker threads with jobs of the test: when jobs come back, and which wait for
 * which; a request to drop a job is never lost; stopping the threads returns
 * even if jobs still run. The test replaces the clock and the interrupt.
 */
#include "support/support.h"

#include <stdatomic.h>
#include <unistd.h>

#include "serve/clock.h"
#include "serve/workers.h"
#include "support/hospital.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n  bob: {}\n";

static struct test_store files;
static struct curator *curator;
static struct workers *workers;
static _Atomic int64_t clock_us; /* 0: the real one */
static atomic_int interrupts, begun, admitted;
static atomic_bool go_on; /* blocked jobs end */

static int64_t
clock_now(void)
{
    int64_t t = clock_us;

    return t ? t : steady_us();
}

static void
interrupt(struct curator *c)
{
    (void)c;
    interrupts++;
}

struct asked {
    struct job job;
    atomic_bool back;
    int64_t due_us;    /* when its reply is due */
    int interrupts;    /* how many end it; 0: it ends by itself */
    int64_t class_us;  /* its class time; 0: nothing is charged */
    bool blocks, free; /* blocks until go_on; is known to cost nothing */
    bool moves, full;  /* moves to the free lane; found that lane full */
    int64_t again_us;  /* it could not begin in time, and has so much more */
    bool goes_on;      /* workers_again allowed it */
};

static void
work(struct job *j, struct curator *c)
{
    struct asked *a = (struct asked *)j;

    (void)c;
    if (a->moves && j->lane == LANE_QUESTIONS) {
        enum workers_move move = workers_move(j, LANE_FREE);

        a->full = move == MOVE_FULL;
        j->stepped = false;
        if (move != MOVE_HERE)
            return;
    }
    begun++;
    if (a->class_us)
        workers_admit(j, a->class_us);
    admitted++;
    while ((a->blocks && !go_on) || interrupts < a->interrupts)
        usleep(1000);
    j->due_us = a->due_us;
    if (a->again_us)
        a->goes_on = workers_again(j, a->again_us);
    j->stepped = !a->free;
}

static void
done(struct job *j)
{
    ((struct asked *)j)->back = true;
}

static enum workers_submit
submit(struct asked *a, const char *who)
{
    a->job.work = work;
    a->job.done = done;
    a->job.who = str_of(who);
    a->job.asked_us = clock_now();
    return workers_submit(workers, &a->job);
}

static void
wait_for(const atomic_bool *what)
{
    for (int i = 0; i < 20000 && !*what; i++)
        usleep(1000);
    assert_true(*what);
}

static void
wait_begun(int n)
{
    for (int i = 0; i < 20000 && begun < n; i++)
        usleep(1000);
    assert_int_equal(begun, n);
}

static void
start(struct workers_options o)
{
    custos_err err = CUSTOS_ERR_INIT;

    clock_us = 0;
    interrupts = begun = admitted = 0;
    go_on = false;
    o.waiting_max = 100;
    o.now_us = clock_now;
    o.interrupt = interrupt;
    if (workers_new(curator, &o, &workers, &err))
        fail_msg("%s", err.said);
}

static void
stop(void)
{
    assert_true(workers_stop(workers, 10000));
    workers_free(workers);
}

/* ---------------------------------------------------------------- tests -- */

/*
 * A job returns exactly at its due time, with steps or without, dropped or not.
 */
static void
a_job_comes_back_at_the_time_it_says(void **state)
{
    const int64_t base = INT64_C(1) << 50;

    (void)state;
    for (int steps = 0; steps < 2; steps++) {
        struct asked held = {.due_us = base + 1000}, stopped = held;
        struct asked soon = {.free = true};

        start((struct workers_options){.threads = 4, .steps = steps});
        clock_us = base;
        stopped.interrupts = 1;
        assert_int_equal(submit(&held, "ann"), SUBMIT_TAKEN);
        assert_int_equal(submit(&stopped, "ann"), SUBMIT_TAKEN);
        wait_begun(2);
        workers_drop(workers, &stopped.job, ASK_CANCELLED);
        assert_int_equal(submit(&soon, "bob"), SUBMIT_TAKEN);
        wait_for(&soon.back);
        clock_us = base + 999;
        usleep(20000);
        assert_false(held.back);
        assert_false(stopped.back);
        clock_us = base + 1000;
        wait_for(&held.back);
        wait_for(&stopped.back);
        assert_false(stopped.job.stopped);
        clock_us = 0;
        stop();
    }
}

/* The start of the next job must not reveal when the work of this one ended. */
static void
a_held_reply_keeps_its_share(void **state)
{
    const int64_t base = INT64_C(1) << 50;
    struct asked held = {.due_us = base + 1000}, next = {.free = true};

    (void)state;
    start((struct workers_options){.threads = 2, .steps = true});
    clock_us = base;
    assert_int_equal(submit(&held, "ann"), SUBMIT_TAKEN);
    wait_begun(1);
    assert_int_equal(submit(&next, "ann"), SUBMIT_TAKEN);
    usleep(20000);
    assert_int_equal(begun, 1);
    clock_us = base + 1000;
    wait_for(&held.back);
    wait_for(&next.back);
    clock_us = 0;
    stop();
}

static void
questions_delay_neither_logins_nor_the_owner(void **state)
{
    enum { MANY = 40 };
    static struct asked questions[MANY];
    struct asked login = {.job.lane = LANE_LOGINS, .free = true};
    struct asked owner = {.job.lane = LANE_OWNER, .free = true};

    (void)state;
    start((struct workers_options){.threads = 2, .share_running = 2});
    for (size_t i = 0; i < MANY; i++) {
        questions[i] = (struct asked){.blocks = true, .free = true};
        assert_int_equal(submit(&questions[i], "ann"), SUBMIT_TAKEN);
    }
    wait_begun(2);
    assert_int_equal(submit(&login, "192.0.2.1"), SUBMIT_TAKEN);
    assert_int_equal(submit(&owner, ""), SUBMIT_TAKEN);
    wait_for(&login.back);
    wait_for(&owner.back);
    go_on = true;
    for (size_t i = 0; i < MANY; i++)
        wait_for(&questions[i].back);
    stop();
}

/* Half of the threads are for others, however much one analyst asks. */
static void
one_analyst_leaves_threads_for_others(void **state)
{
    enum { MANY = 20 };
    static struct asked ann[MANY];
    struct asked bob = {.free = true}, more = {0};

    (void)state;
    start((struct workers_options){.threads = 4, .share_waiting = MANY - 2});
    for (size_t i = 0; i < MANY; i++) {
        ann[i] = (struct asked){.blocks = true, .free = true};
        assert_int_equal(submit(&ann[i], "ann"), SUBMIT_TAKEN);
        if (i == 1)
            wait_begun(2);
    }
    assert_int_equal(submit(&more, "ann"), SUBMIT_SHARE_FULL);
    assert_int_equal(submit(&bob, "bob"), SUBMIT_TAKEN);
    wait_for(&bob.back);
    assert_int_equal(begun, 3);
    go_on = true;
    for (size_t i = 0; i < MANY; i++)
        wait_for(&ann[i].back);
    stop();
}

/*
 * A question that is moved to the free lane no longer occupies a thread of its
 * old lane, and one analyst gets only half of the free lane's threads. A moved
 * job can be dropped.
 */
static void
free_questions_delay_free_questions_alone(void **state)
{
    enum { MANY = 20 };
    static struct asked ann[MANY];
    struct asked bob = {.moves = true, .blocks = true, .free = true};
    struct asked eve = {.free = true}, more = {.moves = true, .free = true};

    (void)state;
    start((struct workers_options){.threads = 2,
                                   .share_running = 2,
                                   .free_threads = 2,
                                   .share_waiting = MANY - 1});
    for (size_t i = 0; i < MANY; i++) {
        ann[i] = (struct asked){.moves = true, .blocks = true, .free = true};
        assert_int_equal(submit(&ann[i], "ann"), SUBMIT_TAKEN);
        if (i == 0)
            wait_begun(1);
    }
    assert_int_equal(submit(&eve, "eve"), SUBMIT_TAKEN);
    wait_for(&eve.back);
    wait_begun(2); /* one of ann's and eve's */
    assert_int_equal(submit(&bob, "bob"), SUBMIT_TAKEN);
    wait_begun(3);
    for (int i = 0; i < 20000 && !more.full; i++) {
        more.back = false;
        assert_int_equal(submit(&more, "ann"), SUBMIT_TAKEN);
        wait_for(&more.back);
    }
    assert_true(more.full);
    workers_drop(workers, &ann[MANY - 1].job, ASK_CANCELLED);
    wait_for(&ann[MANY - 1].back);
    assert_true(ann[MANY - 1].job.stopped);
    assert_false(ann[MANY - 1].job.begun);
    go_on = true;
    for (size_t i = 0; i < MANY; i++)
        wait_for(&ann[i].back);
    wait_for(&bob.back);
    stop();
}

/* An analyst who asks much waits for their own replies; others do not. */
static void
charged_work_waits_for_its_own(void **state)
{
    struct asked ann[3], bob = {.class_us = 5000, .blocks = true};

    (void)state;
    start((struct workers_options){.threads = 8,
                                   .share_running = 4,
                                   .share_work_us = 100,
                                   .work_us = 100000});
    for (size_t i = 0; i < 3; i++) {
        ann[i] = (struct asked){.class_us = 5000, .blocks = true};
        assert_int_equal(submit(&ann[i], "ann"), SUBMIT_TAKEN);
        if (i < 2)
            wait_begun((int)i + 1);
    }
    assert_int_equal(submit(&bob, "bob"), SUBMIT_TAKEN);
    for (int i = 0; i < 20000 && admitted < 2; i++)
        usleep(1000);
    usleep(50000);
    assert_int_equal(admitted, 2); /* one of each */
    go_on = true;
    for (size_t i = 0; i < 3; i++)
        wait_for(&ann[i].back);
    wait_for(&bob.back);
    stop();
}

/*
 * A second try begins at the moment of the first reply. From then on its
 * reservation is free for others, and its own reply leaves later. A question
 * that was dropped is not tried again.
 */
static void
a_second_try_holds_nobody_up(void **state)
{
    int64_t now = steady_us();
    struct asked ann = {.class_us = 5000,
                        .due_us = now + 30000,
                        .again_us = INT64_C(3600000000)};
    struct asked gone = {.due_us = now + 30000, .again_us = 30000};
    struct asked next = {.class_us = 5000};

    (void)state;
    start((struct workers_options){.threads = 4,
                                   .share_running = 4,
                                   .share_work_us = 100,
                                   .work_us = 100});
    clock_us = now;
    assert_int_equal(submit(&ann, "ann"), SUBMIT_TAKEN);
    assert_int_equal(submit(&gone, "bob"), SUBMIT_TAKEN);
    for (int i = 0; i < 20000 && admitted < 2; i++)
        usleep(1000);
    workers_drop(workers, &gone.job, ASK_CANCELLED);
    assert_int_equal(submit(&next, "eve"), SUBMIT_TAKEN);
    wait_begun(3);
    usleep(50000);
    assert_int_equal(admitted, 2); /* ann's reply is not due */
    clock_us = now + 30000;
    wait_for(&gone.back);
    assert_false(gone.goes_on);
    assert_int_equal(gone.job.due_us, now + 30000);
    for (int i = 0; i < 20000 && admitted < 3; i++)
        usleep(1000);
    assert_int_equal(admitted, 3);
    usleep(50000);
    assert_false(ann.back);
    clock_us = now + INT64_C(3700000000);
    wait_for(&ann.back);
    assert_true(ann.goes_on);
    wait_for(&next.back);
    stop();
}

/*
 * The first interrupts have no effect, so they are repeated until the job ends.
 */
static void
a_drop_is_never_lost(void **state)
{
    struct asked job = {.interrupts = 4, .free = true};
    struct asked next = {.free = true};
    int after;

    (void)state;
    start((struct workers_options){.threads = 1});
    assert_int_equal(submit(&job, "ann"), SUBMIT_TAKEN);
    wait_begun(1);
    workers_drop(workers, &job.job, ASK_OVERRUN);
    wait_for(&job.back);
    assert_int_equal(job.job.why, ASK_OVERRUN);
    assert_true(interrupts >= 4);
    /* and never sent to another job */
    after = interrupts;
    assert_int_equal(submit(&next, "bob"), SUBMIT_TAKEN);
    wait_for(&next.back);
    usleep(120000);
    assert_int_equal(interrupts, after);
    stop();
}

static void
what_waits_is_withdrawn(void **state)
{
    struct asked runs = {.blocks = true, .free = true}, waits = {.free = true};

    (void)state;
    start((struct workers_options){.threads = 1, .steps = true});
    assert_int_equal(submit(&runs, "ann"), SUBMIT_TAKEN);
    wait_begun(1);
    assert_int_equal(submit(&waits, "bob"), SUBMIT_TAKEN);
    workers_drop(workers, &waits.job, ASK_CANCELLED);
    wait_for(&waits.back);
    assert_true(waits.job.stopped);
    assert_int_equal(begun, 1);
    assert_false(runs.back);
    go_on = true;
    stop();
    assert_true(runs.back);
}

/*
 * A job that waits for its time when the server must stop comes back marked as
 * stopped: nobody may send its answer.
 */
static void
the_end_gives_nothing_out_early(void **state)
{
    struct asked held = {.due_us = INT64_MAX}, waits = {0};
    struct asked job = {.interrupts = 3, .due_us = INT64_MAX};

    (void)state;
    start((struct workers_options){
        .threads = 2, .steps = true, .share_running = 2});
    assert_int_equal(submit(&held, "ann"), SUBMIT_TAKEN);
    assert_int_equal(submit(&job, "ann"), SUBMIT_TAKEN);
    wait_begun(2);
    assert_true(workers_stop(workers, 50));
    assert_true(held.back && held.job.stopped);
    assert_true(job.back && job.job.stopped);
    assert_int_equal(submit(&waits, "ann"), SUBMIT_ENDING);
    workers_free(workers);
}

static void
the_end_does_not_wait_for_ever(void **state)
{
    struct asked job = {.blocks = true};
    int64_t began = steady_us();

    (void)state;
    start((struct workers_options){.threads = 1});
    assert_int_equal(submit(&job, "ann"), SUBMIT_TAKEN);
    wait_begun(1);
    assert_false(workers_stop(workers, 0));
    assert_true(steady_us() - began < 20000000);
    assert_true(interrupts > 1);
    go_on = true; /* lets the test end */
    wait_for(&job.back);
    stop();
}

static int
begin(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", "age\n10\n20\n30\n", NULL);
    test_store_init(&files);
    return curator_open(files.store, &curator, &err) != CUSTOS_OK;
}

static int
end(void **state)
{
    (void)state;
    curator_close(curator);
    test_store_remove(&files);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_comes_back_at_the_time_it_says),
        cmocka_unit_test(a_held_reply_keeps_its_share),
        cmocka_unit_test(questions_delay_neither_logins_nor_the_owner),
        cmocka_unit_test(one_analyst_leaves_threads_for_others),
        cmocka_unit_test(free_questions_delay_free_questions_alone),
        cmocka_unit_test(charged_work_waits_for_its_own),
        cmocka_unit_test(a_second_try_holds_nobody_up),
        cmocka_unit_test(a_drop_is_never_lost),
        cmocka_unit_test(what_waits_is_withdrawn),
        cmocka_unit_test(the_end_gives_nothing_out_early),
        cmocka_unit_test(the_end_does_not_wait_for_ever),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
