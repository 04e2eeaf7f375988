/*
 * The effort of planning: a query that takes too long to plan is rejected,
 * whatever is cached, also in EXPLAIN; ordinary queries are far from the limit.
 */
#include "evaluate/effort.h"

#include "plan/golden.h"
#include "plan/hospital.h"
#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"
#include "support/said.h"

enum { TEXT_MAX = 60000 };

/* Large domains, and a table without rows_per_unit. */
static const char wide[] =
    "custos: 1\n"
    "budget: {epsilon: 10, delta: 1e-6, n: 1000}\n"
    "query: {epsilon: 0.1, max_epsilon: 5, delta: 1e-8}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: id\n"
    "    rows_per_unit: 1\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      a: {type: text, nullable: false, values: [VALUES]}\n"
    "      b: {type: text, nullable: false, values: [VALUES]}\n"
    "      c: {type: text, nullable: false, values: [VALUES]}\n"
    "      d: {type: text, nullable: false, values: [VALUES]}\n"
    "      n: {type: integer, range: [0, 1000000], nullable: false}\n"
    "      day: {type: date, range: [0001-01-01, 9999-12-31]}\n"
    "  r:\n"
    "    source: r.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      a: {type: text, nullable: false, values: [VALUES]}\n"
    "      b: {type: text, nullable: false, values: [VALUES]}\n"
    "      c: {type: text, nullable: false, values: [VALUES]}\n"
    "      d: {type: text, nullable: false, values: [VALUES]}\n"
    "      e: {type: text, nullable: false}\n"
    "      n: {type: integer, range: [0, 1000], nullable: false}\n";

#define VALUES "v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5"

struct wide {
    arena *a;
    struct policy *policy;
    struct mechs *mechs;
};

static void
wide_open(struct wide *w)
{
    const char *at = wide;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    w->a = arena_new(NULL, (size_t)1 << 30);
    w->mechs = NULL;
    assert_non_null(w->a);
    buf_init(&b, NULL, 1 << 16);
    for (const char *next; (next = strstr(at, "VALUES")); at = next + 6) {
        buf_add(&b, at, (size_t)(next - at));
        buf_add_text(&b, VALUES);
    }
    buf_add_text(&b, at);
    if (policy_read(w->a, (str){b.ptr, b.len}, "wide", &w->policy, &err))
        fail_msg("%s", err.said);
    buf_clear(&b);
}

static void
wide_close(struct wide *w)
{
    mechs_free(w->mechs);
    arena_free(w->a);
}

/* Plans sql; the error is in err. */
static custos_status
wide_plan(struct wide *w, const char *sql, const _Atomic int *stop,
          custos_err *err)
{
    struct plan_options o = {.stop = stop, .mechs = w->mechs};
    arena *a = arena_new(NULL, (size_t)1 << 30);
    struct plan *plan = NULL;
    struct query *q = NULL;
    custos_status st;

    assert_non_null(a);
    *err = (custos_err)CUSTOS_ERR_INIT;
    st = sql_read(a, str_of(sql), &q, err);
    if (st)
        fail_msg("%s", err->said);
    st = plan_make(a, q, w->policy, &o, &plan, err);
    plan_free(plan);
    arena_free(a);
    return st;
}

/* head, then `each` n times with its number in place of #, then tail. */
static char *
repeat(const char *head, const char *each, int n, const char *tail)
{
    struct buf b;
    char *text;

    buf_init(&b, NULL, TEXT_MAX);
    buf_add_text(&b, head);
    for (int i = 0; i < n; i++)
        for (const char *c = each; *c; c++)
            if (*c == '#')
                buf_printf(&b, "%d", i);
            else
                buf_add(&b, c, 1);
    buf_add_text(&b, tail);
    assert_false(b.failed);
    text = strdup(buf_text(&b));
    buf_clear(&b);
    return text;
}

#define COUNT_T "SELECT count(*) FROM t GROUP BY "

/* Each of these once took seconds, a gigabyte, or both. */
static const struct {
    const char *head, *each;
    int n;
    const char *tail, *said;
} dear[] = {
    {COUNT_T "a", "||upper(a||b||c||d)", 60, "", "too many steps"},
    {COUNT_T "a||b||c||d", ", a||b||c||d||'#'", 14, "", "too many steps"},
    {COUNT_T "CASE", " WHEN n = # THEN CASE WHEN a = 'z' THEN a||b||c||d END",
     900, " ELSE 'x' END", "too many steps"},
    {COUNT_T "CASE", " WHEN a||b||c||d = '#' THEN #", 1500, " END",
     "too many steps"},
    {COUNT_T "a||b||c||d IN ('x'", ", '#'", 6000, ")", "too many steps"},
    {COUNT_T "n", ", n + #", 15, "", "too much memory"},
    {"SELECT count(*) FROM (SELECT n",
     ", nullif(nullif(a||b, a||b)||c||d, '#') AS x#", 900, " FROM t) q",
     "too many steps"},
    {"SELECT count(*) FROM (SELECT id",
     ", nullif(nullif(a||b, a||b)||c||d, '#') AS x#", 40, " FROM r) q",
     "too many steps"},
    {"SELECT count(*)", ", stddev(n + #)", 60, " FROM r", "too many steps"},
};

