/*
 * The error of a mean of a whole table under change-one, where the policy states
 * the number of rows, as a ratio to that of the sum with sensitivity upper - lower
 * at the whole epsilon, divided by the rows: the error that 19 of 20 answers do not
 * exceed. err_avg_change_one is the largest of these ratios.
 *
 * Plans, mechanisms and answers are the curator's; the exact sum is given: `high` of
 * the rows have the upper end of the range, the others the lower.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curator/answer.h"
#include "evaluate/evaluate.h"
#include "measure.h"
#include "mech/i128.h"
#include "plan/plan.h"

enum { MEMORY = 1 << 27, RUNS = 400000, POLICY_MAX = 600 };

#define EPSILON "0.5"

static const char POLICY[] =
    "custos: 2\n"
    "adjacency: change-one\n"
    "budget: {epsilon: 100}\n"
    "query: {epsilon: " EPSILON ", min_epsilon: 0, min_rho: 0}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    exact_rows: %d\n"
    "    columns:\n"
    "      x: {type: integer, range: [%d, %d], nullable: false}\n";

/* The ages of the people of ../shared/data/adult, years, incomes, and flags. */
static const struct {
    int rows, high, lower, upper;
} data[] = {{48842, 20000, 17, 90},
            {2000, 1000, 1900, 2000},
            {594, 30, 0, 200000},
            {48842, 16192, 0, 1}};

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
exceeded_by_5_percent(double *errors)
{
    qsort(errors, RUNS, sizeof *errors, by_size);
    return errors[RUNS * 95 / 100];
}

static i128
draw(custos_mech *mech, custos_rng *rng, i128 exact)
{
    custos_sealed *sealed = NULL;
    i128 out;

    measure_need(seal_i128(NULL, &exact, 1, &sealed, NULL));
    measure_need(release_i128(mech, rng, sealed, &out, 1, NULL));
    custos_sealed_free(sealed);
    return out;
}

/* The sum that the engine would compute. */
static i128
exact_sum(const struct part *part, size_t set)
{
    i128 high = data[set].high, low = data[set].rows - data[set].high;

    return high * (data[set].upper - part->centre) +
           low * (data[set].lower - part->centre);
}

static double
measured(custos_rng *rng, size_t set)
{
    static double errors[RUNS];
    double exact = data[set].lower + (double)data[set].high / data[set].rows *
                                         (data[set].upper - data[set].lower);
    arena *a = arena_new(NULL, MEMORY);
    struct plan_options options = {.epsilon = str_of(EPSILON)};
    struct released released = {.cells = 1};
    struct receipt receipt = {0};
    struct policy *policy;
    struct query *query;
    struct plan *plan = NULL;
    char text[POLICY_MAX];

    snprintf(text, sizeof text, POLICY, data[set].rows, data[set].lower,
             data[set].upper);
    measure_need(!a || policy_read(a, str_of(text), "policy", &policy, NULL) ||
                 sql_read(a, str_of("SELECT avg(x) FROM t"), &query, NULL) ||
                 plan_make(a, query, policy, &options, &plan, NULL));
    measure_need(plan->n_parts != 1 || plan->known_rows == 0 ||
                 !released_take(a, &plan->stages[0], 1, &released));
    for (size_t i = 0; i < RUNS; i++) {
        struct answer *answer = NULL;

        released.values[0][0] =
            draw(plan->parts[0].mech, rng, exact_sum(&plan->parts[0], set));
        measure_need(
            answer_of_released(plan, &released, &receipt, &answer, NULL));
        errors[i] = fabs(datum_double(&answer->cells[0].value) - exact);
        answer_free(answer);
    }
    plan_free(plan);
    arena_free(a);
    return exceeded_by_5_percent(errors);
}

static double
reference(custos_rng *rng, size_t set)
{
    static double errors[RUNS];
    char sensitivity[32];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = 1,
                             .epsilon = EPSILON,
                             .sensitivity = sensitivity};
    custos_mech *mech = NULL;

    snprintf(sensitivity, sizeof sensitivity, "%d",
             data[set].upper - data[set].lower);
    measure_need(custos_mech_new(NULL, &o, &mech, NULL));
    for (size_t i = 0; i < RUNS; i++)
        errors[i] = fabs((double)draw(mech, rng, 0)) / data[set].rows;
    custos_mech_free(mech);
    return exceeded_by_5_percent(errors);
}

int
main(void)
{
    enum { SETS = sizeof data / sizeof *data };
    custos_rng *rng = NULL;
    double worst = 0;

    measure_need(custos_rng_new(&rng, NULL));
    for (size_t i = 0; i < SETS; i++) {
        double theirs = reference(rng, i), ours = measured(rng, i);

        measure_progress("means", i + 1, SETS);
        fprintf(stderr, "%d .. %d of %d rows: %.6f, reference %.6f\n",
                data[i].lower, data[i].upper, data[i].rows, ours, theirs);
        worst = fmax(worst, ours / theirs);
    }
    measure_print("err_avg_change_one", worst, "ratio");
    custos_rng_free(rng);
    return 0;
}
