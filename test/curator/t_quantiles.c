/*
 * Error bars of quantiles: how often they contain the exact quantile of the
 * values that count.
 *
 * Plans, mechanisms and answers are the curator's. Only the engine is left out:
 * the test seals groups of known values, as engine_quantiles does. A hundred
 * equal groups give a hundred answers in each release; every setting has 10^3
 * or 10^4 answers, 10^5 with CUSTOS_LONG. The bars come from a bound for the
 * worst data, so their coverage exceeds 95 %. The test asserts this within 4
 * sampling deviations, on smooth data and on the worst known data, and that the
 * bars are not simply the entire range.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "curator/answer.h"
#include "mech/i128.h"
#include "mech/quantile_box.h"
#include "evaluate/evaluate.h"
#include "support/support.h"
#include "support/stages.h"

enum { MEMORY = 1 << 27, CELLS = 100, VALUES = 4000 };

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000}\n"
    "query: {epsilon: 1, max_epsilon: 1000}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      k: {type: integer, range: [1, 100], nullable: false}\n"
    "      a: {type: integer, range: [-20, 1003], nullable: false}\n"
    "      d: {type: decimal, scale: 2, range: [0, 50], nullable: false}\n"
    "      r: {type: real, range: [0, 2], nullable: false}\n"
    "      day: {type: date, range: [2000-01-01, 2009-12-31]}\n";

/* How the values of a group are distributed in the range. */
enum shape {
    EVEN,  /* at equal distances */
    STEEP, /* most at the low end */
    TIES,  /* two values; the lower one until just after the rank asked for */
    EQUAL, /* all the same */
    GAP,   /* none in the middle, where the rank asked for is */
};

struct setting {
    const char *sql, *epsilon;
    enum shape shape;
    size_t n;
    double rank;
    bool between; /* interpolated */
};

struct made {
    arena *a;
    struct policy *policy;
    struct query *query;
    struct plan *plan;
    const struct part *part;
};

static void
make(struct made *m, const struct setting *t)
{
    struct plan_options options = {.epsilon = str_of(t->epsilon)};
    custos_err err = CUSTOS_ERR_INIT;

    m->a = arena_new(NULL, MEMORY);
    assert_non_null(m->a);
    if (policy_read(m->a, str_of(policy), "policy", &m->policy, &err) ||
        sql_read(m->a, str_of(t->sql), &m->query, &err) ||
        plan_make(m->a, m->query, m->policy, &options, &m->plan, &err))
        fail_msg("%s: %s", t->sql, err.said);
    assert_int_equal(m->plan->space.cells, CELLS);
    assert_int_equal(m->plan->n_parts, 1);
    m->part = &m->plan->parts[0];
    assert_int_equal(m->part->kind, PART_QUANTILES);
}

/* The values of a group, sorted, in grid steps. */
static void
values_make(const struct made *m, const struct setting *t, i128 *out)
{
    i128 low = m->part->lower, width = m->part->upper - low;

    for (size_t i = 0; i < t->n; i++) {
        double x = ((double)i + 1) / ((double)t->n + 1);

        switch (t->shape) {
        case EVEN: break;
        case STEEP: x = x * x * x * x; break;
        case TIES:
            x = (double)i < ceil(t->rank * (double)t->n) + 1 ? 0.25 : 0.75;
            break;
        case EQUAL: x = 0.5; break;
        case GAP: x = x < t->rank ? x / 5 : 0.9 + x / 20; break;
        }
        out[i] = low + (i128)(x * (double)width);
    }
}

/* The exact quantile by the textbook formula, in units of the answer. */
static double
exact_quantile(const struct made *m, const struct setting *t, const i128 *v)
{
    double step = pow(m->part->grid.base, -m->part->grid.digits);
    double h = t->rank * ((double)t->n - 1), part = h - floor(h);
    size_t i = (size_t)floor(h), j = (size_t)ceil(t->rank * (double)t->n);

    if (!t->between)
        return (double)v[j > 0 ? j - 1 : 0] * step;
    return ((double)v[i] + part * (double)(v[i + (part > 0)] - v[i])) * step;
}

static void
release(const struct made *m, const i128 *v, size_t n, custos_rng *rng,
        i128 *to)
{
    const struct part_quantiles *q = m->part->quantiles;
    i128 *cells = calloc(n + 1, sizeof *cells);

    assert_non_null(cells);
    cells[0] = (i128)n;
    memcpy(cells + 1, v, n * sizeof *cells);
    for (size_t cell = 0; cell < CELLS; cell++, to += box_numbers(q->n)) {
        custos_sealed *sealed = NULL;

        assert_int_equal(seal_i128(NULL, cells, n + 1, &sealed, NULL), 0);
        assert_int_equal(
            box_release(q->draws, q->counts, rng, sealed, n + 1, to, NULL), 0);
        custos_sealed_free(sealed);
    }
    free(cells);
}

