/*
 * Tables without negative cells: that they are, that they agree, and that they are nearer
 * to the truth.
 */
#include "synth/nonnegative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/synth_sets.h"

enum { COLUMNS = 5, CELLS = 256, PARTS = 32, SETS = 4 };

/* Rows of made columns, the residuals of some tables with noise, and what they make. */
struct made {
    uint32_t size[COLUMNS];
    struct domain domain;
    struct colset sets[SETS];
    int64_t exact[SETS][CELLS];
    struct residual parts[PARTS];
    int64_t values[PARTS][CELLS];
    size_t n_parts;
    double unbiased[SETS][CELLS], tables[SETS][CELLS];
    struct nonnegative n;
    arena *arena;
};

/* A sum of 12 uniform numbers: nearly normal. */
static double
draw_noise(uint64_t *seed, double variance)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)synth_next(seed) / 0x1p31;
    return sum * sqrt(variance);
}

static void
count_rows(struct made *m, const uint32_t (*rows)[COLUMNS], size_t n,
           struct colset set, int64_t *out)
{
    memset(out, 0, domain_cells(&m->domain, set) * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[synth_cell(&m->domain, set, rows[i])]++;
}

/* The residual of a set, with noise of this deviation on each cell of its table. */
static void
add_part(struct made *m, const uint32_t (*rows)[COLUMNS], size_t n,
         struct colset set, double sigma, uint64_t *seed)
{
    const double all = (double)domain_cells(&m->domain, set);
    struct residual *r = &m->parts[m->n_parts];

    r->set = set;
    r->values = m->values[m->n_parts];
    r->variance = all * all * sigma * sigma;
    count_rows(m, rows, n, set, m->values[m->n_parts]);
    synth_residual(&m->domain, set, m->values[m->n_parts]);
    for (size_t k = 0; k < domain_cells(&m->domain, set); k++)
        m->values[m->n_parts][k] += llround(draw_noise(seed, r->variance));
    m->n_parts++;
}

static bool
has_part(const struct made *m, struct colset set)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (colset_same(m->parts[i].set, set))
            return true;
    return false;
}

static void
make_unbiased(struct made *m, size_t t)
{
    double work[CELLS];

    memset(m->unbiased[t], 0, sizeof m->unbiased[t]);
    for (size_t i = 0; i < m->n_parts; i++)
        if (colset_within(m->parts[i].set, m->sets[t]))
            residual_add(&m->domain, &m->parts[i], m->sets[t], work,
                         m->unbiased[t]);
}

/* Columns of 1 to 5 codes, of which the first are the most frequent. */
static struct made *
made_new(uint64_t seed, size_t n, double sigma)
{
    static const char *const tables[SETS] = {"abd", "bc", "ad", "cde"};
    struct made *m = calloc(1, sizeof *m);
    uint32_t(*rows)[COLUMNS] = calloc(n, sizeof *rows);

    assert_true(m && rows);
    m->arena = arena_new(NULL, 1 << 24);
    assert_non_null(m->arena);
    m->domain = (struct domain){COLUMNS, m->size};
    for (size_t c = 0; c < COLUMNS; c++)
        m->size[c] = (uint32_t)(synth_next(&seed) % 5) + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < COLUMNS; c++) {
            rows[i][c] = (uint32_t)(synth_next(&seed) % m->size[c]);
            rows[i][c] = (uint32_t)(synth_next(&seed) % (rows[i][c] + 1));
        }
    for (size_t t = 0; t < SETS; t++) {
        struct colset part = {{0, 0}}, set = {{0, 0}};

        m->sets[t] = synth_set(tables[t]);
        count_rows(m, rows, n, m->sets[t], m->exact[t]);
        COLSET_EACH(c, m->sets[t])
        if (m->size[c] > 1)
            set = colset_or(set, colset_of(c));
        do {
            if (!has_part(m, part))
                add_part(m, rows, n, part, sigma, &seed);
            part = colset_next_part(set, part);
        } while (!colset_is_empty(part));
    }
    assert_int_equal(nonnegative_make(m->arena, &m->domain, m->parts,
                                      m->n_parts, m->sets, SETS, &m->n, NULL),
                     CUSTOS_OK);
    for (size_t t = 0; t < SETS; t++) {
        make_unbiased(m, t);
        nonnegative_table(&m->n, m->sets[t], m->tables[t]);
    }
    free(rows);
    return m;
}

static void
made_free(struct made *m)
{
    arena_free(m->arena);
    free(m);
}

/* The sums of table t over the columns that are not in `set`. */
static void
collapse(const struct made *m, size_t t, struct colset set, double *out)
{
    const size_t cells = domain_cells(&m->domain, m->sets[t]);

    memset(out, 0, CELLS * sizeof *out);
    for (size_t k = 0; k < cells; k++) {
        uint32_t row[COLUMNS] = {0};
        size_t rest = cells;

        COLSET_EACH(c, m->sets[t])
        {
            rest /= m->size[c];
            row[c] = (uint32_t)(k / rest % m->size[c]);
        }
        out[synth_cell(&m->domain, set, row)] += m->tables[t][k];
    }
}

