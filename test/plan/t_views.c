/*
 * Views: a granted name stands for the owner's query in brackets, a name that
 * is not granted does not exist, and only the owner learns what is wrong with a
 * view.
 */
#include "plan/from/views.h"

#include <stdio.h>

#include "base/base.h"
#include "plan/plan.h"
#include "support/said.h"
#include "support/support.h"

enum { MEMORY = 1 << 26 };

/* A policy with the given views. */
#define POLICY(views)                                                          \
    "custos: 1\n"                                                              \
    "budget: {epsilon: 10}\n"                                                  \
    "tables:\n"                                                                \
    "  t: {source: t.csv, unit: row, columns: {x: {type: integer,\n"           \
    "    range: [0, 9]}, secret: {type: text}}}\n"                             \
    "  u: {source: u.csv, public: true, columns: {y: {type: integer}}}\n"      \
    "views:\n" views "analysts:\n"                                             \
    "  ana: {tables: [v]}\n"                                                   \
    "  bo: {tables: [t]}\n"

static const char good[] =
    POLICY("  v: {sql: SELECT x + 1 AS z FROM t WHERE secret = 'a'}\n"
           "  w: {sql: 'SELECT z FROM v AS a, u UNION ALL SELECT y FROM u'}\n");

struct made {
    arena *a;
    struct policy *policy;
    custos_err err;
};

static void
make(struct made *m, const char *text)
{
    *m = (struct made){.err = CUSTOS_ERR_INIT, .a = arena_new(NULL, MEMORY)};
    if (policy_read(m->a, str_of(text), "policy.yaml", &m->policy, &m->err))
        fail_msg("%s", m->err.said);
}

static struct query *
expand(struct made *m, const char *who, const char *sql)
{
    struct query *q = NULL;

    if (sql_read(m->a, str_of(sql), &q, &m->err) ||
        views_expand(m->a, m->policy,
                     policy_analyst_find(m->policy, str_of(who)), NULL, q,
                     &m->err))
        fail_msg("%s: %s", sql, m->err.said);
    return q;
}

/* For the analyst `who`, sql becomes `text`. */
static void
becomes(const char *who, const char *sql, const char *text)
{
    struct made m;
    struct buf b;

    make(&m, good);
    buf_init(&b, NULL, 1 << 20);
    sql_print(expand(&m, who, sql), &b);
    assert_string_equal(buf_text(&b), text);
    buf_clear(&b);
    arena_free(m.a);
}

#define V                                                                      \
    "(SELECT (\"x\" + 1) AS \"z\" FROM \"t\" WHERE (\"secret\" = 'a')) AS "
#define W                                                                      \
    "(SELECT \"z\" AS \"z\" FROM " V "\"a\" CROSS JOIN \"u\" UNION ALL "       \
    "SELECT \"y\" AS \"y\" FROM \"u\") AS "

static void
a_view_is_its_query(void **state)
{
    struct made m;
    const struct from *f;
    const char *sql = "SELECT count(*) FROM u, v";

    (void)state;
    becomes("ana", "SELECT count(*) FROM v",
            "SELECT count(*) AS \"count\" FROM " V "\"v\"");
    becomes("", "SELECT count(*) FROM w AS a (b) JOIN v ON a.b = v.z",
            "SELECT count(*) AS \"count\" FROM " W "\"a\" (\"b\") JOIN " V
            "\"v\" ON (\"a\".\"b\" = \"v\".\"z\")");
    becomes("ana",
            "WITH c AS (SELECT z FROM v UNION ALL SELECT z FROM v) SELECT "
            "count(*) FROM c WHERE z IN (SELECT z FROM v)",
            "SELECT count(*) AS \"count\" FROM (SELECT \"z\" AS \"z\" FROM " V
            "\"v\" UNION ALL SELECT \"z\" AS \"z\" FROM " V
            "\"v\") AS \"c\" WHERE (\"z\" IN (SELECT \"z\" AS \"z\" FROM " V
            "\"v\"))");
    /* A name of WITH hides a view. */
    becomes("ana", "WITH v AS (SELECT y FROM u) SELECT count(*) FROM v",
            "SELECT count(*) AS \"count\" FROM (SELECT \"y\" AS \"y\" FROM "
            "\"u\") AS \"v\"");
    /* All nodes of a view have the position of the view's name in the query. */
    make(&m, good);
    f = expand(&m, "ana", sql)->from->right;
    assert_true(f->kind == FROM_QUERY && f->trusted);
    assert_int_equal(f->at, strlen(sql) - 1);
    assert_int_equal(f->query->where->at, f->at);
    assert_int_equal(f->query->where->args[1]->at, f->at);
    assert_int_equal(f->query->from->at, f->at);
    assert_false(f->query->from->trusted);
    arena_free(m.a);
}

/*
 * The planner says the same about a view that is not granted and one that does
 * not exist.
 */
