/*
 * The clock of reply times. A thread on each processor regularly reports that
 * it runs (a beat). Here the test makes the beats itself; in one case real
 * threads do.
 */
#include "support/support.h"

#include <unistd.h>

#include "serve/clock.h"
#include "serve/reply_clock.h"

enum { MS = 1000 };

static void
it_is_the_steady_clock_while_all_beat(void **state)
{
    struct beats b = {0};

    (void)state;
    assert_int_equal(beats_clock(&b, 100 * MS), 100 * MS);
    beats_begin(&b, 2, 1000 * MS);
    for (int64_t t = 1000; t < 2000; t += 15) {
        beats_take(&b, 0, t * MS);
        beats_take(&b, 1, (t + 7) * MS);
        assert_int_equal(beats_clock(&b, (t + 8) * MS), (t + 8) * MS);
    }
}

/*
 * While a beat is overdue the clock stands still. When the beat comes, the
 * entire gap is lost, however the clock was read meanwhile. The clock never
 * goes back.
 */
static void
a_stall_does_not_count(void **state)
{
    struct beats b = {0};
    int64_t last = 0;

    (void)state;
    beats_begin(&b, 2, 0);
    for (int64_t t = 0; t <= 300; t++) {
        int64_t now;

        beats_take(&b, 0, t * MS);
        if (t <= 50 || t >= 250)
            beats_take(&b, 1, t * MS);
        now = beats_clock(&b, t * MS);
        assert_true(now >= last);
        if (t > 70 && t <= 250)
            assert_int_equal(now, 70 * MS);
        last = now;
    }
    /* from 55 to 250, since a beat was due at 55 */
    assert_int_equal(b.lost_us, 195 * MS);
    assert_int_equal(last, (300 - 195) * MS);
}

/*
 * If two processors stall at once or one after another, time that both lost
 * counts once.
 */
static void
what_overlaps_is_lost_once(void **state)
{
    struct beats b = {0};

    (void)state;
    beats_begin(&b, 2, 0);
    beats_take(&b, 0, 105 * MS);
    beats_take(&b, 1, 115 * MS);
    assert_int_equal(b.lost_us, 110 * MS);
    beats_take(&b, 0, 205 * MS);
    assert_int_equal(b.lost_us, 200 * MS);
    beats_take(&b, 1, 206 * MS);
    assert_int_equal(b.lost_us, 201 * MS);
}

static void
without_a_watch_nothing_is_lost(void **state)
{
    struct beats b = {0};

    (void)state;
    beats_begin(&b, 1, 0);
    b.watched = false;
    assert_int_equal(beats_clock(&b, 500 * MS), 500 * MS);
    beats_begin(&b, 1, 600 * MS);
    assert_int_equal(beats_clock(&b, 600 * MS), 600 * MS);
    assert_int_equal(b.lost_us, 0);
}

/* The threads do beat: the clock advances. */
static void
the_clock_of_the_process_goes(void **state)
{
    int64_t before, after, lost;

    (void)state;
    assert_true(reply_clock_start());
    reply_clock_watch();
    before = reply_clock_us();
    for (int i = 0; i < 100 && reply_clock_us() - before < 100 * MS; i++)
        usleep(20 * MS);
    after = reply_clock_us();
    lost = reply_clock_lost_us();
    assert_true(after - before >= 100 * MS);
    assert_true(steady_us() - after >= lost);
    reply_clock_stop();
    assert_true(reply_clock_us() >= after);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_steady_clock_while_all_beat),
        cmocka_unit_test(a_stall_does_not_count),
        cmocka_unit_test(what_overlaps_is_lost_once),
        cmocka_unit_test(without_a_watch_nothing_is_lost),
        cmocka_unit_test(the_clock_of_the_process_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
