/*
 * `custos account calibrate`: the least noise for a promise, or how often a
 * plan may run within it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/document.h"
#include "cli/help.h"
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

static custos_status
json_mechanisms(struct json *j, const custos_plan *plan, const char *factor,
                custos_err *err)
{
    char text[CUSTOS_MECHANISM_MAX];
    custos_status st = CUSTOS_OK;

    json_begin_list(j, "mechanisms");
    for (size_t i = 0; i < custos_plan_size(plan) && !st; i++) {
        st = custos_plan_write(plan, i, factor, text, err);
        if (!st)
            json_add_text(j, NULL, str_of(text));
    }
    json_end(j);
    return st;
}

static int
print_json(const custos_plan *plan, const struct args *args,
           const custos_calibrated *c, bool count)
{
    static struct out o;
    const char *delta = args->given[CALIBRATE_DELTA];
    struct document d;
    struct json *j = &d.json;
    char times[24];
    custos_err err = CUSTOS_ERR_INIT;

    snprintf(times, sizeof times, "%" PRIu64, c->count);
    out_init(&o, STDOUT_FILENO);
    document_begin(&d, &o);
    json_add_text(j, "target_epsilon", str_of(args->given[CALIBRATE_EPSILON]));
    json_add_text(j, "delta", str_of(delta ? delta : "0"));
    json_add_text_or_null(j, "factor", str_of(count ? "" : c->factor));
    json_add_text_or_null(j, "count", str_of(count ? times : ""));
    json_add_text_or_null(j, "epsilon", str_of(c->epsilon));
    json_add_text_or_null(j, "theorem", str_of(c->theorem));
    if (json_mechanisms(j, plan, c->factor, &err)) {
        document_drop(&d);
        return fail_status(err.code, &err);
    }
    document_end(&d);
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
