/*
 * Values of the catalog, including arrays, in binary and back. The bytes are
 * those of a PostgreSQL 15 server (array_send).
 */
#include "support/said.h"
#include "wire/pg_text.h"

#include "base/base.h"
#include "support/bytes.h"
#include "support/support.h"

static const struct {
    uint32_t oid;
    const char *text, *hex;
} cases[] = {
    {PG_INT4_ARRAY, "{1,-2,NULL}",
     "0000000100000001000000170000000300000001000000040000000100000004fffffffe"
     "ffffffff"},
    {PG_INT4_ARRAY, "{}", "000000000000000000000017"},
    {PG_STRING_ARRAY, "{a,\"b c\",\"\",\"NULL\",NULL,\"q\\\"\\\\\"}",
     "000000010000000100000019000000060000000100000001610000000362206300000000"
     "000000044e554c4cffffffff0000000371225c"},
    {PG_OID_ARRAY, "{16,1043}",
     "00000001000000000000001a00000002000000010000000400000010000000040000041"
     "3"},
    {PG_INT2_ARRAY, "{1,2}",
     "0000000100000000000000150000000200000001000000020001000000020002"},
    {PG_CHAR_ARRAY, "{x,y}",
     "000000010000000000000012000000020000000100000001780000000179"},
    {PG_INT8_ARRAY, "{7}",
     "0000000100000000000000140000000100000001000000080000000000000007"},
    {1182, "{2000-01-02,NULL}",
     "00000001000000010000043a00000002000000010000000400000001ffffffff"},
    {1231, "{0.5}",
     "0000000100000000000006a400000001000000010000000a0001ffff000000011388"},
    {PG_BOOL, "t", "01"},
    {PG_OID, "16385", "00004001"},
    {PG_INT2, "-1", "ffff"},
    {PG_NAME, "orders", "6f7264657273"},
    {PG_FLOAT8, "0.1", "3fb999999999999a"},
    {PG_NUMERIC, "0.5", "0001ffff000000011388"},
};

static void
texts_out(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct buf out;

        buf_init(&out, NULL, 4096);
        assert_int_equal(pg_text_write(str_of(cases[i].text), cases[i].oid,
                                       PG_BINARY, &out, &err),
                         CUSTOS_OK);
        assert_hex(&out, cases[i].hex);
        buf_clear(&out);
        assert_int_equal(pg_text_write(str_of(cases[i].text), cases[i].oid,
                                       PG_TEXT, &out, &err),
                         CUSTOS_OK);
        assert_string_equal(buf_text(&out), cases[i].text);
        buf_clear(&out);
    }
}

static void
texts_in(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pg_bytes binary = {.bytes = bytes_of_hex(cases[i].hex)};
        struct pg_bytes text = {.bytes = str_of(cases[i].text)};
        struct buf out;

        buf_init(&out, NULL, 4096);
        assert_int_equal(
            pg_text_read(&binary, cases[i].oid, PG_BINARY, 1, &out, &err),
            CUSTOS_OK);
        assert_string_equal(buf_text(&out), cases[i].text);
        buf_clear(&out);
        assert_int_equal(
            pg_text_read(&text, cases[i].oid, PG_TEXT, 1, &out, &err),
            CUSTOS_OK);
        assert_string_equal(buf_text(&out), cases[i].text);
        buf_clear(&out);
        free((char *)binary.bytes.ptr);
    }
}

/* Reading a truncated or changed binary array never goes outside its bytes. */
static void
arrays_cut_and_changed(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str whole = bytes_of_hex(cases[i].hex);

        for (size_t len = 0; len < whole.len; len++) {
            struct pg_bytes cut = {
                .bytes = bytes_copy((str){whole.ptr, len}),
            };
            struct buf out;

            buf_init(&out, NULL, 4096);
            if (cases[i].text[0] == '{')
                assert_int_equal(
                    pg_text_read(&cut, cases[i].oid, PG_BINARY, 1, &out, &err),
                    CUSTOS_EINVAL);
            for (int c = 0; c < 256 && len < whole.len; c += 5) {
                struct pg_bytes changed = {.bytes = bytes_copy(whole)};

                ((char *)changed.bytes.ptr)[len] = (char)c;
                (void)!pg_text_read(&changed, cases[i].oid, PG_BINARY, 1, &out,
                                    &err);
                free((char *)changed.bytes.ptr);
            }
            buf_clear(&out);
            free((char *)cut.bytes.ptr);
        }
        free((char *)whole.ptr);
    }
}

static void
texts_that_are_refused(void **state)
{
    static const struct {
        uint32_t oid;
        const char *text;
    } wrong[] = {
        {PG_INT4_ARRAY, ""},      {PG_INT4_ARRAY, "{"},
        {PG_INT4_ARRAY, "{1"},    {PG_INT4_ARRAY, "{1}2"},
        {PG_INT4_ARRAY, "{1,}"},  {PG_INT4_ARRAY, "{x}"},
        {PG_INT4_ARRAY, "1"},     {PG_STRING_ARRAY, "{\"a}"},
        {PG_STRING_ARRAY, "{a,"}, {PG_STRING_ARRAY, "{a,}"},
        {PG_INT4, "x"},           {PG_BOOL, "2"},
    };
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct buf out;

        buf_init(&out, NULL, 4096);
        assert_int_equal(pg_text_write(str_of(wrong[i].text), wrong[i].oid,
                                       PG_BINARY, &out, &err),
                         CUSTOS_EINVAL);
        buf_clear(&out);
    }
}

/*
 * Rejected: arrays of another type or of two dimensions, with bytes after the
 * last element, or with a negative length.
 */
static void
arrays_that_are_refused(void **state)
{
    static const char *const wrong[] = {
        "00000001000000000000001300000001000000010000000161", /* name[] */
        "0000000100000000000000190000000100000001000000016100",
        "00000000000000000000001900",
        "00000002000000000000001900000001000000010000000100000001",
        "000000010000000000000019ffffffff00000001",
    };
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct pg_bytes b = {.bytes = bytes_of_hex(wrong[i])};
        struct buf out;

        buf_init(&out, NULL, 4096);
        assert_int_equal(
            pg_text_read(&b, PG_STRING_ARRAY, PG_BINARY, 3, &out, &err),
            CUSTOS_EINVAL);
        assert_non_null(strstr(whole_said(&err), "parameter $3 "));
        buf_clear(&out);
        free((char *)b.bytes.ptr);
    }
}

static void
types_that_are_not_known(void **state)
{
    struct pg_bytes b = {.bytes = str_of("x")};
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    buf_init(&out, NULL, 100);
    assert_int_equal(pg_text_read(&b, 2205, PG_TEXT, 1, &out, &err), CUSTOS_OK);
    assert_int_equal(pg_text_read(&b, 2205, PG_BINARY, 1, &out, &err),
                     CUSTOS_EUNSUPPORTED);
    b.bytes = str_of("\xff");
    assert_int_equal(pg_text_read(&b, 2205, PG_TEXT, 1, &out, &err),
                     CUSTOS_EINVAL);
    assert_hex(&out, "78");
    buf_clear(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_out),
        cmocka_unit_test(texts_in),
        cmocka_unit_test(arrays_cut_and_changed),
        cmocka_unit_test(texts_that_are_refused),
        cmocka_unit_test(arrays_that_are_refused),
        cmocka_unit_test(types_that_are_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
