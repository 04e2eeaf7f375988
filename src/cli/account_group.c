/* `custos account group`: what a promise to one person means for several. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "report/digits.h"

enum {
    GROUP_EPSILON,
    GROUP_DELTA,
    GROUP_RHO,
    GROUP_MECHANISM,
    GROUP_ADJACENCY,
    GROUP_SIZE,
    GROUP_JSON,
    GROUP_OPTIONS
};

static const struct option options[GROUP_OPTIONS] = {
    [GROUP_EPSILON] = {"epsilon", "NUMBER", "the promise to one person"},
    [GROUP_DELTA] = {"delta", "NUMBER", "its delta (0)"},
    [GROUP_RHO] = {"rho", "NUMBER",
                   "the promise in zCDP, instead of --epsilon"},
    [GROUP_MECHANISM] = {"mechanism", "MECHANISM...",
                         "what was released, instead; needs --delta"},
    [GROUP_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [GROUP_SIZE] = {"size", "COUNT", "how many people, or rows of one person"},
    [GROUP_JSON] = {"json", NULL, JSON_HELP},
};

static int
read_size(const char *text, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = text;

    if (!text)
        return fail_usage("--size is missing");
    for (; *p >= '0' && *p <= '9' && n < UINT64_MAX / 20; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    if (*p || p == text || n == 0 || n > INT64_MAX)
        return fail_usage("--size must be a whole number from 1 to 2^63 - 1, "
                          "not %.60s",
                          text);
    *out = n;
    return CLI_OK;
}

/* Begins the document, with the size of the group. */
static void
json_begin_group(struct document *d, struct out *o, uint64_t size)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, size);
    document_begin(d, o);
    json_add_text(&d->json, "size", str_of(text));
}

static void
print_json(struct out *o, uint64_t size, const struct args *args,
           const custos_group *g)
{
    struct document d;
    struct json *j = &d.json;

    json_begin_group(&d, o, size);
    if (args->given[GROUP_RHO]) {
        json_add_text(j, "rho", str_of(g->rho));
    } else {
        json_add_text(j, "epsilon", str_of(g->epsilon));
        json_add_text(j, "delta", str_of(g->delta));
        json_add_text(j, "delta_textbook", str_of(g->delta_textbook));
    }
    json_add_text(j, "theorem", str_of(g->theorem));
    json_add_text(j, "source", str_of(g->source));
    document_end(&d);
}

static void
print_text(struct out *o, uint64_t size, const struct args *args,
           const custos_group *g)
{
    char delta[NUMBER_MAX], textbook[NUMBER_MAX];

    if (args->given[GROUP_RHO]) {
        out_printf(o, "For %" PRIu64 " together: rho %s\n", size, g->rho);
    } else {
        digits_up(g->delta, 6, delta);
        digits_up(g->delta_textbook, 6, textbook);
        out_printf(o, "For %" PRIu64 " together: epsilon %s, delta %s\n", size,
                   g->epsilon, delta);
        out_printf(o,
                   "  by theorem %s (%s)\n"
                   "The textbook bound, size * e^((size-1) epsilon) * delta, "
                   "would be %s.\n",
                   g->theorem, g->source, textbook);
        return;
    }
    out_printf(o, "  by theorem %s (%s)\n", g->theorem, g->source);
}

/* ---------------------------------------------------------- whole plans -- */

struct plan_bound {
    const char *epsilon, *theorem, *source;
};

static void
print_plan_json(struct out *o, const struct args *args, uint64_t size,
                const struct plan_bound *b)
{
    char theorem[80];
    struct document d;
    struct json *j = &d.json;

    snprintf(theorem, sizeof theorem, "group-plan, %s", b->theorem);
    json_begin_group(&d, o, size);
    json_add_text(j, "epsilon", str_of(b->epsilon));
    json_add_text(j, "delta", str_of(args->given[GROUP_DELTA]));
    json_add_text(j, "theorem", str_of(theorem));
    json_add_text(j, "source", str_of(b->source));
    document_end(&d);
}

