/*
 * A second engine, written against the seam alone (engine/handle.h), computes the
 * same exact aggregates as DuckDB: for the queries of test/plan/golden.txt, over the
 * same rows, in every way of bounding.
 */
#include "plan/golden.h"

#include "fake_hospital.h"

#include "engine/run/key.h"
#include "mech/sealed.h"
#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"
#include "plan/from/relation.h"
#include "support/stages.h"

/* Fails if the comparison has lost its cases. */
enum { COMPARED_LEAST = 170 };

/* ------------------------------------------------ what the fake computes -- */

static bool knows_relation(const struct relation *r);

/* Aggregates of a subquery are computed from their arguments. */
static bool
knows(const struct expr *e)
{
    if (!e)
        return true;
    if (e->kind != EXPR_AGGREGATE)
        return evaluate_knows(e);
    for (size_t i = 0; i < e->n_args; i++)
        if (!knows(e->args[i]))
            return false;
    return true;
}

static bool
knows_relation(const struct relation *r)
{
    bool all = true;

    if (!r)
        return true;
    all = knows(r->on) && knows_relation(r->left) && knows_relation(r->right);
    for (size_t i = 0; i < r->n_exprs && all; i++)
        all = knows(r->exprs[i]);
    for (size_t i = 0; i < r->n_branches && all; i++)
        all = knows_relation(r->branches[i]);
    return all;
}

/* Queries of IN (SELECT ...) and public parts need what no private statement
   does. */
static bool
knows_plan(const struct plan *plan)
{
    bool all = !plan->is_public && plan->n_queries == 0 &&
               !engine_has_public_parts(plan) && knows(plan->where) &&
               knows_relation(plan->from);

    for (size_t i = 0; i < plan->space.n_keys && all; i++)
        all = knows(plan->space.keys[i].expr);
    for (size_t i = 0; i < plan->n_parts && all; i++)
        all = knows(plan->parts[i].of);
    return all;
}

/* ---------------------------------------------------------- comparisons -- */

static void
check(custos_status st, const char *sql, const custos_err *err)
{
    if (st)
        fail_msg("%s: %s | %s", sql, err->said, err->noted);
}

static void
compare_bound_counts(struct engine *a, struct engine *b,
                     const struct plan *plan, const char *sql)
{
    custos_sealed *x[BOUND_SELECTION_MAX] = {NULL};
    custos_sealed *y[BOUND_SELECTION_MAX] = {NULL};
    custos_err err = CUSTOS_ERR_INIT;

    check(engine_bound_counts(a, plan, x, &err), sql, &err);
    check(engine_bound_counts(b, plan, y, &err), sql, &err);
    for (size_t i = 0; i + 1 < plan_bound_selection(plan)->n; i++) {
        i128 *p, *q;

        assert_int_equal(sealed_open(x[i], SEALED_INTS, 1, &p, &err), 0);
        assert_int_equal(sealed_open(y[i], SEALED_INTS, 1, &q, &err), 0);
        if (*p != *q)
            fail_msg("%s: bound %zu: %lld and %lld", sql, i, (long long)*p,
                     (long long)*q);
        custos_sealed_free(x[i]);
        custos_sealed_free(y[i]);
    }
}

static void
compare_range_scores(struct engine *a, struct engine *b,
                     const struct plan *plan, const char *sql)
{
    const struct range_selection *r = plan_range_selection(plan);
    custos_sealed *x = NULL, *y = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    i128 *p, *q;

    check(engine_range_scores(a, plan, &x, &err), sql, &err);
    check(engine_range_scores(b, plan, &y, &err), sql, &err);
    assert_int_equal(sealed_open(x, SEALED_INTS, r->n, &p, &err), 0);
    assert_int_equal(sealed_open(y, SEALED_INTS, r->n, &q, &err), 0);
    for (size_t i = 0; i < r->n; i++)
        if (p[i] != q[i])
            fail_msg("%s: range %zu: %lld and %lld", sql, i, (long long)p[i],
                     (long long)q[i]);
    custos_sealed_free(x);
    custos_sealed_free(y);
}

static void
compare_cells(struct engine *a, struct engine *b, const struct plan *plan,
              const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct exact x, y;

    check(exact_init(&x, stage_values(plan), &err), sql, &err);
    check(exact_init(&y, stage_values(plan), &err), sql, &err);
    check(work_fill(a, stage_values(plan), &x, &err), sql, &err);
    check(work_fill(b, stage_values(plan), &y, &err), sql, &err);
    for (size_t i = 0; i < x.n; i++)
        if (x.values[i] != y.values[i])
            fail_msg("%s: number %zu of %zu cells: %lld and %lld", sql, i,
                     x.cells, (long long)x.values[i], (long long)y.values[i]);
    exact_clear(&x);
    exact_clear(&y);
}

/* The group of `in` with the keys of group i of `of`. */
static size_t
same_group(const struct groups *of, size_t i, const struct groups *in)
{
    size_t n = of->stage->space->n_keys;

    for (size_t g = 0; g < in->n; g++) {
        size_t k = 0;

        while (k < n && key_same(&of->keys[i * n + k], &in->keys[g * n + k]))
            k++;
        if (k == n)
            return g;
    }
    fail_msg("a group of one engine is missing in the other");
    return 0;
}

