/*
 * Statements as the engine's text: parentheses where precedence needs them, and the
 * forms that only an import uses. Kept statements: they are reused, but only if the
 * data cannot change, and their number is limited. Also handles that share a version.
 */
#include <stdio.h>

#include "engine/duckdb/duck_inside.h"
#include "engine/duckdb/duck_print_command.h"
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

/* ------------------------------------------------------------------ printed -- */

static void
prints(const struct builder *b, const struct term *t, const char *text)
{
    struct buf out;

    buf_init(&out, NULL, 1 << 12);
    duck_print_term(t, &out);
    assert_false(b->failed || out.failed);
    assert_string_equal(buf_text(&out), text);
    buf_clear(&out);
}

/* The same; and DuckDB, which reads the text, computes this whole number. */
static void
gives(struct duck_connection *c, struct builder *b, const struct term *t,
      const char *text, int value)
{
    struct select *s = select_new(b, NULL);
    struct buf out;

    prints(b, t, text);
    select_add_bare(b, s, term_cast(b, t, STORED(I64)));
    buf_init(&out, NULL, 1 << 12);
    duck_print_select(s, NULL, &out);
    assert_false(b->failed || out.failed);
    assert_int_equal(count(c, buf_text(&out)), value);
    buf_clear(&out);
}

static const struct term *
number(struct builder *b, int n)
{
    return term_number(b, n);
}

/* Comparisons cannot be chained; || is looser than + and tighter than =. */
static void
operators_keep_their_operands(void **state)
{
    const struct term *two, *three, *five, *small, *joined;
    struct duck_connection *c;
    struct builder b;
    struct made m;

    (void)state;
    ready(&m, HEAD TABLE("t", ""), 0);
    c = duck_of(m.engine)->connections[0];
    builder_init(&b, NULL);
    two = number(&b, 2);
    three = number(&b, 3);
    five = number(&b, 5);
    small = term_binary(&b, three, TERM_LESS, two);
    gives(c, &b, term_binary(&b, small, TERM_EQUAL, term_false(&b)),
          "(3 < 2) = false", 1);
    gives(c, &b, term_binary(&b, term_false(&b), TERM_DISTINCT, small),
          "false IS DISTINCT FROM (3 < 2)", 0);
    gives(c, &b,
          term_binary(&b, term_present(&b, two), TERM_DIFFERS, term_true(&b)),
          "(2 IS NOT NULL) <> true", 0);
    gives(c, &b,
          term_binary(&b, term_not(&b, small), TERM_EQUAL, term_true(&b)),
          "(NOT 3 < 2) = true", 1);
    joined = term_binary(&b, two, TERM_APPEND,
                         term_binary(&b, three, TERM_PLUS, five));
    gives(c, &b, joined, "2 || 3 + 5", 28);
    joined =
        term_cast(&b, term_binary(&b, two, TERM_APPEND, three), STORED(I64));
    prints(&b,
           term_binary(&b, term_binary(&b, two, TERM_APPEND, three), TERM_PLUS,
                       five),
           "(2 || 3) + 5");
    gives(c, &b, term_binary(&b, joined, TERM_PLUS, five),
          "CAST(2 || 3 AS BIGINT) + 5", 28);
    prints(&b,
           term_binary(&b, term_binary(&b, two, TERM_APPEND, three), TERM_TIMES,
                       five),
           "(2 || 3) * 5");
    gives(c, &b,
          term_binary(&b, term_binary(&b, five, TERM_MODULO, three),
                      TERM_MODULO, two),
          "5 % 3 % 2", 0);
    gives(c, &b,
          term_binary(&b, five, TERM_MODULO,
                      term_binary(&b, three, TERM_MODULO, two)),
          "5 % (3 % 2)", 0);
    gives(c, &b,
          term_binary(&b, term_binary(&b, five, TERM_PLUS, three), TERM_MODULO,
                      five),
          "(5 + 3) % 5", 3);
    gives(c, &b,
          term_between(&b, term_binary(&b, two, TERM_APPEND, three),
                       term_text(&b, str_of("2")), term_text(&b, str_of("3"))),
          "2 || 3 BETWEEN '2' AND '3'", 1);
    builder_clear(&b);
    made_close(&m);
}

