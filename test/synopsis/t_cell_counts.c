/*
 * Sums of cells of tables that are made of residuals: what comes out without noise, and
 * how often the intervals hold the exact sum.
 */
#include <math.h>
#include <stdlib.h>

#include "noise/noise.h"
#include "support/support.h"
#include "support/synth_sets.h"
#include "synopsis/cell_counts.h"
#include "synth/planner.h"

enum { A = 3, B = 4, CELLS = A * B, QUESTIONS = 10000 };

static const uint32_t SIZES[] = {A, B};
static const struct domain DOMAIN = {2, SIZES};
static const int64_t COUNTS[CELLS] = {31, 4, 15, 92, 65, 35,
                                      8,  9, 79, 32, 38, 46};

struct made {
    arena *a;
    struct schema schema;
    struct synopsis s;
    struct planner plan;
    custos_noise *law[4];
};

static void
made_init(struct made *m)
{
    static const struct colset set = {{3, 0}};
    const struct planner_options o = {.domain = &DOMAIN,
                                      .rho = (amount)5000000000 *
                                             100000000, /* 1/200 */
                                      .l2_squared = 1,
                                      .workload = {.sets = &set, .n = 1},
                                      .bytes = 1 << 20};

    assert_int_equal(planner_make(NULL, &o, &m->plan, NULL), CUSTOS_OK);
    assert_int_equal(m->plan.n_parts, COUNT_OF(m->law));
    m->schema.domain = DOMAIN;
    for (size_t i = 0; i < m->plan.n_parts; i++) {
        rat variance;

        rat_init(&variance);
        rat_set_i64(&variance, (int64_t)m->plan.parts[i].variance, 1);
        m->plan.parts[i].variance = trunc(m->plan.parts[i].variance);
        assert_int_equal(noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, &variance,
                                   &m->law[i], NULL),
                         CUSTOS_OK);
        rat_clear(&variance);
    }
}

static void
made_clear(struct made *m)
{
    for (size_t i = 0; i < m->plan.n_parts; i++)
        custos_noise_free(m->law[i]);
    planner_free(&m->plan);
}

/* Measures the counts; without a generator there is no noise. leave_out: a part that is
   not measured. */
static void
measure(struct made *m, custos_rng *rng, size_t leave_out)
{
    m->a = arena_new(NULL, 1 << 20);
    m->s = (struct synopsis){.schema = &m->schema};
    assert_int_equal(released_new(m->a, &DOMAIN, &m->s.released, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < m->plan.n_parts; i++) {
        const struct planned *part = &m->plan.parts[i];
        int64_t q[CELLS] = {0};
        i128 noise[CELLS] = {0};
        const struct released_table t = {.kind = RELEASED_RESIDUAL,
                                         .set = part->set,
                                         .variance = part->variance,
                                         .cells = part->cells,
                                         .values = q};

        for (uint32_t k = 0; k < CELLS; k++)
            q[synth_cell(&DOMAIN, part->set,
                         (const uint32_t[]){k / B, k % B})] += COUNTS[k];
        synth_residual(&DOMAIN, part->set, q);
        if (rng)
            assert_int_equal(noise_draw(m->law[i], rng, noise, part->cells),
                             CUSTOS_OK);
        for (size_t k = 0; k < part->cells; k++)
            q[k] += (int64_t)noise[k];
        if (i != leave_out)
            assert_int_equal(released_add(m->s.released, &t, NULL), CUSTOS_OK);
    }
}

/* Some cells, each times -1 to 3; the exact sum. */
static double
ask(uint64_t *seed, struct summand *terms, size_t *n)
{
    double sum = 0;

    *n = 0;
    for (size_t k = 0; k < CELLS; k++) {
        const double by = (double)(synth_next(seed) % 5) - 1;

        if (synth_next(seed) % 2 == 0)
            continue;
        terms[(*n)++] = (struct summand){k, by, by, by};
        sum += by * (double)COUNTS[k];
    }
    return sum;
}

/*
 * At 95 %; the one table of a question has 4/5 of what may miss, so 96 %. Of 10^4
 * intervals a rate of 96 % is missed by 0.8 % with probability below 10^-4.
 */
static void
sums_of_residuals_cover_at_their_rate(void **state)
{
    custos_rng *rng = test_rng_seeded(4);
    struct made m = {.a = NULL};
    size_t covered = 0;
    uint64_t seed = 8;

    (void)state;
    made_init(&m);
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct summand terms[CELLS];
        struct cell_counts e;
        struct interval of;
        size_t n;
        double exact;

        measure(&m, rng, SIZE_MAX);
        exact = ask(&seed, terms, &n);
        assert_int_equal(cell_counts_make(m.a, &m.s, synth_set("ab"), &e, NULL),
                         CUSTOS_OK);
        of = cell_counts_sum(&e, terms, n, 0.05);
        assert_true(of.has_bar);
        covered += of.low <= exact && exact <= of.high;
        arena_free(m.a);
    }
    print_message("%zu of %d\n", covered, QUESTIONS);
    assert_true(covered >= 9520 && covered <= 9680);
    made_clear(&m);
    test_rng_free(rng);
}

static void
sums_without_noise_are_exact(void **state)
{
    struct made m = {.a = NULL};
    uint64_t seed = 3;

    (void)state;
    made_init(&m);
    measure(&m, NULL, SIZE_MAX);
    for (size_t i = 0; i < 100; i++) {
        struct summand terms[CELLS];
        struct cell_counts e;
        struct interval of;
        size_t n;
        double exact = ask(&seed, terms, &n);

        assert_int_equal(cell_counts_make(m.a, &m.s, synth_set("ab"), &e, NULL),
                         CUSTOS_OK);
        of = cell_counts_sum(&e, terms, n, 0.05);
        assert_true(fabs(of.x - exact) < 1e-9);
        assert_true(fabs((of.low + of.high) / 2 - exact) < 1e-9);
    }
    arena_free(m.a);
    made_clear(&m);
}

/* Of what was not measured whole, nothing is known; of its parts, all. */
static void
a_missing_residual_is_no_table(void **state)
{
    struct made m = {.a = NULL};
    struct cell_counts e;

    (void)state;
    made_init(&m);
    measure(&m, NULL, 3); /* that of both columns */
    assert_int_equal(cell_counts_make(m.a, &m.s, synth_set("ab"), &e, NULL),
                     CUSTOS_EUNSUPPORTED);
    assert_int_equal(cell_counts_make(m.a, &m.s, synth_set("b"), &e, NULL),
                     CUSTOS_OK);
    assert_true(fabs(e.expected[1] - 71) < 1e-9);
    arena_free(m.a);
    made_clear(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_residuals_cover_at_their_rate),
        cmocka_unit_test(sums_without_noise_are_exact),
        cmocka_unit_test(a_missing_residual_is_no_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
