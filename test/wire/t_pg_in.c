/*
 * What clients send, byte for byte as in PostgreSQL's documentation; each
 * message cut at every byte, and with every byte changed; and the limits.
 */
#include "support/said.h"
#include "wire/pg_in.h"

#include "base/base.h"
#include "support/bytes.h"
#include "support/support.h"

static const struct pg_limits limits = {.message_bytes = 1 << 16,
                                        .list_max = 100};

#define STARTUP                                                                \
    "\0\0\0\x29\0\3\0\0user\0ana\0database\0shop\0"                            \
    "_pq_.x\0y\0\0"
#define QUERY "Q\0\0\0\x0dSELECT 1\0"
#define PARSE "P\0\0\0\x1bs1\0SELECT $1\0\0\2\0\0\0\x14\0\0\0\0"
#define BIND                                                                   \
    "B\0\0\0\x23p\0s1\0\0\2\0\0\0\1\0\2\0\0\0\2ab\xff\xff\xff\xff"             \
    "\0\3\0\1\0\0\0\1"
#define DESCRIBE "D\0\0\0\x08Ss1\0"
#define EXECUTE "E\0\0\0\x0ap\0\0\0\0\7"
#define CLOSE "C\0\0\0\x07Pp\0"
#define FLUSH "H\0\0\0\4"
#define SYNC "S\0\0\0\4"
#define TERMINATE "X\0\0\0\4"
#define PASSWORD                                                               \
    "p\0\0\0\x08"                                                              \
    "a\0\0b"
#define COPY_DATA "d\0\0\0\x06xy"
#define COPY_DONE "c\0\0\0\4"
#define COPY_FAIL "f\0\0\0\x08why\0"
#define CALL                                                                   \
    "F\0\0\0\x17\0\0\0\x2a\0\1\0\1\0\1\0\0\0\3"                                \
    "abc\0\1"

static const struct {
    str bytes;
    enum pg_kind kind;
} messages[] = {
    {{QUERY, sizeof QUERY - 1}, PG_QUERY},
    {{PARSE, sizeof PARSE - 1}, PG_PARSE},
    {{BIND, sizeof BIND - 1}, PG_BIND},
    {{DESCRIBE, sizeof DESCRIBE - 1}, PG_DESCRIBE},
    {{EXECUTE, sizeof EXECUTE - 1}, PG_EXECUTE},
    {{CLOSE, sizeof CLOSE - 1}, PG_CLOSE},
    {{FLUSH, sizeof FLUSH - 1}, PG_FLUSH},
    {{SYNC, sizeof SYNC - 1}, PG_SYNC},
    {{TERMINATE, sizeof TERMINATE - 1}, PG_TERMINATE},
    {{PASSWORD, sizeof PASSWORD - 1}, PG_SECRET},
    {{COPY_DATA, sizeof COPY_DATA - 1}, PG_COPY_DATA},
    {{COPY_DONE, sizeof COPY_DONE - 1}, PG_COPY_DONE},
    {{COPY_FAIL, sizeof COPY_FAIL - 1}, PG_COPY_FAIL},
    {{CALL, sizeof CALL - 1}, PG_FUNCTION_CALL},
};

static struct pg_message
taken(str bytes)
{
    struct pg_message m;
    size_t used = 0;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(pg_in_next(bytes, &limits, &m, &used, &err),
                     PG_IN_MESSAGE);
    assert_int_equal(used, bytes.len);
    return m;
}

static struct pg_message
taken_first(str bytes)
{
    struct pg_message m;
    size_t used = 0;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(pg_in_first(bytes, &m, &used, &err), PG_IN_MESSAGE);
    assert_int_equal(used, bytes.len);
    return m;
}

