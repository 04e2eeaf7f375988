/*
 * Errors of marginals: all tables of two columns of the adult data (its 15
 * columns have 2 to 42 values), planned by GROUPING SETS at rho = 1/2 and
 * released; and at rho = 1/20, where all tables deviate by 20 or more, how often the
 * error bars hold. The reference is ResidualPlanner's optimum at the same price (Xiao,
 * He, Zhang, Kifer 2023), over the reals: the total variance over all cells is
 * (sum over subsets A of sqrt(v_A p_A))^2 / (2 rho). The data does not matter
 * for the error; ../shared/data/aim-adult is read where it is there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curator/marginals.h"
#include "measure.h"
#include "mech/i128.h"
#include "num/rat.h"
#include "plan/part/marginals.h"
#include "sql/tree.h"

enum { COLUMNS = 15, RUNS = 60, TEXT = 1 << 16, ROWS = 48842 };

static const char DATA[] = "../shared/data/aim-adult/adult.csv";
static const size_t SIZES[COLUMNS] = {32, 9, 32, 16, 16, 7,  15, 6,
                                      5,  2, 32, 32, 32, 42, 2};

/* A table of one row per unit with the columns c0, c1, ... */
static struct plan *
plan_pairs(arena *a, const char *rho)
{
    char *text = arena_take(a, TEXT, 1), *sql = arena_take(a, TEXT, 1);
    struct plan_options o = {.rho = str_of(rho)};
    custos_err err = CUSTOS_ERR_INIT;
    struct policy *policy = NULL;
    struct query *q = NULL;
    struct plan *p = NULL;
    size_t n = 0;

    measure_need(!text || !sql);
    n += (size_t)snprintf(text, TEXT,
                          "custos: 2\nadjacency: add-remove\n"
                          "budget: {epsilon: 1, delta: 1e-9, n: 48842}\n"
                          "query: {epsilon: 0.1, max_rho: 1}\n"
                          "tables:\n  adult:\n    source: adult.csv\n"
                          "    unit: row\n    columns:\n");
    for (size_t i = 0; i < COLUMNS; i++)
        n += (size_t)snprintf(
            text + n, TEXT - n,
            "      c%zu: {type: integer, range: [0, %zu], nullable: false}\n",
            i, SIZES[i] - 1);
    measure_need(policy_read(a, (str){text, n}, "adult", &policy, &err));
    n = (size_t)snprintf(sql, TEXT,
                         "SELECT count(*) FROM adult GROUP BY GROUPING SETS (");
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = i + 1; j < COLUMNS; j++)
            n += (size_t)snprintf(sql + n, TEXT - n, "%s(c%zu, c%zu)",
                                  j == 1 ? "" : ", ", i, j);
    snprintf(sql + n, TEXT - n, ")");
    measure_need(sql_read(a, str_of(sql), &q, &err) ||
                 plan_make(a, q, policy, &o, &p, &err));
    return p;
}

/* ResidualPlanner's formula: subsets of at most two columns. */
static double
reference(void)
{
    double sum = 0, none = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        double n = (double)SIZES[i], p = 1 - 1 / n, above = 0;

        for (size_t j = 0; j < COLUMNS; j++)
            if (j != i) {
                double k = (double)SIZES[j], both = p * (1 - 1 / k);

                above += n / k; /* v: cells * p / k^2 */
                none += 1 / (2 * n * k);
                sum += both * sqrt(n * k) / 2;
            }
        sum += p * sqrt(above);
    }
    sum += sqrt(none);
    return sum * sum;
}

/* The rows of the data, or made ones. */
static void
read_rows(unsigned char (*rows)[COLUMNS])
{
    FILE *f = fopen(DATA, "r");
    char line[512];
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            rows[i][k] = (unsigned char)((i * 2654435761U >> k) % SIZES[k]);
    measure_need(f && !fgets(line, sizeof line, f));
    while (f && n < ROWS && fgets(line, sizeof line, f)) {
        char *at = line;

        for (size_t k = 0; k < COLUMNS; k++) {
            rows[n][k] = (unsigned char)(strtoul(at, &at, 10) % SIZES[k]);
            at += *at == ',';
        }
        n++;
    }
    if (f)
        fclose(f);
}

static i128 *
count(const struct marginals *m, uint32_t set, unsigned char (*rows)[COLUMNS])
{
    i128 *x = calloc(marginals_cells(m, set), sizeof *x);

    measure_need(!x);
    for (size_t i = 0; i < ROWS; i++) {
        size_t cell = 0;

        for (size_t k = 0; k < m->n_keys; k++)
            if (set >> k & 1)
                cell = cell * m->size[k] + rows[i][k];
        x[cell]++;
    }
    return x;
}

