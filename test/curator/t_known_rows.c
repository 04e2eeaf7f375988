/*
 * Answers about a whole table whose number of rows the policy states: values and
 * error bars, from noise on the exact numbers of the table.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "curator/answer.h"
#include "evaluate/evaluate.h"
#include "mech/i128.h"
#include "plan/plan.h"
#include "support/support.h"

enum { MEMORY = 1 << 26, ROWS = 40, COLUMNS_MAX = 8 };

static const char POLICY[] =
    "custos: 2\n"
    "adjacency: change-one\n"
    "budget: {epsilon: 1000, delta: 1e-2, n: 9}\n"
    "query: {max_epsilon: 1000, max_rho: 100, min_epsilon: 0, min_rho: 0}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    exact_rows: 40\n"
    "    columns:\n"
    "      x: {type: integer, range: [101, 204], nullable: false}\n"
    "      y: {type: decimal, scale: 1, range: [-3, 2], nullable: false}\n";

static int
x_of(int row)
{
    return 101 + row * 29 % 104;
}

/* In steps of 0.1. */
static int
y_of(int row)
{
    return row * 7 % 51 - 30;
}

struct setting {
    const char *sql, *epsilon, *rho; /* one of the prices is NULL */
};

static struct plan *
plan_of(arena *a, const struct setting *s)
{
    struct plan_options options = {.epsilon = str_of(s->epsilon),
                                   .rho = str_of(s->rho)};
    custos_err err = CUSTOS_ERR_INIT;
    struct policy *policy;
    struct query *query;
    struct plan *plan = NULL;

    if (policy_read(a, str_of(POLICY), "policy", &policy, &err) ||
        sql_read(a, str_of(s->sql), &query, &err) ||
        plan_make(a, query, policy, &options, &plan, &err))
        fail_msg("%s: %s", s->sql, err.said);
    assert_int_equal(plan->known_rows, ROWS);
    return plan;
}

/* What the engine would compute. */
static i128
exact_part(const struct part *part)
{
    i128 sum = 0;

    assert_true(part->kind == PART_SUM || part->kind == PART_SQUARES);
    for (int i = 0; i < ROWS; i++) {
        i128 v = (part->grid.digits ? y_of(i) : x_of(i)) - part->centre;

        sum += part->kind == PART_SUM ? v : v * v;
    }
    return sum;
}

static void
release(const struct plan *p, custos_rng *rng, struct released *out)
{
    for (size_t i = 0; i < p->n_parts; i++) {
        i128 exact = exact_part(&p->parts[i]);
        custos_sealed *sealed = NULL;

        assert_int_equal(seal_i128(NULL, &exact, 1, &sealed, NULL), 0);
        assert_int_equal(release_i128(p->parts[i].mech, rng, sealed,
                                      out->values[i], 1, NULL),
                         0);
        custos_sealed_free(sealed);
    }
}

/* count, avg(x), sum(x), avg(y), sum(y), var_pop(x) */
static void
exact_values(double *out)
{
    double x = 0, y = 0, squares = 0;

    for (int i = 0; i < ROWS; i++) {
        x += x_of(i);
        y += y_of(i) / 10.0;
        squares += (double)x_of(i) * x_of(i);
    }
    out[0] = ROWS;
    out[1] = x / ROWS;
    out[2] = x;
    out[3] = y / ROWS;
    out[4] = y;
    out[5] = squares / ROWS - x / ROWS * x / ROWS;
}

#define ALL "SELECT count(*), avg(x), sum(x), avg(y), sum(y), var_pop(x) FROM t"

