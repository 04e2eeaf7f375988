/*
 * The accountant on several plans: the bounds that it gives, how wide they are,
 * whether they contain the known exact values, and how long it takes.
 *
 * Each row is timed several times and the best run counts, since it is disturbed
 * least. Nothing is cached between runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account/pld_bounds.h"
#include "custos.h"
#include "measure.h"

enum { RUNS = 7, MANY = 100000, CHARGES = 2000000 };

static int failures;

static void
check(int fine, const char *what)
{
    if (!fine) {
        printf("account: FAILED: %s\n", what);
        failures++;
    }
}

struct row {
    const char *what;
    double delta, width, exact[2]; /* exact: for both orders of the neighbours;
                                      0 if unknown */
    struct bounds got[2];
    double ms;
};

static void
print_row(const struct row *r)
{
    static const char *const orders[] = {"remove", "add"};

    for (int order = 0; order < 2; order++) {
        const struct bounds *b = &r->got[order];

        if (order == 1 && r->exact[1] == 0)
            continue;
        printf("%-36s %-6s %8.0e  [%.9f, %.9f]  %8.1e", order ? "" : r->what,
               orders[order], r->delta, b->low, b->high, b->high - b->low);
        if (r->exact[order] > 0)
            printf("  %.9f", r->exact[order]);
        else
            printf("  %11s", "");
        if (order == 0)
            printf("  %8.1f", r->ms);
        putchar('\n');
        check(b->low <= b->high, "bounds in order");
        if (r->exact[order] > 0)
            check(b->low <= r->exact[order] && r->exact[order] <= b->high,
                  "the true value lies between the bounds");
        check(b->high - b->low <= r->width, "bounds as narrow as asked for");
    }
}

/* Computes bounds on a plan several times; keeps the time of the best run. */
static void
run(struct row *r, const struct pld_part *parts, size_t n)
{
    r->ms = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        struct pld_kept kept[2] = {{.asked = 0}, {.asked = 0}};
        double t = measure_seconds();
        custos_status st =
            pld_bounds(NULL, parts, n, (struct pld_aim){AIM_DELTA, r->delta},
                       r->width, kept, r->got);

        pld_kept_clear(&kept[0]);
        pld_kept_clear(&kept[1]);
        check(st == CUSTOS_OK, "an answer");
        r->ms = fmin(r->ms, 1e3 * (measure_seconds() - t));
    }
    print_row(r);
}

/* DP-SGD: a sampled Gaussian, both orders of the neighbours in one call. */
static void
bench_subsampled(void)
{
    const struct pld_part part = {
        {.base = BASE_GAUSSIAN, .rate = 0.01, .size = 1}, 10000};
    struct row coarse = {"sampled Gaussian q=0.01 s=1 x 10^4", 1e-6,     1e-3,
                         {6.907384495, 6.207484379},           {{0, 0}}, 0};
    struct row fine = coarse;

    fine.width = 1e-4;
    run(&coarse, &part, 1);
    run(&fine, &part, 1);
    measure_print("pld_subsampled_1e-3_ms", coarse.ms, "ms");
    measure_print("pld_subsampled_1e-4_ms", fine.ms, "ms");
}

/* Measures composition on the grid: Gaussians are not merged in closed form
   here, since there is only one part. */
static void
bench_gauss(void)
{
    const struct pld_part part = {
        {.base = BASE_GAUSSIAN, .rate = 1, .size = 0.02}, 1000};
    const double deltas[] = {1e-5, 1e-10, 1e-20, 1e-30};
    const double exact[] = {2.594383381, 3.984191991, 5.870004179, 7.287484745};
    static const char *const names[] = {
        "pld_gauss_delta5_ms", "pld_gauss_delta10_ms", "pld_gauss_delta20_ms",
        "pld_gauss_delta30_ms"};

    for (size_t i = 0; i < 4; i++) {
        struct row r = {"Gaussian s=50 x 1000", deltas[i], 5e-5,
                        {exact[i], 0},          {{0, 0}},  0};

        run(&r, &part, 1);
        measure_print(names[i], r.ms, "ms");
    }
}

static void
bench_plan(void)
{
    struct pld_part *parts = calloc(MANY, sizeof *parts);
    struct row r = {
        "10^5 Laplace and Gaussian, distinct", 1e-6, 0.03, {0, 0}, {{0, 0}}, 0};

    if (!parts)
        exit(1);
    for (size_t i = 0; i < MANY; i++)
        parts[i] =
            (struct pld_part){{.base = i % 2 ? BASE_LAPLACE : BASE_GAUSSIAN,
                               .rate = 1,
                               .size = 1e-3 + 2e-8 * (double)i},
                              1};
    run(&r, parts, MANY);
    check(r.got[0].high - r.got[0].low <= 0.01 * r.got[0].high, "within 1 %");
    measure_print("plan_1e5_ms", r.ms, "ms");
    measure_print("plan_1e5_width",
                  100 * (r.got[0].high - r.got[0].low) / r.got[0].high, "%");
    free(parts);
}