static void
compare_groups(const struct groups *x, const struct groups *y, const char *sql)
{
    if (x->n != y->n)
        fail_msg("%s: %zu and %zu groups", sql, x->n, y->n);
    for (size_t i = 0; i < x->n; i++) {
        size_t g = same_group(x, i, y);

        if (x->units[i] != y->units[g])
            fail_msg("%s: %lld and %lld units", sql, (long long)x->units[i],
                     (long long)y->units[g]);
        for (size_t p = 0; p < x->stage->n_parts; p++) {
            size_t n = part_numbers(&x->stage->parts[p]);

            for (size_t k = 0; k < n; k++)
                if (x->values[p][i * n + k] != y->values[p][g * n + k])
                    fail_msg("%s: part %zu: %lld and %lld", sql, p,
                             (long long)x->values[p][i * n + k],
                             (long long)y->values[p][g * n + k]);
        }
    }
}

/* Adds up a number for each list; groups may come in any order. */
static custos_status
add_list(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
         custos_err *err)
{
    uint64_t *sum = ctx, h = key_mix_word(cell, 1);
    i128 *values;

    assert_int_equal(sealed_open(sealed, SEALED_WIDE, cells, &values, err), 0);
    for (size_t i = 0; i < cells; i++)
        h = key_mix_word(h, (uint64_t)values[i]);
    *sum += h;
    return CUSTOS_OK;
}

static void
compare_quantiles(struct engine *a, struct engine *b, const struct plan *plan,
                  const struct groups *among, const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;

    for (size_t i = 0; i < plan->n_parts; i++) {
        uint64_t x = 0, y = 0;

        if (plan->parts[i].kind != PART_QUANTILES)
            continue;
        check(quantiles_collect(a, stage_values(plan), i, among, add_list, &x,
                                &err),
              sql, &err);
        check(quantiles_collect(b, stage_values(plan), i, among, add_list, &y,
                                &err),
              sql, &err);
        if (x != y)
            fail_msg("%s: the values of quantile %zu differ", sql, i);
    }
}

static void
compare(struct engine *a, struct engine *b, const struct plan *plan,
        const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct exact x = {.groups = NULL}, y = {.groups = NULL};
    struct groups p, q;

    if (plan_bound_selection(plan)) {
        compare_bound_counts(a, b, plan, sql);
        plan = plan_bound_selection(plan)->plans[1];
    }
    if (plan_range_selection(plan)) {
        compare_range_scores(a, b, plan, sql);
        plan = plan_range_selection(plan)->plans[9];
    }
    if (!plan->space.selection) {
        compare_cells(a, b, plan, sql);
        compare_quantiles(a, b, plan, NULL, sql);
        return;
    }
    assert_true(groups_init(&p, stage_values(plan)) &&
                groups_init(&q, stage_values(plan)));
    x.groups = &p;
    y.groups = &q;
    check(work_fill(a, stage_values(plan), &x, &err), sql, &err);
    check(work_fill(b, stage_values(plan), &y, &err), sql, &err);
    compare_groups(&p, &q, sql);
    compare_quantiles(a, b, plan, &p, sql);
    groups_clear(&p);
    groups_clear(&q);
}

/* ----------------------------------------------------------------- test -- */

static void
hospital_open(struct made *m)
{
    static const struct asked plain = {.adjacency = NULL};
    struct buf policy;

    made_folder(m);
    hospital_write(m);
    buf_init(&policy, NULL, 1 << 16);
    replace(&policy, hospital, &plain);
    made_ready(m, buf_text(&policy));
    buf_clear(&policy);
}

static void
two_engines_agree_on_the_golden_queries(void **state)
{
    char *text = golden_read(), *sql = calloc(1, GOLDEN_SQL_MAX);
    char with[GOLDEN_WITH_MAX];
    size_t compared = 0, ways[BOUND_GENERAL + 1] = {0};
    struct engine *fake;
    struct made m;

    (void)state;
    assert_non_null(sql);
    hospital_open(&m);
    fake = fake_hospital_open(m.policy, m.store.secret);
    for (char *at = text; at; at = golden_next(at)) {
        struct plan_known known = {.count = engine_count, .ctx = m.engine};
        struct asked asked = {.known = &known};
        struct planned t;

        golden_case(at, sql, with, &asked);
        plan_for(&t, sql, &asked);
        if (t.plan && knows_plan(t.plan)) {
            compare(m.engine, fake, t.plan, sql);
            ways[t.plan->space.bounding]++;
            compared++;
        }
        plan_done(&t);
    }
    print_message("# %zu queries: %zu without bounding, %zu by rank, %zu by "
                  "fold, %zu by windows\n",
                  compared, ways[BOUND_NONE], ways[BOUND_RANK],
                  ways[BOUND_FOLD], ways[BOUND_GENERAL]);
    assert_true(compared >= COMPARED_LEAST);
    engine_close(fake);
    made_close(&m);
    free(sql);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_engines_agree_on_the_golden_queries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