static void
only_granted_views_are_there(void **state)
{
    static const struct {
        const char *who, *sql;
    } asked[] = {
        {"bo", "SELECT count(*) FROM v"},
        {"ana", "SELECT count(*) FROM w"},
        {"ana", "SELECT count(*) FROM t"},
        {"ana", "SELECT count(*) FROM n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct plan_options o = {.who = NULL};
        struct query *q = NULL;
        struct plan *plan = NULL;
        char said[80];
        struct made m;

        make(&m, good);
        o.who = policy_analyst_find(m.policy, str_of(asked[i].who));
        assert_non_null(o.who);
        assert_int_equal(sql_read(m.a, str_of(asked[i].sql), &q, &m.err),
                         CUSTOS_OK);
        assert_int_equal(plan_make(m.a, q, m.policy, &o, &plan, &m.err),
                         CUSTOS_ENAME);
        snprintf(said, sizeof said, "there is no table %c",
                 asked[i].sql[strlen(asked[i].sql) - 1]);
        assert_memory_equal(whole_said(&m.err), said, strlen(said));
        arena_free(m.a);
    }
    /* The owner may use all views. */
    becomes("", "SELECT count(*) FROM w",
            "SELECT count(*) AS \"count\" FROM " W "\"w\"");
}

/*
 * The tree that was read, whose text goes to the ledger, keeps the names of
 * views everywhere: only a deep copy is rewritten.
 */
static void
the_query_keeps_its_text(void **state)
{
    const char *text =
        "SELECT count(*) AS \"count\" FROM (SELECT \"z\" AS \"z\" FROM \"v\" "
        "UNION ALL SELECT \"z\" AS \"z\" FROM \"v\") AS \"c\" JOIN \"v\" ON "
        "(\"c\".\"z\" IN (SELECT \"z\" AS \"z\" FROM \"v\"))";
    struct query *q = NULL;
    struct plan *plan = NULL;
    struct made m;
    custos_status st;
    struct buf b;

    (void)state;
    make(&m, good);
    buf_init(&b, NULL, 1 << 20);
    assert_int_equal(sql_read(m.a, str_of(text), &q, &m.err), CUSTOS_OK);
    st = plan_make(m.a, q, m.policy, NULL, &plan, &m.err);
    if (!st)
        plan_free(plan);
    sql_print(q, &b);
    assert_string_equal(buf_text(&b), text);
    buf_clear(&b);
    arena_free(m.a);
}

static void
the_owner_reads_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {POLICY("  v: {sql: SELECT foo(x) FROM t}\n"),
         "policy.yaml, line 8: view 'v': function foo"},
        {POLICY("  v: {sql: SELECT x FROM t LIMIT 1}\n"),
         "policy.yaml, line 8: view 'v': not part of private SQL: LIMIT"},
        {POLICY("  v: {sql: DELETE FROM t}\n"), "view 'v': DELETE"},
        {POLICY("  v: {sql: SELECT x FROM tt}\n"),
         "view 'v': there is no table or view tt"},
        {POLICY("  w: {sql: SELECT x FROM t}\n"
                "  v: {sql: 'SELECT x FROM u WHERE y IN (SELECT x FROM v)'}\n"),
         "policy.yaml, line 9: view 'v': view 'v' uses itself"},
        {POLICY("  v: {sql: SELECT x FROM w}\n"
                "  w: {sql: SELECT x FROM v}\n"),
         "line 8: view 'v': view 'v' uses itself"},
        {POLICY("  v: {sql: 'SELECT x FROM t'}\n"
                "  v1: {sql: 'SELECT x FROM v'}\n"
                "  v2: {sql: 'SELECT x FROM v1'}\n"
                "  v3: {sql: 'SELECT x FROM v2'}\n"
                "  v4: {sql: 'SELECT x FROM v3'}\n"
                "  v5: {sql: 'SELECT x FROM v4'}\n"
                "  v6: {sql: 'SELECT x FROM v5'}\n"
                "  v7: {sql: 'SELECT x FROM v6'}\n"
                "  v8: {sql: 'SELECT x FROM v7'}\n"),
         "line 16: view 'v8': views of views nest deeper than 8"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct query *q = NULL;
        struct made m;

        make(&m, wrong[i].text);
        if (views_check(m.a, m.policy, "policy.yaml", &m.err) !=
                CUSTOS_EPOLICY ||
            !strstr(whole_said(&m.err), wrong[i].said))
            fail_msg("%s: %s", wrong[i].said, m.err.said);
        /* The asker gets one general sentence. */
        assert_int_equal(
            sql_read(m.a, str_of("SELECT count(*) FROM v"), &q, &m.err),
            CUSTOS_OK);
        if (i + 1 < COUNT_OF(wrong)) {
            assert_int_equal(views_expand(m.a, m.policy, &m.policy->analysts[0],
                                          NULL, q, &m.err),
                             CUSTOS_EPOLICY);
            assert_int_equal(m.err.at, 21);
            assert_string_equal(
                whole_said(&m.err),
                "view v cannot be used; ask the owner to run custos "
                "policy check, which says why");
        }
        arena_free(m.a);
    }
}

/* Uses of views are counted, those within views too. */
static void
many_views_are_refused(void **state)
{
    static const char text[] = POLICY(
        "  v: {sql: SELECT x FROM t}\n"
        "  w: {sql: 'SELECT 1 FROM v a, v b, v c, v d, v e, v f, v g'}\n");
    struct query *q = NULL;
    struct made m;

    (void)state;
    make(&m, text);
    assert_int_equal(views_check(m.a, m.policy, "p", &m.err), CUSTOS_OK);
    (void)expand(&m, "",
                 "SELECT 1 FROM w a, w b, w c, w d, w e, w f, w g, w h");
    assert_int_equal(
        sql_read(m.a,
                 str_of("SELECT 1 FROM w a, w b, w c, w d, w e, w f, w g, w h, "
                        "v i"),
                 &q, &m.err),
        CUSTOS_OK);
    assert_int_equal(views_expand(m.a, m.policy, NULL, NULL, q, &m.err),
                     CUSTOS_EUNSUPPORTED);
    assert_non_null(strstr(whole_said(&m.err), "more than 64 views"));
    arena_free(m.a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_is_its_query),
        cmocka_unit_test(only_granted_views_are_there),
        cmocka_unit_test(the_query_keeps_its_text),
        cmocka_unit_test(the_owner_reads_what_is_wrong),
        cmocka_unit_test(many_views_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
