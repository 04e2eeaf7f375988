/*
 * What an import reports to the owner: every changed value is counted once, in
 * the right column, whatever the format of the source. An import that loses too
 * much is rejected.
 */
#include <fcntl.h>

#include "engine/import/value_format.h"
#include "made.h"
#include "support/said.h"

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"

static const char TYPES[] =
    HEAD "  all:\n"
         "    source: all.csv\n"
         "    unit: row\n"
         "    columns:\n"
         "      n: {type: integer, nullable: false}\n"
         "      i: {type: integer, range: [-5, 5]}\n"
         "      d: {type: decimal, scale: 2, range: [0, 10]}\n"
         "      f: {type: real, range: [-1, 1]}\n"
         "      t: {type: text, values: [a, b]}\n"
         "      b: {type: boolean}\n"
         "      y: {type: date, range: [2020-01-01, 2020-12-31]}\n"
         "      s: {type: text, max_bytes: 3}\n"
         "      l: {type: integer, values: [1, 2], nullable: false}\n";

static const char ROWS[] =
    "n,i,d,f,t,b,y,s,l\n"
    "1,3,1.25,0.5,a,true,2020-05-05,abc,1\n"
    "2,99,99.99,7,A,m,2031-01-01,abcd,2\n"   /* i, d, f, y clamped */
    "3,-99,\"1,5\",nan,c,ja,05/06/2020,,1\n" /* i clamped */
    "4,x,\"\",\"\",\"\",\"\",\"\",\"\",1\n"  /* only t counts "" */
    "5,,,,,,,,1\n"
    ",1,1,1,a,true,2020-01-01,x,1\n"  /* n empty */
    "x,1,1,1,a,true,2020-01-01,x,1\n" /* n unreadable */
    "8,1,1,1,a,true,05/06/20,x,7\n";  /* l not listed; short year */

/* For every column "name values empty/unreadable unlisted clamped". */
static const char *
counts(struct made *m, const struct engine_import_table *t)
{
    struct buf b;
    char *text;

    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < t->is->n_columns; i++) {
        const struct engine_import_column *c = &t->columns[i];

        buf_printf(&b, "%s%.*s %d %d/%d %d %d", i ? "; " : "",
                   (int)c->is->name.len, c->is->name.ptr, (int)c->values,
                   (int)c->empty, (int)c->changes[CHANGE_UNREADABLE].count,
                   (int)c->changes[CHANGE_UNLISTED].count,
                   (int)c->changes[CHANGE_CLAMPED].count);
    }
    text = arena_copy(m->a, str_of(buf_text(&b)));
    buf_clear(&b);
    assert_non_null(text);
    return text;
}

/* Empty values are counted only in columns that are not nullable. */
static void
every_value_is_counted_once(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "all.csv", ROWS);
    made_ready(&m, TYPES);
    assert_int_equal(m.tables[0].rows, 8);
    assert_int_equal(m.tables[0].kept, 5);
    assert_string_equal(
        counts(&m, &m.tables[0]),
        "n 7 1/1 0 0; i 7 0/1 0 2; d 6 0/1 0 1; f 6 0/1 0 1; t 7 0/0 3 0; "
        "b 6 0/2 0 0; y 6 0/2 0 1; s 6 0/1 0 0; l 8 0/0 1 0");
    made_close(&m);
}

/* An attached file is counted like an imported one, in all its columns. */
static void
attached_tables_are_counted_alike(void **state)
{
    static const char old[] = "    unit: row\n",
                      attach[] = "    attach: true\n";
    const char *at = strstr(TYPES, old);
    char text[2048];
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "all.csv", ROWS);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - TYPES), TYPES, attach,
             at);
    made_ready(&m, text);
    assert_int_equal(m.tables[0].rows, 8);
    assert_int_equal(m.tables[0].kept, 5);
    assert_string_equal(
        counts(&m, &m.tables[0]),
        "n 7 1/1 0 0; i 7 0/1 0 2; d 6 0/1 0 1; f 6 0/1 0 1; t 7 0/0 3 0; "
        "b 6 0/2 0 0; y 6 0/2 0 1; s 6 0/1 0 0; l 8 0/0 1 0");
    made_close(&m);
}

