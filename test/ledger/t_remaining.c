/*
 * The forecast of what remains after a charge, compared with what remains once
 * the charge is made.
 */
#include "helpers.h"

#include "account/amount.h"

enum { ANALYSTS = 5 };

static const char *const names[] = {"", "ana", "bo", "cy", "dee", "eli"};

/*
 * Analysts with no budget of their own; with a budget; with a budget and a
 * window; with a window that has a delta; with a window in epsilon only.
 */
static void
terms_set(struct ledger *l, const char *delta)
{
    struct ledger_analyst who[ANALYSTS] = {0};
    struct ledger_terms t = terms_of("8", delta);
    struct ledger_budget small = {str_of("0.4"), str_of(delta)};

    for (size_t i = 0; i < ANALYSTS; i++)
        who[i].name = str_of(names[i + 1]);
    who[1].has_budget = who[2].has_budget = true;
    who[1].budget = (struct ledger_budget){str_of("3"), str_of(delta)};
    who[2].budget = (struct ledger_budget){str_of("1.5"), str_of(delta)};
    who[2].has_window = who[3].has_window = who[4].has_window = true;
    who[2].window = who[3].window = small;
    who[4].window = (struct ledger_budget){str_of("0.5"), str_of("0")};
    who[2].window_days = who[3].window_days = who[4].window_days = 2;
    t.analysts = who;
    t.n_analysts = ANALYSTS;
    set_terms(l, &t);
}

static uint64_t seed;

static uint64_t
below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* A pure charge, one with a delta, or a Gaussian one without an epsilon. */
static struct charge
some_charge(bool deltas)
{
    struct charge c;
    rat x[3];

    rats_init(x, 3);
    rat_set_i64(&x[0], 1 + (int64_t)below(400), 1000);
    rat_set_i64(&x[1], 1 + (int64_t)below(90), 3000);
    if (deltas && below(2))
        rat_set_i64(&x[2], 1 + (int64_t)below(40), 1000000000);
    if (deltas && below(3) == 0)
        charge_of_price(NULL, &x[1], &x[2], &c);
    else
        charge_of_price(&x[0], NULL, &x[2], &c);
    rats_clear(x, 3);
    if (below(2))
        c.delta_rho = c.delta * below(3);
    return c;
}

/* A charge of exactly what is left would be admitted; 1e-20 more would not. */
static void
assert_exact(struct ledger *l, str who, int64_t now, const char *left)
{
    struct ledger_remaining ignored;
    struct charge c;
    amount most;
    rat x[2];

    assert_true(amount_read(str_of(left), AMOUNT_LOSS, &most));
    rats_init(x, 2);
    for (amount more = 0; more < 2; more++) {
        amount_to_rat(most + more, AMOUNT_LOSS, &x[0]);
        charge_of_price(&x[0], NULL, &x[1], &c);
        assert_int_equal(ledger_remaining(l, who, now, &c, &ignored, NULL),
                         more ? CUSTOS_ESPENT : CUSTOS_OK);
    }
    rats_clear(x, 2);
}

static void
walk(const char *delta, size_t steps)
{
    struct ledger_remaining before, after;
    size_t admitted = 0, refused = 0;
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt got;
    struct ledger *l;
    struct place p;
    bool deltas = strcmp(delta, "0") != 0;
    int64_t now = 0;

    l = place_begin(&p);
    terms_set(l, delta);
    for (size_t i = 0; i < steps; i++) {
        struct charge c = some_charge(deltas);
        struct ledger_request r = {.who = str_of(names[below(ANALYSTS + 1)]),
                                   .charge = &c};
        custos_status told, paid;

        now += (int64_t)below(43200) * 1000000;
        r.now = now;
        memset(r.policy, 7, sizeof r.policy);
        told = ledger_remaining(l, r.who, now, &c, &after, &err);
        paid = post_charge(l, &r, &got, &err);
        assert_int_equal(told, paid);
        assert_ok(ledger_remaining(l, r.who, now, NULL, &before, &err), &err);
        if (!paid)
            assert_string_equal(before.epsilon, after.epsilon);
        assert_exact(l, r.who, now, before.epsilon);
        *(paid ? &refused : &admitted) += 1;
    }
    assert_true(admitted > steps / 10 && refused > steps / 10);
    place_end(l, &p);
}

static void
left_after_is_what_is_left_after(void **state)
{
    (void)state;
    seed = 11;
    walk("0", (size_t)test_size(60, 300));
    walk("1e-6", (size_t)test_size(60, 300));
}

static void
left_after_refuses_what_is_refused(void **state)
{
    struct ledger_remaining left = {.epsilon = "untouched"};
    struct charge large = charge_of("8.00000000000000000001", "0");
    struct charge none = charge_of("8", "0");
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    assert_int_equal(ledger_remaining(l, str_of(""), 0, NULL, &left, &err),
                     CUSTOS_EPOLICY);
    terms_set(l, "0");
    assert_int_equal(ledger_remaining(l, str_of(""), 0, &large, &left, &err),
                     CUSTOS_ESPENT);
    assert_int_equal(
        ledger_remaining(l, str_of("nobody"), 0, NULL, &left, &err),
        CUSTOS_ENAME);
    assert_string_equal(left.epsilon, "untouched");
    assert_ok(ledger_remaining(l, str_of(""), 0, &none, &left, &err), &err);
    assert_string_equal(left.epsilon, "0");
    place_end(l, &p);
}

static void
spent_is_the_sum_of_charges(void **state)
{
    struct ledger_spent s;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    terms_set(l, "1e-6");
    assert_ok(ledger_spent(l, str_of("ana"), &s, &err), &err);
    assert_int_equal(s.charges, 0);
    assert_string_equal(s.epsilon, "0");
    assert_string_equal(s.rho, "0");
    assert_string_equal(s.delta, "0");
    assert_int_equal(charge(l, "ana", "0.1"), CUSTOS_OK);
    assert_int_equal(charge(l, "bo", "0.25"), CUSTOS_OK);
    assert_ok(ledger_spent(l, str_of("ana"), &s, &err), &err);
    assert_string_equal(s.epsilon, "0.1");
    assert_int_equal(s.charges, 1);
    assert_ok(ledger_spent(l, str_of(""), &s, &err), &err);
    assert_string_equal(s.epsilon, "0.35");
    assert_int_equal(s.charges, 2);
    assert_int_equal(ledger_spent(l, str_of("nobody"), &s, &err), CUSTOS_ENAME);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_after_is_what_is_left_after),
        cmocka_unit_test(left_after_refuses_what_is_refused),
        cmocka_unit_test(spent_is_the_sum_of_charges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
