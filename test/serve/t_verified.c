/*
 * The cost of verification is bounded, whoever asks. The tests damage the chain
 * and set a simulated clock; whether the damage is found shows which rows were
 * verified.
 */
#include <sqlite3.h>
#include <stdatomic.h>

#include "ledger/helpers.h"
#include "serve/verified.h"

static _Atomic int64_t clock_us;

static int64_t
now_us(void)
{
    return clock_us;
}

static void
meddle(const struct place *p, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static struct ledger *
make(struct place *p)
{
    struct ledger_terms t = terms_of("1", "0");
    struct ledger *l;

    place_make(p);
    l = open_at(p);
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    meddle(p, "DROP TRIGGER chain_no_update; DROP TRIGGER chain_no_delete");
    clock_us = 1000;
    return l;
}

static struct verified_facts
look(struct verified *v, struct ledger *l)
{
    struct verified_facts f;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(verified_look(v, l, now_us, &f, &err), &err);
    return f;
}

/*
 * The entire chain is verified at most once a minute; in between only new rows,
 * each once.
 */
static void
all_is_verified_now_and_then(void **state)
{
    struct verified *v = verified_new();
    struct verified_facts f;
    struct place p;
    struct ledger *l = make(&p);

    (void)state;
    f = look(v, l);
    assert_true(f.ok);
    assert_int_equal(f.all, 3);
    assert_int_equal(f.ago_us, 0);
    meddle(&p, "UPDATE chain SET plan = 'x' WHERE seq = 3");
    clock_us += 59 * 1000000;
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    f = look(v, l);
    assert_true(f.ok);
    assert_int_equal(f.all, 3);
    assert_int_equal(f.head.seq, 4);
    assert_int_equal(f.ago_us, 59 * 1000000);
    clock_us += 1000000;
    f = look(v, l);
    assert_false(f.ok);
    assert_non_null(strstr(f.said, "row 3"));
    /* Damage is remembered, and checked again after a while. */
    meddle(&p, "UPDATE chain SET plan = 'count of people, discrete Laplace' "
               "WHERE seq = 3");
    clock_us += 59 * 1000000;
    assert_false(look(v, l).ok);
    clock_us += 1000000;
    f = look(v, l);
    assert_true(f.ok);
    assert_int_equal(f.all, 4);
    verified_free(v);
    ledger_close(l);
    place_remove(&p);
}

/* A ledger that has lost rows seen before keeps failing. */
static void
rows_that_were_seen_are_missed(void **state)
{
    struct verified *v = verified_new();
    struct verified_facts f;
    struct place p;
    struct ledger *l = make(&p), *old = NULL;
    char copy[ROOM + 32];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    snprintf(copy, sizeof copy, "%s/copy.db", p.folder);
    assert_ok(ledger_copy(l, copy, &err), &err);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    assert_true(look(v, l).ok);
    assert_ok(ledger_open(copy, p.lock, &old, &err), &err);
    for (int i = 0; i < 3; i++) {
        f = look(v, old);
        assert_false(f.ok);
        assert_non_null(strstr(f.said, "older"));
        clock_us += 60 * 1000000;
    }
    assert_true(look(v, l).ok);
    verified_free(v);
    ledger_close(old);
    ledger_close(l);
    place_remove(&p);
}

/*
 * While one caller verifies, others get the last result, or are told to try
 * again.
 */
struct second {
    struct verified *v;
    struct ledger *l;
    custos_status status;
    struct verified_facts facts;
};
static struct second *second;

static int64_t
now_and_ask(void)
{
    struct second *s = second;
    custos_err err = CUSTOS_ERR_INIT;

    second = NULL; /* asks once, and not again from the inner call */
    if (s)
        s->status = verified_look(s->v, s->l, now_us, &s->facts, &err);
    return clock_us;
}

/*
 * The clock is read first under the lock, to see whether verification is due,
 * then by the caller that verifies, while another may ask.
 */
static int calls;
static int64_t
now_in_between(void)
{
    return calls++ == 1 ? now_and_ask() : clock_us;
}

static void
one_verifies_at_a_time(void **state)
{
    struct verified *v = verified_new();
    struct verified_facts f;
    struct place p;
    struct ledger *l = make(&p);
    struct second s = {.v = v, .l = open_at(&p)};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    calls = 0;
    second = &s;
    assert_ok(verified_look(v, l, now_in_between, &f, &err), &err);
    assert_int_equal(s.status, CUSTOS_EBUSY);
    assert_true(f.ok);
    clock_us += 61 * 1000000;
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    calls = 0;
    second = &s;
    assert_ok(verified_look(v, l, now_in_between, &f, &err), &err);
    assert_int_equal(f.head.seq, 4);
    assert_int_equal(s.status, CUSTOS_OK);
    assert_int_equal(s.facts.head.seq, 3);
    assert_int_equal(s.facts.ago_us, 61 * 1000000);
    verified_free(v);
    ledger_close(s.l);
    ledger_close(l);
    place_remove(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_verified_now_and_then),
        cmocka_unit_test(rows_that_were_seen_are_missed),
        cmocka_unit_test(one_verifies_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
