/*
 * Kept statements: they are reused, but only if the data cannot change, and
 * their number is limited. Also handles that share a version.
 */
#include <stdio.h>

#include "engine/duckdb/duck_inside.h"
#include "engine/made.h"

#define TABLE(name, more)                                                      \
    "  " name ":\n    source: rows.csv\n    unit: id\n" more                   \
    "    columns: {id: {type: integer, nullable: false}}\n"
#define HEAD "custos: 1\nbudget: {epsilon: 1, delta: 0}\ntables:\n"

static void
ready(struct made *m, const char *policy, int64_t small_rows)
{
    made_folder(m);
    made_file(m, "rows.csv", "id\n1\n2\n3\n");
    m->small_rows = small_rows;
    made_ready(m, policy);
}

static size_t
kept(const struct duck_connection *c)
{
    size_t n = 0;

    for (size_t i = 0; i < DUCK_KEPT_MAX; i++)
        n += c->kept[i].sql != NULL;
    return n;
}

static int
count(struct duck_connection *c, const char *sql)
{
    i128 n = -1;

    assert_int_equal(duck_ask_whole(c, sql, &n, NULL), CUSTOS_OK);
    return (int)n;
}

static void
statements_are_kept_and_make_room(void **state)
{
    struct duck_connection *c;
    struct result *first = NULL, *second = NULL;
    struct made m;
    char sql[64];

    (void)state;
    ready(&m, HEAD TABLE("t", ""), ENGINE_SMALL_ROWS);
    c = duck_of(m.engine)->connections[0];
    assert_true(c->keeps);
    for (int k = 0; k < 3; k++)
        assert_int_equal(count(c, "SELECT count(*) FROM t0"), 3);
    assert_int_equal(kept(c), 1);
    /* A statement is not reused while its result is open. */
    assert_int_equal(duck_ask(c, "SELECT u FROM t0", &first, NULL), CUSTOS_OK);
    assert_int_equal(duck_describe(c, "SELECT u FROM t0", &second, NULL),
                     CUSTOS_OK);
    result_free(second);
    result_free(first);
    for (int i = 0; i < 2 * DUCK_KEPT_MAX; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) + %d FROM t0", i);
        assert_int_equal(count(c, sql), 3 + i);
    }
    assert_int_equal(kept(c), DUCK_KEPT_MAX);
    /* A statement that failed is not kept. */
    assert_int_equal(duck_ask(c, "SELECT nothing FROM t0", &first, NULL),
                     CUSTOS_EENGINE);
    assert_int_equal(count(c, "SELECT count(*) FROM t0"), 3);
    made_close(&m);
}

/*
 * Numbers are taken out of the text and replaced by those of the current
 * question.
 */
static void
questions_that_differ_in_numbers_share_a_statement(void **state)
{
    struct duck_connection *c;
    struct made m;
    size_t before;
    char sql[128];

    (void)state;
    ready(&m, HEAD TABLE("t", ""), ENGINE_SMALL_ROWS);
    c = duck_of(m.engine)->connections[0];
    before = kept(c);
    for (int k = 0; k < 9; k++) {
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM t0 WHERE u > CAST('%d' AS BIGINT)", k);
        assert_int_equal(count(c, sql), k < 3 ? 3 - k : 0);
    }
    assert_int_equal(kept(c), before + 1);
    made_close(&m);
}

/*
 * Digits in texts and names are not numbers, and statements with JOIN or GROUP
 * BY keep their numbers.
 */
static void
only_literals_are_taken_out(void **state)
{
    static const char *const none[] = {
        "SELECT 'CAST(''7'' AS BIGINT)'",
        "SELECT \"CAST('7' AS BIGINT)\"",
        "SELECT CAST('x' AS BIGINT)",
        "SELECT CAST('99999999999999999999' AS BIGINT)",
        "SELECT CAST('7' AS HUGEINT), 'it''s CAST('",
        "SELECT CAST('7' AS BIGINT) FROM a JOIN b",
        "SELECT x + CAST('7' AS BIGINT) FROM a GROUP BY 1",
        "SELECT TRY_CAST('7' AS BIGINT) FROM a",
    };
    struct duck_numbers bound;
    struct buf b;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        buf_init(&b, NULL, 1000);
        assert_false(duck_numbers_take(none[i], &b, &bound));
        buf_clear(&b);
    }
    buf_init(&b, NULL, 1000);
    assert_true(
        duck_numbers_take("'it''s' < CAST('-7' AS BIGINT)", &b, &bound));
    assert_string_equal(buf_text(&b), "'it''s' < statement_number(0)");
    assert_int_equal(bound.values[0], -7);
    buf_clear(&b);
}

/*
 * An attached file can change: no statement is kept, and all threads are used.
 */
static void
attached_files_are_looked_at_anew(void **state)
{
    struct made m;

    (void)state;
    ready(&m, HEAD TABLE("t", "") TABLE("far", "    attach: true\n"),
          ENGINE_SMALL_ROWS);
    assert_false(duck_of(m.engine)->connections[0]->keeps);
    assert_false(duck_of(m.engine)->data->small);
    assert_int_equal(count(duck_of(m.engine)->connections[0], "SELECT 1"), 1);
    assert_int_equal(kept(duck_of(m.engine)->connections[0]), 0);
    made_close(&m);
}

static void
small_data_has_one_thread(void **state)
{
    static const char threads[] = "SELECT current_setting('threads')::INTEGER";
    struct made m;

    (void)state;
    ready(&m, HEAD TABLE("t", ""), ENGINE_SMALL_ROWS);
    assert_int_equal(count(duck_of(m.engine)->connections[0], threads), 1);
    assert_int_equal(m.engine->lanes, 1);
    made_close(&m);
    ready(&m, HEAD TABLE("t", ""), 2); /* it has 3 rows */
    assert_int_equal(count(duck_of(m.engine)->connections[0], threads),
                     (int)m.engine->lanes);
    assert_false(duck_of(m.engine)->data->small);
    made_close(&m);
}

/* The version stays open until the last handle is closed. */
static void
handles_share_a_version(void **state)
{
    struct engine *more = NULL;
    struct made m;

    (void)state;
    ready(&m, HEAD TABLE("t", ""), 0);
    assert_int_equal(engine_share(m.engine, &more, NULL), CUSTOS_OK);
    assert_int_equal(more->lanes, m.engine->lanes);
    engine_close(m.engine);
    m.engine = NULL;
    engine_interrupt(more); /* nothing runs */
    assert_int_equal(
        count(duck_of(more)->connections[0], "SELECT count(*) FROM t0"), 3);
    engine_close(more);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_kept_and_make_room),
        cmocka_unit_test(questions_that_differ_in_numbers_share_a_statement),
        cmocka_unit_test(only_literals_are_taken_out),
        cmocka_unit_test(attached_files_are_looked_at_anew),
        cmocka_unit_test(small_data_has_one_thread),
        cmocka_unit_test(handles_share_a_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
