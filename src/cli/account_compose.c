/*
 * `custos account compose`: the cost of one plan by every theorem; the tightest
 * bound is marked.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/paint.h"
#include "report/digits.h"

enum {
    COMPOSE_MECHANISM,
    COMPOSE_DELTA,
    COMPOSE_ADJACENCY,
    COMPOSE_PARALLEL,
    COMPOSE_PROMISE,
    COMPOSE_WIDTH,
    COMPOSE_JSON,
    COMPOSE_OPTIONS
};

static const struct option options[COMPOSE_OPTIONS] = {
    [COMPOSE_MECHANISM] = {"mechanism", "MECHANISM...", MECHANISM_HELP},
    [COMPOSE_DELTA] = {"delta", "NUMBER",
                       "the delta at which epsilon is computed, from 0 to\n"
                       "below 1 (0)"},
    [COMPOSE_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [COMPOSE_PARALLEL] = {"parallel", NULL,
                          "the releases are of disjoint parts of the data, "
                          "fixed\nin advance, each priced for a person added "
                          "to or\nremoved from its part; prints only this "
                          "theorem's row"},
    [COMPOSE_PROMISE] = {"promise", "HOW",
                         "with --parallel: the neighbours of the promise for\n"
                         "all parts together, add-remove (the default) or\n"
                         "change-one"},
    [COMPOSE_WIDTH] = {"width", "NUMBER",
                       "how far apart the bounds by the privacy-loss\n"
                       "distribution may be (a few parts in 10,000)"},
    [COMPOSE_JSON] = {"json", NULL, JSON_HELP},
};

struct row {
    const char *name;
    custos_bound bound;
    bool is_lower; /* a lower bound: not a promise */
};

enum { ROWS_MAX = 10 };

struct table {
    struct row rows[ROWS_MAX];
    size_t n;
    size_t best; /* the tightest row; n: there is none */
};

static const struct {
    const char *name;
    custos_theorem theorem;
} theorems[] = {
    {"basic", CUSTOS_BY_BASIC},   {"advanced", CUSTOS_BY_ADVANCED},
    {"KOV15", CUSTOS_BY_OPTIMAL}, {"zCDP", CUSTOS_BY_ZCDP},
    {"RDP", CUSTOS_BY_RDP},       {"GDP", CUSTOS_BY_GDP},
};

static custos_status
fill_theorems(const custos_plan *plan, const char *delta, struct table *t,
              custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < COUNT_OF(theorems) && !st; i++) {
        struct row *row = &t->rows[t->n++];

        *row =
            (struct row){.name = theorems[i].name, .bound = CUSTOS_BOUND_INIT};
        st = custos_plan_epsilon(plan, theorems[i].theorem, delta, &row->bound,
                                 err);
    }
    return st;
}

/* At delta 0 there are no PLD bounds, and the two rows say why. */
static custos_status
fill_pld(const custos_plan *plan, const char *delta, const char *width,
         struct table *t, custos_err *err)
{
    struct row *low = &t->rows[t->n], *high = &t->rows[t->n + 1];
    custos_interval got = CUSTOS_INTERVAL_INIT;
    custos_pld *pld = NULL;
    custos_status st = custos_pld_new(plan, &pld, err);

    if (!st)
        st = custos_pld_epsilon(pld, delta, width, &got, err);
    custos_pld_free(pld);
    if (st == CUSTOS_ERANGE && strtod(delta, NULL) == 0) {
        got = (custos_interval){.theorem = "plan-pld",
                                .source = "Zhu, Dong, Wang 2022",
                                .reason = "it needs a delta above 0"};
        st = CUSTOS_OK;
    }
    if (st)
        return st;
    t->n += 2;
    *low = (struct row){.name = "PLD, at least", .is_lower = true};
    *high = (struct row){.name = "PLD, at most"};
    low->bound.theorem = high->bound.theorem = got.theorem;
    low->bound.source = high->bound.source = got.source;
    low->bound.reason = high->bound.reason = got.reason;
    memcpy(low->bound.value, got.low, sizeof got.low);
    memcpy(high->bound.value, got.high, sizeof got.high);
    if (!got.reason && !strcmp(got.high, "infinity")) {
        high->bound.value[0] = '\0';
        high->bound.reason = "it found no bound at this delta";
    }
    return CUSTOS_OK;
}

/* Doubles suffice to find the smallest bound; among equal ones the first wins. */
static void
find_best(struct table *t)
{
    double best = 0;

    t->best = t->n;
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->rows[i];
        double value = strtod(row->bound.value, NULL);

        if (row->bound.reason || row->is_lower)
            continue;
        if (t->best == t->n || value < best) {
            t->best = i;
            best = value;
        }
    }
}

/* The adjacency that the printed bounds are for. */
static const char *
promise_of(const struct args *args)
{
    const char *promise = args->given[COMPOSE_PROMISE];

    if (!promise)
        promise = args->given[COMPOSE_ADJACENCY];
    return promise ? promise : "add-remove";
}

/* -------------------------------------------------------------- printing -- */

