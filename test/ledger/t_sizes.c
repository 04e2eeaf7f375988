/*
 * Sizes: the bytes of an analyst's rows are limited, stored answers are dropped
 * by age and size, and a vacuum returns their space to the system.
 */
#include "helpers.h"
#include "support/said.h"

static const int64_t day = INT64_C(86400) * 1000000;

static struct ledger *
make(struct place *p)
{
    static const struct ledger_analyst both[] = {{.name = {"ana", 3}},
                                                 {.name = {"bo", 2}}};
    struct ledger_terms t = terms_of("1000", "0");
    struct ledger *l;

    place_make(p);
    l = open_at(p);
    t.analysts = both;
    t.n_analysts = 2;
    set_terms(l, &t);
    return l;
}

static custos_status
charge_sized(struct ledger *l, const char *who, size_t bytes, int64_t now,
             uint64_t all, uint64_t minute, custos_err *err)
{
    static char text[100000];
    struct ledger_request r;
    struct receipt receipt;
    struct charge c;

    memset(text, 'x', sizeof text);
    request_of(&r, &c, who, "0.01", now);
    r.query = (str){text, bytes};
    r.plan = r.theorems = str_of("");
    r.max_bytes = all;
    r.max_minute_bytes = minute;
    return post_charge(l, &r, &receipt, err);
}

/* A row counts as 400 bytes plus its texts. */
static void
growth_is_limited_in_all(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt before, after;
    struct ledger *l;
    struct place p;

    (void)state;
    l = make(&p);
    for (int i = 0; i < 4; i++)
        assert_int_equal(charge_sized(l, "ana", 600, 5, 4000, 0, &err),
                         CUSTOS_OK);
    assert_ok(ledger_head(l, &before, &err), &err);
    assert_int_equal(charge_sized(l, "ana", 0, 5, 4000, 0, &err),
                     CUSTOS_EOVERFLOW);
    assert_non_null(strstr(whole_said(&err), "ask the owner"));
    assert_ok(ledger_head(l, &after, &err), &err);
    assert_memory_equal(&before, &after, sizeof after);
    /* admitted: another analyst, the owner, and ana under a higher limit */
    assert_int_equal(charge_sized(l, "bo", 600, 5, 4000, 0, &err), CUSTOS_OK);
    assert_int_equal(charge_sized(l, "", 50000, 5, 4000, 4000, &err),
                     CUSTOS_OK);
    assert_int_equal(charge_sized(l, "ana", 0, 5, 4400, 0, &err), CUSTOS_OK);
    ledger_close(l);
    l = open_at(&p); /* the sizes are in the file */
    assert_int_equal(charge_sized(l, "ana", 0, 5, 4799, 0, &err),
                     CUSTOS_EOVERFLOW);
    assert_int_equal(charge_sized(l, "ana", 0, 5, 0, 0, &err), CUSTOS_OK);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static void
growth_is_limited_by_the_minute(void **state)
{
    const int64_t minute = 60000000, now = 1000 * minute;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = make(&p);
    assert_int_equal(charge_sized(l, "ana", 600, now, 0, 2000, &err),
                     CUSTOS_OK);
    assert_int_equal(charge_sized(l, "ana", 600, now + 1, 0, 2000, &err),
                     CUSTOS_OK);
    assert_int_equal(charge_sized(l, "ana", 0, now + minute - 1, 0, 2000, &err),
                     CUSTOS_EOVERFLOW);
    assert_non_null(strstr(whole_said(&err), "in this minute"));
    assert_int_equal(charge_sized(l, "bo", 600, now + 1, 0, 2000, &err),
                     CUSTOS_OK);
    assert_int_equal(charge_sized(l, "ana", 600, now + minute, 0, 2000, &err),
                     CUSTOS_OK);
    place_end(l, &p);
}

/* Stores an answer of 840 bytes (1000 with the overhead of 160) under key i. */
static void
store(struct ledger *l, uint8_t i, int64_t now, uint64_t bytes, int64_t age)
{
    static char text[840];
    const uint8_t key[32] = {i};
    struct receipt r;
    struct ledger_job job = {
        .kind = LEDGER_KEEP,
        .key = key,
        .answer = {text, sizeof text},
        .retention = {.bytes = bytes, .age_us = age},
    };

    assert_int_equal(charge_at(l, "ana", "0.01", now, &r, NULL), CUSTOS_OK);
    job.receipt = r;
    ledger_post(l, &job);
    assert_int_equal(job.status, CUSTOS_OK);
}

static bool
is_stored(struct ledger *l, uint8_t i)
{
    arena *a = arena_new(NULL, 1 << 20);
    const uint8_t key[32] = {i};
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;
    str answer;
    custos_status st = ledger_answer_find(l, key, a, &answer, &r, &err);

    arena_free(a);
    assert_true(st == CUSTOS_OK || st == CUSTOS_ENAME);
    return st == CUSTOS_OK;
}

static void
answers_are_dropped_by_size(void **state)
{
    struct ledger *l;
    struct place p;

    (void)state;
    l = make(&p);
    for (uint8_t i = 1; i <= 10; i++)
        store(l, i, 5, 3000, 0);
    for (uint8_t i = 1; i <= 10; i++)
        assert_int_equal(is_stored(l, i), i >= 8);
    store(l, 9, 5, 3000, 0); /* 9 has an answer: nothing changes */
    assert_true(is_stored(l, 8));
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static void
answers_are_dropped_by_age(void **state)
{
    struct ledger *l;
    struct place p;

    (void)state;
    l = make(&p);
    for (uint8_t i = 1; i <= 10; i++)
        store(l, i, i * day, 0, 3 * day);
    for (uint8_t i = 1; i <= 10; i++)
        assert_int_equal(is_stored(l, i), i >= 7);
    place_end(l, &p);
}

static void
vacuum_gives_back_what_was_dropped(void **state)
{
    const struct ledger_retention none = {.bytes = 2000};
    struct ledger_freed freed;
    struct receipt last;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l, *other;
    struct stat was, is;
    struct place p;

    (void)state;
    l = make(&p);
    other = open_at(&p); /* like the handle of a server */
    for (uint8_t i = 1; i <= 200; i++)
        store(l, i, 5, 0, 0);
    assert_ok(ledger_vacuum(l, &(struct ledger_retention){0}, 6, &freed, &err),
              &err);
    assert_int_equal(freed.answers, 0);
    assert_int_equal(stat(p.path, &was), 0);
    assert_ok(ledger_head(l, &last, &err), &err);
    assert_ok(ledger_vacuum(l, &none, 6, &freed, &err), &err);
    assert_int_equal(freed.answers, 198);
    assert_int_equal(freed.answer_bytes, 198000);
    assert_true(freed.file_bytes > 100000);
    assert_int_equal(stat(p.path, &is), 0);
    assert_int_equal(was.st_size - is.st_size, freed.file_bytes);
    assert_verifies(l, &last);
    assert_true(is_stored(other, 200) && is_stored(other, 199));
    assert_false(is_stored(other, 198));
    assert_int_equal(charge(other, "ana", "0.01"), CUSTOS_OK);
    assert_verifies(other, &last);
    ledger_close(l);
    place_end(other, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_limited_in_all),
        cmocka_unit_test(growth_is_limited_by_the_minute),
        cmocka_unit_test(answers_are_dropped_by_size),
        cmocka_unit_test(answers_are_dropped_by_age),
        cmocka_unit_test(vacuum_gives_back_what_was_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
