/*
 * The writer of JSON: commas, quotes, escapes, and numbers with every digit.
 */
#include "../support/support.h"

#include "base/base.h"
#include "base/json.h"

#define BYTES(text)                                                            \
    {                                                                          \
        text, sizeof text - 1                                                  \
    }

/* Compares what was written, and begins a new text. */
static void
wrote(struct json *j, const char *json)
{
    struct buf *out = j->out;

    assert_string_equal(buf_text(out), json);
    buf_clear(out);
    json_init(j, out, j->layout);
}

static void
texts_are_escaped(void **state)
{
    static const struct {
        str text;
        const char *json;
    } rows[] = {
        {BYTES(""), "\"\""},
        {BYTES("a\"b\\c/"), "\"a\\\"b\\\\c/\""},
        {BYTES("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {BYTES("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\\u007f\""},
        {BYTES("\xc3\xa4\xf0\x9f\x98\x80"), "\"\xc3\xa4\xf0\x9f\x98\x80\""},
        {BYTES("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
        {BYTES("\xffz\n\xe2\x82\xac"), "\"\xef\xbf\xbdz\\n\xe2\x82\xac\""},
    };
    struct buf out;
    struct json j;

    (void)state;
    buf_init(&out, NULL, 1000);
    json_init(&j, &out, JSON_ONE_LINE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        json_add_text(&j, NULL, rows[i].text);
        wrote(&j, rows[i].json);
    }
}

static void
data_are_written(void **state)
{
    static const struct {
        enum data_type type;
        const char *value, *json, *text;
    } rows[] = {
        {TYPE_BOOL, "true", "true", "\"true\""},
        {TYPE_INT, "123456789012345678901234567890123456",
         "\"123456789012345678901234567890123456\"", NULL},
        {TYPE_DECIMAL, "-0.050", "\"-0.05\"", NULL},
        {TYPE_REAL, "1e-20", "\"0.00000000000000000001\"", NULL},
        {TYPE_TEXT, "a\"", "\"a\\\"\"", NULL},
        {TYPE_DATE, "2026-01-31", "\"2026-01-31\"", NULL},
        {TYPE_TIMESTAMP, "2026-01-31T01:02", "\"2026-01-31 01:02:00\"", NULL},
    };
    const struct datum null = {.type = TYPE_NULL};
    struct buf out;
    struct json j;

    (void)state;
    buf_init(&out, NULL, 1000);
    json_init(&j, &out, JSON_ONE_LINE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct datum d;

        assert_true(datum_read(rows[i].type, str_of(rows[i].value), &d));
        json_add_datum(&j, NULL, &d);
        wrote(&j, rows[i].json);
        json_add_datum_text(&j, NULL, &d);
        wrote(&j, rows[i].text ? rows[i].text : rows[i].json);
    }
    json_add_datum(&j, NULL, &null);
    wrote(&j, "null");
}

static void
other_values_are_written(void **state)
{
    static const uint8_t bytes[] = {0, 0x1f, 0xff};
    struct buf out;
    struct json j;

    (void)state;
    buf_init(&out, NULL, 1000);
    json_init(&j, &out, JSON_ONE_LINE);
    json_add_count(&j, NULL, UINT64_MAX);
    wrote(&j, "18446744073709551615");
    json_add_int(&j, NULL, INT64_MIN);
    wrote(&j, "-9223372036854775808");
    json_add_number(&j, NULL, str_of("1.50e3"));
    wrote(&j, "1.50e3");
    json_add_seconds(&j, NULL, 2000003);
    wrote(&j, "2.000003");
    json_add_moment(&j, NULL, 1763337781000000);
    wrote(&j, "\"2025-11-17T00:03:01Z\"");
    json_add_moment(&j, NULL, 0);
    wrote(&j, "null");
    json_add_hex(&j, NULL, bytes, sizeof bytes);
    wrote(&j, "\"001fff\"");
    json_add_text_or_null(&j, NULL, str_of("a"));
    wrote(&j, "\"a\"");
    json_add_text_or_null(&j, NULL, str_of(""));
    wrote(&j, "null");
    json_add_bool(&j, NULL, false);
    wrote(&j, "false");
    json_add_lines(&j, NULL, str_of("a\n\nb\n"));
    wrote(&j, "[\"a\",\"b\"]\n");
    json_add_lines(&j, NULL, str_of(""));
    wrote(&j, "[]\n");
}

static void
write_nested(struct json *j)
{
    json_begin(j, NULL);
    json_begin(j, "a\"b");
    json_end(j);
    json_begin_list(j, "rows");
    for (int i = 0; i < 2; i++) {
        json_begin_list(j, NULL);
        json_begin(j, NULL);
        json_add_int(j, "n", i);
        json_add_null(j, "of");
        json_end(j);
        json_add_int(j, NULL, 7);
        json_end(j);
    }
    json_end(j);
    json_add_bool(j, "end", true);
    json_end(j);
}

static void
commas_are_between_values(void **state)
{
    struct buf out;
    struct json j;

    (void)state;
    buf_init(&out, NULL, 1000);
    json_init(&j, &out, JSON_ONE_LINE);
    write_nested(&j);
    wrote(&j, "{\"a\\\"b\":{},\"rows\":[[{\"n\":0,\"of\":null},7],"
              "[{\"n\":1,\"of\":null},7]],\"end\":true}\n");
    json_init(&j, &out, JSON_LINES);
    write_nested(&j);
    wrote(&j, "{\"a\\\"b\":{},\"rows\":[\n[{\"n\":0,\"of\":null},7],"
              "\n[{\"n\":1,\"of\":null},7]],\"end\":true}\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(data_are_written),
        cmocka_unit_test(other_values_are_written),
        cmocka_unit_test(commas_are_between_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