static char *
dear_text(size_t i)
{
    return repeat(dear[i].head, dear[i].each, dear[i].n, dear[i].tail);
}

static void
expensive_plans_are_refused(void **state)
{
    struct wide w;

    (void)state;
    wide_open(&w);
    for (size_t i = 0; i < COUNT_OF(dear); i++) {
        char *sql = dear_text(i);
        custos_err err = CUSTOS_ERR_INIT;

        if (wide_plan(&w, sql, NULL, &err) != CUSTOS_EOVERFLOW ||
            !strstr(whole_said(&err), dear[i].said) ||
            !strstr(whole_said(&err), "group by fewer or coarser keys"))
            fail_msg("%.60s: %s", sql, err.said);
        free(sql);
    }
    wide_close(&w);
}

/* The least limit on planning steps at which there is a plan. */
static uint64_t
least_steps(struct wide *w, const char *sql)
{
    uint64_t low = 0, high = w->policy->max_planning_steps;
    custos_err err = CUSTOS_ERR_INIT;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        w->policy->max_planning_steps = middle;
        if (wide_plan(w, sql, NULL, &err))
            low = middle;
        else
            high = middle;
    }
    w->policy->max_planning_steps = high;
    return high;
}

/* EXPLAIN and cached mechanisms do not change the least limit. */
static void
the_verdict_does_not_depend_on_the_cache(void **state)
{
    static const char *const asked[] = {
        "SELECT a||b, sum(n), median(n) FROM t GROUP BY a||b",
        "SELECT day, count(*), avg(n) FROM t GROUP BY day",
        "SELECT a, sum(n) FROM r GROUP BY a",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        char *explain = repeat("EXPLAIN ", asked[i], 1, "");
        struct wide w;
        custos_err err = CUSTOS_ERR_INIT;
        uint64_t least;

        wide_open(&w);
        least = least_steps(&w, asked[i]);
        assert_int_equal(least_steps(&w, explain), least);
        w.mechs = mechs_new();
        assert_non_null(w.mechs);
        for (int again = 0; again < 3; again++) {
            w.policy->max_planning_steps = least;
            assert_int_equal(wide_plan(&w, asked[i], NULL, &err), CUSTOS_OK);
            w.policy->max_planning_steps = least - 1;
            assert_int_equal(wide_plan(&w, asked[i], NULL, &err),
                             CUSTOS_EOVERFLOW);
        }
        wide_close(&w);
        free(explain);
    }
}

/* Makes a plan with so many steps left, and sets the digest. */
static custos_status
plan_with(struct wide *w, const char *sql, uint64_t left, uint8_t digest[32])
{
    struct plan_options o = {.mechs = w->mechs, .steps = &left};
    arena *a = arena_new(NULL, (size_t)1 << 30);
    struct plan *plan = NULL;
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    assert_non_null(a);
    assert_int_equal(sql_read(a, str_of(sql), &q, &err), CUSTOS_OK);
    st = plan_make(a, q, w->policy, &o, &plan, &err);
    if (!st)
        assert_true(plan_digest(plan, digest));
    plan_free(plan);
    arena_free(a);
    return st;
}

/* In a batch the worker makes each plan again with all steps, so a plan that is
   made with few of them must be the same one. */
static void
few_steps_refuse_and_change_no_plan(void **state)
{
    static const char *const asked[] = {
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 16, "
         "max_groups_contributed = 16) e, sum(n) FROM r GROUP BY e"),
        "SELECT e, sum(n) FROM r GROUP BY e",
        "SELECT count(*), sum(n), avg(n), median(n) FROM t",
        "SELECT a, b, count(*) FROM t GROUP BY CUBE (a, b)",
    };
    enum { TRIES = 12 };
    struct wide w;

    (void)state;
    wide_open(&w);
    w.mechs = mechs_new();
    assert_non_null(w.mechs);
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        uint64_t all = w.policy->max_planning_steps;
        uint8_t whole[32], digest[32];
        size_t made = 0;

        if (plan_with(&w, asked[i], all, whole))
            fail_msg("%s", asked[i]);
        for (uint64_t k = 1; k < TRIES; k++) {
            custos_status st = plan_with(&w, asked[i], all / TRIES * k, digest);

            assert_true(st == CUSTOS_OK || st == CUSTOS_EOVERFLOW);
            if (!st)
                assert_memory_equal(digest, whole, sizeof whole);
            made += !st;
        }
        assert_true(made > 0);
    }
    wide_close(&w);
}

