/*
 * Public values: reading, writing and comparing them.
 */
#include "base/datum.h"

#include "support/support.h"

static void
written(const struct datum *d, char *out, size_t room)
{
    struct buf b;

    buf_init(&b, NULL, room);
    datum_write(d, &b);
    assert_false(b.failed);
    memcpy(out, buf_text(&b), b.len + 1);
    buf_clear(&b);
}

static void
values_are_read_and_written(void **state)
{
    static const struct {
        enum data_type type;
        const char *text, *again;
    } cases[] = {
        {TYPE_INT, "0", "0"},
        {TYPE_INT, "-12", "-12"},
        {TYPE_INT, "+12.00", "12"},
        {TYPE_INT, "1e3", "1000"},
        {TYPE_DECIMAL, "-0.050", "-0.05"},
        {TYPE_DECIMAL, ".5", "0.5"},
        {TYPE_DECIMAL, "125e-4", "0.0125"},
        {TYPE_REAL, "1e-36", "0.000000000000000000000000000000000001"},
        {TYPE_BOOL, "TRUE", "true"},
        {TYPE_BOOL, "0", "false"},
        {TYPE_TEXT, "a 'b'", "a 'b'"},
        {TYPE_DATE, "1970-01-01", "1970-01-01"},
        {TYPE_DATE, "2024-02-29", "2024-02-29"},
        {TYPE_DATE, "0001-01-01", "0001-01-01"},
        {TYPE_DATE, "9999-12-31", "9999-12-31"},
        {TYPE_TIMESTAMP, "1969-12-31 23:59:59.5", "1969-12-31 23:59:59.500000"},
        {TYPE_TIMESTAMP, "2026-01-02T03:04", "2026-01-02 03:04:00"},
        {TYPE_TIMESTAMP, "2026-01-02", "2026-01-02 00:00:00"},
        {TYPE_TIMESTAMP, "2026-01-02 03:04:05+02:30", "2026-01-02 03:04:05"},
        {TYPE_TIMESTAMP, "2026-01-02T03:04:05Z", "2026-01-02 03:04:05"},
        {TYPE_DATE, "2026-01-02 +00", "2026-01-02"},
    };
    char text[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct datum d;

        assert_true(datum_read(cases[i].type, str_of(cases[i].text), &d));
        assert_int_equal(d.type, cases[i].type);
        written(&d, text, sizeof text);
        assert_string_equal(text, cases[i].again);
    }
}

static void
what_is_no_value_is_refused(void **state)
{
    static const struct {
        enum data_type type;
        const char *text;
    } cases[] = {
        {TYPE_INT, ""},
        {TYPE_INT, "-"},
        {TYPE_INT, "1.5"},
        {TYPE_INT, "1 "},
        {TYPE_INT, "0x10"},
        {TYPE_INT, "1e37"},
        {TYPE_REAL, "NaN"},
        {TYPE_REAL, "inf"},
        {TYPE_REAL, "."},
        {TYPE_REAL, "1e"},
        {TYPE_REAL, "1.2.3"},
        {TYPE_REAL, "1e-40"},
        {TYPE_INT, "1234567890123456789012345678901234567"},
        {TYPE_BOOL, "maybe"},
        {TYPE_DATE, "2023-02-29"},
        {TYPE_DATE, "1900-02-29"},
        {TYPE_DATE, "2023-13-01"},
        {TYPE_DATE, "2023-1-1"},
        {TYPE_DATE, "0000-01-01"},
        {TYPE_TIMESTAMP, "2023-01-01 24:00"},
        {TYPE_TIMESTAMP, "2023-01-01 10:00+"},
        {TYPE_TIMESTAMP, "2023-01-01 10:00+0:00"},
        {TYPE_DATE, "2023-01-01 "},
        {TYPE_DATE, "2023-01-01 +00:0"},
        {TYPE_DATE, "2023-01-01 10:00"},
        {TYPE_TIMESTAMP, "2023-01-01 1:00"},
        {TYPE_TIMESTAMP, "2023-01-01 10:00:00."},
        {TYPE_TIMESTAMP, "2023-01-01 10:00:00.1234567"},
        {TYPE_NULL, "NULL"},
    };
    struct datum d;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (datum_read(cases[i].type, str_of(cases[i].text), &d))
            fail_msg("%s is read", cases[i].text);
}

/* Every day of 400 years, one full period of the calendar. */
static void
days_follow_each_other(void **state)
{
    struct datum d, first;
    char text[32];

    (void)state;
    assert_true(datum_read(TYPE_DATE, str_of("1800-03-01"), &first));
    for (int i = 0; i < 146097; i++) {
        struct datum day = {.type = TYPE_DATE, .n = first.n + i};

        written(&day, text, sizeof text);
        assert_true(datum_read(TYPE_DATE, str_of(text), &d));
        assert_true(d.n == day.n);
    }
    assert_true(datum_read(TYPE_DATE, str_of("2200-03-01"), &d));
    assert_true(d.n - first.n == 146097);
}

static void
order_is_by_value(void **state)
{
    static const char *const rising[] = {
        "-99999999999999999999999999999999999",
        "-2",
        "-1.5",
        "-1.49999999999999999999999999999999999",
        "-0.001",
        "0",
        "0.000000000000000000000000000000000001",
        "1",
        "1.000001",
        "1.1",
        "10",
        "999999999999999999999999999999999999",
    };
    struct datum null = {.type = TYPE_NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rising); i++)
        for (size_t j = 0; j < COUNT_OF(rising); j++) {
            struct datum a, b;

            assert_true(datum_read(TYPE_REAL, str_of(rising[i]), &a));
            assert_true(datum_read(TYPE_DECIMAL, str_of(rising[j]), &b));
            assert_int_equal((datum_cmp(&a, &b) > 0) - (datum_cmp(&a, &b) < 0),
                             (i > j) - (i < j));
            assert_true(datum_cmp(&a, &null) < 0);
            assert_true(datum_cmp(&null, &a) > 0);
        }
    assert_int_equal(datum_cmp(&null, &null), 0);
}

static void
texts_are_ordered_by_bytes(void **state)
{
    struct datum a = {.type = TYPE_TEXT, .text = {"ab", 2}};
    struct datum b = {.type = TYPE_TEXT, .text = {"abc", 3}};
    struct datum c = {.type = TYPE_TEXT, .text = {"b", 1}};
    struct datum none = {.type = TYPE_TEXT, .text = {NULL, 0}};

    (void)state;
    assert_true(datum_cmp(&a, &b) < 0);
    assert_true(datum_cmp(&b, &c) < 0);
    assert_true(datum_cmp(&none, &a) < 0);
    assert_int_equal(datum_cmp(&a, &a), 0);
}

static void
types_have_names(void **state)
{
    enum data_type t;

    (void)state;
    for (int i = TYPE_BOOL; i <= TYPE_TIMESTAMP; i++) {
        assert_true(
            data_type_find(str_of(data_type_name((enum data_type)i)), &t));
        assert_int_equal(t, i);
    }
    assert_true(data_type_find(str_of("BIGINT"), &t));
    assert_int_equal(t, TYPE_INT);
    assert_false(data_type_find(str_of("null"), &t));
    assert_false(data_type_find(str_of("blob"), &t));
    assert_true(data_type_is_number(TYPE_REAL));
    assert_false(data_type_is_number(TYPE_DATE));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_and_written),
        cmocka_unit_test(what_is_no_value_is_refused),
        cmocka_unit_test(days_follow_each_other),
        cmocka_unit_test(order_is_by_value),
        cmocka_unit_test(texts_are_ordered_by_bytes),
        cmocka_unit_test(types_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
