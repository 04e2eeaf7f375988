/*
 * Messages between the server and a worker: each reads back as it was sent, and
 * no prefix of it and nothing longer is accepted.
 */
#include "support/said.h"
#include "worker/message.h"

#include "base/error.h"
#include "curator/cause.h"
#include "support/support.h"

enum { ROOM = 1 << 16 };

static arena *a;
static struct buf b;

static int
begin(void **state)
{
    (void)state;
    a = arena_new(NULL, 1 << 24);
    buf_init(&b, NULL, ROOM);
    return a ? 0 : -1;
}

static int
end(void **state)
{
    (void)state;
    arena_free(a);
    buf_clear(&b);
    return 0;
}

static str
sent(void)
{
    assert_false(b.failed);
    return (str){b.ptr, b.len};
}

static bool
takes_hello(str bytes)
{
    struct message_hello h;

    return message_hello_unpack(bytes, &h);
}

static bool
takes_query(str bytes)
{
    struct work w;
    struct ask ask;

    return message_query_unpack(bytes, a, &w, &ask);
}

static bool
takes_catalog(str bytes)
{
    struct catalog_ask ask;
    enum catalog_how how;

    return message_catalog_unpack(bytes, a, &ask, &how);
}

static bool
takes_rows(str bytes)
{
    struct catalog_rows rows;

    return message_rows_unpack(bytes, a, &rows);
}

/* The complete message is accepted, but nothing shorter or longer. */
static void
is_taken_whole(bool (*takes)(str bytes))
{
    str all = sent();

    assert_true(takes(all));
    for (size_t n = 0; n < all.len; n++)
        assert_false(takes((str){all.ptr, n}));
    buf_add(&b, "", 1);
    assert_false(takes(sent()));
}

static void
hello_comes_back(void **state)
{
    struct message_hello h = {
        .store = str_of("/a store"),
        .of = {.version = UINT64_MAX, .policy = 2},
        .spill = str_of("/a store/tmp/spill"),
        .memory_bytes = (uint64_t)1 << 40,
        .parent = 4711,
    };
    struct message_hello got;

    (void)state;
    message_hello_pack(&h, &b);
    assert_true(message_hello_unpack(sent(), &got));
    assert_true(str_equal(got.store, h.store));
    assert_true(str_equal(got.spill, h.spill));
    assert_true(got.of.version == h.of.version && got.of.policy == 2);
    assert_true(got.memory_bytes == h.memory_bytes && got.parent == 4711);
    is_taken_whole(takes_hello);
}

static void
a_query_comes_back(void **state)
{
    const struct datum params[] = {
        {.type = TYPE_DECIMAL, .scale = 2, .n = -1234567},
        {.type = TYPE_TEXT, .text = str_of("it's")},
        {.type = TYPE_NULL},
    };
    const struct ask ask = {
        .who = str_of("ana"),
        .sql = str_of("SELECT count(*) FROM p WHERE x = $1 AND y = $2"),
        .epsilon = str_of("0.1"),
        .rho = str_of("0.005"),
        .within = str_of("3"),
        .jointly = true,
        .now = INT64_MAX,
        .params = params,
        .n_params = COUNT_OF(params),
    };
    struct work w = {.ask = &ask, .receipt.seq = 17}, got;
    struct ask asked;

    (void)state;
    memset(w.digest, 0xd1, sizeof w.digest);
    memset(w.receipt.hash, 0x4a, sizeof w.receipt.hash);
    message_query_pack(&w, &b);
    assert_true(message_query_unpack(sent(), a, &got, &asked));
    assert_memory_equal(got.digest, w.digest, sizeof w.digest);
    assert_memory_equal(&got.receipt, &w.receipt, sizeof w.receipt);
    assert_false(got.is_public);
    assert_true(str_equal(asked.sql, ask.sql) && asked.jointly);
    assert_true(str_equal(asked.who, ask.who));
    assert_true(str_equal(asked.epsilon, ask.epsilon));
    assert_true(str_equal(asked.rho, ask.rho));
    assert_true(str_equal(asked.within, ask.within));
    assert_true(asked.now == ask.now && asked.n_params == ask.n_params);
    assert_int_equal(datum_cmp(&asked.params[0], &params[0]), 0);
    assert_true(str_equal(asked.params[1].text, params[1].text));
    assert_int_equal(asked.params[2].type, TYPE_NULL);
    is_taken_whole(takes_query);
}

static void
catalog_questions_and_rows_come_back(void **state)
{
    const uint32_t types[] = {0, 25};
    const struct catalog_value params[] = {{true, {"", 0}},
                                           {false, str_of("x")}};
    const struct catalog_ask ask = {
        .who = str_of(""),
        .database = str_of("custos"),
        .sql = str_of("SELECT relname FROM pg_class"),
        .param_types = types,
        .n_param_types = 2,
        .params = params,
        .n_params = 2,
    };
    struct catalog_column columns[] = {{str_of("a"), 25}, {str_of("b"), 20}};
    struct catalog_value cells[] = {{false, str_of("1")},
                                    {true, {"", 0}},
                                    {false, str_of("")},
                                    {false, str_of("4")}};
    struct catalog_rows rows = {.columns = columns,
                                .n_columns = 2,
                                .params = NULL,
                                .cells = cells,
                                .n_rows = 2},
                        got;
    struct catalog_ask asked;
    enum catalog_how how;

    (void)state;
    message_catalog_pack(&ask, CATALOG_RUN, &b);
    assert_true(message_catalog_unpack(sent(), a, &asked, &how));
    assert_int_equal(how, CATALOG_RUN);
    assert_int_equal(asked.param_types[1], 25);
    assert_true(asked.params[0].is_null && !asked.params[1].is_null);
    assert_true(str_equal(asked.sql, ask.sql));
    is_taken_whole(takes_catalog);
    b.len = 0;
    message_rows_pack(&rows, &b);
    assert_true(message_rows_unpack(sent(), a, &got));
    assert_true(got.n_rows == 2 && got.n_columns == 2);
    assert_true(got.cells[1].is_null &&
                str_equal(got.cells[3].text, str_of("4")));
    assert_int_equal(got.columns[1].oid, 20);
    is_taken_whole(takes_rows);
}

/* Only a constant for the cause is sent, not the engine's message. */
static void
a_failure_says_a_status_and_a_cause(void **state)
{
    custos_err err = CUSTOS_ERR_INIT, got = CUSTOS_ERR_INIT;
    custos_status st;

    (void)state;
    custos_fail(&err, CUSTOS_EENGINE, "the query could not be completed");
    custos_note(&err, "Conversion Error: could not convert 'Ann' to INT32");
    message_failed_pack(CUSTOS_EENGINE, &err, &b);
    for (size_t i = 0; i + 3 <= b.len; i++)
        assert_memory_not_equal(b.ptr + i, "Ann", 3);
    assert_true(message_failed_unpack(sent(), &st, &got));
    assert_int_equal(st, CUSTOS_EENGINE);
    assert_string_equal(whole_said(&got), err.said);
    assert_string_equal(cause_word(cause_find(&got)), "conversion");
    assert_false(message_failed_unpack((str){"", 0}, &st, &got));
    b.len = 0;
    message_failed_pack(CUSTOS_OK, &err, &b); /* not a failure */
    assert_false(message_failed_unpack(sent(), &st, &got));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hello_comes_back),
        TEST(a_query_comes_back),
        TEST(catalog_questions_and_rows_come_back),
        TEST(a_failure_says_a_status_and_a_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