static void
conditions_keep_their_parts(void **state)
{
    const struct term *yes, *no, *any, *all;
    struct duck_connection *c;
    struct select *s;
    struct builder b;
    struct made m;
    struct buf out;

    (void)state;
    ready(&m, HEAD TABLE("t", ""), 0);
    c = duck_of(m.engine)->connections[0];
    builder_init(&b, NULL);
    yes = term_true(&b);
    no = term_false(&b);
    any = term_of(&b, TERM_ANY, yes, no, NULL);
    all = term_of(&b, TERM_ALL, yes, no, NULL);
    gives(c, &b, any, "true OR false", 1);
    gives(c, &b, all, "true AND false", 0);
    gives(c, &b, term_of(&b, TERM_ALL, any, no, NULL),
          "(true OR false) AND false", 0);
    gives(c, &b, term_of(&b, TERM_ANY, yes, all, NULL),
          "true OR (true AND false)", 1);
    gives(c, &b, term_not(&b, all), "NOT (true AND false)", 1);
    gives(c, &b, term_absent(&b, any), "(true OR false) IS NULL", 0);
    gives(c, &b, term_absent(&b, term_null(&b)), "NULL IS NULL", 1);
    s = select_new(&b, NULL);
    select_add_bare(&b, s, number(&b, 1));
    select_where(&b, s, any);
    select_where(&b, s, yes);
    buf_init(&out, NULL, 1 << 12);
    duck_print_select(s, NULL, &out);
    assert_string_equal(buf_text(&out),
                        "SELECT 1 WHERE (true OR false) AND true");
    buf_clear(&out);
    builder_clear(&b);
    made_close(&m);
}

static void
lists_and_functions_are_printed(void **state)
{
    const struct term *x, *list, *text;
    struct duck_connection *c;
    struct builder b;
    struct made m;

    (void)state;
    ready(&m, HEAD TABLE("t", ""), 0);
    c = duck_of(m.engine)->connections[0];
    builder_init(&b, NULL);
    x = term_name(&b, NULL, "x");
    text = term_text(&b, str_of("1.5"));
    list = term_of(&b, TERM_LIST, number(&b, 7), number(&b, 8), NULL);
    gives(c, &b, term_item(&b, list, 2), "([7, 8])[2]", 8);
    prints(&b, term_item(&b, x, 1), "x[1]");
    prints(&b, term_column(&b, str_of("a \"b\"")), "\"a \"\"b\"\"\"");
    gives(c, &b,
          term_call(&b, TERM_CONTAINS, text, term_text(&b, str_of(".")), NULL),
          "contains('1.5', '.')", 1);
    gives(
        c, &b,
        term_call(&b, TERM_STARTS_WITH, text, term_text(&b, str_of(".")), NULL),
        "starts_with('1.5', '.')", 0);
    gives(c, &b, term_call(&b, TERM_LEFT, text, number(&b, 1), NULL),
          "left('1.5', 1)", 1);
    gives(c, &b,
          term_call(&b, TERM_ROUND, term_cast(&b, text, STORED(F64)), NULL),
          "round(CAST('1.5' AS DOUBLE))", 2);
    gives(c, &b,
          term_call(&b, TERM_IS_FINITE,
                    term_cast(&b, term_text(&b, str_of("nan")), STORED(F64)),
                    NULL),
          "isfinite(CAST('nan' AS DOUBLE))", 0);
    gives(c, &b,
          term_absent(&b, term_call(&b, TERM_CALENDAR,
                                    term_day(&b, STORED(DATE), "10000-01-01"),
                                    NULL)),
          "calendar(DATE '10000-01-01') IS NULL", 1);
    builder_clear(&b);
    made_close(&m);
}

static void
windows_are_printed(void **state)
{
    struct window w = {.so_far = true};
    struct builder b;
    const struct term *x, *y;

    (void)state;
    builder_init(&b, NULL);
    x = term_name(&b, NULL, "x");
    y = term_name(&b, NULL, "y");
    prints(&b, term_window(&b, TERM_MAX, x, &w),
           "max(x) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)");
    terms_add(&b, &w.partition, y);
    prints(&b, term_window(&b, TERM_MAX, x, &w),
           "max(x) OVER (PARTITION BY y ROWS BETWEEN UNBOUNDED PRECEDING AND "
           "CURRENT ROW)");
    terms_add(&b, &w.order, x);
    prints(&b, term_window(&b, TERM_MAX, x, &w),
           "max(x) OVER (PARTITION BY y ORDER BY x ROWS BETWEEN UNBOUNDED "
           "PRECEDING AND CURRENT ROW)");
    builder_clear(&b);
}

