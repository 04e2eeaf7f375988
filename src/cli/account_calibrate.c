/*
 * `custos account calibrate`: the least noise for a promise, or how often a
 * plan may run within it.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/number.h"
#include "report/digits.h"

enum {
    CALIBRATE_MECHANISM,
    CALIBRATE_EPSILON,
    CALIBRATE_DELTA,
    CALIBRATE_FIND,
    CALIBRATE_ADJACENCY,
    CALIBRATE_JSON,
    CALIBRATE_OPTIONS
};

static const struct option options[CALIBRATE_OPTIONS] = {
    [CALIBRATE_MECHANISM] = {"mechanism", "MECHANISM...", MECHANISM_HELP},
    [CALIBRATE_EPSILON] = {"epsilon", "NUMBER",
                           "the promise (epsilon) for all releases together"},
    [CALIBRATE_DELTA] = {"delta", "NUMBER", "its delta (0)"},
    [CALIBRATE_FIND] = {"find", "noise|count",
                        "find the least noise (the default), or how often "
                        "the\nplan may run as it is"},
    [CALIBRATE_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [CALIBRATE_JSON] = {"json", NULL, JSON_HELP},
};

enum { SHOWN_MAX = 20 };

static int
print_json(const custos_plan *plan, const struct args *args,
           const custos_calibrated *c, bool count)
{
    static struct out o;
    char text[CUSTOS_MECHANISM_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    out_init(&o, STDOUT_FILENO);
    out_text(&o, "{\"target_epsilon\":");
    out_json(&o, args->given[CALIBRATE_EPSILON]);
    out_text(&o, ",\"delta\":");
    out_json(&o,
             args->given[CALIBRATE_DELTA] ? args->given[CALIBRATE_DELTA] : "0");
    if (count)
        out_printf(&o, ",\"count\":\"%" PRIu64 "\"", c->count);
    else
        out_printf(&o, ",\"factor\":\"%s\"", c->factor);
    out_printf(&o, ",\"epsilon\":\"%s\",\"theorem\":\"%s\",\"mechanisms\":[",
               c->epsilon, c->theorem ? c->theorem : "");
    for (size_t i = 0; i < custos_plan_size(plan); i++) {
        st = custos_plan_write(plan, i, c->factor, text, &err);
        if (st)
            return fail_status(st, &err);
        out_text(&o, i ? "," : "");
        out_json(&o, text);
    }
    out_text(&o, "]}\n");
    return out_end(&o);
}

static int
print_noise(const custos_plan *plan, const custos_calibrated *c)
{
    static struct out o;
    char text[CUSTOS_MECHANISM_MAX], epsilon[NUMBER_MAX];
    size_t n = custos_plan_size(plan);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    digits_up(c->epsilon, 7, epsilon);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o,
               "Multiply all noise by %s: the plan then costs epsilon %s\n"
               "  by theorem %s\n\n",
               c->factor, epsilon, c->theorem);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        st = custos_plan_write(plan, i, c->factor, text, &err);
        if (st)
            return fail_status(st, &err);
        out_printf(&o, "  --mechanism %s\n", text);
    }
    if (n > SHOWN_MAX)
        out_printf(&o, "  and %zu more (--json has all)\n", n - SHOWN_MAX);
    return out_end(&o);
}

static int
print_count(const custos_calibrated *c)
{
    static struct out o;
    char epsilon[NUMBER_MAX];

    out_init(&o, STDOUT_FILENO);
    if (c->count == 0) {
        out_text(&o, "The plan may not run even once.\n");
    } else {
        digits_up(c->epsilon, 7, epsilon);
        out_printf(&o,
                   "The plan may run %" PRIu64 " times: that costs epsilon %s\n"
                   "  by theorem %s\n",
                   c->count, epsilon, c->theorem);
    }
    return out_end(&o);
}

static int
run_calibrate(const struct verb *verb, int argc, char **argv)
{
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;
    custos_plan *plan = NULL;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    const char *find;
    bool count;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    find = args.given[CALIBRATE_FIND];
    count = find && !strcmp(find, "count");
    if (find && !count && strcmp(find, "noise") != 0)
        return fail_usage("--find must be noise or count, not %.60s", find);
    if (!args.given[CALIBRATE_EPSILON])
        return fail_usage("--epsilon is missing");
    code = account_plan_of(&args, args.given[CALIBRATE_ADJACENCY], &plan);
    if (code)
        return code;
    st = (count ? custos_calibrate_count : custos_calibrate_noise)(
        plan, args.given[CALIBRATE_EPSILON], args.given[CALIBRATE_DELTA], &got,
        &err);
    if (st)
        code = account_fail(verb, &args, st, &err);
    else if (args.given[CALIBRATE_JSON])
        code = print_json(plan, &args, &got, count);
    else
        code = count ? print_count(&got) : print_noise(plan, &got);
    custos_plan_free(plan);
    return code;
}

const struct verb account_calibrate = {
    .name = "account calibrate",
    .summary = "find the noise for a promise, or how often a plan fits",
    .usage = "account calibrate --mechanism MECHANISM ... --epsilon NUMBER\n"
             "    [--delta NUMBER] [--find noise|count]",
    .about =
        "Multiplies all scales and sigmas of the plan by one factor, the "
        "least\n"
        "(to about 0.01 %; 1 % with more than 32 mechanisms) for which the\n"
        "plan keeps the promise. The printed result was checked to keep it.",
    .examples =
        "custos account calibrate --mechanism gaussian:sigma=1:count=50 \\\n"
        "    --epsilon 1 --delta 1e-6\n"
        "custos account calibrate --mechanism laplace:epsilon=0.01 \\\n"
        "    --epsilon 1 --delta 1e-6 --find count",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_calibrate,
};