/* Examples are the first changed values, truncated and on one line. */
static void
examples_are_of_the_source(void **state)
{
    struct engine_import_change *c;
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(
        &m, "all.csv",
        "s\n\"a\tb\nc\"\n1234567890123456789012345678901234567890123456789"
        "0\nok\n");
    made_ready(&m, HEAD "  all: {source: all.csv, unit: row, columns: {s: "
                        "{type: text, max_bytes: 2}}}\n");
    c = &m.tables[0].columns[0].changes[CHANGE_UNREADABLE];
    assert_int_equal(c->count, 2);
    assert_int_equal(c->n_examples, 2);
    assert_string_equal(c->examples[0].ptr, "a?b?c");
    assert_int_equal(c->examples[1].len, 48);
    made_close(&m);
}

static const char ONE[] = HEAD "  a:\n    source: a.csv\n    unit: id\n"
                               "    columns: {id: {type: integer}, x: {type: "
                               "integer, range: [0, 9]}}\n";

/* 20 rows, the last of which is `last`. */
static void
write_twenty(const struct made *m, const char *last)
{
    char text[512] = "id,x\n";

    for (int i = 0; i < 19; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,1\n", i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", last);
    made_file(m, "a.csv", text);
}

static custos_status
import_at_most(struct made *m, uint64_t ppm)
{
    uint64_t version = 0;

    m->tables = NULL;
    return engine_import(&m->store, m->policy, m->folder, ppm, NULL, NULL, m->a,
                         &m->tables, &version, &m->err);
}

/*
 * At 5 %, one of twenty may be lost and no more; a clamped value is not lost.
 */
static void
the_limit_is_exact(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_policy(&m, ONE);
    write_twenty(&m, "19,y");
    assert_int_equal(import_at_most(&m, 50000), CUSTOS_OK);
    assert_int_equal(import_at_most(&m, 49999), CUSTOS_EPOLICY);
    assert_non_null(m.tables);
    assert_true(m.tables[0].refused && m.tables[0].columns[1].refused);
    assert_false(m.tables[0].columns[0].refused);
    assert_null(strstr(whole_said(&m.err), "1"));
    assert_int_equal(import_at_most(&m, LOSS_PPM_ANY), CUSTOS_OK);
    write_twenty(&m, "19,77");
    assert_int_equal(import_at_most(&m, 0), CUSTOS_OK);
    write_twenty(&m, "19,");
    assert_int_equal(import_at_most(&m, 0), CUSTOS_OK);
    made_close(&m);
}

/* Rows without a unit count as lost. */
static void
rows_without_a_unit_are_lost(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_policy(&m, ONE);
    write_twenty(&m, ",1");
    assert_int_equal(import_at_most(&m, 50000), CUSTOS_OK);
    assert_int_equal(import_at_most(&m, 49999), CUSTOS_EPOLICY);
    assert_true(m.tables[0].refused);
    assert_int_equal(m.tables[0].without_unit, 1);
    made_close(&m);
}

