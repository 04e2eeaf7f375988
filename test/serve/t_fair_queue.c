/*
 * The fair queue alone: turns, limits, and draining.
 */
#include "../support/support.h"

#include <stdio.h>

#include "serve/fair_queue.h"
#include "serve/workers.h"

static struct job
job_of(const char *who)
{
    return (struct job){.who = str_of(who)};
}

static void
end_job(struct fair_queue *q, struct job *j)
{
    fair_queue_ran(q, j);
    fair_queue_done(q, j);
}

/* A name with a thousand jobs delays only itself. */
static void
names_are_served_in_turn(void **state)
{
    enum { MANY = 1000 };
    static struct job flood[MANY];
    const struct queue_limits limits = {2000, 2000, 100, 100, 0};
    struct job bob[2] = {job_of("bob"), job_of("bob")};
    struct job eve = job_of("eve");
    struct fair_queue q;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < MANY; i++) {
        flood[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &flood[i]), QUEUE_PUT);
    }
    assert_int_equal(fair_queue_put(&q, &bob[0]), QUEUE_PUT);
    assert_int_equal(fair_queue_put(&q, &eve), QUEUE_PUT);
    assert_int_equal(fair_queue_put(&q, &bob[1]), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &flood[0]);
    assert_ptr_equal(fair_queue_take(&q), &bob[0]);
    assert_ptr_equal(fair_queue_take(&q), &eve);
    assert_ptr_equal(fair_queue_take(&q), &flood[1]);
    assert_ptr_equal(fair_queue_take(&q), &bob[1]);
    assert_ptr_equal(fair_queue_take(&q), &flood[2]);
    assert_ptr_equal(fair_queue_take(&q), &flood[3]);
    end_job(&q, &bob[0]);
    end_job(&q, &bob[1]);
    end_job(&q, &eve);
    for (size_t i = 0; i < 4; i++)
        end_job(&q, &flood[i]);
    for (size_t i = 4; i < MANY; i++) {
        assert_ptr_equal(fair_queue_take(&q),
                         &flood[i]); /* first in, first out */
        end_job(&q, &flood[i]);
    }
    assert_null(fair_queue_take(&q));
    assert_int_equal(q.waiting, 0);
    fair_queue_clear(&q);
}

static void
a_name_has_limits_of_its_own(void **state)
{
    const struct queue_limits limits = {6, 4, 2, 3, 0};
    struct job a[6], b[3];
    struct fair_queue q;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < 6; i++) {
        a[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &a[i]),
                         i < 4 ? QUEUE_PUT : QUEUE_SHARE_FULL);
    }
    for (size_t i = 0; i < 3; i++) {
        b[i] = job_of("bob");
        assert_int_equal(fair_queue_put(&q, &b[i]),
                         i < 2 ? QUEUE_PUT : QUEUE_FULL);
    }
    /* two jobs of a name may run at a time */
    assert_ptr_equal(fair_queue_take(&q), &a[0]);
    assert_ptr_equal(fair_queue_take(&q), &b[0]);
    assert_ptr_equal(fair_queue_take(&q), &a[1]);
    assert_ptr_equal(fair_queue_take(&q), &b[1]);
    assert_null(fair_queue_take(&q));
    /*
     * a job whose reply waits for its time lets another job run, but at most
     * three jobs of a name are in flight
     */
    fair_queue_ran(&q, &a[0]);
    assert_ptr_equal(fair_queue_take(&q), &a[2]);
    fair_queue_ran(&q, &a[1]);
    assert_null(fair_queue_take(&q));
    fair_queue_done(&q, &a[0]);
    assert_ptr_equal(fair_queue_take(&q), &a[3]);
    fair_queue_done(&q, &a[1]);
    end_job(&q, &a[2]);
    end_job(&q, &a[3]);
    end_job(&q, &b[0]);
    end_job(&q, &b[1]);
    fair_queue_clear(&q);
}

static void
what_waits_can_be_withdrawn(void **state)
{
    const struct queue_limits limits = {100, 100, 1, 1, 0};
    struct job a[5], b = job_of("bob");
    struct fair_queue q;
    struct job *j;
    size_t n = 0;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < 5; i++) {
        a[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &a[i]), QUEUE_PUT);
    }
    assert_int_equal(fair_queue_put(&q, &b), QUEUE_PUT);
    fair_queue_remove(&q, &a[4]); /* the last, then one in the middle */
    fair_queue_done(&q, &a[4]);
    fair_queue_remove(&q, &a[1]);
    fair_queue_done(&q, &a[1]);
    assert_int_equal(q.waiting, 4);
    assert_int_equal(fair_queue_put(&q, &a[4]), QUEUE_PUT);
    /* a withdrawn job of ana was in flight for a while: bob is next */
    assert_ptr_equal(fair_queue_take(&q), &b);
    end_job(&q, &b);
    /* draining also takes jobs that the limits would not let begin */
    while ((j = fair_queue_drain(&q))) {
        fair_queue_done(&q, j);
        n++;
    }
    assert_int_equal(n, 4);
    fair_queue_clear(&q);
}