static void
assert_str(str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

static void
first_packets(void **state)
{
    struct pg_message m = taken_first(BYTES(STARTUP));
    struct pg_list pairs = m.startup.pairs;
    str name, value;

    (void)state;
    assert_int_equal(m.kind, PG_STARTUP);
    assert_int_equal(m.startup.minor, 0);
    assert_str(m.startup.user, "ana");
    assert_str(m.startup.database, "shop");
    assert_true(pg_pair_next(&pairs, &name, &value));
    assert_str(name, "user");
    assert_str(value, "ana");
    assert_true(pg_pair_next(&pairs, &name, &value));
    assert_true(pg_pair_next(&pairs, &name, &value));
    assert_str(name, "_pq_.x");
    assert_str(value, "y");
    assert_false(pg_pair_next(&pairs, &name, &value));

    m = taken_first(BYTES("\0\0\0\x12\0\3\0\2user\0bea\0\0"));
    assert_int_equal(m.startup.minor, 2);
    assert_str(m.startup.database, "bea");

    m = taken_first(BYTES("\0\0\0\x08\x04\xd2\x16\x2f"));
    assert_int_equal(m.kind, PG_SSL_REQUEST);
    m = taken_first(BYTES("\0\0\0\x08\x04\xd2\x16\x30"));
    assert_int_equal(m.kind, PG_GSS_REQUEST);
    m = taken_first(
        BYTES("\0\0\0\x10\x04\xd2\x16\x2e\0\0\1\2\xfe\xdc\xba\x98"));
    assert_int_equal(m.kind, PG_CANCEL_REQUEST);
    assert_int_equal(m.cancel.process, 0x102);
    assert_int_equal(m.cancel.len, 4);
    assert_memory_equal(m.cancel.key, "\xfe\xdc\xba\x98", 4);
    m = taken_first(BYTES("\0\0\0\x2c\x04\xd2\x16\x2e\0\0\1\2"
                          "0123456789abcdef0123456789abcdef"));
    assert_int_equal(m.cancel.len, 32);
    assert_memory_equal(m.cancel.key, "0123456789abcdef0123456789abcdef", 32);
    m = taken_first(BYTES("\0\0\0\x2d\x04\xd2\x16\x2e\0\0\1\2"
                          "0123456789abcdef0123456789abcdefX"));
    assert_int_equal(m.cancel.len, 33);
}

static void
first_packets_that_are_refused(void **state)
{
    static const struct {
        str bytes;
        const char *said;
    } cases[] = {
        {BYTES("\0\0\0\7\0\3\0"), "length of 7 bytes"},
        {BYTES("\0\0\x27\x11\0\3\0\0"), "at most 10000"},
        {BYTES("\xff\xff\xff\xff"), "at most 10000"},
        {BYTES("GET / HTTP/1.1\r\n"), "at most 10000"},
        {BYTES("\0\0\0\x08\0\2\0\0"), "version 2.0"},
        {BYTES("\0\0\0\x08\0\4\0\1"), "version 4.1"},
        {BYTES("\0\0\0\x08\0\3\0\0"), "text without an end"},
        {BYTES("\0\0\0\x09\0\3\0\0\0"), "names no user"},
        {BYTES("\0\0\0\x0f\0\3\0\0user\0\0\0"), "names no user"},
        {BYTES("\0\0\0\x0e\0\3\0\0user\0a"), "text without an end"},
        {BYTES("\0\0\0\x0f\0\3\0\0user\0a\0"), "text without an end"},
        {BYTES("\0\0\0\x11\0\3\0\0user\0a\0\0x"), "longer than"},
        {BYTES("\0\0\0\x09\x04\xd2\x16\x2f\0"), "longer than"},
        {BYTES("\0\0\0\x0c\x04\xd2\x16\x2e\0\0\1\2"), "key that is too short"},
        {BYTES("\0\0\0\x0f\x04\xd2\x16\x2e\0\0\1\2\0\0\0"),
         "key that is too short"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str bytes = bytes_copy(cases[i].bytes);
        struct pg_message m;
        custos_err err = CUSTOS_ERR_INIT;
        size_t used;

        assert_int_equal(pg_in_first(bytes, &m, &used, &err), PG_IN_BAD);
        assert_non_null(strstr(whole_said(&err), cases[i].said));
        assert_true(err.code == CUSTOS_EPROTOCOL ||
                    err.code == CUSTOS_EOVERFLOW);
        free((char *)bytes.ptr);
    }
}

/* The key of a cancel request may have 256 bytes, not 257. */
static void
keys_have_a_length(void **state)
{
    char bytes[12 + 257] = "\0\0\1\x0c\x04\xd2\x16\x2e";
    struct pg_message m;
    custos_err err = CUSTOS_ERR_INIT;
    size_t used;

    (void)state;
    assert_int_equal(pg_in_first((str){bytes, 12 + 256}, &m, &used, &err),
                     PG_IN_MESSAGE);
    assert_int_equal(m.cancel.len, 256);
    bytes[3]++;
    assert_int_equal(pg_in_first((str){bytes, 12 + 257}, &m, &used, &err),
                     PG_IN_BAD);
    assert_non_null(strstr(whole_said(&err), "key that is too long"));
}

static void
simple_messages(void **state)
{
    struct pg_message m;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        assert_int_equal(taken(messages[i].bytes).kind, messages[i].kind);
    m = taken(BYTES(QUERY));
    assert_str(m.text, "SELECT 1");
    m = taken(BYTES(DESCRIBE));
    assert_int_equal(m.named.object, PG_STATEMENT);
    assert_str(m.named.name, "s1");
    m = taken(BYTES(CLOSE));
    assert_int_equal(m.named.object, PG_PORTAL);
    assert_str(m.named.name, "p");
    m = taken(BYTES(EXECUTE));
    assert_str(m.execute.portal, "p");
    assert_int_equal(m.execute.rows, 7);
    m = taken(BYTES("E\0\0\0\x09\0\xff\xff\xff\xff"));
    assert_int_equal(m.execute.rows, 0);
    m = taken(BYTES(PASSWORD));
    assert_int_equal(m.text.len, 4);
    assert_memory_equal(m.text.ptr, "a\0\0b", 4);
    m = taken(BYTES(COPY_FAIL));
    assert_str(m.text, "why");
}

static void
lists_of_messages(void **state)
{
    struct pg_message m = taken(BYTES(PARSE));
    struct pg_bytes v;

    (void)state;
    assert_str(m.parse.name, "s1");
    assert_str(m.parse.sql, "SELECT $1");
    assert_int_equal(m.parse.types.n, 2);
    assert_int_equal(pg_type_at(&m.parse.types, 0), 20);
    assert_int_equal(pg_type_at(&m.parse.types, 1), 0);

    m = taken(BYTES(BIND));
    assert_str(m.bind.portal, "p");
    assert_str(m.bind.statement, "s1");
    assert_int_equal(m.bind.values.n, 2);
    assert_int_equal(pg_format_at(&m.bind.formats, 0), PG_TEXT);
    assert_int_equal(pg_format_at(&m.bind.formats, 1), PG_BINARY);
    assert_true(pg_value_next(&m.bind.values, &v));
    assert_false(v.is_null);
    assert_str(v.bytes, "ab");
    assert_true(pg_value_next(&m.bind.values, &v));
    assert_true(v.is_null);
    assert_false(pg_value_next(&m.bind.values, &v));
    assert_int_equal(m.bind.results.n, 3);
    assert_int_equal(pg_format_at(&m.bind.results, 0), PG_BINARY);
    assert_int_equal(pg_format_at(&m.bind.results, 1), PG_TEXT);

    m = taken(BYTES(CALL));
    assert_int_equal(m.call.function, 42);
    assert_int_equal(m.call.result, PG_BINARY);
    assert_true(pg_value_next(&m.call.values, &v));
    assert_str(v.bytes, "abc");
}

/*
 * No format means text; one format is for all values; otherwise each value has
 * its own.
 */
static void
formats_of_values(void **state)
{
    struct pg_message m;

    (void)state;
    m = taken(BYTES("B\0\0\0\x0c\0\0\0\0\0\0\0\0"));
    assert_int_equal(pg_format_at(&m.bind.formats, 9), PG_TEXT);
    m = taken(BYTES("B\0\0\0\x16\0\0\0\1\0\1\0\2\0\0\0\0\0\0\0\0\0\0"));
    assert_int_equal(pg_format_at(&m.bind.formats, 0), PG_BINARY);
    assert_int_equal(pg_format_at(&m.bind.formats, 1), PG_BINARY);
}

static void
messages_that_are_refused(void **state)
{
    static const struct {
        str bytes;
        const char *said;
    } cases[] = {
        {BYTES("z"), "unknown kind (byte 122)"},
        {BYTES("\0"), "unknown kind (byte 0)"},
        {BYTES("Q\0\0\0\3"), "length of 3 bytes"},
        {BYTES("Q\0\1\0\0"), "at most 65536"},
        {BYTES("Q\x7f\xff\xff\xff"), "at most 65536"},
        {BYTES("Q\xff\xff\xff\xff"), "at most 65536"},
        {BYTES("Q\0\0\0\x06"
               "ab"),
         "Query has a text without an end"},
        {BYTES("Q\0\0\0\x08"
               "a\0b\0"),
         "Query is longer"},
        {BYTES("S\0\0\0\5x"), "Sync is longer"},
        {BYTES("D\0\0\0\x07Xp\0"), "neither a statement nor a portal"},
        {BYTES("P\0\0\0\x0c\0a\0\0\2\0\0\0"), "Parse is shorter"},
        {BYTES("P\0\0\0\x09\0a\0\0\x65"), "Parse has a list that is too long"},
        {BYTES("B\0\0\0\x0e\0\0\0\1\0\2\0\0\0\0"), "neither text nor binary"},
        {BYTES("B\0\0\0\x10\0\0\0\2\0\0\0\0\0\0\0\0"),
         "a different number of formats"},
        {BYTES("B\0\0\0\x10\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"),
         "negative length"},
        {BYTES("B\0\0\0\x10\0\0\0\0\0\1\x7f\xff\xff\xff\0\0"), "shorter"},
        {BYTES("B\0\0\0\x0a\0\0\0\0\xff\xff"), "too long"},
        {BYTES("F\0\0\0\x0e\0\0\0\1\0\0\0\0\0\2"), "neither text nor binary"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str bytes = bytes_copy(cases[i].bytes);
        struct pg_message m;
        custos_err err = CUSTOS_ERR_INIT;
        size_t used;

        assert_int_equal(pg_in_next(bytes, &limits, &m, &used, &err),
                         PG_IN_BAD);
        assert_non_null(strstr(whole_said(&err), cases[i].said));
        free((char *)bytes.ptr);
    }
}

/*
 * Wherever a message is cut, the reader asks for more bytes, and never more
 * than needed.
 */
static void
messages_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        for (size_t len = 0; len < messages[i].bytes.len; len++) {
            str cut = bytes_copy((str){messages[i].bytes.ptr, len});
            struct pg_message m;
            custos_err err = CUSTOS_ERR_INIT;
            size_t used = 0;

            assert_int_equal(pg_in_next(cut, &limits, &m, &used, &err),
                             PG_IN_MORE);
            assert_int_equal(used, len < 5 ? 5 : messages[i].bytes.len);
            free((char *)cut.ptr);
        }
    for (size_t len = 0; len < sizeof STARTUP - 1; len++) {
        str cut = bytes_copy((str){STARTUP, len});
        struct pg_message m;
        custos_err err = CUSTOS_ERR_INIT;
        size_t used = 0;

        assert_int_equal(pg_in_first(cut, &m, &used, &err), PG_IN_MORE);
        assert_int_equal(used, len < 4 ? 4 : sizeof STARTUP - 1);
        free((char *)cut.ptr);
    }
}

/*
 * A message that is cut, and whose length field is changed to fit, is invalid
 * (or, if it consists of plain bytes, a valid shorter message).
 */
static void
lengths_that_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        for (size_t len = 4; len < messages[i].bytes.len - 1; len++) {
            str lie = bytes_copy((str){messages[i].bytes.ptr, len + 1});
            struct pg_message m;
            custos_err err = CUSTOS_ERR_INIT;
            size_t used;
            enum pg_in got;

            ((char *)lie.ptr)[4] = (char)len;
            got = pg_in_next(lie, &limits, &m, &used, &err);
            if (messages[i].kind == PG_SECRET ||
                messages[i].kind == PG_COPY_DATA)
                assert_int_equal(got, PG_IN_MESSAGE);
            else
                assert_int_equal(got, PG_IN_BAD);
            free((char *)lie.ptr);
        }
}

static void
walk(const struct pg_message *m)
{
    struct pg_list list;
    struct pg_bytes v;
    size_t sum = 0;

    if (m->kind == PG_BIND || m->kind == PG_FUNCTION_CALL) {
        list = m->kind == PG_BIND ? m->bind.values : m->call.values;
        while (pg_value_next(&list, &v))
            for (size_t i = 0; i < v.bytes.len; i++)
                sum += (unsigned char)v.bytes.ptr[i];
    }
    if (m->kind == PG_PARSE)
        for (size_t i = 0; i < m->parse.types.n; i++)
            sum += pg_type_at(&m->parse.types, i);
    assert_true(sum < SIZE_MAX);
}

/* No changed byte makes a reader read outside the message. */
static void
every_byte_may_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        for (size_t at = 0; at < messages[i].bytes.len; at++) {
            str bytes = bytes_copy(messages[i].bytes);

            for (int c = 0; c < 256; c++) {
                struct pg_message m;
                custos_err err = CUSTOS_ERR_INIT;
                size_t used = 0;

                ((char *)bytes.ptr)[at] = (char)c;
                if (pg_in_next(bytes, &limits, &m, &used, &err) ==
                    PG_IN_MESSAGE) {
                    assert_true(used <= bytes.len);
                    walk(&m);
                }
            }
            free((char *)bytes.ptr);
        }
}

