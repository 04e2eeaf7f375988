/*
 * Stored answers: the first one under a key stays, byte for byte; a damaged
 * answer is not returned; nothing is stored without the receipt of its charge.
 */
#include <sqlite3.h>

#include "ledger/helpers.h"

static void
answers_keep_the_first(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    arena *a = arena_new(NULL, 1 << 20);
    str first = {"1\0002\xff", 4}, got;
    uint8_t key[32] = {1};
    struct receipt r, back, other = {.seq = 1};
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    assert_int_equal(charge_at(l, "", "0.1", 1, &r, NULL), CUSTOS_OK);
    assert_int_equal(ledger_answer_find(l, key, a, &got, &back, NULL),
                     CUSTOS_ENAME);
    assert_int_equal(post_answer(l, key, &other, first, NULL), CUSTOS_ENAME);
    other.seq = 99;
    assert_int_equal(post_answer(l, key, &other, first, NULL), CUSTOS_ENAME);
    assert_int_equal(post_answer(l, key, &r, first, NULL), CUSTOS_OK);
    assert_int_equal(post_answer(l, key, &r, str_of("2"), NULL), CUSTOS_OK);
    ledger_close(l);
    l = open_at(&p);
    assert_int_equal(ledger_answer_find(l, key, a, &got, &back, NULL),
                     CUSTOS_OK);
    assert_true(str_equal(got, first));
    assert_memory_equal(&back, &r, sizeof r);
    key[31] = 1;
    assert_int_equal(ledger_answer_find(l, key, a, &got, &back, NULL),
                     CUSTOS_ENAME);
    assert_balance(l, "", "0.1", "0.9");
    assert_verifies(l, &r);
    ledger_close(l);
    arena_free(a);
    place_remove(&p);
}

static void
answers_damaged_are_not_given(void **state)
{
    static const char *const cases[] = {
        "UPDATE answers SET answer = x'41'",
        "UPDATE answers SET mark = zeroblob(32)",
        "UPDATE answers SET seq = 1",
        "UPDATE answers SET key = zeroblob(32)",
    };
    arena *a = arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct ledger_terms t = terms_of("1", "0");
        uint8_t key[32] = {1}, zero[32] = {0};
        struct receipt r, head;
        sqlite3 *db = NULL;
        struct ledger *l;
        struct place p;
        str got;

        l = place_begin(&p);
        set_terms(l, &t);
        assert_int_equal(charge_at(l, "", "0.1", 1, &r, NULL), CUSTOS_OK);
        assert_int_equal(post_answer(l, key, &r, str_of("42"), NULL),
                         CUSTOS_OK);
        ledger_close(l);
        assert_int_equal(sqlite3_open(p.path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i], NULL, NULL, NULL),
                         SQLITE_OK);
        sqlite3_close(db);
        l = open_at(&p);
        assert_int_equal(
            ledger_answer_find(l, i == 3 ? zero : key, a, &got, &r, NULL),
            CUSTOS_ECORRUPT);
        assert_int_equal(ledger_verify(l, NULL, &head, NULL), CUSTOS_ECORRUPT);
        place_end(l, &p);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_keep_the_first),
        cmocka_unit_test(answers_damaged_are_not_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
