/*
 * The row sampler: marginals of nodes as exact as whole numbers can be, columns
 * drawn given all others of their node, independence where the model has it, and
 * recoding of rare codes. The traps are those in which the reference
 * implementation lost a factor of three.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/fit.h"
#include "synth/recode.h"
#include "synth/rows.h"

enum { MOST = 20000 };

static const struct fit_options WELL = {20000, 1e-6, 50};

/* A fitted model of these marginals. */
static struct model *
fitted(const struct domain *d, const char *const *sets,
       const double *const *values, size_t n)
{
    struct model *m = model_new(NULL, d);
    struct fit_facts facts;

    for (size_t i = 0; i < n; i++) {
        const struct measurement x = {synth_set(sets[i]), 1, values[i], NULL};

        assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    }
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_OK);
    return m;
}

static uint16_t *
draw(const struct model *m, uint64_t seed, size_t n)
{
    custos_rng *rng = test_rng_seeded(seed);
    uint16_t *rows = malloc(m->domain.n * n * sizeof *rows);

    assert_non_null(rows);
    assert_int_equal(model_rows(m, rng, n, rows, NULL), CUSTOS_OK);
    test_rng_free(rng);
    return rows;
}

static void
count(const struct domain *d, const uint16_t *rows, size_t n, struct colset set,
      double *out)
{
    uint32_t row[8];

    memset(out, 0, domain_cells(d, set) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < d->n; c++)
            row[c] = rows[c * n + i];
        out[synth_cell(d, set, row)]++;
    }
}

/* The third column is a function of the other two together, and of neither
   alone: given only one of them it would be a coin. */
static void
columns_are_drawn_given_all_of_their_clique(void **state)
{
    static const uint32_t size[3] = {2, 2, 2};
    const struct domain d = {3, size};
    const double exclusive[8] = {250, 0, 0, 250, 0, 250, 250, 0};
    const char *const sets[] = {"abc"};
    const double *const values[] = {exclusive};
    struct model *m = fitted(&d, sets, values, 1);
    uint16_t *rows = draw(m, 1, 1000);
    double got[8];

    (void)state;
    count(&d, rows, 1000, synth_set("abc"), got);
    for (size_t i = 0; i < 8; i++)
        assert_true(fabs(got[i] - exclusive[i]) <= 4);
    free(rows);
    model_free(m);
}

/* a and c are independent given b. With the codes of a group dealt out in order
   they would agree in every row. */
static void
groups_are_shuffled(void **state)
{
    static const uint32_t size[3] = {2, 2, 2};
    const struct domain d = {3, size};
    const double flat[4] = {MOST / 4, MOST / 4, MOST / 4, MOST / 4};
    const char *const sets[] = {"ab", "bc"};
    const double *const values[] = {flat, flat};
    struct model *m = fitted(&d, sets, values, 2);
    uint16_t *rows = draw(m, 2, MOST);
    double got[8];

    (void)state;
    count(&d, rows, MOST, synth_set("abc"), got);
    for (size_t i = 0; i < 8; i++) /* 6 deviations of a fair coin's */
        assert_true(fabs(got[i] - MOST / 8.0) < 6 * sqrt(MOST / 16.0));
    free(rows);
    model_free(m);
}

/* The root's column is within 1 of what is expected; with one more column in each
   group, within 1 for each group. The mean over draws is exact. */
static void
fractions_are_systematic(void **state)
{
    static const uint32_t size[2] = {3, 4};
    const struct domain d = {2, size};
    double want[12], got[12], mean[3] = {0}, of_a[3] = {0};
    const char *const sets[] = {"ab"};
    const double *const values[] = {want};
    const size_t n = 137, draws = 400;
    struct model *m;

    (void)state;
    for (size_t i = 0; i < 12; i++)
        of_a[i / 4] += want[i] = 137.0 * (double)(i + 1) / 78;
    m = fitted(&d, sets, values, 1);
    for (size_t k = 0; k < draws; k++) {
        uint16_t *rows = draw(m, 3 + k, n);

        count(&d, rows, n, synth_set("a"), got);
        for (size_t i = 0; i < 3; i++) {
            assert_true(fabs(got[i] - of_a[i]) < 1 + 1e-3);
            mean[i] += got[i] / (double)draws;
        }
        count(&d, rows, n, synth_set("ab"), got);
        for (size_t i = 0; i < 12; i++)
            assert_true(fabs(got[i] - want[i]) < 2 + 1e-3);
        free(rows);
    }
    for (size_t i = 0; i < 3; i++) /* the deviation of a mean is below 0.025 */
        assert_true(fabs(mean[i] - of_a[i]) < 0.15);
    model_free(m);
}