/*
 * Charged work: a name has a limited amount under way, or a single job of any
 * size. While a job waits for room, no other job of its name begins.
 */
static void
charged_work_of_a_name_is_bounded(void **state)
{
    const struct queue_limits limits = {100, 100, 100, 100, 0};
    struct room room = {.of_name = 100, .of_all = 5000, .long_us = 5000};
    struct job a[4], b = job_of("bob");
    struct fair_queue q;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < 4; i++) {
        a[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &a[i]), QUEUE_PUT);
        if (i < 3)
            assert_ptr_equal(fair_queue_take(&q), &a[i]);
    }
    a[0].class_us = 1000;
    fair_queue_pause(&q, &a[0]);
    assert_null(fair_queue_take(&q));
    assert_ptr_equal(fair_queue_admit(&q, &room), &a[0]); /* one always fits */
    a[1].class_us = 60;
    a[2].class_us = 41;
    fair_queue_pause(&q, &a[1]);
    fair_queue_pause(&q, &a[2]);
    assert_null(fair_queue_admit(&q, &room));
    assert_null(fair_queue_take(&q));
    assert_int_equal(fair_queue_put(&q, &b), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &b);
    b.class_us = 1;
    fair_queue_pause(&q, &b);
    assert_ptr_equal(fair_queue_admit(&q, &room), &b);
    end_job(&q, &b);
    fair_queue_leave(&q, &a[0]);
    assert_ptr_equal(fair_queue_admit(&q, &room), &a[1]);
    assert_null(fair_queue_admit(&q, &room));
    end_job(&q, &a[0]);
    assert_null(fair_queue_admit(&q, &room));
    assert_null(fair_queue_take(&q));
    room.of_name = 101;
    assert_ptr_equal(fair_queue_admit(&q, &room), &a[2]);
    assert_null(fair_queue_admit(&q, &room));
    assert_ptr_equal(fair_queue_take(&q), &a[3]);
    end_job(&q, &a[1]);
    end_job(&q, &a[2]);
    end_job(&q, &a[3]);
    fair_queue_clear(&q);
}

/*
 * When all names together have reached the limit, they take turns: no short job
 * overtakes another name's job that waits. Only a job longer than long_us does
 * not wait for other names' jobs.
 */
static void
charged_work_of_all_is_bounded(void **state)
{
    const struct queue_limits limits = {100, 100, 100, 100, 0};
    const struct room room = {.of_name = 100, .of_all = 150, .long_us = 400};
    struct job ana[3], bob = job_of("bob"), eve = job_of("eve");
    struct fair_queue q;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < 3; i++) {
        ana[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &ana[i]), QUEUE_PUT);
        assert_ptr_equal(fair_queue_take(&q), &ana[i]);
        ana[i].class_us = 50;
    }
    for (size_t i = 0; i < 3; i++)
        fair_queue_pause(&q, &ana[i]);
    assert_int_equal(fair_queue_put(&q, &bob), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &bob);
    bob.class_us = 90;
    fair_queue_pause(&q, &bob);
    assert_int_equal(fair_queue_put(&q, &eve), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &eve);
    eve.class_us = 10;
    fair_queue_pause(&q, &eve);
    /* 50 + 90 + 10 is the limit */
    assert_ptr_equal(fair_queue_admit(&q, &room), &ana[0]);
    assert_ptr_equal(fair_queue_admit(&q, &room), &bob);
    assert_ptr_equal(fair_queue_admit(&q, &room), &eve);
    assert_null(fair_queue_admit(&q, &room));
    end_job(&q, &bob);
    assert_ptr_equal(fair_queue_admit(&q, &room), &ana[1]);
    assert_null(fair_queue_admit(&q, &room)); /* ana has her 100 */
    assert_int_equal(fair_queue_put(&q, &bob), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &bob);
    bob.class_us = 60;
    fair_queue_pause(&q, &bob);
    assert_null(fair_queue_admit(&q, &room)); /* 110 + 60 > 150 */
    end_job(&q, &eve);
    assert_int_equal(fair_queue_put(&q, &eve), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &eve);
    eve.class_us = 5;
    fair_queue_pause(&q, &eve);
    assert_null(fair_queue_admit(&q, &room)); /* bob was first */
    eve.class_us = 401;
    assert_ptr_equal(fair_queue_admit(&q, &room), &eve);
    end_job(&q, &ana[0]);
    assert_ptr_equal(fair_queue_admit(&q, &room), &ana[2]);
    assert_null(fair_queue_admit(&q, &room));
    end_job(&q, &ana[1]);
    assert_ptr_equal(fair_queue_admit(&q, &room), &bob);
    end_job(&q, &ana[2]);
    end_job(&q, &bob);
    end_job(&q, &eve);
    fair_queue_clear(&q);
}

