/*
 * ResidualPlanner: what is measured, at which prices, and that the tables made of it err
 * as is said, least of all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/planner.h"
#include "synth/price.h"
#include "synth/residual.h"

enum { COLUMNS = 4 };

static const uint32_t SIZES[COLUMNS] = {2, 3, 1, 4};
static const struct domain DOMAIN = {COLUMNS, SIZES};

#define UNIT ((amount)10000000000 * 10000000000) /* rho = 1 */

static struct planner_options
options_of(const struct colset *sets, size_t n, uint64_t l2_squared)
{
    return (struct planner_options){.domain = &DOMAIN,
                                    .rho = UNIT / 2,
                                    .l2_squared = l2_squared,
                                    .workload = {.sets = sets, .n = n},
                                    .bytes = 1 << 20};
}

static const struct planned *
part_of(const struct planner *p, const char *columns)
{
    for (size_t i = 0; i < p->n_parts; i++)
        if (colset_same(p->parts[i].set, synth_set(columns)))
            return &p->parts[i];
    return NULL;
}

/* All subsets without columns of a single code, each once. */
static void
parts_are_all_subsets(void **state)
{
    static const char *const wanted[] = {"",  "a",  "b",  "ab",
                                         "d", "ad", "bd", "abd"};
    const struct colset sets[] = {synth_set("abd"), synth_set("bc"),
                                  synth_set("ad")};
    const struct planner_options o = options_of(sets, 3, 1);
    struct planner p;

    (void)state;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
    assert_int_equal(p.n_parts, COUNT_OF(wanted));
    assert_int_equal(p.n_sets, 3 + COLUMNS);
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        assert_non_null(part_of(&p, wanted[i]));
    assert_true(colset_is_empty(p.parts[0].set));
    planner_free(&p);
}

/* D^2/(2 variance) of all parts is the price, from below, for every kind of neighbour. */
static void
prices_add_up_to_the_whole(void **state)
{
    const struct colset sets[] = {synth_set("ab"), synth_set("bd"),
                                  synth_set("ad")};

    (void)state;
    for (uint64_t rows = 1; rows <= 5; rows += 2)
        for (uint64_t change = 1; change <= 2; change++) {
            const struct planner_options o =
                options_of(sets, 3, change * rows * rows);
            struct planner p;
            amount sum = 0;

            assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
            for (size_t i = 0; i < p.n_parts; i++) {
                const struct planned *part = &p.parts[i];
                double moved = 0;

                for (size_t x = 0; x < part->cells; x++)
                    for (size_t y = 0; y < part->cells; y++) {
                        double squares = 0;

                        for (size_t k = 0; k < part->cells; k++) {
                            double at = (double)synth_residual_entry(
                                &DOMAIN, part->set, x, k);

                            if (change == 2 && !colset_is_empty(part->set))
                                at -= (double)synth_residual_entry(
                                    &DOMAIN, part->set, y, k);
                            squares += at * at;
                        }
                        moved = fmax(moved, squares);
                    }
                moved *= (double)(rows * rows);
                assert_true(fabs(moved / (2 * part->variance) /
                                     ((double)part->rho / 1e20) -
                                 1) < 1e-9);
                sum += part->rho;
            }
            assert_true(sum <= o.rho && sum > o.rho - o.rho / 1000000000);
            planner_free(&p);
        }
}

/* The noise of all numbers, one after the other, in every cell of the table. */
static void
variances_are_those_of_the_tables(void **state)
{
    static const char *const tables[] = {"abd", "ab", "d", "c", "bcd", "ac"};
    const struct colset sets[] = {synth_set("abd"), synth_set("bcd")};
    const struct planner_options o = options_of(sets, 2, 1);
    struct planner p;

    (void)state;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        const struct colset set = synth_set(tables[t]);
        const size_t cells = domain_cells(&DOMAIN, set);
        double variance[24] = {0};

        for (size_t i = 0; i < p.n_parts; i++) {
            if (!colset_within(p.parts[i].set, set))
                continue;
            for (size_t k = 0; k < p.parts[i].cells; k++) {
                int64_t one[24] = {0};
                double y[24] = {0}, work[24];
                const struct residual r = {p.parts[i].set, one, 1};

                one[k] = 1;
                residual_add(&DOMAIN, &r, set, work, y);
                for (size_t c = 0; c < cells; c++)
                    variance[c] += p.parts[i].variance * y[c] * y[c];
            }
        }
        for (size_t c = 0; c < cells; c++)
            assert_true(fabs(variance[c] / planner_variance(&p, set) - 1) <
                        1e-9);
    }
    planner_free(&p);
}

/* The variances of all cells of all tables, each table once. */
static double
total_variance(const struct planner *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_sets; i++)
        sum += planner_variance(p, p->sets[i]) *
               (double)domain_cells(&DOMAIN, p->sets[i]);
    return sum;
}

/* No other division of the same price has a smaller sum of variances: moving some of
   it from any part to any other makes it larger. */
static void
no_division_is_better(void **state)
{
    const struct colset sets[] = {synth_set("ab"), synth_set("bd"),
                                  synth_set("ad")};
    const struct planner_options o = options_of(sets, 3, 1);
    struct planner p;
    double least;

    (void)state;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
    least = total_variance(&p);
    for (size_t from = 0; from < p.n_parts; from++)
        for (size_t to = 0; to < p.n_parts; to++) {
            struct planned *a = &p.parts[from], *b = &p.parts[to];
            const double moved = (double)a->rho / 100;
            const double less = a->variance, more = b->variance;

            if (from == to)
                continue;
            a->variance *= (double)a->rho / ((double)a->rho - moved);
            b->variance *= (double)b->rho / ((double)b->rho + moved);
            assert_true(total_variance(&p) > least);
            a->variance = less;
            b->variance = more;
        }
    planner_free(&p);
}