/* The half widths of the error bars of all tables. */
static void
bars_of(const struct plan *p, double *half)
{
    struct cell_noise noise[SQL_SETS_MAX];
    struct bar_law unused = {BAR_GAUSSIAN, 1}; /* of noise on one table */

    measure_need(!marginals_are_residual(p));
    marginals_noise(p, noise);
    marginals_bars(p, noise, unused, 0.05, half);
}

/* The squared errors of one release of all tables; counts those within their error
   bars. */
static double
release(const struct plan *p, i128 *const *exact, i128 *const *truth,
        const double *half, custos_rng *rng, size_t *within)
{
    const struct marginals *m = p->marginals;
    i128 *values[PLAN_PARTS_MAX];
    i128 *out = calloc(p->space.cells, sizeof *out);
    double sum = 0;

    measure_need(!out);
    for (size_t i = 0; i < p->n_parts; i++) {
        custos_sealed *sealed = NULL;
        size_t cells = marginals_cells(m, m->noisy[i]);

        values[i] = calloc(cells, sizeof(i128));
        measure_need(!values[i] ||
                     seal_i128(NULL, exact[i], cells, &sealed, NULL));
        measure_need(residual_release(m, m->noisy[i], p->parts[i].mech, rng,
                                      sealed, values[i], NULL));
        custos_sealed_free(sealed);
    }
    measure_need(marginals_rebuild(m, values, out, NULL));
    for (size_t s = 0; s < m->n_sets; s++)
        for (size_t c = m->first[s]; c < m->first[s + 1]; c++) {
            double error = (double)(out[c] - truth[s][c - m->first[s]]);

            sum += error * error;
            *within += fabs(error) <= half[s];
        }
    for (size_t i = 0; i < p->n_parts; i++)
        free(values[i]);
    free(out);
    return sum;
}

/* Releases all tables RUNS times; returns the mean of their squared errors, and sets
   the share of bars that hold. */
static double
measure_tables(const struct plan *p, unsigned char (*rows)[COLUMNS],
               custos_rng *rng, double *covered)
{
    i128 *exact[PLAN_PARTS_MAX], *truth[SQL_SETS_MAX];
    double half[SQL_SETS_MAX], sum = 0;
    size_t within = 0;

    bars_of(p, half);
    for (size_t i = 0; i < p->n_parts; i++)
        exact[i] = count(p->marginals, p->marginals->noisy[i], rows);
    for (size_t s = 0; s < p->marginals->n_sets; s++)
        truth[s] = count(p->marginals, p->marginals->sets[s], rows);
    for (int run = 0; run < RUNS; run++) {
        measure_progress("marginals", (size_t)run + 1, RUNS);
        sum += release(p, exact, truth, half, rng, &within);
    }
    for (size_t i = 0; i < p->n_parts; i++)
        free(exact[i]);
    for (size_t s = 0; s < p->marginals->n_sets; s++)
        free(truth[s]);
    *covered = 100 * (double)within / RUNS / (double)p->space.cells;
    return sum / RUNS;
}

int
main(void)
{
    static unsigned char rows[ROWS][COLUMNS];
    arena *a = arena_new(NULL, (size_t)1 << 28);
    double want = reference(), planned = 0, covered, sum, before;
    custos_rng *rng = NULL;
    struct plan *p;

    measure_need(!a || custos_rng_new(&rng, NULL));
    read_rows(rows);
    p = plan_pairs(a, "0.5");
    for (size_t s = 0; s < p->marginals->n_sets; s++)
        planned += marginals_variance(p, 0, s, &sum) *
                   (double)marginals_cells(p->marginals, p->marginals->sets[s]);
    before = measure_seconds();
    sum = measure_tables(p, rows, rng, &covered);
    fprintf(stderr,
            "%zu tables of %zu groups at rho 1/2: total variance %.1f, planned "
            "%.1f, reference %.1f; %.2f s a release\n",
            p->marginals->n_sets, p->space.cells, sum, planned, want,
            (measure_seconds() - before) / RUNS);
    measure_print("err_marginals_planned", planned / want, "ratio");
    measure_print("err_marginals", sum / want, "ratio");
    measure_print("cover_marginals_coarse", covered, "%");
    measure_tables(plan_pairs(a, "0.05"), rows, rng, &covered);
    measure_print("cover_marginals", covered, "%");
    return 0;
}
