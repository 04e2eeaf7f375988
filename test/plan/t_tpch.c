/*
 * Ordinary analytic queries can be planned under the default limits: the five
 * of bench/tpch.c, at TPC-H's scale 1. A limit that rejects one of them is too
 * tight.
 */
#include <stdio.h>

#include "../../bench/tpch_data.c"
#include "base/base.h"
#include "plan/plan.h"
#include "support/support.h"

enum { MEMORY = 1 << 26, POLICY_MAX = 1 << 16 };

/* Scale 1, as in bench/tpch.c. */
static const struct tpch_sizes sizes = {
    .customers = 150000, .suppliers = 10000, .parts = 200000, .lines = 256};

/*
 * The first column of a public table is its key; all values of another column
 * may be equal.
 */
static bool
count(void *ctx, size_t table, int column, uint64_t *out)
{
    static const struct {
        const char *name;
        uint64_t rows;
    } tables[] = {
        {"region", 5}, {"nation", 25}, {"supplier", 10000}, {"part", 200000}};
    const struct policy *p = ctx;

    for (size_t i = 0; i < COUNT_OF(tables); i++)
        if (str_equal(p->tables[table].name, str_of(tables[i].name))) {
            *out = column == 0 ? 1 : tables[i].rows;
            return true;
        }
    fail_msg("%.*s is no public table", (int)p->tables[table].name.len,
             p->tables[table].name.ptr);
    return false;
}

static void
tpch_is_planned_under_default_limits(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    struct policy *policy = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf text;

    (void)state;
    assert_non_null(a);
    buf_init(&text, NULL, POLICY_MAX);
    tpch_print_policy(&text, &sizes, TPCH_DECLARED);
    if (policy_read(a, (str){buf_text(&text), text.len}, "tpch", &policy, &err))
        fail_msg("%s", err.said);
    for (size_t i = 0; i < TPCH_QUERIES; i++) {
        struct plan_known known = {.ctx = policy, .count = count};
        struct plan_options o = {.known = &known};
        struct query *query = NULL;
        struct plan *plan = NULL;
        char sql[2048];

        snprintf(sql, sizeof sql, "SELECT %s", tpch_queries[i].sql);
        err = (custos_err)CUSTOS_ERR_INIT;
        if (sql_read(a, str_of(sql), &query, &err) ||
            plan_make(a, query, policy, &o, &plan, &err))
            fail_msg("%s: %s", tpch_queries[i].name, err.said);
        assert_true(plan->fanout > 0); /* it can be run */
        plan_free(plan);
    }
    buf_clear(&text);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tpch_is_planned_under_default_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
