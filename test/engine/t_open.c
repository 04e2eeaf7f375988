/*
 * An open engine is sealed off, and its error messages do not get out.
 */
#include "made.h"
#include "support/said.h"
#include "support/stages.h"

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"

static const char POLICY[] = HEAD
    "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 2\n"
    "    columns: {who: {type: integer}, x: {type: integer, range: [0, 9]}}\n"
    "  w:\n    source: w.csv\n    attach: true\n    unit: row\n"
    "    columns: {x: {type: integer, range: [0, 9]}}\n";

static void
ready(struct made *m)
{
    made_folder(m);
    made_file(m, "v.csv", "who,x\n1,2\n1,3\n2,4\n");
    made_file(m, "w.csv", "x\n1\n2\n77\n");
    made_file(m, "other.csv", "secret\n1\n");
    made_ready(m, POLICY);
}

static void
refused(struct made *m, const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (duck_do(duck_of(m->engine)->connections[0], sql, &err) !=
        CUSTOS_EENGINE)
        fail_msg("not refused: %s", sql);
    assert_string_equal(whole_said(&err), "the query could not be completed");
    assert_true(err.noted[0] != '\0');
}

/* One optimizer of DuckDB fails on valid queries, so it is off: see open.c. */
static void
a_faulty_optimizer_is_off(void **state)
{
    static const char sql[] =
        "SELECT count(*) FROM (SELECT k, row_number() OVER (PARTITION BY k "
        "ORDER BY h) AS n FROM (SELECT *, k AS h FROM (SELECT CAST(s AS "
        "BIGINT) AS k, CASE WHEN v IS NOT NULL THEN CAST(v AS BIGINT) END AS c "
        "FROM (SELECT x AS s, x AS v FROM (SELECT c0 AS x FROM t0))) WHERE c "
        "IS "
        "NOT NULL) WHERE CAST(coalesce(1 + c, c) AS DOUBLE) BETWEEN 0.5 AND 7) "
        "WHERE n <= 3";
    custos_err err = CUSTOS_ERR_INIT;
    struct made m;
    i128 n = 0;

    (void)state;
    ready(&m);
    assert_int_equal(
        duck_ask_whole(duck_of(m.engine)->connections[0],
                       "SELECT count(*) FROM duckdb_settings() WHERE name = "
                       "'disabled_optimizers' AND value = "
                       "'top_n_window_elimination'",
                       &n, &err),
        CUSTOS_OK);
    assert_true(n == 1);
    assert_int_equal(
        duck_ask_whole(duck_of(m.engine)->connections[0], sql, &n, &err),
        CUSTOS_OK);
    made_close(&m);
}

static void
external_access_is_off(void **state)
{
    static const char *const statements[] = {
        "SELECT * FROM read_csv('%s/other.csv')",
        "SELECT * FROM '%s/other.csv'",
        "SELECT * FROM read_text('%s/other.csv')",
        "SELECT * FROM glob('%s/*')",
        "SELECT * FROM read_duckdb('%s/x.duckdb')",
        "SELECT * FROM parquet_full_metadata('%s/x.parquet')",
        "COPY (SELECT 1) TO '%s/out.csv'",
        "COPY t0 TO '%s/out.parquet'",
        "ATTACH '%s/x.duckdb' AS x",
        "EXPORT DATABASE '%s/x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '%s/x.duckdb_extension'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET threads = 1",
        "SET temp_directory = '%s'",
        "SET allowed_paths = ['%s/other.csv']",
        "CREATE TABLE x AS SELECT 1",
        "DELETE FROM t0",
        "UPDATE t0 SET c1 = 1",
        "DROP TABLE t0",
    };
    char sql[8192];
    struct made m;

    (void)state;
    ready(&m);
    for (size_t i = 0; i < COUNT_OF(statements); i++) {
        const char *hole = strstr(statements[i], "%s");

        if (hole)
            snprintf(sql, sizeof sql, "%.*s%s%s", (int)(hole - statements[i]),
                     statements[i], m.folder, hole + 2);
        else
            snprintf(sql, sizeof sql, "%s", statements[i]);
        refused(&m, sql);
    }
    /* A table that the policy attaches can be read, through its view. */
    snprintf(sql, sizeof sql, "SELECT c0 FROM %s ORDER BY c0",
             duck_of(m.engine)->data->read[1].from);
    assert_string_equal(made_ask(&m, sql), "1;2;9");
    made_close(&m);
}

