/*
 * Public tables: the same grammar, exact answers. Queries go through reader and
 * planner, as for analysts. Also the columns of files, for a draft policy.
 */
#include "made.h"

static const char POLICY[] =
    "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
    "  cities:\n    public: true\n    source: cities.csv\n"
    "    columns:\n"
    "      name: {type: text}\n"
    "      land: {type: text}\n"
    "      people: {type: integer}\n"
    "      area: {type: decimal, scale: 1}\n"
    "      since: {type: date}\n"
    "      flat: {type: boolean}\n"
    "      mean: {type: real}\n"
    "  far:\n    public: true\n    attach: true\n    source: cities.csv\n"
    "    columns: {name: {type: text}, people: {type: integer}}\n"
    "  v:\n    source: cities.csv\n    unit: row\n"
    "    columns: {name: {type: text}}\n";

static void
ready(struct made *m)
{
    made_folder(m);
    made_file(m, "cities.csv",
              "name,land,people,area,since,flat,mean\n"
              "Rome,it,3,1285.3,0753-04-21,false,1.5\n"
              "Oslo,no,1,454.1,1048-01-01,false,-0.25\n"
              "Bari,it,,117.4,2000-12-31,true,\n"
              "\"O'B\",,7,,,,nan\n");
    made_ready(m, POLICY);
}

/* The answer as text: values separated by |, rows by semicolons. */
static const char *
asked(struct made *m, const char *sql)
{
    struct plan_options options = {0};
    struct engine_rows rows = {0};
    struct plan *plan = NULL;
    struct query *q;
    struct buf b;
    char *text;
    custos_status st = sql_read(m->a, str_of(sql), &q, &m->err);

    if (!st)
        st = plan_make(m->a, q, m->policy, &options, &plan, &m->err);
    if (!st)
        st = engine_public(m->engine, plan, m->a, &rows, &m->err);
    if (st)
        fail_msg("%s: %s | %s", sql, m->err.said, m->err.noted);
    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < rows.n; i++)
        for (size_t k = 0; k < rows.n_columns; k++) {
            struct datum *d = &rows.cells[i * rows.n_columns + k];

            buf_add_text(&b, k ? "|" : i ? ";" : "");
            if (d->type == TYPE_NULL)
                buf_add_text(&b, "NULL");
            else
                datum_write(d, &b);
        }
    text = arena_copy(m->a, str_of(buf_text(&b)));
    buf_clear(&b);
    plan_free(plan);
    return text;
}

static void
public_rows_are_exact(void **state)
{
    struct made m;

    (void)state;
    ready(&m);
    assert_string_equal(asked(&m, "SELECT name, people FROM cities WHERE land "
                                  "= 'it' ORDER BY name DESC"),
                        "Rome|3;Bari|NULL");
    assert_string_equal(asked(&m, "SELECT * FROM cities WHERE name = 'Rome'"),
                        "Rome|it|3|1285.3|0753-04-21|false|1.5");
    assert_string_equal(asked(&m, "SELECT name FROM cities ORDER BY people "
                                  "NULLS FIRST LIMIT 2"),
                        "Bari;Oslo");
    assert_string_equal(asked(&m, "SELECT name FROM cities ORDER BY people "
                                  "DESC NULLS LAST LIMIT 2 OFFSET 1"),
                        "Rome;Oslo");
    assert_string_equal(asked(&m, "SELECT DISTINCT land FROM cities"),
                        "it;no;NULL");
    assert_string_equal(
        asked(&m, "SELECT name FROM cities WHERE name = 'O''B'"), "O'B");
    assert_string_equal(asked(&m, "SELECT 1 + 1, 'a' || 'b'"), "2|ab");
    made_close(&m);
}