/* Weighted sums of cells: the variance by factors is that by adding up noise. */
static void
factors_give_the_variance_of_sums(void **state)
{
    const struct colset set = synth_set("abd");
    const struct planner_options o = options_of(&set, 1, 1);
    struct residual parts[8];
    double factor[8], g[24], got = 0, wanted = 0;
    uint64_t seed = 5;
    struct planner p;
    int64_t none[24] = {0};

    (void)state;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
    for (size_t i = 0; i < p.n_parts; i++)
        parts[i] = (struct residual){p.parts[i].set, none, p.parts[i].variance};
    for (size_t c = 0; c < 24; c++)
        g[c] = (double)(synth_next(&seed) % 7) - 2;
    residual_factors(&DOMAIN, parts, p.n_parts, set, factor);
    for (size_t bits = 0; bits < 8; bits++) {
        double sum[24] = {0};

        for (size_t c = 0; c < 24; c++) /* a, b, d have 2, 3, 4 codes */
            sum[(bits & 1 ? c / 12 * 12 : 0) + (bits & 2 ? c / 4 % 3 * 4 : 0) +
                (bits & 4 ? c % 4 : 0)] += g[c];
        for (size_t c = 0; c < 24; c++)
            got += factor[bits] * sum[c] * sum[c];
    }
    for (size_t i = 0; i < p.n_parts; i++)
        for (size_t k = 0; k < p.parts[i].cells; k++) {
            int64_t one[24] = {0};
            double y[24] = {0}, work[24], sum = 0;
            const struct residual r = {p.parts[i].set, one, 1};

            one[k] = 1;
            residual_add(&DOMAIN, &r, set, work, y);
            for (size_t c = 0; c < 24; c++)
                sum += g[c] * y[c];
            wanted += p.parts[i].variance * sum * sum;
        }
    assert_true(fabs(got / wanted - 1) < 1e-9);
    planner_free(&p);
}

/* Residuals of counts make their table again. */
static void
tables_without_noise_are_exact(void **state)
{
    const struct colset set = synth_set("abd");
    const struct planner_options o = options_of(&set, 1, 1);
    double y[24] = {0}, work[24];
    int64_t x[24];
    uint64_t seed = 9;
    struct planner p;

    (void)state;
    for (size_t c = 0; c < 24; c++)
        x[c] = (int64_t)(synth_next(&seed) % 50);
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
    for (size_t i = 0; i < p.n_parts; i++) {
        const struct colset part = p.parts[i].set;
        int64_t q[24] = {0};
        const struct residual r = {part, q, 1};

        for (size_t c = 0; c < 24; c++)
            q[synth_cell(&DOMAIN, part,
                         (const uint32_t[]){(uint32_t)c / 12,
                                            (uint32_t)c / 4 % 3, 0,
                                            (uint32_t)c % 4})] += x[c];
        synth_residual(&DOMAIN, part, q);
        residual_add(&DOMAIN, &r, set, work, y);
    }
    for (size_t c = 0; c < 24; c++)
        assert_true(fabs(y[c] - (double)x[c]) < 1e-9);
    planner_free(&p);
}

/* Of tens of thousands of equal parts, too, whose weights round alike. */
static void
many_parts_keep_to_the_price(void **state)
{
    static struct colset sets[64 * 63 * 62 / 6];
    static uint32_t two[64];
    const struct domain d = {64, two};
    size_t n = 0;

    (void)state;
    for (size_t a = 0; a < 64; a++)
        for (size_t b = a + 1; b < 64; b++)
            for (size_t c = b + 1; c < 64; c++)
                sets[n++] = colset_or(colset_or(colset_of(a), colset_of(b)),
                                      colset_of(c));
    for (uint32_t codes = 2; codes <= 9; codes++) {
        struct planner_options o = options_of(sets, n, 1);
        struct planner p;
        amount sum = 0;

        for (size_t c = 0; c < 64; c++)
            two[c] = codes;
        o.domain = &d;
        assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_OK);
        assert_int_equal(p.n_parts, 1 + 64 + 2016 + n);
        for (size_t i = 0; i < p.n_parts; i++)
            sum += p.parts[i].rho;
        assert_true(sum <= o.rho && sum > o.rho - o.rho / 1000000000);
        planner_free(&p);
    }
}

static void
what_cannot_be_planned_is_refused(void **state)
{
    static const uint32_t wide[2] = {1 << 14, 1 << 13};
    const struct domain two = {2, wide};
    const struct colset sets[] = {synth_set("ab"), {{0, 0}}};
    struct planner_options o = options_of(sets, 2, 1);
    struct planner p;

    (void)state;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_EINVAL);
    o.workload.n = 1;
    o.rho = 3;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_ERANGE);
    o.rho = UNIT;
    o.domain = &two;
    assert_int_equal(planner_make(NULL, &o, &p, NULL), CUSTOS_EOVERFLOW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_all_subsets),
        cmocka_unit_test(prices_add_up_to_the_whole),
        cmocka_unit_test(variances_are_those_of_the_tables),
        cmocka_unit_test(no_division_is_better),
        cmocka_unit_test(factors_give_the_variance_of_sums),
        cmocka_unit_test(tables_without_noise_are_exact),
        cmocka_unit_test(many_parts_keep_to_the_price),
        cmocka_unit_test(what_cannot_be_planned_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
