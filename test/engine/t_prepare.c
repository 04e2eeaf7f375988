/*
 * Public parts of private plans: computed in advance, then read by name.
 */
#include "engine/run/prepare.h"

#include "made.h"
#include "printed.h"
#include "support/stages.h"

static const char POLICY[] =
    "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
    "  v:\n    source: v.csv\n    unit: id\n    rows_per_unit: 2\n"
    "    columns: {id: {type: integer, nullable: false},\n"
    "              k: {type: integer, range: [0, 9]}}\n"
    "  d:\n    public: true\n    source: d.csv\n"
    "    columns: {k: {type: integer}, w: {type: integer}}\n"
    "  far:\n    public: true\n    attach: true\n    source: d.csv\n"
    "    columns: {k: {type: integer}, w: {type: integer}}\n";

static void
ready(struct made *m)
{
    made_folder(m);
    made_file(m, "v.csv", "id,k\n1,1\n2,2\n3,3\n");
    made_file(m, "d.csv", "k,w\n1,10\n2,20\n2,21\n");
    made_ready(m, POLICY);
}

static struct plan *
plan_of(struct made *m, const char *sql)
{
    struct plan_known known = {.count = engine_count, .ctx = m->engine};
    struct plan_options options = {.known = &known};
    struct plan *plan = NULL;
    struct query *q;

    if (sql_read(m->a, str_of(sql), &q, &m->err) ||
        plan_make(m->a, q, m->policy, &options, &plan, &m->err))
        fail_msg("%s: %s", sql, m->err.said);
    return plan;
}

/*
 * The statement's WITH and FROM, in m's memory; NULL if it cannot be built.
 */
static const char *
text_of(struct made *m, const struct plan *plan)
{
    const char *text = NULL;
    struct builder b;
    struct select *s;
    struct buf out;

    builder_init(&b, m->engine);
    buf_init(&out, NULL, 1 << 16);
    s = select_new(&b, relation_of_plan(&b, plan));
    s->all = true;
    relation_queries(&b, plan, plan->n_queries, s);
    if (!b.failed)
        duck_print_select(s, duck_of(m->engine)->data->read, &out);
    if (!b.failed && !out.failed)
        text = arena_copy(m->a, str_of(buf_text(&out)));
    buf_clear(&out);
    builder_clear(&b);
    return text;
}

static const char *const parted[] = {
    "SELECT count(*) FROM v JOIN (SELECT k, stddev_pop(w) AS s FROM d GROUP BY "
    "k) AS q USING (k)",
    "SELECT count(*) FROM v JOIN far USING (k)",
    "SELECT count(*) FROM v WHERE k IN (SELECT sum(w) FROM d)",
    "SELECT count(*) FROM v WHERE k IN (SELECT k FROM far WHERE w > 3)",
    "SELECT count(*) FROM v JOIN (SELECT k FROM (SELECT sum(w) AS k FROM d) AS "
    "a UNION ALL SELECT k FROM far) AS q USING (k)",
};

/*
 * Without preparation the statement cannot be printed; with it, the statement
 * has the name of a prepared table.
 */
static void
a_private_statement_has_no_public_part(void **state)
{
    struct made m;

    (void)state;
    ready(&m);
    for (size_t i = 0; i < COUNT_OF(parted); i++) {
        struct plan *plan = plan_of(&m, parted[i]);
        const char *text;

        assert_true(engine_has_public_parts(plan));
        assert_null(text_of(&m, plan));
        assert_int_equal(engine_prepare(m.engine, plan, &m.err), CUSTOS_OK);
        text = text_of(&m, plan);
        if (!text || !strstr(text, "temp.main.prepared0") ||
            strstr(text, "stddev") || strstr(text, "sum(") ||
            strstr(text, "read_csv"))
            fail_msg("%s: %s", parted[i], text ? text : "nothing");
        engine_unprepare(m.engine);
        assert_null(text_of(&m, plan));
        plan_free(plan);
    }
    made_close(&m);
}

/* Stored public tables are read directly. */
static void
stored_tables_are_read_directly(void **state)
{
    static const char *const plain[] = {
        "SELECT count(*) FROM v JOIN d USING (k)",
        "SELECT count(*) FROM v JOIN d USING (k) WHERE w > 3",
        "SELECT count(*) FROM v",
    };
    struct made m;

    (void)state;
    ready(&m);
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        struct plan *plan = plan_of(&m, plain[i]);

        assert_false(engine_has_public_parts(plan));
        assert_int_equal(engine_prepare(m.engine, plan, &m.err), CUSTOS_OK);
        assert_int_equal(m.engine->n_prepared, 0);
        engine_unprepare(m.engine);
        plan_free(plan);
    }
    made_close(&m);
}

/* A statement of one question is not reused for the next. */
static void
questions_do_not_share_tables(void **state)
{
    struct made m;

    (void)state;
    ready(&m);
    for (int w = 10; w < 13; w++) {
        char sql[200];
        struct exact x;
        struct plan *plan;

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM v JOIN (SELECT max(w) AS w FROM d WHERE "
                 "w < %d) AS q ON w > 0",
                 w);
        plan = plan_of(&m, sql);
        assert_int_equal(exact_init(&x, stage_values(plan), &m.err), CUSTOS_OK);
        assert_int_equal(engine_prepare(m.engine, plan, &m.err), CUSTOS_OK);
        assert_int_equal(work_fill(m.engine, stage_values(plan), &x, &m.err),
                         CUSTOS_OK);
        assert_true(x.values[0] == (w > 10 ? 3 : 0));
        engine_unprepare(m.engine);
        exact_clear(&x);
        plan_free(plan);
    }
    made_close(&m);
}

/*
 * A failure leaves nothing prepared, and handles do not see each other's
 * prepared tables.
 */
static void
a_failure_leaves_nothing(void **state)
{
    struct engine *other = NULL;
    struct plan *good, *bad;
    struct made m;

    (void)state;
    ready(&m);
    good = plan_of(&m, parted[0]);
    bad = plan_of(&m,
                  "SELECT count(*) FROM v JOIN (SELECT stddev_pop(w * "
                  "1e35 * 1e35 * 1e35 * 1e35 * 1e35) AS s FROM d) AS q ON s > "
                  "0 WHERE k IN (SELECT sum(w) FROM d)");
    assert_int_equal(engine_share(m.engine, &other, &m.err), CUSTOS_OK);
    assert_int_equal(engine_prepare(other, good, &m.err), CUSTOS_OK);
    assert_int_equal(engine_prepare(m.engine, bad, &m.err), CUSTOS_EINVAL);
    assert_int_equal(m.engine->n_prepared, 0);
    assert_string_equal(made_ask(&m, "SELECT count(*) FROM duckdb_tables() "
                                     "WHERE database_name = 'temp'"),
                        "0");
    assert_int_equal(engine_prepare(m.engine, good, &m.err), CUSTOS_OK);
    engine_close(other);
    engine_unprepare(m.engine);
    plan_free(good);
    plan_free(bad);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_private_statement_has_no_public_part),
        cmocka_unit_test(stored_tables_are_read_directly),
        cmocka_unit_test(questions_do_not_share_tables),
        cmocka_unit_test(a_failure_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