static void
print_plan(struct out *o, const struct args *args, uint64_t size,
           const custos_interval *pld, const custos_bound *zcdp)
{
    const struct plan_bound b = {
        .epsilon = pld->reason ? zcdp->value : pld->high,
        .theorem = pld->reason ? zcdp->theorem : pld->theorem,
        .source = pld->reason ? zcdp->source : pld->source,
    };
    char epsilon[NUMBER_MAX];

    if (args->given[GROUP_JSON]) {
        print_plan_json(o, args, size, &b);
        return;
    }
    digits_up(b.epsilon, 6, epsilon);
    out_printf(o,
               "For %" PRIu64 " together: epsilon %s, delta %s\n"
               "  by theorems group-plan and %s (%s)\n",
               size, epsilon, args->given[GROUP_DELTA], b.theorem, b.source);
    if (pld->reason)
        out_printf(o, "  not by the privacy-loss distribution: %s\n",
                   pld->reason);
}

static int
run_plan(const struct args *args, uint64_t size)
{
    static struct out o;
    custos_plan *plan = NULL, *group = NULL;
    custos_interval at = CUSTOS_INTERVAL_INIT;
    custos_pld *pld = NULL;
    custos_bound zcdp = CUSTOS_BOUND_INIT;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code;

    if (args->given[GROUP_EPSILON] || args->given[GROUP_RHO])
        return fail_usage("give one of --epsilon, --rho and --mechanism");
    if (!args->given[GROUP_DELTA])
        return fail_usage("--mechanism needs --delta");
    code = account_plan_of(args, args->given[GROUP_ADJACENCY], &plan);
    if (code)
        return code;
    st = custos_plan_group(plan, size, &group, &err);
    if (!st)
        st = custos_pld_new(group, &pld, &err);
    if (!st)
        st = custos_pld_epsilon(pld, args->given[GROUP_DELTA], NULL, &at, &err);
    if (!st)
        st = custos_plan_epsilon(group, CUSTOS_BY_ZCDP,
                                 args->given[GROUP_DELTA], &zcdp, &err);
    custos_pld_free(pld);
    custos_plan_free(group);
    custos_plan_free(plan);
    if (st)
        return account_fail(&account_group, args, st, &err);
    if (at.reason && zcdp.reason)
        return fail_usage("--mechanism: %s", zcdp.reason);
    out_init(&o, STDOUT_FILENO);
    print_plan(&o, args, size, &at, &zcdp);
    return out_end(&o);
}

static int
run_group(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct args args;
    custos_group group = CUSTOS_GROUP_INIT;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t size = 0;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code = read_size(args.given[GROUP_SIZE], &size);
    if (code)
        return code;
    if (args.n_many > 0)
        return run_plan(&args, size);
    if (!args.given[GROUP_EPSILON] == !args.given[GROUP_RHO])
        return fail_usage("give one of --epsilon, --rho and --mechanism");
    if (args.given[GROUP_RHO] && args.given[GROUP_DELTA])
        return fail_usage("--delta goes with --epsilon, not with --rho");
    if (args.given[GROUP_RHO])
        st = custos_group_rho(args.given[GROUP_RHO], size, &group, &err);
    else
        st = custos_group_approx(args.given[GROUP_EPSILON],
                                 args.given[GROUP_DELTA], size, &group, &err);
    if (st)
        return account_fail(verb, &args, st, &err);
    out_init(&o, STDOUT_FILENO);
    if (args.given[GROUP_JSON])
        print_json(&o, size, &args, &group);
    else
        print_text(&o, size, &args, &group);
    return out_end(&o);
}

const struct verb account_group = {
    .name = "account group",
    .summary = "what a promise to one person means for several",
    .usage = "account group --epsilon NUMBER [--delta NUMBER] --size COUNT\n"
             "account group --rho NUMBER --size COUNT\n"
             "account group --mechanism MECHANISM ... --delta NUMBER --size "
             "COUNT",
    .about = "A promise to one person protects a group of people less well. "
             "Likewise, a\npromise to one row protects a person with several "
             "rows less well. The bound is\ntighter if you give the "
             "mechanisms instead of their promise.",
    .examples = "custos account group --epsilon 0.5 --delta 1e-6 --size 3\n"
                "custos account group --rho 0.01 --size 10\n"
                "custos account group --mechanism gaussian:sigma=20:count=50 "
                "\\\n    --delta 1e-6 --size 3",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_group,
};
