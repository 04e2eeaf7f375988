/*
 * A person is one unit, however the sources of several tables store the
 * identifying value. Sources for which this is not certain are rejected.
 */
#include "made.h"
#include "support/said.h"

#define HEAD                                                                   \
    "custos: 1\nbudget: {epsilon: 1}\ntables:\n"                               \
    "  a: {source: f.duckdb, unit: id, columns: {id: {%s}}}\n"                 \
    "  b: {source: f.duckdb, unit: id, columns: {id: {%s}}}\n"

/* A DuckDB file: tables a and b have one row each, with these ids. */
static void
make_sources(struct made *m, const char *a, const char *b)
{
    struct duck_connection *c;
    struct duck *db;
    char sql[1024];

    made_folder(m);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &m->err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &m->err), CUSTOS_OK);
    snprintf(sql, sizeof sql,
             "ATTACH '%s/f.duckdb' AS o; CREATE TABLE o.a AS SELECT %s AS id; "
             "CREATE TABLE o.b AS SELECT %s AS id; DETACH o",
             m->folder, a, b);
    assert_int_equal(duck_do(c, sql, &m->err), CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
}

static void
make_policy(const char *a, const char *b, char text[1024])
{
    snprintf(text, 1024, HEAD, a, b);
}

/* A person who is in both tables is one unit, with one unit number. */
static void
one_person_in_two_types(void **state)
{
    static const char *const same[][3] = {
        {"type: integer", "1", "CAST(1 AS DECIMAL(3,1))"},
        {"type: integer", "'1.0'", "CAST(1 AS DOUBLE)"},
        {"type: integer", "'01'", "CAST(1 AS TINYINT)"},
        {"type: integer", "' 1'", "CAST(1 AS FLOAT)"},
        {"type: decimal, scale: 2", "1", "CAST(1 AS DECIMAL(3,1))"},
        {"type: decimal, scale: 2", "'1.005'", "CAST(1.005 AS DECIMAL(9,3))"},
        {"type: decimal, scale: 2", "'-1.005'", "CAST(-1.005 AS DECIMAL(9,3))"},
        {"type: date", "DATE '2020-01-02'", "TIMESTAMP '2020-01-02 00:00:00'"},
        {"type: date", "'2020-01-02'", "TIMESTAMP '2020-01-02 10:00:00'"},
        {"type: timestamp", "DATE '2020-01-02'",
         "TIMESTAMP '2020-01-02 00:00:00'"},
        {"type: timestamp", "'2020-01-02'", "TIMESTAMP '2020-01-02 00:00:00'"},
        {"type: text", "'1'", "CAST(1 AS HUGEINT)"},
        {"type: text", "'x'", "CAST('x' AS ENUM('x', 'y'))"},
        {"type: text", "uuid_text", "uuid_text"},
        {"type: text", "CAST(1 AS DECIMAL(3,1))", "CAST(1 AS DECIMAL(3,1))"},
    };
    static const char uuid[] =
        "CAST('AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee' AS UUID)";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        bool is_uuid = !strcmp(same[i][1], "uuid_text");
        struct made m;
        char text[1024];

        make_sources(&m, is_uuid ? uuid : same[i][1],
                     is_uuid ? uuid : same[i][2]);
        make_policy(same[i][0], same[i][0], text);
        made_ready(&m, text);
        assert_string_equal(made_ask(&m, "SELECT count(*) FROM people"), "1");
        assert_string_equal(made_ask(&m, "SELECT t0.u, t1.u FROM t0, t1"),
                            "1 1");
        made_close(&m);
    }
}

/* Types that would be read differently are rejected, from the schemas alone. */
static void
mixed_sources_of_units_are_refused(void **state)
{
    static const char *const mixed[][3] = {
        {"type: text", "1", "CAST(1 AS DECIMAL(3,1))"},
        {"type: text", "'1'", "CAST(1 AS DOUBLE)"},
        {"type: text", "CAST(1 AS DECIMAL(3,1))", "CAST(1 AS DECIMAL(3,2))"},
        {"type: text", "DATE '2020-01-02'", "TIMESTAMP '2020-01-02 00:00:00'"},
        {"type: text", "'AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee'",
         "CAST('AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee' AS UUID)"},
        {"type: decimal, scale: 2", "'1.005'", "CAST(1.005 AS DOUBLE)"},
        {"type: timestamp", "TIMESTAMP '2020-01-02 00:00:00'",
         "TIMESTAMPTZ '2020-01-02 00:00:00+05'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(mixed) * 2; i++) {
        const char *const *x = mixed[i / 2];
        struct made m;
        char text[1024];

        make_sources(&m, x[1 + i % 2], x[2 - i % 2]);
        make_policy(x[0], x[0], text);
        made_policy(&m, text);
        assert_int_equal(made_import(&m), CUSTOS_EPOLICY);
        assert_non_null(
            strstr(whole_said(&m.err), "one person could count as two"));
        assert_null(strstr(whole_said(&m.err), "2020"));
        made_close(&m);
    }
}

/* Two different declared types are rejected before any source is opened. */
static void
units_have_one_declared_type(void **state)
{
    static const char *const mixed[][2] = {
        {"type: integer", "type: decimal, scale: 0"},
        {"type: integer", "type: text"},
        {"type: decimal, scale: 1", "type: decimal, scale: 2"},
        {"type: date", "type: timestamp"},
        {"type: text", "type: date"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(mixed) * 2; i++) {
        arena *a = arena_new(NULL, 1 << 24);
        struct policy *p = NULL;
        custos_err err = CUSTOS_ERR_INIT;
        char text[1024];

        make_policy(mixed[i / 2][i % 2], mixed[i / 2][1 - i % 2], text);
        assert_int_equal(policy_read(a, str_of(text), "p.yaml", &p, &err),
                         CUSTOS_EPOLICY);
        assert_non_null(
            strstr(whole_said(&err), "one person could count as two"));
        assert_int_equal(policy_read_past(a, str_of(text), "p.yaml", &p, &err),
                         CUSTOS_OK);
        arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_person_in_two_types),
        cmocka_unit_test(mixed_sources_of_units_are_refused),
        cmocka_unit_test(units_have_one_declared_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
