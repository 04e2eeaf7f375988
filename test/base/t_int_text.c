/* 128-bit integers as text. */
#include "base/ck.h"
#include "base/wide.h"
#include "support/support.h"

static void
int_write_is_decimal(void **state)
{
    static const struct {
        i128 x;
        const char *text;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {-10, "-10"},
        {INT64_MIN, "-9223372036854775808"},
        {(i128)UINT64_MAX + 1, "18446744073709551616"},
        {I128_MAX, "170141183460469231731687303715884105727"},
        {I128_MIN, "-170141183460469231731687303715884105728"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[41];

        memset(text, 'x', sizeof text);
        assert_int_equal(custos_int_write(rows[i].x, text),
                         strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
        memset(text, 'x', sizeof text);
        assert_int_equal(custos_wide_write(wide_of(rows[i].x), text),
                         strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
        assert_true(wide_value(wide_of(rows[i].x)) == rows[i].x);
    }
}

/* The words of a custos_wide, as custos.h defines them. */
static void
wide_is_high_and_low(void **state)
{
    static const struct {
        custos_wide words;
        const char *text;
    } rows[] = {
        {{0, 0}, "0"},
        {{1, 0}, "1"},
        {{UINT64_MAX, -1}, "-1"},
        {{0, 1}, "18446744073709551616"},
        {{5, -1}, "-18446744073709551611"},
        {{0, INT64_MIN}, "-170141183460469231731687303715884105728"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[41];

        custos_wide_write(rows[i].words, text);
        assert_string_equal(text, rows[i].text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int_write_is_decimal),
        cmocka_unit_test(wide_is_high_and_low),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