/*
 * A limited number of a name's jobs is planned at a time; when one has been
 * planned, the next may begin.
 */
static void
few_of_a_name_are_planned_at_once(void **state)
{
    const struct queue_limits limits = {100, 100, 100, 100, 2};
    struct job a[5], b = job_of("bob");
    struct fair_queue q, other;

    (void)state;
    fair_queue_init(&q, &limits);
    fair_queue_init(&other, &limits);
    for (size_t i = 0; i < 5; i++) {
        a[i] = job_of("ana");
        assert_int_equal(fair_queue_put(&q, &a[i]), QUEUE_PUT);
    }
    assert_ptr_equal(fair_queue_take(&q), &a[0]);
    assert_ptr_equal(fair_queue_take(&q), &a[1]);
    assert_null(fair_queue_take(&q));
    assert_int_equal(fair_queue_put(&q, &b), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&q), &b);
    fair_queue_planned(&q, &a[0]);
    fair_queue_planned(&q, &a[0]);
    assert_ptr_equal(fair_queue_take(&q), &a[2]);
    assert_null(fair_queue_take(&q));
    assert_true(fair_queue_move(&q, &other, &a[1]));
    assert_ptr_equal(fair_queue_take(&q), &a[3]);
    end_job(&q, &a[0]);
    assert_null(fair_queue_take(&q));
    end_job(&q, &a[2]);
    assert_ptr_equal(fair_queue_take(&q), &a[4]);
    assert_ptr_equal(fair_queue_take(&other), &a[1]);
    end_job(&other, &a[1]);
    end_job(&q, &a[3]);
    end_job(&q, &a[4]);
    end_job(&q, &b);
    fair_queue_clear(&q);
    fair_queue_clear(&other);
}

/*
 * A moved job waits under its name in the other queue, where it has a separate
 * limit.
 */
static void
a_job_moves_to_another_queue(void **state)
{
    const struct queue_limits limits = {100, 1, 1, 1, 0};
    struct job first = job_of("ana"), next = job_of("ana");
    struct fair_queue from, to;

    (void)state;
    fair_queue_init(&from, &limits);
    fair_queue_init(&to, &limits);
    assert_int_equal(fair_queue_put(&from, &first), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&from), &first);
    assert_int_equal(fair_queue_put(&from, &next), QUEUE_PUT);
    assert_int_equal(fair_queue_room(&from, str_of("ana")), QUEUE_SHARE_FULL);
    assert_null(fair_queue_take(&from));
    assert_true(fair_queue_move(&from, &to, &first));
    assert_int_equal(fair_queue_room(&to, str_of("ana")), QUEUE_SHARE_FULL);
    assert_int_equal(fair_queue_room(&to, str_of("bob")), QUEUE_PUT);
    assert_ptr_equal(fair_queue_take(&from), &next);
    assert_ptr_equal(fair_queue_take(&to), &first);
    end_job(&from, &next);
    end_job(&to, &first);
    fair_queue_clear(&from);
    fair_queue_clear(&to);
}

/*
 * Many names at once: no name is served twice before every waiting name was
 * served once.
 */
static void
turns_hold_for_many_names(void **state)
{
    enum { NAMES = 600, EACH = 3 };
    const struct queue_limits limits = {10000, 10, 10, 10, 0};
    static struct job jobs[EACH][NAMES];
    static char names[NAMES][16];
    struct fair_queue q;

    (void)state;
    fair_queue_init(&q, &limits);
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "analyst%zu", i);
        for (size_t k = 0; k < EACH; k++) {
            jobs[k][i] = job_of(names[i]);
            assert_int_equal(fair_queue_put(&q, &jobs[k][i]), QUEUE_PUT);
        }
    }
    for (size_t k = 0; k < EACH; k++)
        for (size_t i = 0; i < NAMES; i++)
            assert_ptr_equal(fair_queue_take(&q), &jobs[k][i]);
    for (size_t k = 0; k < EACH; k++)
        for (size_t i = 0; i < NAMES; i++)
            end_job(&q, &jobs[k][i]);
    fair_queue_clear(&q);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_served_in_turn),
        cmocka_unit_test(a_name_has_limits_of_its_own),
        cmocka_unit_test(what_waits_can_be_withdrawn),
        cmocka_unit_test(charged_work_of_a_name_is_bounded),
        cmocka_unit_test(charged_work_of_all_is_bounded),
        cmocka_unit_test(few_of_a_name_are_planned_at_once),
        cmocka_unit_test(a_job_moves_to_another_queue),
        cmocka_unit_test(turns_hold_for_many_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
