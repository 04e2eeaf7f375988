/*
 * `custos risk`: what a promise means for one person, in sentences, and the
 * trade-off curve that bounds every attacker's test.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/account_points.h"
#include "cli/chart.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "contract/contract.h"
#include "report/risk.h"

enum {
    RISK_EPSILON,
    RISK_DELTA,
    RISK_MECHANISM,
    RISK_ADJACENCY,
    RISK_N,
    RISK_PRIOR,
    RISK_FORCE,
    RISK_SVG,
    RISK_JSON,
    RISK_OPTIONS
};

static const struct option options[RISK_OPTIONS] = {
    [RISK_EPSILON] = {"epsilon", "NUMBER", "epsilon of the promise"},
    [RISK_DELTA] = {"delta", "NUMBER", "delta of the promise (0)"},
    [RISK_MECHANISM] = {"mechanism", "MECHANISM...",
                        "instead of --epsilon: what was released, such as\n"
                        "gaussian:sigma=20:count=50; needs --delta"},
    [RISK_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [RISK_N] = {"n", "COUNT", "how many people are in the data"},
    [RISK_PRIOR] = {"prior", "NUMBER",
                    "probability that an attacker assigns to the secret\n"
                    "before any answer (1/2)"},
    [RISK_FORCE] = {"force", NULL, "allow a delta of 1/n or more"},
    [RISK_SVG] = {"svg", "FILE", "write the trade-off curve to an SVG file"},
    [RISK_JSON] = {"json", NULL, JSON_HELP},
};

enum {
    PLAN_POINTS = 24, /* on the plan's curve; as many again near epsilon 0 */
    SENTENCE_WIDTH = 62,
};
static_assert(2 * (1 + 2 * PLAN_POINTS) + 2 <= RISK_CORNERS_MAX,
              "room for the corners of all points");

struct results {
    char epsilon[NUMBER_GIVEN_MAX];
    struct risk_told risk;
    double x[RISK_CORNERS_MAX], y[RISK_CORNERS_MAX];
};

/* ------------------------------------------------------------- the risk -- */

/* The risk of the plan's promise at delta and at all points of its curve. */
static int
risk_of_plan(const struct args *args, struct results *t, custos_risk **out)
{
    static struct points p;
    custos_plan *plan = NULL;
    custos_pld *pld = NULL;
    custos_interval at = CUSTOS_INTERVAL_INIT;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    int code = account_plan_of(args, args->given[RISK_ADJACENCY], &plan);

    if (!code) {
        st = custos_pld_new(plan, &pld, &err);
        if (!st)
            st = custos_pld_epsilon(pld, t->risk.delta, NULL, &at, &err);
        if (!st && at.reason)
            code = fail_usage("--mechanism: %s", at.reason);
    }
    if (!code && !st)
        code = points_of_pld(pld, t->risk.delta, PLAN_POINTS, &p);
    if (!code && !st)
        code = points_of_zero(pld, PLAN_POINTS, &p);
    custos_pld_free(pld);
    custos_plan_free(plan);
    if (code)
        return code;
    if (!st) {
        memcpy(t->epsilon, at.high, sizeof at.high);
        st = custos_risk_new(NULL, t->epsilon, t->risk.delta, out, &err);
    }
    for (size_t i = 0; i < p.n && !st; i++)
        st = custos_risk_add(*out, p.points[i].high, p.points[i].delta, &err);
    return st ? account_fail(&verb_risk, args, st, &err) : CLI_OK;
}

static int
risk_of(const struct args *args, struct results *t, custos_risk **out)
{
    const char *epsilon = args->given[RISK_EPSILON];
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    if (!epsilon == (args->n_many == 0))
        return fail_usage("give either --epsilon or --mechanism");
    if (!epsilon && !args->given[RISK_DELTA])
        return fail_usage("--mechanism needs --delta");
    if (!epsilon)
        return risk_of_plan(args, t, out);
    snprintf(t->epsilon, sizeof t->epsilon, "%s", epsilon);
    st = custos_risk_new(NULL, epsilon, args->given[RISK_DELTA], out, &err);
    return st ? account_fail(&verb_risk, args, st, &err) : CLI_OK;
}

/* Computes everything that is printed. */
static int
compute_risk(const custos_risk *risk, const struct args *args,
             struct results *t)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = risk_report(risk, &t->risk, &err);

    if (st)
        return account_fail(&verb_risk, args, st, &err);
    for (size_t i = 0; i < t->risk.n_corners; i++) {
        t->x[i] = strtod(t->risk.corners[i].fpr, NULL);
        t->y[i] = strtod(t->risk.corners[i].fnr, NULL);
    }
    return CLI_OK;
}

