/*
 * Windows: the running sum that a handle keeps equals a sum over the full
 * window, for any order of charges, times and handles.
 */
#include "support/powercut_vfs.h"

#include "helpers.h"

enum { ANALYSTS = 3, STEPS = 600 };

static const char *const names[ANALYSTS] = {"ana", "bo", "cy"};
static const int64_t day = INT64_C(86400) * 1000000;
static uint64_t seed = 11;

static uint64_t
below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static void
terms_set(struct ledger *l)
{
    struct ledger_analyst who[ANALYSTS] = {0};
    struct ledger_terms t = terms_of("100000", "1e-2");

    for (size_t i = 0; i < ANALYSTS; i++) {
        who[i].name = str_of(names[i]);
        who[i].has_window = true;
        who[i].window =
            (struct ledger_budget){str_of("5000"), str_of(i ? "1e-3" : "0")};
        who[i].window_days = (uint32_t)(i + 1);
    }
    t.analysts = who;
    t.n_analysts = ANALYSTS;
    set_terms(l, &t);
}

/* Charges a random epsilon and a random delta; where the window has a delta, at
   times a random rho without an epsilon. */
static custos_status
charge_some(struct ledger *l, size_t who, int64_t now)
{
    struct ledger_request r = {.who = str_of(names[who]),
                               .query = str_of("q"),
                               .plan = str_of("p"),
                               .theorems = str_of("t"),
                               .data_version = 1,
                               .now = now};
    struct receipt receipt;
    struct charge c;
    rat x[2];
    custos_status st;

    memset(r.policy, 7, sizeof r.policy);
    rats_init(x, 2);
    rat_set_i64(&x[0], 1 + (int64_t)below(400), 1000);
    rat_set_i64(&x[1], 1 + (int64_t)below(40), 1000000000);
    if (who > 0 && below(5) == 0)
        charge_of_price(NULL, &x[0], &x[1], &c);
    else
        charge_of_price(&x[0], NULL, &x[1], &c);
    rats_clear(x, 2);
    if (below(2))
        c.delta_rho = c.delta * below(3);
    r.charge = &c;
    st = post_charge(l, &r, &receipt, NULL);
    return st;
}

/* This handle and a newly opened one agree on the window. */
static void
assert_same(const struct place *p, struct ledger *l, size_t who, int64_t now)
{
    struct ledger_balance running, whole;
    struct ledger *fresh = open_at(p);
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_window(l, str_of(names[who]), now, &running, &err), &err);
    assert_ok(ledger_window(fresh, str_of(names[who]), now, &whole, &err),
              &err);
    assert_string_equal(running.left_epsilon, whole.left_epsilon);
    assert_int_equal(running.charges, whole.charges);
    assert_memory_equal(&running.facts, &whole.facts, sizeof whole.facts);
    ledger_close(fresh);
}

static void
windows_are_what_a_whole_sum_says(void **state)
{
    struct ledger *l, *other;
    int64_t now = 400 * day;
    struct place p;

    (void)state;
    l = place_begin(&p);
    other = open_at(&p); /* like another process that adds rows */
    terms_set(l);
    for (size_t i = 0; i < STEPS; i++) {
        size_t who = below(ANALYSTS);
        struct ledger *by = below(4) ? l : other;

        now += (int64_t)below((uint64_t)day / 8);
        if (below(20) == 0) /* the clock is set back */
            now -= (int64_t)below(2 * (uint64_t)day);
        assert_int_equal(charge_some(by, who, now), CUSTOS_OK);
        if (below(3) == 0)
            assert_same(&p, below(2) ? l : other, below(ANALYSTS),
                        now + (int64_t)below((uint64_t)day));
    }
    for (size_t who = 0; who < ANALYSTS; who++) {
        assert_same(&p, l, who, now);
        assert_same(&p, other, who, now);
        assert_same(&p, l, who, now + 10 * day); /* the window is empty */
    }
    ledger_close(l);
    place_end(other, &p);
}

/*
 * After a failed commit, charges that were rolled back do not count and
 * committed ones do.
 */
static void
windows_forget_what_was_undone(void **state)
{
    struct ledger_balance running, whole;
    int64_t now = 400 * day;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    terms_set(l);
    ledger_close(l);
    for (size_t at = 1; at < 12; at++) {
        struct disk *d = disk_new(at);

        assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_OK);
        for (int i = 0; i < 3; i++)
            assert_int_equal(charge_some(l, 0, now), CUSTOS_OK);
        disk_fail_at(d, at, 1, DISK_FULL);
        for (int i = 0; i < 4; i++)
            (void)!charge_some(l, 0, ++now);
        disk_fail_at(d, 0, 0, DISK_FULL);
        assert_int_equal(charge_some(l, 0, ++now), CUSTOS_OK);
        assert_ok(ledger_window(l, str_of(names[0]), now, &running, &err),
                  &err);
        ledger_close(l);
        assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_OK);
        assert_ok(ledger_window(l, str_of(names[0]), now, &whole, &err), &err);
        assert_string_equal(running.left_epsilon, whole.left_epsilon);
        assert_int_equal(running.charges, whole.charges);
        ledger_close(l);
        disk_free(d);
    }
    place_remove(&p);
}

/* A price in rho is limited by the window's sum of the deltas beside rho, which is
   a quarter of its delta, for the running sum as for a whole one. */
static void
windows_add_up_the_deltas_beside_rho(void **state)
{
    struct ledger_request r;
    struct receipt receipt;
    struct charge c;
    struct ledger *l;
    struct place p;
    rat x[2];

    (void)state;
    l = place_begin(&p);
    terms_set(l);
    request_of(&r, &c, names[1], "1", 400 * day);
    rats_init(x, 2);
    rat_set_i64(&x[0], 1, 1000);
    rat_set_i64(&x[1], 2, 10000);
    charge_of_price(NULL, &x[0], &x[1], &c);
    rats_clear(x, 2);
    assert_int_equal(post_charge(l, &r, &receipt, NULL), CUSTOS_OK);
    for (int fresh = 0; fresh < 2; fresh++) {
        assert_int_equal(post_charge(l, &r, &receipt, NULL), CUSTOS_ESPENT);
        ledger_close(l);
        l = open_at(&p);
    }
    place_end(l, &p);
}

/* A charge counts for exactly as long as the window says, for the running sum as
   for a whole one. */
static void
windows_end_to_the_microsecond(void **state)
{
    struct ledger_balance b;
    int64_t now = 400 * day;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    terms_set(l);
    assert_int_equal(charge_some(l, 1, now), CUSTOS_OK);
    for (int fresh = 0; fresh < 2; fresh++) {
        assert_ok(
            ledger_window(l, str_of(names[1]), now + 2 * day - 1, &b, &err),
            &err);
        assert_int_equal(b.charges, 1);
        assert_ok(ledger_window(l, str_of(names[1]), now + 2 * day, &b, &err),
                  &err);
        assert_int_equal(b.charges, 0);
        ledger_close(l);
        l = open_at(&p);
    }
    assert_ok(ledger_window(l, str_of(names[1]), now + 2 * day, &b, &err),
              &err);
    assert_int_equal(b.charges, 0);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_what_a_whole_sum_says),
        cmocka_unit_test(windows_add_up_the_deltas_beside_rho),
        cmocka_unit_test(windows_forget_what_was_undone),
        cmocka_unit_test(windows_end_to_the_microsecond),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
