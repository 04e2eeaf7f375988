/*
 * Error bars of complete answers: how often they contain the exact bounded
 * value.
 *
 * Plans, mechanisms, noise and answers are the curator's. Only the engine is
 * left out: the test computes the exact parts from known values. A thousand
 * equal groups give a thousand answers in each release.
 *
 * Coverage is asserted within 4 sampling deviations; the seeds are fixed.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "curator/answer.h"
#include "mech/i128.h"
#include "plan/part/range_selection.h"
#include "evaluate/evaluate.h"
#include "support/support.h"
#include "support/stages.h"

enum { MEMORY = 1 << 27, CELLS = 1000 };
enum { TAKEN = 17 }; /* the range [-500, 500] is found */

#define POLICY(delta)                                                          \
    "custos: 1\n"                                                              \
    "budget: {epsilon: 100" delta "}\n"                                        \
    "query: {epsilon: 1, min_epsilon: 0, min_rho: 0}\n"                        \
    "tables:\n"                                                                \
    "  t:\n"                                                                   \
    "    source: t.csv\n"                                                      \
    "    unit: row\n"                                                          \
    "    columns:\n"                                                           \
    "      k: {type: integer, range: [1, 1000], nullable: false}\n"            \
    "      a: {type: integer, range: [0, 120]}\n"                              \
    "      b: {type: integer, range: [0, 1], nullable: false}\n"               \
    "      d: {type: decimal, scale: 2, range: [-100, 5000]}\n"                \
    "      r: {type: real, range: [0, 200], nullable: false}\n"                \
    "      f: {type: decimal, scale: 2, find_range: true}\n"                   \
    "  v:\n"                                                                   \
    "    source: v.csv\n"                                                      \
    "    unit: who\n"                                                          \
    "    rows_per_unit: 40\n"                                                  \
    "    columns:\n"                                                           \
    "      who: {type: integer}\n"                                             \
    "      k: {type: integer, range: [1, 1000], nullable: false}\n"            \
    "      a: {type: integer, range: [-20, 120]}\n"

/*
 * A group of n values: a share `high` of them at the top of the range, the
 * others a quarter of the way up.
 */
struct setting {
    const char *sql, *epsilon;
    bool gauss; /* the policy has a delta, and the plan must use it */
    int64_t n;
    double high;
    double most; /* largest coverage allowed; 0: it must be as computed */
};

struct made {
    arena *a;
    struct policy *policy;
    struct query *query;
    struct plan *plan;
    const struct plan
        *run; /* it, or after a range selection one that follows */
};

static void
make(struct made *m, const struct setting *t)
{
    const char *policy =
        t->gauss ? POLICY(", delta: 1e-3, n: 100") : POLICY("");
    struct plan_options options = {.epsilon = str_of(t->epsilon)};
    custos_err err = CUSTOS_ERR_INIT;

    m->a = arena_new(NULL, MEMORY);
    assert_non_null(m->a);
    if (policy_read(m->a, str_of(policy), "policy", &m->policy, &err) ||
        sql_read(m->a, str_of(t->sql), &m->query, &err) ||
        plan_make(m->a, m->query, m->policy, &options, &m->plan, &err))
        fail_msg("%s: %s", t->sql, err.said);
    m->run = m->plan;
    if (plan_range_selection(m->plan))
        m->run = plan_range_selection(m->plan)->plans[TAKEN];
    assert_int_equal(m->run->space.cells, CELLS);
    for (size_t i = 0; i < m->run->n_parts; i++)
        assert_int_equal(m->run->parts[i].mech_kind == CUSTOS_GAUSSIAN,
                         t->gauss);
}

static void
made_free(struct made *m)
{
    plan_free(m->plan);
    arena_free(m->a);
}

/* ----------------------------------------------------------------- exact -- */

/* The two values of a group, in steps. */
static void
values_of(const struct part *part, i128 *low, i128 *high)
{
    *high = part->upper;
    *low = part->lower + (part->upper - part->lower) / 4;
}

static int64_t
high_of(const struct setting *t)
{
    return (int64_t)nearbyint(t->high * (double)t->n);
}

/* What the engine would compute for every group; number: 1 is the second of a
   share. */