/* Cells without mass get no row, whatever the word drawn. */
static void
empty_cells_stay_empty(void **state)
{
    static const uint32_t size[2] = {2, 3};
    const struct domain d = {2, size};
    const uint8_t zero[6] = {0, 1, 0, 1, 0, 1};
    const struct forbidden x = {synth_set("ab"), zero};
    const double a[2] = {3.3, 4.4}, b[3] = {1, 4, 2};
    const struct measurement y = {synth_set("a"), 1, a, NULL};
    const struct measurement z = {synth_set("b"), 1, b, NULL};
    struct model *m = model_new(NULL, &d);
    struct fit_facts facts;
    double got[6];

    (void)state;
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &z, NULL), CUSTOS_OK);
    assert_int_equal(model_forbid(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_OK);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint16_t *rows = draw(m, seed, 1 + seed % 9);

        count(&d, rows, 1 + seed % 9, synth_set("ab"), got);
        for (size_t i = 0; i < 6; i++)
            assert_true(!zero[i] || got[i] == 0);
        free(rows);
    }
    model_free(m);
}

/* Whatever fails, it is a status, and nothing leaks. */
static void
sampler_survives_failures(void **state)
{
    static const uint32_t size[3] = {2, 3, 2};
    const struct domain d = {3, size};
    const double ab[6] = {1, 2, 3, 4, 5, 6};
    const struct measurement x = {synth_set("ab"), 1, ab, NULL};
    struct fit_facts facts;
    uint16_t rows[60];

    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc alloc = test_alloc(&memory);
        custos_rng *rng = test_rng_seeded(1);
        struct model *m = model_new(&alloc, &d);
        custos_status st = m ? model_add(m, &x, NULL) : CUSTOS_ENOMEM;

        if (!st)
            st = model_build(m, NULL);
        if (!st)
            st = model_fit(m, &WELL, &facts, NULL);
        if (!st)
            st = model_rows(m, rng, 20, rows, NULL);
        model_free(m);
        test_rng_free(rng);
        assert_int_equal(memory.live, 0);
        if (!st && memory.takes < fail_at)
            break;
        assert_int_equal(st, CUSTOS_ENOMEM);
    }
    {
        struct model *m = model_new(NULL, &d);
        custos_rng *rng = test_rng_failing(1, 0);

        assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
        assert_int_equal(model_build(m, NULL), CUSTOS_OK);
        assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_OK);
        assert_int_equal(model_rows(m, rng, 20, rows, NULL), CUSTOS_EENTROPY);
        assert_int_equal(model_rows(m, rng, 0, rows, NULL), CUSTOS_OK);
        test_rng_free(rng);
        model_free(m);
    }
}

/* The codes of MOST rows of two columns, as they were before. */
static void
decode(const struct recoding *r, custos_rng *rng, uint16_t *rows)
{
    for (size_t c = 0; c < 2; c++) {
        const struct merged_codes m = {r->map[c], r->from_size[c], r->size[c],
                                       r->share[c]};

        assert_int_equal(
            merged_codes_draw(&m, NULL, rng, MOST, rows + c * MOST, NULL),
            CUSTOS_OK);
    }
}

/* Rare codes go together at the end; decoded, they are as frequent as their noisy
   counts say, and equally if these say nothing. */