/* The error tells a truncated Parquet file from one that is not Parquet. */
static void
a_broken_parquet_is_named(void **state)
{
    static const char policy[] = HEAD "  a: {source: a.parquet, unit: id, "
                                      "columns: {id: {type: integer}}}\n";
    struct duck_connection *c;
    struct duck *db;
    struct made m;
    char sql[256], path[160];

    (void)state;
    made_folder(&m);
    made_path(&m, "a.parquet", path);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &m.err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &m.err), CUSTOS_OK);
    snprintf(sql, sizeof sql, "COPY (SELECT 1 AS id) TO '%s' (FORMAT parquet)",
             path);
    assert_int_equal(duck_do(c, sql, &m.err), CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
    made_policy(&m, policy);
    assert_int_equal(import_at_most(&m, 0), CUSTOS_OK);
    for (off_t len = 150; len >= 4; len -= 73) {
        assert_int_equal(truncate(path, len), 0);
        assert_int_equal(import_at_most(&m, 0), CUSTOS_EPOLICY);
        assert_non_null(strstr(whole_said(&m.err),
                               "the end of the Parquet file is "
                               "missing; copy or export it again"));
    }
    assert_int_equal(truncate(path, 3), 0);
    assert_int_equal(import_at_most(&m, 0), CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&m.err), "is not a Parquet file"));
    made_close(&m);
}

static const char *
found(enum data_type type, const char *a, const char *b, const char *c)
{
    struct policy_column column = {.type = type};
    str values[3] = {str_of(a), str_of(b), str_of(c)};
    const char *text =
        value_format_guess(&column, CHANGE_UNREADABLE, values, 3).found;

    return text ? text : "";
}

static void
formats_are_recognised(void **state)
{
    static const struct {
        enum data_type type;
        const char *values[3], *found;
    } cases[] = {
        {TYPE_REAL, {"1,5", "1,234", "-7,25"}, "a decimal comma"},
        {TYPE_REAL, {"1.234,5", "2,50", "1,5"}, "a decimal comma"},
        {TYPE_INT, {"1,234", "1,234,567", "2,000"}, "thousands separators"},
        {TYPE_INT, {"1 234", "1'234", "1.234.567"}, "thousands separators"},
        {TYPE_REAL,
         {"1,234", "2,345", "3,456"},
         "a decimal comma or thousands separators"},
        {TYPE_INT, {"1.5", "2.25", "x"}, "numbers with a fraction"},
        {TYPE_REAL, {"$5", "7 kg", "8 %"}, "numbers with a unit or currency"},
        {TYPE_REAL, {"NA", "n/a", "1,5"}, "a mark for a missing value"},
        {TYPE_DATE, {"05.06.2024", "1.2.2024", "x"}, "day.month.year"},
        {TYPE_DATE, {"05/06/2024", "25/06/2024", "x"}, "day/month/year"},
        {TYPE_TIMESTAMP,
         {"06/25/2024 10:00", "05/06/2024 9:00", "1/1/2024"},
         "month/day/year"},
        {TYPE_DATE,
         {"05/06/2024", "05-06-2024", "1/1/2024"},
         "day/month/year or month/day/year"},
        {TYPE_DATE,
         {"05/06/24", "06/07/24", "1-1-99"},
         "dates with a year of two digits"},
        {TYPE_DATE, {"20240506", "20241231", "x"}, "YYYYMMDD"},
        {TYPE_DATE, {"1715000000", "999999999", "x"}, "seconds since 1970"},
        {TYPE_TIMESTAMP,
         {"1715000000000", "1715000000001", "x"},
         "milliseconds since 1970"},
        {TYPE_BOOL, {"m", "m", "x"}, "a sex, of which f is read as false"},
        {TYPE_BOOL, {"ja", "nein", "Ja"}, "yes and no in other words"},
        {TYPE_INT, {"x", "y", "z"}, ""},
        {TYPE_DATE, {"1/", "", "/"}, ""},
        {TYPE_INT, {"", "-", "+"}, ""},
        {TYPE_DATE, {"05/06/2024", "20240506", "1.2.2024"}, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(found(cases[i].type, cases[i].values[0],
                                  cases[i].values[1], cases[i].values[2]),
                            cases[i].found);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_counted_once),
        cmocka_unit_test(attached_tables_are_counted_alike),
        cmocka_unit_test(examples_are_of_the_source),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(rows_without_a_unit_are_lost),
        cmocka_unit_test(a_broken_parquet_is_named),
        cmocka_unit_test(formats_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