static i128
exact_part(const struct part *part, const struct setting *t, size_t number)
{
    i128 up = high_of(t), down = t->n - up, low, high;

    values_of(part, &low, &high);
    low -= part->centre;
    high -= part->centre;
    if (part->kind == PART_SHARE && number == 1)
        return up * (part->upper - high) + down * (part->upper - low);
    if (part->kind == PART_SUM || part->kind == PART_SHARE)
        return up * high + down * low;
    if (part->kind == PART_SQUARES)
        return up * high * high + down * low * low;
    return t->n;
}

/* The exact value of the last output, by the textbook formula. */
static double
exact_value(const struct plan *p, const struct setting *t)
{
    const struct plan_output *out = &p->outputs[p->n_outputs - 1];
    const struct plan_aggregate *f =
        &p->aggregates[out->aggregate < 0 ? 0 : out->aggregate];
    const struct part *part = &p->parts[f->share >= 0 ? f->share
                                        : f->sum < 0  ? f->rows
                                                      : f->sum];
    double n = (double)t->n, up = (double)high_of(t), step, mean, low, high, v;
    i128 lowest, highest;

    step = pow(part->grid.base, -part->grid.digits);
    values_of(part, &lowest, &highest);
    low = (double)lowest * step;
    high = (double)highest * step;
    mean = low + up / n * (high - low);
    v = up / n * (1 - up / n) * (high - low) * (high - low);
    if (out->aggregate < 0)
        return mean; /* sum / count */
    switch (f->kind) {
    case AGG_SUM: return up * high + (n - up) * low;
    case AGG_AVG: return mean;
    case AGG_VAR_POP: return v;
    case AGG_STDDEV_POP: return sqrt(v);
    case AGG_VAR_SAMP: return v * n / (n - 1);
    case AGG_STDDEV_SAMP: return sqrt(v * n / (n - 1));
    default: return n;
    }
}

/* ------------------------------------------------------------------ laws -- */

/* P[|Y| > m] of a part's noise, by summing probabilities. */
static double
law_outside(const struct part *part, i128 m)
{
    const custos_facts *facts = custos_mech_facts(part->mech);
    double scale = strtod(facts->scale, NULL), all = 1, outside = 0;
    bool gauss = facts->law == CUSTOS_DISCRETE_GAUSSIAN;
    double q = exp(-1 / scale);

    if (!gauss)
        return 2 * pow(q, (double)m + 1) / (1 + q);
    for (int j = 1; j < 20 * scale + 20; j++) {
        double p = 2 * exp(-0.5 * (j / scale) * (j / scale));

        all += p;
        outside += j > m ? p : 0;
    }
    return outside / all;
}

/*
 * The bar of a count or a sum is the narrowest one with 95 % coverage. Returns
 * its coverage.
 */
static double
narrowest(const struct plan *p, double half)
{
    const struct plan_aggregate *f = &p->aggregates[p->n_aggregates - 1];
    const struct part *part = &p->parts[f->sum < 0 ? f->rows : f->sum];
    i128 m = (i128)nearbyint(half * pow(part->grid.base, part->grid.digits));
    /* the 15 digits of an answer cannot resolve this many steps */
    i128 slack = m / 1000000;

    assert_true(law_outside(part, m + slack) <= 0.05);
    assert_true(m == 0 || law_outside(part, m - slack - 1) > 0.05);
    return 1 - law_outside(part, m);
}

/* -------------------------------------------------------------- coverage -- */

static void
release(const struct plan *p, const struct setting *t, custos_rng *rng,
        struct released *released)
{
    static i128 exact[2 * CELLS];

    for (size_t i = 0; i < p->n_parts; i++) {
        size_t numbers = part_numbers(&p->parts[i]), n = CELLS * numbers;
        custos_sealed *sealed = NULL;

        for (size_t j = 0; j < n; j++)
            exact[j] = exact_part(&p->parts[i], t, j % numbers);
        assert_int_equal(seal_i128(NULL, exact, n, &sealed, NULL), 0);
        assert_int_equal(release_i128(p->parts[i].mech, rng, sealed,
                                      released->values[i], n, NULL),
                         0);
        custos_sealed_free(sealed);
    }
}

struct seen {
    double covered, half; /* coverage; half width of the last bar */
};