static void
need(custos_status st, const custos_err *err)
{
    if (st) {
        fprintf(stderr, "bench: %s\n", err->said);
        exit(1);
    }
}

/* Calibrates through the public interface: text in, text out. */
static void
calibrate(void)
{
    custos_calibrated found = CUSTOS_CALIBRATED_INIT;
    custos_plan *plan;
    custos_err err = CUSTOS_ERR_INIT;

    need(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, &err), &err);
    need(custos_plan_add(plan, "laplace:epsilon=0.1:count=500", &err), &err);
    need(custos_plan_add(plan, "gaussian:sigma=20:count=500", &err), &err);
    need(custos_calibrate_noise(plan, "0.01", "1e-6", &found, &err), &err);
    check(atof(found.epsilon) <= 0.01, "calibrated within the promise");
    check(atof(found.epsilon) >= 0.00999, "calibrated to the promise");
    printf("1000 queries to epsilon 0.01: noise times %s, epsilon %s by %s\n",
           found.factor, found.epsilon, found.theorem);
    custos_plan_free(plan);
}

/* Near 1, delta hardly changes with epsilon: a search that converges slowly
   would show here. */
static void
bench_calibrate_large_delta(void)
{
    custos_calibrated found = CUSTOS_CALIBRATED_INIT;
    custos_plan *plan;
    custos_err err = CUSTOS_ERR_INIT;
    double seconds;

    need(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, &err), &err);
    need(custos_plan_add(plan, "gaussian:sigma=1:count=10", &err), &err);
    seconds = measure_seconds();
    need(custos_calibrate_noise(plan, "1", "0.9999999999999", &found, &err),
         &err);
    seconds = measure_seconds() - seconds;
    check(atof(found.factor) <= 0.2395, "calibrated at a large delta");
    measure_print("calibrate_large_delta_ms", 1e3 * seconds, "ms");
    custos_plan_free(plan);
}

/* Runs in a process of its own, to measure its memory. */
static void
bench_calibrate(void)
{
    struct rusage used;
    double seconds;
    int status = 1;
    pid_t child;

    fflush(stdout);
    seconds = measure_seconds();
    child = fork();
    if (child == 0) {
        calibrate();
        fflush(stdout);
        _exit(failures > 0);
    }
    check(child > 0 && wait4(child, &status, 0, &used) == child && status == 0,
          "calibration");
    seconds = measure_seconds() - seconds;
    measure_print("calibrate_1000_ms", 1e3 * seconds, "ms");
    measure_print("calibrate_1000_mb", (double)used.ru_maxrss / 1024, "MB");
}

/* Charges per second; compares the first tenth of many charges with the last. */
static void
bench_filter(void)
{
    const custos_filter_options options = {
        .size = sizeof options, .epsilon = "10", .delta = "1e-6"};
    const custos_charge_options price = {
        .size = sizeof price, .mechanism = "laplace:epsilon=0.000001"};
    custos_charge *charge;
    custos_filter *filter;
    custos_err err = CUSTOS_ERR_INIT;
    double start, first = 0, all, last = 0;

    need(custos_filter_new(NULL, &options, &filter, &err), &err);
    need(custos_charge_new(NULL, &price, &charge, &err), &err);
    start = measure_seconds();
    for (int i = 0; i < CHARGES; i++) {
        need(custos_filter_admit(filter, charge, &err), &err);
        if (i + 1 == CHARGES / 10)
            first = measure_seconds() - start;
        if (i + 1 == CHARGES - CHARGES / 10)
            last = measure_seconds();
    }
    last = measure_seconds() - last;
    all = measure_seconds() - start;
    printf("filter: %d charges, the last tenth took %.2f of the first\n",
           CHARGES, last / first);
    measure_print("filter_charges_per_s", CHARGES / all, "1/s");
    custos_charge_free(charge);
    custos_filter_free(filter);
}

int
main(void)
{
    printf("%-36s %-6s %8s  %-26s  %8s  %-11s  %8s\n", "plan", "order", "delta",
           "epsilon", "width", "exact", "ms");
    bench_subsampled();
    bench_gauss();
    bench_plan();
    bench_calibrate();
    bench_calibrate_large_delta();
    bench_filter();
    return failures > 0;
}
