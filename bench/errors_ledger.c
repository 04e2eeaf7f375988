/*
 * How many queries a budget admits until it is spent, for several kinds of
 * query: with the two sums of deltas that the ledger keeps, and with one sum that
 * counts in both lanes, as before. Plans only; no data is read.
 *
 * lane_queries: Gaussian queries of (0.01, 1e-10) under a budget of (1, 1e-7).
 */
#include <stdio.h>
#include <stdlib.h>

#include "account/filter.h"
#include "plan/plan.h"

enum { MEMORY = 1 << 26, MOST = 100000, TEXT = 4096 };

static const char POLICY[] =
    "custos: 2\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1, delta: %s, n: 100000}\n"
    "query: {epsilon: 0.01, max_epsilon: 1, max_groups: 1000, max_rho: 0.1,\n"
    "        delta: 1e-10}\n"
    "tables:\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 120], nullable: false}\n"
    "      city: {type: text, values: [Rome, Oslo, Graz]}\n"
    "      street: {type: text}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: 50\n"
    "    columns:\n"
    "      patient: {type: integer, references: people.id}\n"
    "      room: {type: integer, range: [1, 200], nullable: false}\n";

static const struct kind {
    const char *name, *sql, *rho;
} kinds[] = {
    {"count", "SELECT count(*) FROM people", NULL},
    {"sum", "SELECT sum(age) FROM people", NULL},
    {"avg", "SELECT avg(age) FROM people", NULL},
    {"grouped_count", "SELECT city, count(*) FROM people GROUP BY city", NULL},
    {"discovered_groups", "SELECT street, count(*) FROM people GROUP BY street",
     NULL},
    {"quantile", "SELECT median(age) FROM people", NULL},
    {"gaussian",
     "SELECT room, count(distinct patient) FROM visits GROUP BY room", NULL},
    {"in_rho", "SELECT room, count(distinct patient) FROM visits GROUP BY room",
     "0.000002"},
};

static void
stop_at(const char *what, const custos_err *err)
{
    fprintf(stderr, "errors_ledger: %s: %s\n", what, err->said);
    exit(1);
}

/* The charge of a query under a budget of (1, delta). */
static struct charge
charge_of(const struct kind *k, const char *delta)
{
    struct plan_options o = {.rho = str_of(k->rho)};
    custos_err err = CUSTOS_ERR_INIT;
    arena *a = arena_new(NULL, MEMORY);
    struct policy *policy = NULL;
    struct plan *plan = NULL;
    struct query *q = NULL;
    struct charge c;
    char text[TEXT];

    snprintf(text, sizeof text, POLICY, delta);
    if (!a || policy_read(a, str_of(text), "people", &policy, &err) ||
        sql_read(a, str_of(k->sql), &q, &err) ||
        plan_make(a, q, policy, &o, &plan, &err))
        stop_at(k->name, &err);
    c = plan->charge;
    plan_free(plan);
    arena_free(a);
    return c;
}

static size_t
count_admitted(const char *delta, const struct charge *c)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct filter f;
    size_t n = 0;

    if (filter_of_promise("1", delta, &f, &err))
        stop_at("budget", &err);
    while (n < MOST && filter_admit(&f, c, NULL) == CUSTOS_OK)
        n++;
    return n;
}

static void
print_table(const char *delta, size_t *gaussian)
{
    printf("queries until (1, %s) is spent  one sum of deltas  two sums\n",
           delta);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct charge two = charge_of(&kinds[i], delta), one = two;
        size_t before, after;

        one.delta_rho = one.delta;
        before = count_admitted(delta, &one);
        after = count_admitted(delta, &two);
        printf("  %-29s %18zu %9zu\n", kinds[i].name, before, after);
        printf("bench: queries_%s_%s %zu queries\n", kinds[i].name, delta,
               after);
        if (&kinds[i] == &kinds[6])
            *gaussian = after;
    }
}

int
main(void)
{
    size_t large = 0, small = 0;

    print_table("1e-7", &large);
    print_table("1e-9", &small);
    printf("bench: lane_queries %zu queries\n", large);
    printf("bench: lane_queries_small %zu queries\n", small);
    return 0;
}