/* ------------------------------------------------------------- printing -- */

static void
make_chart(struct results *t, char subtitle[160], struct chart *c)
{
    static const double ends[] = {0, 1}, blind[] = {1, 0};
    char epsilon[NUMBER_MAX], delta[NUMBER_MAX];

    digits_up(t->epsilon, 6, epsilon);
    digits_up(t->risk.delta, 6, delta);
    snprintf(subtitle, 160, "epsilon %s, delta %s; no test is below the curve",
             epsilon, delta);
    *c = (struct chart){
        .title = "What an attacker's test can reach",
        .subtitle = subtitle,
        .x = {.label = "false positive rate: absent, but accused", .most = 1},
        .y = {.label = "false negative rate: present, but missed", .most = 1},
        .curves = {{"best possible test", t->x, t->y, t->risk.n_corners, false},
                   {"blind guessing", ends, blind, 2, true}},
        .n = 2,
    };
}

/* Two columns: headings, and the sentences under each. */
struct page {
    struct out *o;
    const char *under; /* the heading printed last */
};

static void
print_sentence(void *ctx, const char *under, const char *sentence)
{
    struct page *p = ctx;
    const char *word = p->under && !strcmp(p->under, under) ? "" : under;

    p->under = under;
    while (*sentence) {
        size_t len = strlen(sentence);

        if (len > SENTENCE_WIDTH)
            for (len = SENTENCE_WIDTH; len > 1 && sentence[len] != ' ';)
                len--;
        out_printf(p->o, "  %-14s%.*s\n", word, (int)len, sentence);
        word = "";
        for (sentence += len; *sentence == ' ';)
            sentence++;
    }
}

static void
print_sentences(struct out *o, const struct results *t)
{
    struct page page = {.o = o};
    char epsilon[NUMBER_MAX];

    digits_up(t->epsilon, 6, epsilon);
    out_printf(o, "What epsilon %s and delta %s mean for one person\n\n",
               epsilon, t->risk.delta);
    risk_sentences(&t->risk, print_sentence, &page);
    out_text(o, "\n");
}

static void
print_json(struct out *o, const struct results *t)
{
    struct document d;

    document_begin(&d, o);
    contract_risk(&d.json, &t->risk);
    document_end(&d);
}

static int
print_risk(const struct args *args, struct results *t)
{
    static struct out o;
    struct painter painter;
    struct chart chart;
    char subtitle[160];
    int code = CLI_OK;

    if (t->risk.facts.delta_too_large && !args->given[RISK_FORCE])
        return fail_usage("--delta %.40s is 1/n or more: it would permit "
                          "publishing somebody's data" HINT
                          "give a smaller delta, or --force to see the rest",
                          t->risk.delta);
    make_chart(t, subtitle, &chart);
    if (args->given[RISK_SVG])
        code = svg_write(args->given[RISK_SVG], &chart);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (args->given[RISK_JSON]) {
        print_json(&o, t);
    } else {
        painter_init(&painter, &o);
        print_sentences(&o, t);
        plot_print(&painter, &chart);
    }
    return out_end(&o);
}

static int
run_risk(const struct verb *verb, int argc, char **argv)
{
    static struct results t;
    custos_risk *risk = NULL;
    struct args args;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    t.risk.epsilon = t.epsilon;
    t.risk.delta = args.given[RISK_DELTA] ? args.given[RISK_DELTA] : "0";
    t.risk.people = args.given[RISK_N];
    t.risk.prior = args.given[RISK_PRIOR];
    code = risk_of(&args, &t, &risk);
    if (!code)
        code = compute_risk(risk, &args, &t);
    custos_risk_free(risk);
    return code ? code : print_risk(&args, &t);
}

const struct verb verb_risk = {
    .name = "risk",
    .summary = "explain what a promise means for one person",
    .usage = "risk --epsilon NUMBER [--delta NUMBER] [--n COUNT]\n"
             "risk --mechanism MECHANISM ... --delta NUMBER [--n COUNT]",
    .about =
        "The bounds hold against anybody, whatever they know, and are rounded\n"
        "to the cautious side. A delta of 1/n or more is rejected,\n"
        "because it permits a release that publishes the data of one person.",
    .examples = "custos risk --epsilon 1 --delta 1e-6 --n 100000\n"
                "custos risk --epsilon 0.5 --svg curve.svg\n"
                "custos risk --mechanism gaussian:sigma=20:count=50 --delta "
                "1e-6",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_risk,
};