/* The limit is on the bytes of the plan, even if the arena was used before. */
static void
bytes_are_those_of_the_plan(void **state)
{
    char *sql = repeat(COUNT_T "n", ", n + #", 15, "");
    struct wide w;

    (void)state;
    wide_open(&w);
    for (size_t taken = 1; taken < 1 << 22; taken *= 5) {
        arena *a = arena_new(NULL, (size_t)1 << 30);
        struct plan *plan = NULL;
        struct query *q = NULL;
        custos_err err = CUSTOS_ERR_INIT;

        assert_non_null(arena_take(a, taken, 1));
        assert_int_equal(sql_read(a, str_of(sql), &q, &err), CUSTOS_OK);
        assert_int_equal(plan_make(a, q, w.policy, NULL, &plan, &err),
                         CUSTOS_EOVERFLOW);
        assert_non_null(arena_take(a, EFFORT_BYTES, 1)); /* no limit now */
        arena_free(a);
    }
    free(sql);
    wide_close(&w);
}

static void
a_stop_ends_planning(void **state)
{
    const _Atomic int goes_on = 0, stop = 1;
    struct wide w;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    wide_open(&w);
    w.policy->max_planning_steps = UINT64_MAX; /* or all would be rejected */
    for (size_t i = 0; i < COUNT_OF(dear); i++) {
        char *sql = dear_text(i);

        if (!strcmp(dear[i].said, "too many steps")) {
            assert_int_equal(wide_plan(&w, sql, &stop, &err), CUSTOS_EENGINE);
            assert_non_null(strstr(whole_said(&err), "cancelled"));
        }
        free(sql);
    }
    assert_int_equal(wide_plan(&w, "SELECT sum(n) FROM t", &goes_on, &err),
                     CUSTOS_OK);
    wide_close(&w);
}

/*
 * Every golden plan needs at most a tenth of the allowed steps, except those
 * that search: a query by accuracy takes some forty calibrations, and a bound
 * selection with discovered groups makes a rule for each of eleven bounds, and a
 * range selection makes a plan for each range.
 */
static void
ordinary_plans_are_far_from_the_limit(void **state)
{
    char *text = golden_read();
    size_t plans = 0;

    (void)state;
    for (char *at = text; at && *at == '>'; at = golden_next(at)) {
        struct asked asked = {.adjacency = NULL};
        char sql[GOLDEN_SQL_MAX], with[GOLDEN_WITH_MAX];
        struct planned t;
        bool search;

        golden_case(at, sql, with, &asked);
        plan_for(&t, sql, &asked);
        if (!t.status) {
            struct plan_options o = {.epsilon = str_of(asked.epsilon),
                                     .within = str_of(asked.within),
                                     .jointly = asked.jointly};
            struct plan *few = NULL;

            search = asked.within || plan_range_selection(t.plan) ||
                     (plan_bound_selection(t.plan) &&
                      plan_bound_selection(t.plan)->plans[0]->space.selection);
            o.who = asked.who ? policy_analyst_find(t.policy, str_of(asked.who))
                              : NULL;
            t.policy->max_planning_steps /= search ? 1 : 10;
            if (plan_make(t.a, t.query, t.policy, &o, &few, &t.err))
                fail_msg("%s: %s", sql, t.err.said);
            plan_free(few);
            plans++;
        }
        plan_done(&t);
    }
    assert_true(plans > 100);
    free(text);
}

/* Keys with many values are planned, because only the values take memory. */
static void
large_images_fit(void **state)
{
    struct wide w;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    wide_open(&w);
    assert_int_equal(wide_plan(&w, COUNT_T "a||b||c||d", NULL, &err),
                     CUSTOS_OK);
    assert_int_equal(wide_plan(&w, COUNT_T "n", NULL, &err), CUSTOS_OK);
    assert_int_equal(
        wide_plan(&w, "SELECT count(*) FROM r GROUP BY a||b||c||d", NULL, &err),
        CUSTOS_OK);
    wide_close(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expensive_plans_are_refused),
        cmocka_unit_test(the_verdict_does_not_depend_on_the_cache),
        cmocka_unit_test(few_steps_refuse_and_change_no_plan),
        cmocka_unit_test(bytes_are_those_of_the_plan),
        cmocka_unit_test(a_stop_ends_planning),
        cmocka_unit_test(ordinary_plans_are_far_from_the_limit),
        cmocka_unit_test(large_images_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