static void
limits_hold_to_the_byte(void **state)
{
    struct pg_limits small = {.message_bytes = sizeof PARSE - 1, .list_max = 2};
    struct pg_message m;
    custos_err err = CUSTOS_ERR_INIT;
    size_t used;

    (void)state;
    assert_int_equal(pg_in_next(BYTES(PARSE), &small, &m, &used, &err),
                     PG_IN_MESSAGE);
    small.message_bytes--;
    assert_int_equal(pg_in_next(BYTES(PARSE), &small, &m, &used, &err),
                     PG_IN_BAD);
    assert_int_equal(err.code, CUSTOS_EOVERFLOW);
    small = (struct pg_limits){.message_bytes = 100, .list_max = 1};
    assert_int_equal(pg_in_next(BYTES(PARSE), &small, &m, &used, &err),
                     PG_IN_BAD);
    assert_int_equal(err.code, CUSTOS_EOVERFLOW);
}

static void
sasl_first_responses(void **state)
{
    struct pg_bytes response;
    custos_err err = CUSTOS_ERR_INIT;
    str name;

    (void)state;
    assert_int_equal(pg_sasl_first(BYTES("SCRAM-SHA-256\0\0\0\0\3n,,"), &name,
                                   &response, &err),
                     CUSTOS_OK);
    assert_str(name, "SCRAM-SHA-256");
    assert_str(response.bytes, "n,,");
    assert_int_equal(
        pg_sasl_first(BYTES("X\0\xff\xff\xff\xff"), &name, &response, &err),
        CUSTOS_OK);
    assert_true(response.is_null);
    assert_int_equal(pg_sasl_first(BYTES("X"), &name, &response, &err),
                     CUSTOS_EPROTOCOL);
    assert_int_equal(pg_sasl_first(BYTES(""), &name, &response, &err),
                     CUSTOS_EPROTOCOL);
    assert_int_equal(
        pg_sasl_first(BYTES("X\0\0\0\0\2n"), &name, &response, &err),
        CUSTOS_EPROTOCOL);
    assert_int_equal(
        pg_sasl_first(BYTES("X\0\xff\xff\xff\xffn"), &name, &response, &err),
        CUSTOS_EPROTOCOL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_packets),
        cmocka_unit_test(first_packets_that_are_refused),
        cmocka_unit_test(keys_have_a_length),
        cmocka_unit_test(simple_messages),
        cmocka_unit_test(lists_of_messages),
        cmocka_unit_test(formats_of_values),
        cmocka_unit_test(messages_that_are_refused),
        cmocka_unit_test(messages_cut_at_every_byte),
        cmocka_unit_test(lengths_that_lie),
        cmocka_unit_test(every_byte_may_change),
        cmocka_unit_test(limits_hold_to_the_byte),
        cmocka_unit_test(sasl_first_responses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