static void
public_groups_are_exact(void **state)
{
    struct made m;

    (void)state;
    ready(&m);
    assert_string_equal(asked(&m, "SELECT land, count(*), sum(people) AS s, "
                                  "sum(area) FROM cities GROUP BY land"),
                        "it|2|3|1402.7;no|1|1|454.1;NULL|1|7|NULL");
    assert_string_equal(asked(&m, "SELECT land, count(*) FROM cities GROUP BY "
                                  "land HAVING count(*) > 1"),
                        "it|2");
    assert_string_equal(asked(&m, "SELECT count(*), count(people), avg(people) "
                                  "FROM cities WHERE flat IS NOT TRUE"),
                        "3|3|3.66666666666667");
    assert_string_equal(asked(&m, "SELECT land, sum(people) AS s FROM cities "
                                  "GROUP BY land ORDER BY s DESC, 1"),
                        "NULL|7;it|3;no|1");
    assert_string_equal(asked(&m, "SELECT count(distinct land) FROM cities"),
                        "2");
    /*
     * Quantiles are exact here; those that need no interpolation work on texts.
     */
    assert_string_equal(
        asked(&m, "SELECT min(people), max(people), median(people), "
                  "percentile_cont(0.1) WITHIN GROUP (ORDER BY people), "
                  "percentile_disc(0.5) WITHIN GROUP (ORDER BY people), "
                  "min(land), max(area) FROM cities"),
        "1|7|3|1.4|3|it|1285.3");
    made_close(&m);
}

static void
attached_public_tables_work(void **state)
{
    struct made m;

    (void)state;
    ready(&m);
    assert_string_equal(asked(&m, "SELECT count(*), sum(people) FROM far"),
                        "4|11");
    /* Attached tables are read from their file in every query. */
    made_file(&m, "cities.csv",
              "name,land,people,area,since,flat,mean\nRome,,5,,,,\n");
    assert_string_equal(asked(&m, "SELECT count(*), sum(people) FROM far"),
                        "1|5");
    assert_string_equal(asked(&m, "SELECT count(*), sum(people) FROM cities"),
                        "4|11");
    made_close(&m);
}

static void
schemas_come_without_values(void **state)
{
    struct engine_source_column *c = NULL;
    struct duck *db;
    struct duck_connection *connection;
    char path[160], sql[512];
    struct made m;
    size_t n = 0;

    (void)state;
    made_folder(&m);
    made_file(&m, "a.csv", "id,\"na,me\",x\n1,b,2.5\n");
    made_path(&m, "a.csv", path);
    assert_int_equal(engine_schema(path, SOURCE_CSV, NULL, m.a, &c, &n, &m.err),
                     CUSTOS_OK);
    assert_int_equal(n, 3);
    assert_true(str_equal(c[1].name, str_of("na,me")));
    assert_int_equal(c[0].type, TYPE_NULL);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &m.err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &connection, &m.err), CUSTOS_OK);
    snprintf(sql, sizeof sql,
             "COPY (SELECT 1 AS i, CAST(1.5 AS DECIMAL(9,3)) AS d, 'x' AS t, "
             "DATE '2020-01-01' AS y, true AS b, CAST(1 AS DOUBLE) AS f, [1] "
             "AS l) TO '%s/a.parquet' (FORMAT parquet)",
             m.folder);
    assert_int_equal(duck_do(connection, sql, &m.err), CUSTOS_OK);
    duck_disconnect(connection);
    duck_close(db);
    made_path(&m, "a.parquet", path);
    assert_int_equal(
        engine_schema(path, SOURCE_PARQUET, NULL, m.a, &c, &n, &m.err),
        CUSTOS_OK);
    assert_int_equal(n, 7);
    assert_int_equal(c[0].type, TYPE_INT);
    assert_int_equal(c[1].type, TYPE_DECIMAL);
    assert_int_equal(c[1].scale, 3);
    assert_int_equal(c[2].type, TYPE_TEXT);
    assert_int_equal(c[3].type, TYPE_DATE);
    assert_int_equal(c[4].type, TYPE_BOOL);
    assert_int_equal(c[5].type, TYPE_REAL);
    assert_int_equal(c[6].type, TYPE_NULL);
    made_path(&m, "none.csv", path);
    assert_int_equal(engine_schema(path, SOURCE_CSV, NULL, m.a, &c, &n, &m.err),
                     CUSTOS_ENAME);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_rows_are_exact),
        cmocka_unit_test(public_groups_are_exact),
        cmocka_unit_test(attached_public_tables_work),
        cmocka_unit_test(schemas_come_without_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