static void
print_table(struct out *o, const struct table *t, const char *delta,
            const char *adjacency)
{
    struct painter p;
    char value[NUMBER_MAX];

    painter_init(&p, o);
    out_printf(o, "epsilon at delta %s, neighbours by %s\n\n", delta,
               adjacency);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->rows[i];

        if (row->is_lower)
            digits_down(row->bound.value, 7, value);
        else
            digits_up(row->bound.value, 7, value);
        if (row->bound.reason)
            paint(&p, PAINT_DIM);
        if (i == t->best)
            paint(&p, PAINT_BOLD);
        out_printf(o, "  %-14s %-12s %s  %s\n", row->name,
                   row->bound.reason ? "\u2013           " : value,
                   i == t->best ? "\u25c0 tightest" : "          ",
                   row->bound.reason ? row->bound.reason : row->bound.source);
        if (row->bound.reason || i == t->best)
            paint(&p, PAINT_PLAIN);
    }
}

static void
print_json(struct out *o, const struct table *t, const char *delta,
           const char *adjacency)
{
    struct document d;
    struct json *j = &d.json;

    document_begin(&d, o);
    json_add_text(j, "delta", str_of(delta));
    json_add_text(j, "adjacency", str_of(adjacency));
    json_begin_list(j, "rows");
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->rows[i];
        const custos_bound *b = &row->bound;

        json_begin(j, NULL);
        json_add_text(j, "name", str_of(row->name));
        json_add_text(j, "bound", str_of(row->is_lower ? "lower" : "upper"));
        json_add_text_or_null(j, "epsilon", str_of(b->reason ? "" : b->value));
        json_add_text_or_null(j, "reason", str_of(b->reason));
        json_add_text(j, "theorem", str_of(b->theorem));
        json_add_text(j, "source", str_of(b->source));
        json_add_bool(j, "tightest", i == t->best);
        json_end(j);
    }
    json_end(j);
    document_end(&d);
}

static int
print_result(const struct table *t, const struct args *args)
{
    static struct out o;
    const char *delta = args->given[COMPOSE_DELTA];
    const char *adjacency = promise_of(args);

    delta = delta ? delta : "0";
    out_init(&o, STDOUT_FILENO);
    if (args->given[COMPOSE_JSON])
        print_json(&o, t, delta, adjacency);
    else
        print_table(&o, t, delta, adjacency);
    return out_end(&o);
}

/* ------------------------------------------------------------------ run -- */

static custos_status
fill_table(const custos_plan *plan, const struct args *args, struct table *t,
           custos_err *err)
{
    const char *delta = args->given[COMPOSE_DELTA];
    custos_status st;

    delta = delta ? delta : "0";
    if (args->given[COMPOSE_PARALLEL]) {
        t->rows[0] =
            (struct row){.name = "parallel", .bound = CUSTOS_BOUND_INIT};
        t->n = 1;
        return custos_plan_epsilon(plan,
                                   !strcmp(promise_of(args), "change-one")
                                       ? CUSTOS_BY_PARALLEL_CHANGE
                                       : CUSTOS_BY_PARALLEL,
                                   delta, &t->rows[0].bound, err);
    }
    st = fill_theorems(plan, delta, t, err);
    if (!st)
        st = fill_pld(plan, delta, args->given[COMPOSE_WIDTH], t, err);
    return st;
}

/*
 * The parts must be priced under add/remove: a person who is replaced may leave
 * one part and enter another, and a price under change-one does not cover that.
 */
static int
check_parallel(const struct args *args)
{
    const char *promise = args->given[COMPOSE_PROMISE];
    const char *adjacency = args->given[COMPOSE_ADJACENCY];

    if (promise && !args->given[COMPOSE_PARALLEL])
        return fail_usage("--promise needs --parallel" HINT
                          "without it, --adjacency says how neighbours differ");
    if (promise && strcmp(promise, "add-remove") != 0 &&
        strcmp(promise, "change-one") != 0)
        return fail_usage("--promise must be add-remove or change-one, not "
                          "%.60s",
                          promise);
    if (args->given[COMPOSE_PARALLEL] && adjacency &&
        !strcmp(adjacency, "change-one"))
        return fail_usage("--parallel needs each mechanism priced for a person "
                          "added to or removed from its part" HINT
                          "price them that way, leave out --adjacency, and "
                          "say --promise change-one");
    return CLI_OK;
}

static int
run_compose(const struct verb *verb, int argc, char **argv)
{
    struct table t = {.n = 0};
    custos_plan *plan = NULL;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code = check_parallel(&args);
    if (!code)
        code = account_plan_of(&args, args.given[COMPOSE_ADJACENCY], &plan);
    if (code)
        return code;
    st = fill_table(plan, &args, &t, &err);
    custos_plan_free(plan);
    if (st)
        return account_fail(verb, &args, st, &err);
    find_best(&t);
    return print_result(&t, &args);
}

const struct verb account_compose = {
    .name = "account compose",
    .summary = "what releases cost together, by every theorem",
    .usage = "account compose --mechanism MECHANISM ... [--delta NUMBER]",
    .about =
        "Each row is the epsilon at which all releases together keep\n"
        "(epsilon, delta), by one theorem, rounded up. All rows hold; the\n"
        "smallest is marked. The privacy-loss distribution (PLD) gives a "
        "lower\n"
        "and an upper bound of the exact cost. Where a theorem gives no "
        "bound,\n"
        "the row says why.",
    .examples =
        "custos account compose --mechanism "
        "laplace:epsilon=0.1:count=100 \\\n"
        "    --mechanism gaussian:sigma=20:count=50 --delta 1e-6\n"
        "custos account compose --mechanism laplace:epsilon=0.1:count=8\n"
        "custos account compose --mechanism "
        "gaussian:sigma=1:sample=0.01:count=10000 \\\n"
        "    --delta 1e-6 --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_compose,
};