/* At a huge epsilon there is little noise. */
static void
known_rows_have_the_exact_value(void **state)
{
    struct setting s = {ALL, "1000", NULL};
    arena *a = arena_new(NULL, MEMORY);
    struct plan *p = plan_of(a, &s);
    custos_rng *rng = test_rng_seeded(3);
    struct released released = {.cells = 1};
    struct receipt receipt = {0};
    struct answer *answer = NULL;
    double exact[COLUMNS_MAX];

    (void)state;
    exact_values(exact);
    assert_true(released_take(a, &p->stages[0], 1, &released));
    release(p, rng, &released);
    assert_int_equal(answer_of_released(p, &released, &receipt, &answer, NULL),
                     0);
    assert_int_equal(answer->n_columns, 6);
    assert_false(answer->cells[0].has_bar); /* a count is no noisy number */
    for (size_t i = 0; i < answer->n_columns; i++)
        if (fabs(datum_double(&answer->cells[i].value) - exact[i]) >
            (i == 5  ? 30
             : i % 2 ? 0.05
                     : 2))
            fail_msg("column %zu: %g, not %g", i,
                     datum_double(&answer->cells[i].value), exact[i]);
    answer_free(answer);
    test_rng_free(rng);
    plan_free(p);
    arena_free(a);
}

/* Bars of 10^4 answers; false alarms below 10^-4 for each column. */
static void
covers(const struct setting *s, double most)
{
    arena *a = arena_new(NULL, MEMORY);
    struct plan *p = plan_of(a, s);
    custos_rng *rng = test_rng_seeded(5);
    struct released released = {.cells = 1};
    struct receipt receipt = {0};
    int runs = test_size(500, 10000), covered[COLUMNS_MAX] = {0};
    double exact[COLUMNS_MAX], deviation = sqrt(0.05 * 0.95 / runs);

    exact_values(exact);
    assert_true(released_take(a, &p->stages[0], 1, &released));
    for (int run = 0; run < runs; run++) {
        struct answer *answer = NULL;

        release(p, rng, &released);
        assert_int_equal(
            answer_of_released(p, &released, &receipt, &answer, NULL), 0);
        for (size_t i = 1; i < answer->n_columns; i++) {
            const struct answer_cell *c = &answer->cells[i];
            double low = datum_double(&c->low), high = datum_double(&c->high);
            double slack = 1e-9 * (fabs(exact[i]) + 1);

            assert_true(c->has_bar);
            covered[i] += low - slack <= exact[i] && exact[i] <= high + slack;
        }
        answer_free(answer);
    }
    for (size_t i = 1; i < p->n_outputs; i++) {
        double share = (double)covered[i] / runs;

        print_message("column %zu, %s %s: %.4f covered\n", i,
                      s->rho ? "rho" : "epsilon", s->rho ? s->rho : s->epsilon,
                      share);
        if (share < 0.95 - 4 * deviation || (i < 5 && share > most))
            fail_msg("%s: column %zu covers %.4f", s->sql, i, share);
    }
    test_rng_free(rng);
    plan_free(p);
    arena_free(a);
}

static void
known_rows_cover(void **state)
{
    static const struct setting settings[] = {
        {ALL, "5", NULL}, {ALL, "20", NULL}, {ALL, NULL, "2"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i], 0.97);
}

/* The bar of a mean is that of its sum, divided by the number of rows. */
static void
known_rows_have_the_bar_of_the_sum(void **state)
{
    struct setting s = {"SELECT avg(x), sum(x) FROM t", "10", NULL};
    arena *a = arena_new(NULL, MEMORY);
    struct plan *p = plan_of(a, &s);
    struct released released = {.cells = 1};
    struct receipt receipt = {0};
    struct answer *answer = NULL;
    const struct answer_cell *c;

    (void)state;
    assert_int_equal(p->n_parts, 1);
    assert_true(released_take(a, &p->stages[0], 1, &released));
    released.values[0][0] = exact_part(&p->parts[0]);
    assert_int_equal(answer_of_released(p, &released, &receipt, &answer, NULL),
                     0);
    c = answer->cells;
    for (int end = 0; end < 2; end++) {
        double mean = datum_double(end ? &c[0].high : &c[0].low);
        double sum = datum_double(end ? &c[1].high : &c[1].low);

        assert_true(fabs(mean - sum / ROWS) < 1e-9);
    }
    answer_free(answer);
    plan_free(p);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rows_have_the_exact_value),
        cmocka_unit_test(known_rows_cover),
        cmocka_unit_test(known_rows_have_the_bar_of_the_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