static double
number(const struct datum *d)
{
    return datum_double(d); /* for a date, its days */
}

/*
 * Checks the share of answers whose bar in the last column contains the exact
 * value.
 */
static void
covers(const struct setting *t)
{
    static i128 v[VALUES];
    int rounds = getenv("CUSTOS_LONG") ? 1000
                 : t->n == 20          ? test_size(2, 100)
                                       : test_size(1, 10);
    double all = rounds * CELLS, covered = 0, width = 0, exact, range;
    struct receipt receipt = {0};
    struct released released = {.cells = CELLS};
    custos_rng *rng = test_rng_seeded(77);
    struct made m;

    make(&m, t);
    assert_true(t->n <= VALUES &&
                released_take(m.a, stage_values(m.plan), CELLS, &released));
    values_make(&m, t, v);
    exact = exact_quantile(&m, t, v);
    range = (double)(m.part->upper - m.part->lower) *
            pow(m.part->grid.base, -m.part->grid.digits);
    for (int i = 0; i < rounds; i++) {
        struct answer *answer = NULL;

        release(&m, v, t->n, rng, released.values[0]);
        assert_int_equal(
            answer_of_released(m.plan, &released, &receipt, &answer, NULL), 0);
        for (size_t j = 1; j <= CELLS; j++) {
            const struct answer_cell *c =
                &answer->cells[j * answer->n_columns - 1];
            double low = number(&c->low), high = number(&c->high);
            double slack = 1e-9 * (1 + fabs(exact));

            assert_true(c->has_bar && low - slack <= number(&c->value) &&
                        number(&c->value) <= high + slack);
            covered += low - slack <= exact && exact <= high + slack;
            width += (high - low) / range;
        }
        answer_free(answer);
    }
    print_message("%-60.60s n %-5zu %.4f covered, %.3f wide\n", t->sql, t->n,
                  covered / all, width / all);
    if (covered / all < 0.95 - 4 * sqrt(0.05 * 0.95 / all))
        fail_msg("%s: covers %.4f", t->sql, covered / all);
    if (t->n >= 1000 && t->shape == EVEN)
        assert_true(width / all < 0.5);
    test_rng_free(rng);
    plan_free(m.plan);
    arena_free(m.a);
}

#define OF(what) "SELECT k, " what " FROM t GROUP BY k"
#define CONT(p, x) "percentile_cont(" p ") WITHIN GROUP (ORDER BY " x ")"
#define DISC(p, x) "percentile_disc(" p ") WITHIN GROUP (ORDER BY " x ")"

static void
quantiles_cover(void **state)
{
    static const struct setting settings[] = {
        {OF("median(a)"), "20", EVEN, 1000, 0.5, true},
        {OF("median(a)"), "20", TIES, 100, 0.5, true},
        {OF("median(a)"), "60", EQUAL, 50, 0.5, true},
        {OF("median(a)"), "20", GAP, 200, 0.5, true},
        {OF(CONT("0.3", "a")), "20", GAP, 300, 0.3, true},
        {OF(CONT("0.1", "d")), "30", STEEP, 300, 0.1, true},
        {OF(DISC("0.9", "d")), "30", TIES, 300, 0.9, false},
        {OF(DISC("0.25", "r")), "20", STEEP, 200, 0.25, false},
        {OF("median(day)"), "20", EVEN, 200, 0.5, true},
        {OF("min(a)"), "30", EVEN, 200, 0, true},
        {OF("max(a)"), "30", TIES, 200, 1, true},
        {OF(CONT("0.25", "a") ", " CONT("0.75", "a") ", median(a)"), "120",
         EVEN, 200, 0.5, true},
        {OF("min(a), median(a), " CONT("0.75", "a")), "120", TIES, 200, 0.75,
         true},
        {OF("max(a), min(a) + 0 * median(a)"), "120", STEEP, 60, 0, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

/* Fewer values than a bar spans. */
static void
quantiles_of_few_values_cover(void **state)
{
    static const struct setting settings[] = {
        {OF("median(a)"), "200", EVEN, 20, 0.5, true},
        {OF(CONT("0.8", "a")), "300", TIES, 20, 0.8, true},
        {OF("median(a)"), "60", EVEN, 1, 0.5, true},
        {OF("median(a)"), "60", STEEP, 2, 0.5, true},
        {OF(DISC("0.1", "a")), "60", EVEN, 3, 0.1, false},
        {OF(CONT("0.9", "r")), "60", STEEP, 5, 0.9, true},
        {OF("min(a)"), "60", EVEN, 1, 0, true},
        {OF("min(a), max(a)"), "60", STEEP, 4, 1, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_cover),
        cmocka_unit_test(quantiles_of_few_values_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
