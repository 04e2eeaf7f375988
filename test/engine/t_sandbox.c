/*
 * The sandbox: sealed from the start, values as PostgreSQL writes them, and
 * limits on time and memory.
 */
#include "engine/sandbox.h"

#include <stdio.h>

#include "base/base.h"
#include "base/str.h"
#include "support/said.h"
#include "support/support.h"

/* A value that its column cannot hold is an error, not another value. */
static void
what_does_not_fit_is_refused(void **state)
{
    struct sandbox_column column = {.name = str_of("a"), .type = COLUMN_I16};
    struct datum cell = {.type = TYPE_INT, .n = 1 << 20};
    const struct sandbox_table table = {.schema = "s",
                                        .name = "t",
                                        .columns = &column,
                                        .n_columns = 1,
                                        .cells = &cell,
                                        .n_rows = 1};
    const struct sandbox_content content = {SANDBOX_TABLES, &table, 1};
    struct sandbox *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(sandbox_open(&content, 1000, &s, &err), CUSTOS_EENGINE);
    assert_string_equal(whole_said(&err), "the query could not be completed");
    assert_null(s);
}

static struct sandbox *
opened(unsigned limit_ms)
{
    struct sandbox_column columns[] = {
        {.name = str_of("a"), .type = COLUMN_I32},
        {.name = str_of("b"),
         .type = COLUMN_TEXT,
         .unset = SANDBOX_UNSET_DATABASE},
        {.name = str_of("c"), .type = COLUMN_TEXT},
        {.name = str_of("d"), .type = COLUMN_BOOL},
        {.name = str_of("e"), .type = COLUMN_LIST, .item = COLUMN_I16},
    };
    struct datum cells[] = {{.type = TYPE_INT, .n = 1},
                            {.type = TYPE_NULL},
                            {.type = TYPE_TEXT, .text = str_of("it's")},
                            {.type = TYPE_BOOL, .n = 1},
                            {.type = TYPE_NULL}};
    const struct sandbox_table table = {.schema = "s",
                                        .name = "t",
                                        .columns = columns,
                                        .n_columns = COUNT_OF(columns),
                                        .cells = cells,
                                        .n_rows = 1};
    const struct sandbox_content content = {SANDBOX_TABLES, &table, 1};
    struct sandbox *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (sandbox_open(&content, limit_ms, &s, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return s;
}

static void
writes(struct sandbox *s, const char *sql, const char *want)
{
    arena *a = arena_new(NULL, 1 << 24);
    struct sandbox_rows r;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    if (sandbox_ask(s, str_of("db"), sql, SANDBOX_RUN, a, &r, &err))
        fail_msg("%s: %s (%s)", sql, err.said, err.noted);
    for (size_t i = 0; i < r.n_columns; i++)
        buf_printf(&b, "%s%u:%s", i ? " " : "", r.types[i],
                   r.cells[i].is_null ? "~" : r.cells[i].text.ptr);
    assert_string_equal(buf_text(&b), want);
    buf_clear(&b);
    arena_free(a);
}

static void
values_are_as_postgresql_writes_them(void **state)
{
    struct sandbox *s = opened(10000);

    (void)state;
    writes(s, "SELECT true, false, NULL::VARCHAR", "16:t 16:f 25:~");
    writes(s,
           "SELECT 1::SMALLINT, -2::INTEGER, 3::BIGINT, 4::UINTEGER, "
           "5::HUGEINT",
           "21:1 23:-2 20:3 26:4 1700:5");
    writes(s, "SELECT 1.50::DECIMAL(9, 2), 0.5::DOUBLE", "1700:1.50 701:0.5");
    writes(s, "SELECT DATE '2026-01-31', TIMESTAMP '2026-01-31 12:00:00'",
           "1082:2026-01-31 1114:2026-01-31 12:00:00");
    writes(s,
           "SELECT ['a', 'b c', NULL, 'q\"\\', '', 'NULL'], [1, 2], "
           "[]::UINTEGER[]",
           "1009:{a,\"b c\",NULL,\"q\\\"\\\\\",\"\",\"NULL\"} 1007:{1,2} "
           "1028:{}");
    writes(s, "SELECT getvariable('database'), * FROM s.t",
           "25:db 23:1 25:db 25:it's 16:t 1005:~");
    sandbox_close(s);
}

static void
fails(struct sandbox *s, const char *sql)
{
    arena *a = arena_new(NULL, 1 << 24);
    struct sandbox_rows r;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(
        sandbox_ask(s, str_of("db"), sql, SANDBOX_RUN, a, &r, &err),
        CUSTOS_EENGINE);
    assert_string_equal(whole_said(&err), "the query could not be completed");
    arena_free(a);
}

/* The sandbox rejects even statements that no question can lead to. */
static void
it_reaches_nothing_outside(void **state)
{
    static const char *const tries[] = {
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM glob('/*')",
        "COPY s.t TO '/tmp/custos_sandbox'",
        "ATTACH '/tmp/custos_sandbox.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '1TB'",
        "SET threads = 8",
        "EXPORT DATABASE '/tmp/custos_sandbox'",
    };
    struct sandbox *s = opened(10000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        fails(s, tries[i]);
    sandbox_close(s);
}

static void
it_ends_what_takes_too_long(void **state)
{
    struct sandbox *s = opened(50);
    arena *a;

    (void)state;
    fails(s, "SELECT count(*) FROM range(100000000) a, range(100000000) b "
             "WHERE a.range + b.range < 0");
    fails(s, "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n % 7 FROM t) "
             "SELECT max(n) FROM t");
    writes(s, "SELECT 1", "23:1"); /* and still works */
    a = arena_new(NULL, 1 << 20);
    assert_true(sandbox_is_well(s, a));
    arena_free(a);
    sandbox_close(s);
    s = opened(60000);
    fails(s, "SELECT array_agg(range) FROM range(1000000000)");
    sandbox_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_as_postgresql_writes_them),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(it_reaches_nothing_outside),
        cmocka_unit_test(it_ends_what_takes_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