static void
rare_codes_are_merged_and_drawn(void **state)
{
    static const uint32_t size[2] = {6, 3};
    const struct domain d = {2, size};
    const int64_t counts[6] = {50, -3, 40, 2, 60, 5}, few[3] = {9, 1, 8};
    const int64_t none[3] = {-9, 0, -1};
    const double share[3] = {0, 2.0 / 7, 5.0 / 7};
    uint16_t rows[2 * MOST];
    double values[6], merged[6], got[6];
    custos_rng *rng = test_rng_seeded(5);
    struct recoding *r;

    (void)state;
    assert_int_equal(recoding_new(NULL, &d, &r, NULL), CUSTOS_OK);
    recoding_merge(r, 0, counts, 6, values, merged);
    assert_int_equal(r->to.size[0], 4);
    assert_true(values[0] == 50 && values[1] == 40 && values[2] == 60 &&
                values[3] == 4 && merged[3] == 3 && merged[0] == 1);
    recoding_merge(r, 1, few, 6, values, merged);
    assert_int_equal(r->to.size[1], 3); /* one rare code alone stays */
    for (size_t i = 0; i < MOST; i++) {
        rows[i] = (uint16_t)(i % 4);
        rows[MOST + i] = (uint16_t)(i % 3);
    }
    decode(r, rng, rows);
    count(&d, rows, MOST, synth_set("a"), got);
    assert_true(got[0] == MOST / 4.0 && got[2] == MOST / 4.0 &&
                got[4] == MOST / 4.0);
    for (size_t k = 0; k < 3; k++)
        assert_true(r->share[0][2 * k] == 1 &&
                    fabs(r->share[0][2 * k + 1] - share[k]) < 1e-12);
    for (size_t k = 0; k < 3; k++) /* 6 deviations */
        assert_true(fabs(got[2 * k + 1] - MOST / 4.0 * share[k]) <=
                    6 * sqrt(MOST / 4.0 * share[k]));
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(rows[MOST + i], i % 3);
    recoding_merge(r, 1, none, 6, values, merged);
    assert_int_equal(r->to.size[1], 1);
    assert_true(fabs(r->share[1][2] - 1 / 3.0) < 1e-12);
    memset(rows, 0, sizeof rows);
    decode(r, rng, rows);
    count(&d, rows, MOST, synth_set("b"), got);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(got[k] - MOST / 3.0) <= 6 * sqrt(MOST / 3.0));
    recoding_free(r);
    test_rng_free(rng);
}

/* Without shares, or if they are all 0, old codes are equally likely. */
static void
merged_codes_without_shares_are_equal(void **state)
{
    static const uint16_t map[6] = {1, 0, 1, 2, 1, 2};
    static const double like[6] = {3, 1, 3, 2, 3, 2}; /* in the same code */
    static const double zero[6] = {0};
    custos_rng *rng = test_rng_seeded(6);

    (void)state;
    for (int with = 0; with < 2; with++) {
        const struct merged_codes m = {map, 6, 4, with ? zero : NULL};
        uint16_t codes[MOST];
        double got[6] = {0};

        for (size_t i = 0; i < MOST; i++)
            codes[i] = (uint16_t)(i % 4);
        assert_int_equal(merged_codes_draw(&m, NULL, rng, MOST, codes, NULL),
                         CUSTOS_OK);
        for (size_t i = 0; i < MOST; i++) {
            assert_true(i % 4 == 3 || map[codes[i]] == i % 4);
            got[codes[i]] += i % 4 < 3;
        }
        for (size_t k = 0; k < 6; k++) /* 6 deviations */
            assert_true(fabs(got[k] - MOST / 4.0 / like[k]) <=
                        6 * sqrt(MOST / 4.0));
    }
    test_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_drawn_given_all_of_their_clique),
        cmocka_unit_test(groups_are_shuffled),
        cmocka_unit_test(fractions_are_systematic),
        cmocka_unit_test(empty_cells_stay_empty),
        cmocka_unit_test(sampler_survives_failures),
        cmocka_unit_test(rare_codes_are_merged_and_drawn),
        cmocka_unit_test(merged_codes_without_shares_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
