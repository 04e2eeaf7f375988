/*
 * The files of a release: all there, and the rows in the types of the schema.
 */
#include "release/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/duckdb/duck.h"
#include "engine/engine.h"
#include "store/file.h"
#include "support/support.h"
#include "support/synopsis_made.h"
#include "synopsis/schema_sql.h"

#define HUNDREDTH ((amount)10000000000 * 100000000) /* rho = 10^-2 */

struct seen {
    size_t calls;
    const char *last;
};

static void
see(void *ctx, const char *what, size_t done, size_t all)
{
    struct seen *s = ctx;

    assert_true(done <= all);
    s->calls++;
    s->last = what;
}

static void
check_columns(const char *folder, const struct schema *s)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct engine_source_column *got;
    char path[256];
    size_t n;

    snprintf(path, sizeof path, "%s/synthetic.parquet", folder);
    assert_int_equal(
        engine_schema(path, SOURCE_PARQUET, NULL, a, &got, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, s->n);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_equal(got[i].name, s->columns[i].name));
        assert_int_equal(got[i].type, s->columns[i].type);
        assert_int_equal(got[i].scale, s->columns[i].scale);
    }
    arena_free(a);
}

static void
all_files_are_written(void **state)
{
    static const char *const names[] = {"schema.sql",
                                        "report.html",
                                        "report.json",
                                        "synthetic.csv",
                                        "synthetic.parquet",
                                        "tables/index.csv",
                                        "tables/index.parquet",
                                        "tables/09-smoker-cost.csv",
                                        "tables/09-smoker-cost.parquet"};
    struct synopsis_made *m = synopsis_made_new(MADE_BY_AIM, 5 * HUNDREDTH, 2);
    struct seen seen = {.calls = 0};
    const struct products_options o = {.progress = see, .ctx = &seen};
    char folder[] = "/tmp/release.XXXXXX", path[256];
    struct synthetic_rows rows;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(
        synthetic_draw(m->synopsis, m->rng, SYNTHETIC_ROWS_NOISY, &rows, NULL),
        CUSTOS_OK);
    assert_int_equal(
        products_write(m->synopsis, &rows, m->rng, &o, folder, NULL),
        CUSTOS_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    assert_true(seen.calls > 0);
    assert_string_equal(seen.last, "synthetic rows");
    check_columns(folder, m->synopsis->schema);
    assert_int_equal(products_write_consistent(m->synopsis, &o, folder, NULL),
                     CUSTOS_OK);
    snprintf(path, sizeof path, "%s/consistent/09-smoker-cost.parquet", folder);
    assert_int_equal(access(path, R_OK), 0);
    assert_string_equal(seen.last, "tables as Parquet");
    assert_int_equal(products_write_consistent(m->synopsis, &o, folder, NULL),
                     CUSTOS_EIO);
    /* The folder has them already. */
    assert_int_equal(
        products_write(m->synopsis, &rows, m->rng, &o, folder, NULL),
        CUSTOS_EIO);
    synthetic_free(&rows);
    tree_remove(folder);
    synopsis_made_free(m);
}

static void
the_schema_is_a_statement(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, HUNDREDTH, 2);
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 1 << 16);
    m->synopsis->schema->columns[1].values[0].text = str_of("it's");
    schema_sql(m->synopsis->schema, &b);
    assert_string_equal(
        buf_text(&b),
        "CREATE TABLE \"visits\" (\n"
        "    \"visit\" bigint NOT NULL,\n"
        "    \"sex\" text NOT NULL CHECK (\"sex\" IN ('it''s', 'male')),\n"
        "    \"smoker\" boolean,\n"
        "    \"ward\" text NOT NULL CHECK (\"ward\" IN ('cardiology', "
        "'emergency', 'hospice', 'oncology', 'surgery')),\n"
        "    \"age\" bigint NOT NULL CHECK (\"age\" BETWEEN 0 AND 99),\n"
        "    \"day\" date NOT NULL CHECK (\"day\" BETWEEN '2026-01-01' AND "
        "'2026-12-26'),\n"
        "    \"cost\" numeric(38, 2) NOT NULL CHECK (\"cost\" BETWEEN 0.00 AND "
        "999.99)\n"
        ");\n");
    buf_clear(&b);
    synopsis_made_free(m);
}

static void
run(struct duck_connection *c, const char *format, const char *folder)
{
    char sql[1024];

    snprintf(sql, sizeof sql, format, folder);
    assert_int_equal(duck_do(c, sql, NULL), CUSTOS_OK);
}

/* The rows load, from both files, into the table of the schema, whose types and checks
   hold; what breaks a check does not. */
static void
rows_load_where_the_schema_says(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_AIM, 5 * HUNDREDTH, 2);
    const struct products_options o = {.progress = NULL};
    char folder[] = "/tmp/release.XXXXXX";
    struct synthetic_rows rows;
    struct duck_connection *c;
    struct duck *db;
    struct buf b;
    i128 n;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 5000, &rows, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        products_write(m->synopsis, &rows, m->rng, &o, folder, NULL),
        CUSTOS_OK);
    buf_init(&b, NULL, 1 << 16);
    schema_sql(m->synopsis->schema, &b);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, NULL), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, NULL), CUSTOS_OK);
    assert_int_equal(duck_do(c, buf_text(&b), NULL), CUSTOS_OK);
    run(c, "COPY visits FROM '%s/synthetic.csv' (HEADER)", folder);
    run(c, "INSERT INTO visits FROM read_parquet('%s/synthetic.parquet')",
        folder);
    assert_int_equal(duck_ask_whole(c, "SELECT count(*) FROM visits", &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 10000);
    /* CSV and Parquet have the same rows. */
    assert_int_equal(
        duck_ask_whole(c,
                       "SELECT count(*) FROM (SELECT DISTINCT * FROM visits)",
                       &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 5000);
    assert_int_equal(
        duck_do(c,
                "INSERT INTO visits SELECT * REPLACE (100 AS age) FROM visits",
                NULL),
        CUSTOS_EENGINE);
    buf_clear(&b);
    duck_disconnect(c);
    duck_close(db);
    synthetic_free(&rows);
    tree_remove(folder);
    synopsis_made_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_files_are_written),
        cmocka_unit_test(the_schema_is_a_statement),
        cmocka_unit_test(rows_load_where_the_schema_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
