/*
 * What the server sends, byte for byte as in PostgreSQL's documentation.
 */
#include "wire/pg_out.h"

#include "base/base.h"
#include "base/error.h"
#include "support/bytes.h"
#include "support/support.h"

/* Calls a writer with a new buf and compares the bytes. */
#define SENDS(call, literal)                                                   \
    do {                                                                       \
        struct buf out;                                                        \
                                                                               \
        buf_init(&out, NULL, 4096);                                            \
        call;                                                                  \
        assert_bytes(&out, BYTES(literal));                                    \
        buf_clear(&out);                                                       \
    } while (0)

static void
logins(void **state)
{
    (void)state;
    SENDS(pg_out_auth_ok(&out), "R\0\0\0\x08\0\0\0\0");
    SENDS(pg_out_auth_sasl(&out, PG_SASL_PLAIN),
          "R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0");
    SENDS(pg_out_auth_sasl(&out, PG_SASL_PLUS),
          "R\0\0\0\x2a\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
    SENDS(pg_out_auth_sasl_continue(&out, str_of("r=x")),
          "R\0\0\0\x0b\0\0\0\x0br=x");
    SENDS(pg_out_auth_sasl_final(&out, str_of("v=y")),
          "R\0\0\0\x0b\0\0\0\x0cv=y");
    SENDS(pg_out_parameter(&out, "TimeZone", "UTC"),
          "S\0\0\0\x11TimeZone\0UTC\0");
    SENDS(pg_out_key(&out, 258, str_of("abcd")), "K\0\0\0\x0c\0\0\1\2abcd");
}

static struct pg_startup
startup(str bytes)
{
    struct pg_message m;
    custos_err err = CUSTOS_ERR_INIT;
    size_t used;

    assert_int_equal(pg_in_first(bytes, &m, &used, &err), PG_IN_MESSAGE);
    return m.startup;
}

static void
versions(void **state)
{
    struct pg_startup s = startup(BYTES("\0\0\0\x10\0\3\0\0user\0a\0\0"));

    (void)state;
    assert_false(pg_must_negotiate(&s));
    assert_int_equal(pg_minor_spoken(&s), 0);
    s = startup(BYTES("\0\0\0\x10\0\3\0\1user\0a\0\0"));
    assert_true(pg_must_negotiate(&s));
    SENDS(pg_out_negotiate(&out, &s), "v\0\0\0\x0c\0\3\0\0\0\0\0\0");
    s = startup(BYTES("\0\0\0\x10\0\3\0\2user\0a\0\0"));
    assert_false(pg_must_negotiate(&s));
    assert_int_equal(pg_minor_spoken(&s), 2);
    s = startup(BYTES("\0\0\0\x10\0\3\x27\x0fuser\0a\0\0"));
    assert_true(pg_must_negotiate(&s));
    SENDS(pg_out_negotiate(&out, &s), "v\0\0\0\x0c\0\3\0\2\0\0\0\0");
    s = startup(BYTES("\0\0\0\x19\0\3\0\0user\0a\0_pq_.x\0y\0\0"));
    assert_true(pg_must_negotiate(&s));
    SENDS(pg_out_negotiate(&out, &s), "v\0\0\0\x13\0\3\0\0\0\0\0\1_pq_.x\0");
}

static void
words(void **state)
{
    (void)state;
    SENDS(pg_out_ready(&out, PG_IDLE), "Z\0\0\0\5I");
    SENDS(pg_out_ready(&out, PG_IN_TRANSACTION), "Z\0\0\0\5T");
    SENDS(pg_out_ready(&out, PG_IN_FAILED), "Z\0\0\0\5E");
    SENDS(pg_out_word(&out, PG_PARSE_COMPLETE), "1\0\0\0\4");
    SENDS(pg_out_word(&out, PG_BIND_COMPLETE), "2\0\0\0\4");
    SENDS(pg_out_word(&out, PG_CLOSE_COMPLETE), "3\0\0\0\4");
    SENDS(pg_out_word(&out, PG_EMPTY_QUERY), "I\0\0\0\4");
    SENDS(pg_out_word(&out, PG_NO_DATA), "n\0\0\0\4");
    SENDS(pg_out_word(&out, PG_PORTAL_SUSPENDED), "s\0\0\0\4");
    SENDS(pg_out_complete(&out, "SET"), "C\0\0\0\x08SET\0");
    SENDS(pg_out_complete_select(&out, 12), "C\0\0\0\x0eSELECT 12\0");
}

static void
descriptions(void **state)
{
    const struct pg_column columns[] = {
        {str_of("n"), pg_type_of(TYPE_INT, PG_64_BITS), PG_BINARY, 0, 0},
        {str_of("city"), pg_type_of(TYPE_TEXT, PG_64_BITS), PG_TEXT, 16385, 2},
    };
    const uint32_t types[] = {20, 25};

    (void)state;
    SENDS(pg_out_row_description(&out, columns, 2),
          "T\0\0\0\x31\0\2"
          "n\0\0\0\0\0\0\0\0\0\0\x14\0\x08\xff\xff\xff\xff\0\1"
          "city\0\0\0\x40\1\0\2\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0");
    SENDS(pg_out_parameter_description(&out, types, 2),
          "t\0\0\0\x0e\0\2\0\0\0\x14\0\0\0\x19");
}

static custos_status
send_row(struct buf *out, const struct datum *first, custos_err *err)
{
    const struct pg_column column = {
        .type = pg_type_of(TYPE_INT, PG_64_BITS),
    };
    const struct datum null = {.type = TYPE_NULL};
    const struct pg_bytes text = {.bytes = str_of("x")};
    size_t at = pg_row_begin(out, 3);
    custos_status st = pg_row_add(out, at, &null, &column, err);

    if (!st)
        st = pg_row_add(out, at, first, &column, err);
    if (!st)
        st = pg_row_add_text(out, at, &text, &column, err);
    if (!st)
        pg_row_end(out, at);
    return st;
}

static void
rows(void **state)
{
    const struct datum small = {.type = TYPE_INT, .n = 42};
    const struct datum large = {.type = TYPE_INT, .n = (i128)1 << 64};
    struct buf second;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    SENDS(assert_int_equal(send_row(&out, &small, &err), CUSTOS_OK),
          "D\0\0\0\x15\0\3\xff\xff\xff\xff\0\0\0\2"
          "42\0\0\0\1x");
    /* If a row cannot be sent, no part of it is. */
    buf_init(&second, NULL, 4096);
    pg_out_word(&second, PG_NO_DATA);
    assert_int_equal(send_row(&second, &large, &err), CUSTOS_ERANGE);
    assert_bytes(&second, BYTES("n\0\0\0\4"));
    assert_int_equal(second.ptr[second.len], '\0');
    buf_clear(&second);
}

static void
send_array(struct buf *out, enum pg_format format, uint32_t of,
           const struct datum *values, size_t n)
{
    const struct pg_column column = {.type = pg_type_by_oid(pg_array_of(of)),
                                     .format = format};
    custos_err err = CUSTOS_ERR_INIT;
    size_t at = pg_row_begin(out, 1);

    assert_int_equal(pg_row_add_array(out, at, values, n, of, &column, &err),
                     CUSTOS_OK);
    pg_row_end(out, at);
}

static void
arrays(void **state)
{
    const struct datum numbers[] = {{.type = TYPE_INT, .n = 42},
                                    {.type = TYPE_NULL},
                                    {.type = TYPE_INT, .n = -1}};
    const struct datum time = {.type = TYPE_TIMESTAMP, .n = 0};

    (void)state;
    SENDS(send_array(&out, PG_TEXT, PG_INT8, numbers, 3),
          "D\0\0\0\x16\0\1\0\0\0\x0c{42,NULL,-1}");
    SENDS(send_array(&out, PG_BINARY, PG_INT8, numbers, 3),
          "D\0\0\0\x3a\0\1\0\0\0\x30"
          "\0\0\0\1\0\0\0\1\0\0\0\x14\0\0\0\3\0\0\0\1"
          "\0\0\0\x08\0\0\0\0\0\0\0\x2a\xff\xff\xff\xff"
          "\0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xff");
    SENDS(send_array(&out, PG_TEXT, PG_TIMESTAMP, &time, 1),
          "D\0\0\0\x21\0\1\0\0\0\x17{\"1970-01-01 00:00:00\"}");
}

static void
reports(void **state)
{
    const struct pg_report notice = {
        .severity = PG_NOTICE,
        .sqlstate = "00000",
        .message = str_of("cost 0.1"),
        .detail = str_of("left 0.9"),
        .hint = str_of("none"),
    };
    const str sql = str_of("SELECT \xc3\xa4\xe2\x82\xac x");
    struct pg_report report;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    SENDS(pg_out_report(&out, &notice),
          "N\0\0\0\x36SNOTICE\0VNOTICE\0C00000\0Mcost 0.1\0Dleft 0.9\0"
          "Hnone\0\0");
    /* Our errors count bytes from 0, the wire counts characters from 1. */
    (void)custos_fail_at(&err, CUSTOS_ENAME, 13, "no x");
    report = pg_report_of(PG_ERROR, &err, sql);
    SENDS(pg_out_report(&out, &report),
          "E\0\0\0\x24SERROR\0VERROR\0C42704\0Mno x\0P11\0\0");
    (void)custos_fail_at(&err, CUSTOS_ENAME, 0, "no x");
    assert_int_equal(pg_report_of(PG_ERROR, &err, sql).position, 1);
    (void)custos_fail_at(&err, CUSTOS_ENAME, 1000, "at the end");
    assert_int_equal(pg_report_of(PG_ERROR, &err, sql).position, 12);
    assert_int_equal(pg_report_of(PG_ERROR, &err, str_of("")).position, 0);
    (void)custos_fail(&err, CUSTOS_EPROTOCOL, "x");
    report = pg_report_of(PG_FATAL, &err, sql);
    assert_int_equal(report.position, 0);
    SENDS(pg_out_report(&out, &report),
          "E\0\0\0\x1dSFATAL\0VFATAL\0C08P01\0Mx\0\0");
}

/* A NUL ends a text: what follows cannot become a field. */
static void
texts_end_at_their_nul(void **state)
{
    const struct pg_column column = {.name = BYTES("a\0b")};
    struct buf out;

    (void)state;
    buf_init(&out, NULL, 4096);
    pg_out_row_description(&out, &column, 1);
    assert_int_equal(out.len, 7 + 2 + 18);
    buf_clear(&out);
}

static void
lists_that_are_too_long(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, NULL, 1 << 20);
    pg_row_begin(&out, INT16_MAX);
    assert_false(out.failed);
    pg_row_begin(&out, INT16_MAX + 1);
    assert_true(out.failed);
    buf_clear(&out);
}

/* Every writer stops at the limit of the buf, wherever that is. */
static void
bufs_that_are_full(void **state)
{
    const struct datum d = {.type = TYPE_INT, .n = 42};
    const struct pg_report report = {.sqlstate = "00000",
                                     .message = str_of("m")};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t limit = 0; limit < 60; limit++) {
        struct buf out;

        buf_init(&out, NULL, limit);
        (void)!send_row(&out, &d, &err);
        pg_out_report(&out, &report);
        pg_out_auth_sasl(&out, PG_SASL_PLUS);
        assert_true(out.failed);
        assert_true(out.len <= limit);
        buf_clear(&out);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logins),
        cmocka_unit_test(versions),
        cmocka_unit_test(words),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(rows),
        cmocka_unit_test(arrays),
        cmocka_unit_test(reports),
        cmocka_unit_test(texts_end_at_their_nul),
        cmocka_unit_test(lists_that_are_too_long),
        cmocka_unit_test(bufs_that_are_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