static struct seen
see(const struct plan *p, const struct setting *t, arena *a, int releases)
{
    double exact = exact_value(p, t), slack = 1e-9 * (fabs(exact) + 1);
    custos_rng *rng = test_rng_seeded(41);
    struct receipt receipt = {0};
    struct released released = {.cells = CELLS};
    struct seen seen = {0};

    assert_true(released_take(a, stage_values(p), p->space.cells, &released));
    for (int i = 0; i < releases; i++) {
        struct answer *answer = NULL;

        release(p, t, rng, &released);
        assert_int_equal(
            answer_of_released(p, &released, &receipt, &answer, NULL), 0);
        assert_int_equal(answer->n_rows, CELLS);
        for (size_t j = 1; j <= CELLS; j++) {
            const struct answer_cell *c =
                &answer->cells[j * answer->n_columns - 1];
            double low = datum_double(&c->low), high = datum_double(&c->high);
            double x = datum_double(&c->value);

            assert_true(c->has_bar && low - slack <= x && x <= high + slack);
            seen.covered += low - slack <= exact && exact <= high + slack;
            seen.half = (high - low) / 2;
        }
        answer_free(answer);
    }
    seen.covered /= (double)releases * CELLS;
    test_rng_free(rng);
    return seen;
}

static void
covers(const struct setting *t)
{
    int releases = test_size(2, 100);
    double deviation = sqrt(0.05 * 0.95 / (releases * CELLS));
    double least = 0.95, most = t->most;
    struct made m;
    struct seen seen;

    make(&m, t);
    seen = see(m.run, t, m.a, releases);
    if (most == 0)
        least = most = narrowest(m.run, seen.half);
    print_message("%-46s epsilon %-4s n %-6d %.4f covered\n",
                  t->sql + sizeof "SELECT k, " - 1, t->epsilon, (int)t->n,
                  seen.covered);
    if (seen.covered < least - 4 * deviation ||
        seen.covered > most + 4 * deviation)
        fail_msg("%s: covers %.4f, not %.4f to %.4f", t->sql, seen.covered,
                 least, most);
    made_free(&m);
}

#define FROM_T " FROM t GROUP BY k"
#define FROM_V " FROM v GROUP BY k"

