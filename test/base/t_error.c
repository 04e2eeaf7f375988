/*
 * The status list, and errors with texts for two kinds of readers.
 */
#include "base/error.h"

#include "base/base.h"
#include "support/said.h"
#include "support/support.h"

/* Every status has its own words and a SQLSTATE. */
static void
every_status_has_its_row(void **state)
{
    static const custos_status list[] = {
#define STATUS_VALUE(name, value, sqlstate, words) CUSTOS_##name,
        CUSTOS_STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
    };
    const int n = (int)COUNT_OF(list);

    (void)state;
    for (int i = 0; i < n; i++) {
        assert_int_equal(list[i], i); /* the values are part of the ABI */
        assert_int_equal(strlen(custos_status_sqlstate(list[i])), 5);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(custos_status_words(list[i]),
                                    custos_status_words(list[j]));
    }
    assert_string_equal(custos_status_sqlstate(CUSTOS_OK), "00000");
    /* An unknown status counts as an internal error. */
    assert_string_equal(custos_status_words((custos_status)n),
                        custos_status_words(CUSTOS_EINTERNAL));
    assert_string_equal(custos_status_words((custos_status)-1),
                        custos_status_words(CUSTOS_EINTERNAL));
    assert_string_equal(custos_version(), CUSTOS_VERSION);
}

static void
errors_are_written_for_two(void **state)
{
    custos_err e = CUSTOS_ERR_INIT;

    (void)state;
    memset(&e, 0x55, sizeof e);
    assert_int_equal(custos_fail(&e, CUSTOS_ERANGE, "%s is %d", "x", 3),
                     CUSTOS_ERANGE);
    assert_int_equal(e.code, CUSTOS_ERANGE);
    assert_int_equal(e.at, -1);
    assert_string_equal(whole_said(&e), "x is 3");
    assert_string_equal(e.noted, ""); /* no note of an older error */
    custos_note(&e, "row %d", 7);
    assert_string_equal(e.noted, "row 7");
    assert_string_equal(whole_said(&e), "x is 3");
    assert_int_equal(custos_fail_at(&e, CUSTOS_EPARSE, 12, "odd"),
                     CUSTOS_EPARSE);
    assert_int_equal(e.at, 12);
    assert_string_equal(whole_said(&e), "odd");
    assert_string_equal(e.noted, "");
}

static void
a_hint_has_its_own_field(void **state)
{
    custos_err e = CUSTOS_ERR_INIT;

    (void)state;
    custos_fail(&e, CUSTOS_ENAME, "no table '%s'" HINT "did you mean '%s'?",
                "visit", "visits");
    assert_string_equal(e.said, "no table 'visit'");
    assert_string_equal(e.hint, "did you mean 'visits'?");
    custos_fail(&e, CUSTOS_ENAME, "no table '%s'" HINT "see \\d", "a\nb; c");
    assert_string_equal(e.said, "no table 'a?b; c'");
    assert_string_equal(e.hint, "see \\d");
    custos_fail(&e, CUSTOS_ENAME, "no '%.2s'" HINT "see '%.4s'", "\xe2\x82\xac",
                "a\n\xe2\x82\xac");
    assert_string_equal(e.said, "no '\?\?'");
    assert_string_equal(e.hint, "see 'a\?\?\?'");
    custos_fail(&e, CUSTOS_ENAME, "no table '%s'", "a\nb");
    assert_string_equal(e.hint, "");
}

/*
 * The text is valid UTF-8, ends with "..." and fills its array but for a few
 * bytes.
 */
static void
assert_cut(const char *text, size_t size)
{
    size_t len = strlen(text);

    assert_in_range(len, size - 4, size - 1);
    assert_string_equal(text + len - 3, "...");
    for (size_t i = 0; i < len - 3; i += 2)
        assert_memory_equal(text + i, "\xc3\xa9", 2);
}

static void
long_messages_are_cut(void **state)
{
    char text[3000];
    custos_err e = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    assert_int_equal(custos_fail(&e, CUSTOS_EINVAL, "%s" HINT "do this", text),
                     CUSTOS_EINVAL);
    assert_cut(e.said, sizeof e.said);
    assert_string_equal(e.hint, "do this");
    custos_fail(&e, CUSTOS_EINVAL, "short" HINT "%s", text);
    assert_string_equal(e.said, "short");
    assert_cut(e.hint, sizeof e.hint);
    custos_note(&e, "%s", text);
    assert_cut(e.noted, sizeof e.noted);
}

/* Nothing is written to a custos_err whose size is smaller than ours. */
static void
a_smaller_struct_stays(void **state)
{
    custos_err e = CUSTOS_ERR_INIT;

    (void)state;
    e.size--;
    assert_int_equal(custos_fail(&e, CUSTOS_EINVAL, "x" HINT "y"),
                     CUSTOS_EINVAL);
    custos_note(&e, "z");
    assert_int_equal(e.code, CUSTOS_OK);
    assert_string_equal(e.said, "");
    assert_string_equal(e.hint, "");
    assert_string_equal(e.noted, "");
}

static void
nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(custos_fail(NULL, CUSTOS_EINVAL, "x"), CUSTOS_EINVAL);
    assert_int_equal(custos_fail_at(NULL, CUSTOS_EPARSE, 1, "x"),
                     CUSTOS_EPARSE);
    custos_note(NULL, "x");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_row),
        cmocka_unit_test(errors_are_written_for_two),
        cmocka_unit_test(a_hint_has_its_own_field),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(a_smaller_struct_stays),
        cmocka_unit_test(nobody_need_listen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
