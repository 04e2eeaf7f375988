/*
 * JSON in and out: numbers keep every digit, depth and size are bounded, and
 * the reader reads what the writer writes.
 */
#include "wire/json.h"

#include <stdio.h>

#include "support/bytes.h"
#include "support/support.h"

static arena *
memory(void)
{
    arena *a = arena_new(NULL, 1 << 20);

    assert_non_null(a);
    return a;
}

static void
assert_str(str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

static void
values_of_all_kinds(void **state)
{
    arena *a = memory();
    struct json_value v;
    const struct json_value *list;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(
        json_read(a,
                  str_of(" {\"z\": [0.1, -12, 1e-7, 123456789012345678901234, "
                         "\"1\", \"a\\u00e4\\\"5\", true, false, null, [], "
                         "{}],\n\"a\": {\"b\": 1.50}} "),
                  &v, &err),
        CUSTOS_OK);
    assert_int_equal(v.kind, JSON_MEMBERS);
    assert_int_equal(v.n, 2);
    assert_str(v.items[0].name, "z");
    list = json_member(&v, "z");
    assert_non_null(list);
    assert_int_equal(list->n, 11);
    assert_int_equal(list->items[0].kind, JSON_NUMBER);
    assert_str(list->items[0].text, "0.1");
    assert_str(list->items[1].text, "-12");
    assert_str(list->items[2].text, "1e-7");
    assert_str(list->items[3].text, "123456789012345678901234");
    assert_int_equal(list->items[4].kind, JSON_TEXT);
    assert_str(list->items[4].text, "1");
    assert_str(list->items[5].text, "a\xc3\xa4\"5");
    assert_int_equal(list->items[6].kind, JSON_TRUTH);
    assert_true(list->items[6].truth);
    assert_false(list->items[7].truth);
    assert_int_equal(list->items[8].kind, JSON_NULL_VALUE);
    assert_int_equal(list->items[9].kind, JSON_LIST);
    assert_int_equal(list->items[9].n, 0);
    assert_int_equal(list->items[10].kind, JSON_MEMBERS);
    assert_str(json_member(json_member(&v, "a"), "b")->text, "1.50");
    assert_null(json_member(&v, "b"));
    assert_null(json_member(list, "z"));
    arena_free(a);
}

static void
texts_that_are_no_json(void **state)
{
    static const char *const wrong[] = {
        "",
        "x",
        "{",
        "{\"a\":1,}",
        "[1,]",
        "[1] 2",
        "{\"a\" 1}",
        "{\"a\":1,\"a\":2}",
        "\"a",
        "\"\\u0000\"",
        "\"\xff\"",
        "[01]",
        "[1.]",
        "[.5]",
        "[+1]",
        "[1e]",
        "[--1]",
        "NaN",
        "[1e400]",
        "\"\\",
        "{\"a\":}",
        "'a'",
        "{\"a\\u0000b\":1}",
    };
    custos_err err = CUSTOS_ERR_INIT;
    struct json_value v;
    arena *nul = memory();

    (void)state;
    assert_int_equal(json_read(nul, BYTES("40\0"), &v, &err), CUSTOS_ESYNTAX);
    assert_int_equal(err.at, 2);
    arena_free(nul);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        str text = bytes_copy(str_of(wrong[i]));
        arena *a = memory();

        assert_int_equal(json_read(a, text, &v, &err), CUSTOS_ESYNTAX);
        assert_true(err.at >= 0 && (size_t)err.at <= text.len);
        arena_free(a);
        free((char *)text.ptr);
    }
}

static void
depth_is_bounded(void **state)
{
    char text[100000];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t n = JSON_DEPTH_MAX; n <= JSON_DEPTH_MAX + 1; n++) {
        arena *a = memory();
        struct json_value v;

        memset(text, '[', n);
        memset(text + n, ']', n);
        assert_int_equal(json_read(a, (str){text, 2 * n}, &v, &err),
                         n == JSON_DEPTH_MAX ? CUSTOS_OK : CUSTOS_EOVERFLOW);
        arena_free(a);
    }
    /* brackets in a text do not count as depth */
    for (int open = 0; open < 2; open++) {
        arena *a = memory();
        struct json_value v;

        memset(text, '[', sizeof text);
        text[0] = open ? '[' : '"';
        text[sizeof text - 1] = '"';
        assert_int_equal(json_read(a, (str){text, sizeof text}, &v, &err),
                         open ? CUSTOS_EOVERFLOW : CUSTOS_OK);
        arena_free(a);
    }
}

static void
memory_may_end(void **state)
{
    static const char text[] = "{\"a\": [1, 2, \"three\", {\"b\": null}]}";
    custos_err err = CUSTOS_ERR_INIT;
    bool good = false;

    (void)state;
    for (size_t limit = 0; limit < 1 << 18 && !good; limit += 64) {
        arena *a = arena_new(NULL, limit);
        struct json_value v;
        custos_status st;

        if (!a)
            continue;
        st = json_read(a, str_of(text), &v, &err);
        good = st == CUSTOS_OK;
        if (!good)
            assert_int_equal(st, CUSTOS_ENOMEM);
        arena_free(a);
    }
    assert_true(good);
}

/* Every ASCII character but NUL reads back unchanged. */
static void
texts_come_back(void **state)
{
    char text[128];
    struct json_value v;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;
    struct json j;
    arena *a = memory();

    (void)state;
    for (size_t i = 0; i < 127; i++)
        text[i] = (char)(i + 1);
    buf_init(&out, NULL, 10000);
    json_init(&j, &out, JSON_ONE_LINE);
    json_add_text(&j, NULL, (str){text, 127});
    assert_int_equal(json_read(a, (str){out.ptr, out.len}, &v, &err),
                     CUSTOS_OK);
    assert_int_equal(v.text.len, 127);
    assert_memory_equal(v.text.ptr, text, 127);
    buf_clear(&out);
    arena_free(a);
}

/* What was read is written as it was, whatever its kind. */
static void
values_are_written_again(void **state)
{
    static const char *const texts[] = {
        "null",
        "-1.50e+3",
        "\"a\\\"\\u0001\"",
        "[]",
        "{}",
        "{\"a\\\"b\":[1,{\"c\":true,\"d\":[false,null]},\"e\"],\"f\":{}}",
    };
    arena *a = memory();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct json_value v;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf out;
        struct json j;

        assert_int_equal(json_read(a, str_of(texts[i]), &v, &err), CUSTOS_OK);
        buf_init(&out, NULL, 1000);
        json_init(&j, &out, JSON_ONE_LINE);
        json_add_value(&j, NULL, &v);
        if (out.ptr[out.len - 1] == '\n')
            out.ptr[out.len - 1] = '\0';
        assert_string_equal(out.ptr, texts[i]);
        buf_clear(&out);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_kinds),
        cmocka_unit_test(texts_that_are_no_json),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(memory_may_end),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(values_are_written_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
