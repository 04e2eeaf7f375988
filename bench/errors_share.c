/*
 * Errors of shares, for each way to write one, as a ratio to that of the two
 * disjoint counts (rows with the property, and the rest), each with discrete
 * Laplace noise at the whole epsilon: the error that 19 of 20 answers do not exceed.
 * err_share is the largest of these ratios.
 *
 * Plans, mechanisms and answers are the curator's; the exact counts are given. The
 * data sets are made ones, with a rare, a common and an even property, and those in
 * ../shared/data: women, the married, the female.
 */
#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "curator/answer.h"
#include "evaluate/evaluate.h"
#include "measure.h"
#include "mech/i128.h"
#include "plan/plan.h"

enum { MEMORY = 1 << 27, CELLS = 1000, RELEASES = 20, RUNS = CELLS * RELEASES };

#define EPSILON "0.5"

static const char POLICY[] =
    "custos: 1\n"
    "budget: {epsilon: 100}\n"
    "query: {epsilon: " EPSILON ", min_epsilon: 0, min_rho: 0}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      k: {type: integer, range: [1, 1000], nullable: false}\n"
    "      b: {type: boolean, nullable: false}\n";

static const char *const spellings[] = {
    "avg(b)",
    "avg(b::int)",
    "avg(CASE WHEN b THEN 1 ELSE 0 END)",
    "avg(CASE WHEN b THEN 100.0 ELSE 0 END) / 100",
    "1.0 * count(CASE WHEN b THEN 1 END) / count(*)",
    "sum(CASE WHEN b THEN 1 ELSE 0 END)::float / count(*)",
    "100.0 * sum(b::int) / nullif(count(*), 0) / 100",
};

static const struct data {
    int64_t rows, with;
    const char *file, *column; /* instead: the rows with a value of a column */
    double value;
} sets[] = {
    {100000, 5000, NULL, NULL, 0},
    {10000, 3000, NULL, NULL, 0},
    {2000, 1000, NULL, NULL, 0},
    {0, 0, "adult/adult.csv", "sex", 0},
    {0, 0, "pums/PUMS.csv", "married", 1},
    {0, 0, "nist-acs/tx2019.csv", "SEX", 2},
};

/* How many rows there are, and how many of them have the property. */
static void
count_rows(const struct data *d, int64_t *rows, int64_t *with)
{
    static struct columns c;

    *rows = d->rows;
    *with = d->with;
    if (!d->file)
        return;
    columns_read(&c, d->file, d->column, NULL);
    *rows = (int64_t)c.rows;
    for (size_t i = 0; i < c.rows; i++)
        *with += c.values[0][i] == d->value ? 1 : 0;
}

/* What the engine would compute: the two numbers of every group, or one. */
static void
release(const struct plan *p, custos_rng *rng, int64_t rows, int64_t with,
        struct released *out)
{
    static i128 exact[2 * CELLS];

    for (size_t i = 0; i < p->n_parts; i++) {
        const struct part *part = &p->parts[i];
        size_t numbers = part_numbers(part), n = CELLS * numbers;
        custos_sealed *sealed = NULL;

        for (size_t j = 0; j < n; j++)
            exact[j] = part->kind == PART_ROWS ? (i128)rows
                       : part->kind == PART_SUM
                           ? (part->upper * with - part->centre * rows)
                       : j % numbers == 1 ? part->upper * (rows - with)
                                          : part->upper * with;
        measure_need(seal_i128(NULL, exact, n, &sealed, NULL));
        measure_need(
            release_i128(part->mech, rng, sealed, out->values[i], n, NULL));
        custos_sealed_free(sealed);
    }
}

/* The errors of the answers to one spelling. */
static double
measured(const char *share, custos_rng *rng, int64_t rows, int64_t with)
{
    static double errors[RUNS];
    arena *a = arena_new(NULL, MEMORY);
    struct plan_options options = {.epsilon = str_of(EPSILON)};
    struct released released = {.cells = CELLS};
    struct receipt receipt = {0};
    struct policy *policy;
    struct query *query;
    struct plan *plan = NULL;
    char sql[200];
    size_t n = 0;

    snprintf(sql, sizeof sql, "SELECT k, %s FROM t GROUP BY k", share);
    measure_need(!a ||
                 policy_read(a, str_of(POLICY), "policy", &policy, NULL) ||
                 sql_read(a, str_of(sql), &query, NULL) ||
                 plan_make(a, query, policy, &options, &plan, NULL));
    measure_need(!released_take(a, &plan->stages[0], CELLS, &released));
    while (n < RUNS) {
        struct answer *answer = NULL;

        release(plan, rng, rows, with, &released);
        measure_need(
            answer_of_released(plan, &released, &receipt, &answer, NULL));
        for (size_t j = 0; j < CELLS; j++)
            errors[n++] = fabs(datum_double(&answer->cells[2 * j + 1].value) -
                               (double)with / (double)rows);
        answer_free(answer);
    }
    plan_free(plan);
    arena_free(a);
    return measure_most(errors, RUNS);
}

static double
reference(custos_rng *rng, int64_t rows, int64_t with)
{
    static double errors[RUNS];
    static i128 exact[2 * RUNS], out[2 * RUNS];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = (size_t)2 * RUNS,
                             .epsilon = EPSILON,
                             .sensitivity = "1"};
    custos_sealed *sealed = NULL;
    custos_mech *mech = NULL;

    for (size_t i = 0; i < RUNS; i++) {
        exact[2 * i] = with;
        exact[2 * i + 1] = rows - with;
    }
    measure_need(custos_mech_new(NULL, &o, &mech, NULL));
    measure_need(seal_i128(NULL, exact, (size_t)2 * RUNS, &sealed, NULL));
    measure_need(release_i128(mech, rng, sealed, out, (size_t)2 * RUNS, NULL));
    for (size_t i = 0; i < RUNS; i++) {
        double t = (double)out[2 * i], r = (double)out[2 * i + 1];

        errors[i] = fabs(t / (t + r) - (double)with / (double)rows);
    }
    custos_sealed_free(sealed);
    custos_mech_free(mech);
    return measure_most(errors, RUNS);
}

int
main(void)
{
    enum { SPELLINGS = sizeof spellings / sizeof *spellings };
    enum { SETS = sizeof sets / sizeof *sets };
    custos_rng *rng = NULL;
    double worst = 0;

    measure_need(custos_rng_new(&rng, NULL));
    for (size_t i = 0; i < SETS; i++) {
        int64_t rows, with;
        double theirs;

        count_rows(&sets[i], &rows, &with);
        if (rows == 0)
            continue; /* the file is not there */
        theirs = reference(rng, rows, with);
        for (size_t k = 0; k < SPELLINGS; k++) {
            double ours = measured(spellings[k], rng, rows, with);

            measure_progress("shares", i * SPELLINGS + k + 1,
                             (size_t)SETS * SPELLINGS);
            fprintf(stderr, "%-55s %.3f of %lld: %.6f, reference %.6f\n",
                    spellings[k], (double)with / (double)rows, (long long)rows,
                    ours, theirs);
            worst = fmax(worst, ours / theirs);
        }
    }
    measure_print("err_share", worst, "ratio");
    custos_rng_free(rng);
    return 0;
}