static void
files_are_printed(void **state)
{
    const str names[] = {str_of("id"), str_of("it's")};
    const struct file files[] = {
        {.kind = FILE_LINES, .path = "a.csv"},
        {.kind = FILE_CSV,
         .path = "a.csv",
         .separator = ';',
         .columns = names,
         .n_columns = COUNT_OF(names)},
        {.kind = FILE_PARQUET, .path = "it's.parquet"},
        {.kind = FILE_DATABASE,
         .path = "a.db",
         .database = "s3",
         .table = str_of("a \"b\"")},
    };
    static const char *const texts[] = {
        "read_csv('a.csv', auto_detect=false, header=false, delim='\x01', "
        "quote='', escape='', strict_mode=false, max_line_size=1048576, "
        "columns={'line': 'VARCHAR'})",
        "read_csv('a.csv', auto_detect=false, header=true, delim=';', "
        "quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, "
        "max_line_size=1048576, columns={'id': 'VARCHAR', 'it''s': "
        "'VARCHAR'})",
        "read_parquet('it''s.parquet')",
        "s3.main.\"a \"\"b\"\"\"",
    };
    struct builder b;
    struct select *s;
    struct buf out;

    (void)state;
    builder_init(&b, NULL);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        buf_init(&out, NULL, 1 << 12);
        duck_print_input(input_file(&b, &files[i]), NULL, &out);
        assert_string_equal(buf_text(&out), texts[i]);
        buf_clear(&out);
    }
    s = select_new(&b, input_file(&b, &files[2]));
    s->all = true;
    buf_init(&out, NULL, 1 << 12);
    duck_print_input(input_columns(&b, s), NULL, &out);
    assert_string_equal(buf_text(&out),
                        "(DESCRIBE SELECT * FROM read_parquet('it''s.parquet"
                        "'))");
    buf_clear(&out);
    builder_clear(&b);
}

static void
commands_are_printed(void **state)
{
    const struct stored_column columns[] = {{"n", STORED(I64)},
                                            {"d", STORED_DECIMAL(9, 2)}};
    const str key = str_of("it's");
    struct terms row = {.n = 0};
    struct builder b;
    struct buf out;

    (void)state;
    builder_init(&b, NULL);
    buf_init(&out, NULL, 1 << 12);
    duck_print_create("t", columns, COUNT_OF(columns), &out);
    buf_add_text(&out, "\n");
    terms_add(&b, &row, number(&b, -1));
    terms_add(&b, &row, term_text(&b, key));
    duck_print_insert("t", &row, &out);
    buf_add_text(&out, "\n");
    duck_print_attach("a.db", "stage", DUCK_WRITE, NULL, &out);
    buf_add_text(&out, "\n");
    duck_print_attach("a.db", "s0", DUCK_READ, NULL, &out);
    buf_add_text(&out, "\n");
    duck_print_attach("a.db", "s0", DUCK_READ, &key, &out);
    buf_add_text(&out, "\n");
    duck_print_import_settings(7, "tmp", &out);
    buf_add_text(&out, "\n");
    duck_print_checkpoint(&out);
    assert_false(b.failed || out.failed);
    assert_string_equal(
        buf_text(&out),
        "CREATE TABLE t (n BIGINT, d DECIMAL(9,2))\n"
        "INSERT INTO t VALUES (-1, 'it''s')\n"
        "ATTACH 'a.db' AS stage\n"
        "ATTACH 'a.db' AS s0 (TYPE duckdb, READ_ONLY)\n"
        "ATTACH 'a.db' AS s0 (TYPE duckdb, READ_ONLY, ENCRYPTION_KEY "
        "'it''s')\n"
        "SET memory_limit = '7MB'; SET temp_directory = 'tmp'; SET "
        "enable_progress_bar = true; SET enable_progress_bar_print = false; "
        "SET progress_bar_time = 0\n"
        "CHECKPOINT");
    buf_clear(&out);
    builder_clear(&b);
}

/* --------------------------------------------------------------------- kept -- */

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
        cmocka_unit_test(operators_keep_their_operands),
        cmocka_unit_test(conditions_keep_their_parts),
        cmocka_unit_test(lists_and_functions_are_printed),
        cmocka_unit_test(windows_are_printed),
        cmocka_unit_test(files_are_printed),
        cmocka_unit_test(commands_are_printed),
        cmocka_unit_test(statements_are_kept_and_make_room),
        cmocka_unit_test(questions_that_differ_in_numbers_share_a_statement),
        cmocka_unit_test(only_literals_are_taken_out),
        cmocka_unit_test(attached_files_are_looked_at_anew),
        cmocka_unit_test(small_data_has_one_thread),
        cmocka_unit_test(handles_share_a_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
