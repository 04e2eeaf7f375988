/*
 * What bounds on a unit's rows and groups save. Plans only; no data is read.
 *
 * err_per_group    the error bar of counts by group with at most r rows of a unit
 *                  in a group, over that with its bound of m rows alone; each
 *                  setting's limit is min(m, sqrt(r m), r sqrt(g)) / m. The figure is
 *                  the largest ratio of bar to limit.
 * rho_sums ...     the rho that is charged for Laplace noise, over what every
 *                  mechanism of that epsilon is charged: sums of many steps, counts,
 *                  and people counted in 10 groups each, at epsilon 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "num/rat_double.h"
#include "plan/plan.h"

enum { MEMORY = 1 << 26, TEXT = 2000 };

static const char POLICY[] =
    "custos: 2\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 10, delta: 1e-7, n: 100000}\n"
    "query: {epsilon: 1, max_epsilon: 10, max_groups: 1000, max_rho: 1}\n"
    "tables:\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: %d\n"
    "    columns:\n"
    "      patient: {type: integer, nullable: false}\n"
    "      cost: {type: integer, range: [0, 1000000], nullable: false}\n"
    "      room: {type: integer, range: [1, 200], nullable: false}\n";

/* Plans a query under a bound of `rows`; its first bar and its rho. */
static void
plan_query(int rows, const char *sql, const char *in_rho, double *bar,
           double *rho)
{
    struct plan_options o = {.rho = str_of(in_rho)};
    custos_err err = CUSTOS_ERR_INIT;
    arena *a = arena_new(NULL, MEMORY);
    struct policy *policy = NULL;
    struct plan *plan = NULL;
    struct query *q = NULL;
    char text[TEXT];

    snprintf(text, sizeof text, POLICY, rows);
    if (!a || policy_read(a, str_of(text), "visits", &policy, &err) ||
        sql_read(a, str_of(sql), &q, &err) ||
        plan_make(a, q, policy, &o, &plan, &err)) {
        fprintf(stderr, "errors_bounds: %s: %s\n", sql, err.said);
        exit(1);
    }
    *bar = (double)plan->parts[0].bar;
    *rho = rat_double(&plan->rho);
    plan_free(plan);
    arena_free(a);
}

static void
print_per_group(void)
{
    static const struct {
        int m, r, g;
    } settings[] = {{20, 4, 20}, {50, 1, 50}, {100, 10, 3}, {8, 2, 2}};
    double worst = 0;

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int m = settings[i].m, r = settings[i].r, g = settings[i].g;
        double bar, all, rho, limit;
        char sql[TEXT];

        limit = fmin(m, fmin(sqrt(r * m), r * sqrt(g))) / m;
        plan_query(m, "SELECT room, count(*) FROM visits GROUP BY room", "0.01",
                   &all, &rho);
        snprintf(sql, sizeof sql,
                 "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS("
                 "max_rows_contributed_per_group = %d, "
                 "max_groups_contributed = %d) "
                 "room, count(*) FROM visits GROUP BY room",
                 r, g);
        plan_query(m, sql, "0.01", &bar, &rho);
        fprintf(stderr,
                "m = %-3d r = %-2d g = %-2d: %.3f of the bar, limit %.3f\n", m,
                r, g, bar / all, limit);
        worst = fmax(worst, bar / all / limit);
    }
    measure_print("err_per_group", worst, "ratio");
}

static void
print_rho(const char *name, int rows, const char *sql, const char *epsilon)
{
    double bar, rho, e = strtod(epsilon, NULL);
    char priced[TEXT];

    snprintf(priced, sizeof priced,
             "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = %s) %s",
             epsilon, sql);
    plan_query(rows, priced, NULL, &bar, &rho);
    measure_print(name, rho / (e * tanh(e / 2)), "ratio");
}

int
main(void)
{
    print_per_group();
    print_rho("rho_sums", 1, "sum(cost) FROM visits", "1");
    print_rho("rho_sums_small", 1, "sum(cost) FROM visits", "0.1");
    print_rho("rho_counts", 1, "room, count(*) FROM visits GROUP BY room", "1");
    print_rho("rho_groups10", 10,
              "room, count(DISTINCT patient) FROM visits GROUP BY room", "1");
    return 0;
}