/* Errors that quote data go to the note, never to the message. */
static void
engine_words_stay_inside(void **state)
{
    struct expr x = {.kind = EXPR_COLUMN, .slot = 77, .type = TYPE_INT};
    struct part part = {.kind = PART_SUM, .of = &x, .upper = 9};
    struct plan plan = {
        .rows = 1, .space = {.cells = 1, .groups = 1}, .parts = &part};
    enum bounding ways[] = {BOUND_NONE, BOUND_RANK, BOUND_FOLD, BOUND_GENERAL};
    struct made m;

    (void)state;
    ready(&m);
    refused(&m, "SELECT CAST('Jane Doe' AS INTEGER) FROM t0");
    plan.policy = m.policy;
    plan.table = &m.policy->tables[0];
    plan.n_parts = 1;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        custos_sealed *sealed = NULL;
        custos_err err = CUSTOS_ERR_INIT;

        plan.space.bounding = ways[i];
        assert_int_equal(engine_run(m.engine, STAGE_OF(&plan), &sealed, &err),
                         CUSTOS_EENGINE);
        assert_string_equal(whole_said(&err),
                            "the query could not be completed");
        assert_non_null(strstr(err.noted, "column_77"));
        assert_null(strstr(err.noted, "010203"));
        assert_null(sealed);
    }
    made_close(&m);
}

/*
 * Data imported under one policy is not read under another with a different
 * meaning.
 */
static void
another_policy_is_refused(void **state)
{
    static const char *const changed[] = {
        HEAD "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 2\n"
             "    columns: {who: {type: integer}, x: {type: integer, range: "
             "[0, 8]}}\n"
             "  w:\n    source: w.csv\n    attach: true\n    unit: row\n"
             "    columns: {x: {type: integer, range: [0, 9]}}\n",
        HEAD "  v:\n    source: v.csv\n    unit: x\n    rows_per_unit: 2\n"
             "    columns: {who: {type: integer}, x: {type: integer}}\n"
             "  w:\n    source: w.csv\n    attach: true\n    unit: row\n"
             "    columns: {x: {type: integer, range: [0, 9]}}\n",
    };
    static const char same[] = HEAD
        "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 1\n"
        "    columns: {who: {type: integer}, x: {type: integer, range: [0, "
        "9]}}\n"
        "  w:\n    source: w.csv\n    attach: true\n    unit: row\n"
        "    columns: {x: {type: integer, range: [0, 9]}}\n"
        "analysts:\n  ana: {}\n";
    struct policy *p;
    struct engine *e;
    struct made m;

    (void)state;
    ready(&m);
    for (size_t i = 0; i < COUNT_OF(changed); i++) {
        assert_int_equal(policy_read(m.a, str_of(changed[i]), "p", &p, &m.err),
                         CUSTOS_OK);
        assert_int_equal(engine_open(&m.store, p, &e, &m.err), CUSTOS_EPOLICY);
    }
    assert_int_equal(policy_read(m.a, str_of(same), "p", &p, &m.err),
                     CUSTOS_OK);
    assert_int_equal(engine_open(&m.store, p, &e, &m.err), CUSTOS_OK);
    engine_close(e);
    made_close(&m);
}

static void
damage_is_told(void **state)
{
    char path[STORE_PATH_MAX];
    struct made m;
    custos_status st;

    (void)state;
    ready(&m);
    engine_close(m.engine);
    m.engine = NULL;
    store_data_path(&m.store, m.store.version, path);
    assert_int_equal(truncate(path, 5000), 0);
    st = engine_open(&m.store, m.policy, &m.engine, &m.err);
    assert_true(st == CUSTOS_EIO || st == CUSTOS_ECORRUPT);
    assert_int_equal(unlink(path), 0);
    st = engine_open(&m.store, m.policy, &m.engine, &m.err);
    assert_int_equal(st, CUSTOS_EIO);
    m.store.version = 0;
    assert_int_equal(engine_open(&m.store, m.policy, &m.engine, &m.err),
                     CUSTOS_ENAME);
    made_close(&m);
}

/* Only the owner can read the files of a version and spill files. */
static void
files_are_the_owners(void **state)
{
    char path[STORE_PATH_MAX];
    struct stat facts;
    struct made m;
    mode_t old = umask(0);

    (void)state;
    ready(&m);
    umask(old);
    store_data_path(&m.store, m.store.version, path);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(stat(duck_of(m.engine)->data->spill, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s", duck_of(m.engine)->data->spill);
    engine_close(m.engine);
    m.engine = NULL;
    assert_int_not_equal(access(path, F_OK), 0);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faulty_optimizer_is_off),
        cmocka_unit_test(external_access_is_off),
        cmocka_unit_test(engine_words_stay_inside),
        cmocka_unit_test(another_policy_is_refused),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(files_are_the_owners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
