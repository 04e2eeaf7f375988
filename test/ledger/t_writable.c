/*
 * The check whether a charge could be written leaves nothing behind.
 */
#include "helpers.h"

static void
it_leaves_nothing_behind(void **state)
{
    struct ledger_terms terms = terms_of("1", "0");
    struct receipt before, after;
    uint64_t free_bytes = 0;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct stat was, is;
    struct place p;
    char log[ROOM + 32];

    (void)state;
    place_make(&p);
    snprintf(log, sizeof log, "%s-wal", p.path);
    l = open_at(&p);
    set_terms(l, &terms);
    assert_ok(ledger_head(l, &before, &err), &err);
    assert_int_equal(stat(log, &was), 0);
    for (int i = 0; i < 50; i++)
        assert_ok(ledger_check_writable(l, &free_bytes, &err), &err);
    assert_true(free_bytes >= LEDGER_FREE_LEAST);
    assert_int_equal(stat(log, &is), 0);
    assert_int_equal(is.st_size, was.st_size);
    assert_ok(ledger_head(l, &after, &err), &err);
    assert_memory_equal(&before, &after, sizeof before);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
