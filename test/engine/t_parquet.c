/*
 * Parquet files have the types of an import, the values of their CSV file, and its
 * NULLs; and come from one folder alone.
 */
#include "engine/parquet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/duckdb/duck.h"
#include "store/file.h"
#include "support/said.h"
#include "support/support.h"

static const struct engine_source_column COLUMNS[] = {
    {{"id", 2}, TYPE_INT, 0},        {{"it's \"a\"", 8}, TYPE_TEXT, 0},
    {{"day", 3}, TYPE_DATE, 0},      {{"at", 2}, TYPE_TIMESTAMP, 0},
    {{"price", 5}, TYPE_DECIMAL, 2}, {{"ok", 2}, TYPE_BOOL, 0},
    {{"estimate", 8}, TYPE_REAL, 0},
};

static void
write_csv(const char *dir, const char *name, const char *text)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.csv", dir, name);
    f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
}

/* The rows of a file, as DuckDB writes them. */
static void
read_all(const char *path, char *out, size_t room)
{
    struct column columns[8];
    struct result *rows = NULL;
    struct duck *db;
    struct duck_connection *c;
    char sql[512];
    size_t n;

    snprintf(sql, sizeof sql,
             "SELECT CAST(list(t) AS VARCHAR) FROM read_parquet('%s') t", path);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, NULL), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, NULL), CUSTOS_OK);
    assert_int_equal(duck_ask(c, sql, &rows, NULL), CUSTOS_OK);
    assert_int_equal(result_next(rows, &n, columns, NULL), CUSTOS_OK);
    assert_int_equal(n, 1);
    snprintf(out, room, "%.*s", (int)column_text(&columns[0], 0).len,
             column_text(&columns[0], 0).ptr);
    result_free(rows);
    duck_disconnect(c);
    duck_close(db);
}

static void
files_have_types_values_and_nulls(void **state)
{
    const size_t n = sizeof COLUMNS / sizeof *COLUMNS;
    char dir[] = "/tmp/parquet.XXXXXX", path[64], text[1024];
    arena *a = arena_new(NULL, 1 << 20);
    struct engine_source_column *got;
    struct parquet_writer *w;
    size_t n_got;

    (void)state;
    assert_non_null(mkdtemp(dir));
    write_csv(dir, "t",
              "id,\"it's \"\"a\"\"\",day,at,price,ok,estimate\n"
              "1,\"x, \"\"y\"\"\",2026-02-28,2026-02-28 10:00:00.5,3.50,true,"
              "-0.25\n"
              "2,\"\",,,,,\n"
              "3,,0001-01-01,1969-12-31 23:59:59,-0.01,false,1e3\n");
    assert_int_equal(parquet_writer_open(dir, &w, NULL), CUSTOS_OK);
    assert_int_equal(parquet_write(w, "t", COLUMNS, n, NULL), CUSTOS_OK);
    parquet_writer_close(w);
    snprintf(path, sizeof path, "%s/t.parquet", dir);
    assert_int_equal(
        engine_schema(path, SOURCE_PARQUET, NULL, a, &got, &n_got, NULL),
        CUSTOS_OK);
    assert_int_equal(n_got, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_equal(got[i].name, COLUMNS[i].name));
        assert_int_equal(got[i].type, COLUMNS[i].type);
        assert_int_equal(got[i].scale, COLUMNS[i].scale);
    }
    read_all(path, text, sizeof text);
    assert_string_equal(
        text, "[{'id': 1, 'it\\'s \"a\"': 'x, \"y\"', 'day': 2026-02-28, 'at': "
              "'2026-02-28 10:00:00.5', 'price': 3.50, 'ok': true, 'estimate': "
              "-0.25}, {'id': 2, 'it\\'s \"a\"': '', 'day': NULL, 'at': NULL, "
              "'price': NULL, 'ok': NULL, 'estimate': NULL}, {'id': 3, 'it\\'s "
              "\"a\"': NULL, 'day': 0001-01-01, 'at': '1969-12-31 23:59:59', "
              "'price': -0.01, 'ok': false, 'estimate': 1000.0}]");
    arena_free(a);
    tree_remove(dir);
}

/* A file outside the folder is neither read nor written; a value that does not fit its
   type is an error. */
static void
faults_are_errors(void **state)
{
    char dir[] = "/tmp/parquet.XXXXXX", inside[64];
    custos_err err = CUSTOS_ERR_INIT;
    struct parquet_writer *w;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(inside, sizeof inside, "%s/in", dir);
    assert_int_equal(folder_new(inside, NULL), CUSTOS_OK);
    write_csv(dir, "t", "id\n1\n");
    write_csv(inside, "t", "id\nx\n");
    assert_int_equal(parquet_writer_open(inside, &w, NULL), CUSTOS_OK);
    assert_int_equal(parquet_write(w, "../t", COLUMNS, 1, &err), CUSTOS_EIO);
    assert_int_equal(parquet_write(w, "t", COLUMNS, 1, &err), CUSTOS_EIO);
    assert_string_equal(whole_said(&err),
                        "cannot write a Parquet file of the release");
    parquet_writer_close(w);
    assert_int_equal(parquet_writer_open(dir, &w, NULL), CUSTOS_OK);
    assert_int_equal(parquet_write(w, "t", COLUMNS, 1, &err), CUSTOS_OK);
    parquet_writer_close(w);
    tree_remove(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_types_values_and_nulls),
        cmocka_unit_test(faults_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