static void
counts_cover_as_their_law(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, count(*)" FROM_T, "1", false, 1000, 0, 0},
        {"SELECT k, count(*)" FROM_T, "0.1", false, 0, 0, 0},
        {"SELECT k, count(a)" FROM_T, "0.3", false, 7, 0, 0},
        {"SELECT k, count(distinct who)" FROM_V, "2", false, 50, 0, 0},
        {"SELECT k, count(distinct who)" FROM_V, "2", true, 50, 0, 0},
        {"SELECT k, count(distinct a)" FROM_T, "1", false, 50, 0, 0},
        {"SELECT k, count(distinct a + 0)" FROM_V, "2", false, 50, 0, 0},
        {"SELECT k, count(distinct a)" FROM_V, "2", false, 50, 0, 0.96},
        {"SELECT k, count(distinct a)" FROM_V, "2", false, 0, 0, 0.99},
        {"SELECT k, count(distinct a)" FROM_V, "2", false, 141, 0, 0.99},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

/* The textbook figure: +- 3, with a coverage of 97.3 %. */
static void
a_count_at_scale_1_is_within_3(void **state)
{
    struct setting t = {
        "SELECT k, count(*)" FROM_T, "1", false, 1000, 0, 0,
    };
    struct made m;
    struct seen seen;

    (void)state;
    make(&m, &t);
    assert_string_equal(custos_mech_facts(m.plan->parts[0].mech)->scale, "1");
    seen = see(m.plan, &t, m.a, test_size(2, 100));
    assert_true(seen.half == 3);
    assert_true(fabs(1 - law_outside(&m.plan->parts[0], 3) - 0.9732) < 5e-5);
    assert_true(fabs(seen.covered - 0.9732) < test_size(200, 20) / 1e4);
    made_free(&m);
}

static void
sums_cover_as_their_law(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, sum(a)" FROM_T, "1", false, 1000, 0.3, 0},
        {"SELECT k, sum(b)" FROM_T, "2", false, 1000, 0.3, 0},
        {"SELECT k, sum(d)" FROM_T, "0.5", false, 20, 0.5, 0},
        {"SELECT k, sum(r)" FROM_T, "1", false, 1000, 0.7, 0},
        {"SELECT k, sum(a)" FROM_V, "0.2", false, 0, 0, 0},
        {"SELECT k, sum(f)" FROM_T, "1", false, 1000, 0.3, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

/*
 * A sum beside an average is computed from the average's parts, so it has two
 * noises.
 */
static void
sums_beside_means_cover(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, avg(a), sum(a)" FROM_T, "1", false, 1000, 0.3, 0.98},
        {"SELECT k, avg(a), sum(a)" FROM_V, "1", false, 1000, 0.9, 0.98},
        {"SELECT k, avg(d), sum(d)" FROM_T, "0.1", false, 3, 0.5, 0.98},
        {"SELECT k, variance(b), sum(b)" FROM_T, "3", false, 10, 0.5, 0.98},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

static void
means_cover(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, avg(a)" FROM_T, "1", false, 1000, 0.3, 0.98},
        {"SELECT k, avg(b)" FROM_T, "1", false, 1000, 0.3, 0.98},
        {"SELECT k, avg(d)" FROM_T, "0.5", false, 1000, 0.5, 0.98},
        {"SELECT k, avg(r)" FROM_T, "0.1", false, 100000, 0.9, 0.98},
        {"SELECT k, avg(a)" FROM_V, "1", false, 10000, 0.3, 0.98},
        {"SELECT k, avg(f)" FROM_T, "1", false, 1000, 0.3, 0.98},
        {"SELECT k, avg(a)" FROM_T, "0.1", false, 1, 0, 1},
        {"SELECT k, avg(d)" FROM_T, "0.5", false, 30, 0.5, 1},
        {"SELECT k, sum(a) / count(a)" FROM_T, "1", false, 1000, 0.5, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

/* Quotients of released values: as narrow as means. */
static void
bars_of_quotients_cover(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, sum(d) / count(d)" FROM_T, "1", false, 1000, 0.5, 0.98},
        {"SELECT k, CAST(sum(a) AS double precision) / count(a)" FROM_V, "1",
         false, 10000, 0.5, 0.98},
        {"SELECT k, CAST(sum(a) AS double precision) / count(a)" FROM_T, "1",
         false, 1000, 0.5, 0.98},
        {"SELECT k, 2 * sum(r) / NULLIF(2 * count(r), 0)" FROM_T, "0.5", false,
         1000, 0.3, 0.98},
        {"SELECT k, round(sum(r) / count(r), 9)" FROM_T, "0.5", false, 1000,
         0.3, 0.98},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

/* Shares, and what is read from their two numbers. */
static void
shares_cover(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, avg(b)" FROM_T, "1", false, 1000, 0.05, 0.98},
        {"SELECT k, avg(b > 0)" FROM_T, "0.1", false, 10000, 0.5, 0.96},
        {"SELECT k, 1.0 * sum(b) / count(*)" FROM_T, "0.1", false, 10000, 0.9,
         0.96},
        {"SELECT k, avg(CASE WHEN a > 9 THEN 2.5 ELSE 0 END)" FROM_T, "0.5",
         false, 1000, 0.3, 0.96},
        {"SELECT k, avg(a > 9)" FROM_V, "1", false, 10000, 0.3, 0.96},
        {"SELECT k, avg(b)" FROM_T, "0.1", false, 10, 0, 1},
        {"SELECT k, avg(b)" FROM_T, "0.1", false, 100, 1, 1},
        {"SELECT k, avg(b), count(*)" FROM_T, "0.2", false, 100, 0.3, 0.96},
        {"SELECT k, avg(b), sum(b)" FROM_T, "0.2", false, 100, 0.3, 0.96},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

static void
variances_cover(void **state)
{
    static const struct setting settings[] = {
        {"SELECT k, var_pop(a)" FROM_T, "1", false, 1000, 0.3, 0.98},
        {"SELECT k, var_samp(d)" FROM_T, "1", false, 1000, 0.5, 0.98},
        {"SELECT k, variance(r)" FROM_T, "0.1", false, 100000, 0.7, 0.98},
        {"SELECT k, stddev_pop(a)" FROM_T, "2", false, 1000, 0.3, 0.98},
        {"SELECT k, stddev(r)" FROM_T, "1", false, 10000, 0.5, 0.98},
        {"SELECT k, stddev_samp(d)" FROM_T, "1", false, 50, 0.5, 1},
        {"SELECT k, var_samp(a)" FROM_T, "1", false, 2, 0.5, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        covers(&settings[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_cover_as_their_law),
        cmocka_unit_test(a_count_at_scale_1_is_within_3),
        cmocka_unit_test(sums_cover_as_their_law),
        cmocka_unit_test(sums_beside_means_cover),
        cmocka_unit_test(means_cover),
        cmocka_unit_test(bars_of_quotients_cover),
        cmocka_unit_test(shares_cover),
        cmocka_unit_test(variances_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