static void
check_agree(const struct made *m)
{
    double x[CELLS], y[CELLS];

    for (size_t s = 0; s < SETS; s++) {
        for (size_t k = 0; k < domain_cells(&m->domain, m->sets[s]); k++)
            assert_true(m->tables[s][k] >= 0);
        for (size_t t = 0; t < s; t++) {
            const struct colset both = colset_and(m->sets[s], m->sets[t]);

            collapse(m, s, both, x);
            collapse(m, t, both, y);
            for (size_t k = 0; k < domain_cells(&m->domain, both); k++)
                assert_true(fabs(x[k] - y[k]) < 1e-6);
        }
    }
}

/* With little noise, much, and so much that a total may be negative. */
static void
nonnegative_tables_agree(void **state)
{
    size_t negative = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct made *m = made_new(seed, 100,
                                  seed % 3 == 0   ? 100
                                  : seed % 3 == 1 ? 1
                                                  : 5);

        for (size_t k = 0; k < domain_cells(&m->domain, m->sets[0]); k++)
            negative += m->unbiased[0][k] < 0;
        check_agree(m);
        made_free(m);
    }
    assert_true(negative > 100);
}

static void
tables_without_negative_cells_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct made *m = made_new(seed, 50000, 0.5);

        for (size_t t = 0; t < SETS; t++)
            for (size_t k = 0; k < domain_cells(&m->domain, m->sets[t]); k++) {
                assert_true(m->unbiased[t][k] >= 0);
                assert_true(fabs(m->tables[t][k] - m->unbiased[t][k]) < 1e-6);
            }
        made_free(m);
    }
}

/* Their l1 error, over fixed seeds: a quarter less, and in no single run more. */
static void
nonnegative_tables_err_less(void **state)
{
    double all = 0, unbiased = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct made *m = made_new(seed, 200, 4);
        double mine = 0, theirs = 0;

        for (size_t t = 0; t < SETS; t++)
            for (size_t k = 0; k < domain_cells(&m->domain, m->sets[t]); k++) {
                mine += fabs(m->tables[t][k] - (double)m->exact[t][k]);
                theirs += fabs(m->unbiased[t][k] - (double)m->exact[t][k]);
            }
        assert_true(mine < 1.01 * theirs);
        all += mine;
        unbiased += theirs;
        made_free(m);
    }
    assert_true(all < 0.75 * unbiased);
}

/* What the cells gain by not being negative, totals do not: on average they move by less
   than half of their standard error, though most cells are noise. */
static void
totals_stay_where_they_were(void **state)
{
    double moved = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct made *m = made_new(seed, 40, 4);
        double total = 0;

        for (size_t k = 0; k < domain_cells(&m->domain, m->sets[0]); k++)
            total += m->tables[0][k];
        moved += (total - fmax(0, (double)m->values[0][0])) / 100;
        made_free(m);
    }
    assert_true(fabs(moved) < 2);
}

/* The weighted square distance to what was released grows from here towards the truth,
   which is one of the families without negative cells: so there is no better one there. */
static void
no_family_nearby_fits_better(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct made *m = made_new(seed, 200, 4);
        double slope = 0, square = 0;

        for (size_t i = 0; i < m->n.n_parts; i++) {
            const struct nonnegative_part *p = &m->n.parts[i];
            double exact[CELLS] = {0};
            size_t t = 0;

            while (!colset_within(p->set, m->sets[t]))
                t++;
            for (size_t k = 0; k < domain_cells(&m->domain, m->sets[t]); k++) {
                uint32_t row[COLUMNS] = {0};
                size_t rest = domain_cells(&m->domain, m->sets[t]);

                COLSET_EACH(c, m->sets[t])
                {
                    rest /= m->size[c];
                    row[c] = (uint32_t)(k / rest % m->size[c]);
                }
                exact[synth_cell(&m->domain, p->set, row)] +=
                    (double)m->exact[t][k];
            }
            residual_project(&m->domain, p->set, exact);
            for (size_t k = 0; k < p->cells; k++) {
                const double off = p->values[k] - p->released[k];
                const double to = (double)p->cells * exact[k] - p->values[k];

                slope += off * to / p->variance;
                square += to * to / p->variance;
            }
        }
        assert_true(slope > -1e-4 * square);
        made_free(m);
    }
}

/* Nothing is left of a table whose total is below 0, and a family without any residuals
   is 0. */
static void
nothing_is_made_of_nothing(void **state)
{
    static const uint32_t size[2] = {2, 3};
    static const int64_t total[1] = {-50}, column[2] = {70, -70};
    const struct domain d = {2, size};
    const struct colset set = synth_set("ab");
    const struct residual parts[] = {{synth_set("a"), column, 4},
                                     {synth_set(""), total, 1e-6}};
    arena *a = arena_new(NULL, 1 << 16);
    struct nonnegative n;
    double x[6];

    (void)state;
    assert_non_null(a);
    for (size_t used = 0; used <= 2; used++) {
        assert_int_equal(
            nonnegative_make(a, &d, parts, used, &set, 1, &n, NULL), CUSTOS_OK);
        nonnegative_table(&n, set, x);
        for (size_t k = 0; k < 6; k++)
            assert_true(x[k] >= 0 && x[k] < 1e-3);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonnegative_tables_agree),
        cmocka_unit_test(tables_without_negative_cells_stay),
        cmocka_unit_test(nonnegative_tables_err_less),
        cmocka_unit_test(totals_stay_where_they_were),
        cmocka_unit_test(no_family_nearby_fits_better),
        cmocka_unit_test(nothing_is_made_of_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
