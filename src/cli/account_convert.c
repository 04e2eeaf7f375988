/* `custos account convert`: converts a promise to another privacy definition. */
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
    CONVERT_FROM,
    CONVERT_AMOUNT,
    CONVERT_DELTA,
    CONVERT_ORDER,
    CONVERT_TO,
    CONVERT_TO_DELTA,
    CONVERT_TO_ORDER,
    CONVERT_JSON,
    CONVERT_OPTIONS
};

static const struct option options[CONVERT_OPTIONS] = {
    [CONVERT_FROM] = {"from", "CURRENCY",
                      "pure (epsilon), approx (epsilon at --delta), zcdp\n"
                      "(rho), rdp (divergence at --order) or gdp (mu)"},
    [CONVERT_AMOUNT] = {"amount", "NUMBER", "how much of it"},
    [CONVERT_DELTA] = {"delta", "NUMBER", "from approx: its delta"},
    [CONVERT_ORDER] = {"order", "NUMBER", "from rdp: its order, above 1"},
    [CONVERT_TO] = {"to", "CURRENCY",
                    "the currency to convert to (all of them)"},
    [CONVERT_TO_DELTA] = {"to-delta", "NUMBER",
                          "to approx: the delta of the result (1e-6)"},
    [CONVERT_TO_ORDER] = {"to-order", "NUMBER",
                          "to rdp: the order of the result (2)"},
    [CONVERT_JSON] = {"json", NULL, JSON_HELP},
};

static const char *const currencies[] = {"",     "pure", "approx",
                                         "zcdp", "rdp",  "gdp"};
static const char *const amounts[] = {"",    "epsilon",    "epsilon",
                                      "rho", "divergence", "mu"};

static int
read_currency(const char *text, const char *option, custos_currency *out)
{
    const char *guess;

    if (!text)
        return fail_usage("--%s is missing", option);
    for (size_t i = 1; i < COUNT_OF(currencies); i++)
        if (!strcmp(text, currencies[i])) {
            *out = (custos_currency)i;
            return CLI_OK;
        }
    guess = nearest(text, currencies + 1, COUNT_OF(currencies) - 1);
    return fail_usage("--%s cannot be %.60s" HINT "did you mean %s?", option,
                      text, guess ? guess : "zcdp");
}

static void
print_row(struct out *o, custos_currency to, const custos_bound *b,
          const struct args *args)
{
    const char *delta = args->given[CONVERT_TO_DELTA];
    const char *order = args->given[CONVERT_TO_ORDER];
    char value[NUMBER_MAX], what[80];

    digits_up(b->value, 10, value);
    snprintf(what, sizeof what, "%s%s%.40s", amounts[to],
             to == CUSTOS_IN_APPROX ? " at delta "
             : to == CUSTOS_IN_RDP  ? " of order "
                                    : "",
             to == CUSTOS_IN_APPROX ? (delta ? delta : "1e-6")
             : to == CUSTOS_IN_RDP  ? (order ? order : "2")
                                    : "");
    if (b->reason)
        out_printf(o, "  %-7s %-24s \u2013             %s\n", currencies[to],
                   what, b->reason);
    else
        out_printf(o, "  %-7s %-24s %-13s %s\n", currencies[to], what, value,
                   b->source);
}

static void
print_text(struct out *o, const struct args *args, custos_currency from,
           custos_currency to, const custos_bound *got)
{
    out_printf(o, "%s, %s ", currencies[from], amounts[from]);
    out_text(o, args->given[CONVERT_AMOUNT]);
    out_text(o, ":\n\n");
    for (custos_currency c = CUSTOS_IN_PURE; c <= CUSTOS_IN_GDP; c++)
        if (!to || to == c)
            print_row(o, c, &got[c], args);
}

static void
json_row(struct json *j, custos_currency to, const custos_bound *b)
{
    bool none = b->reason != NULL;

    json_begin(j, NULL);
    json_add_text(j, "to", str_of(currencies[to]));
    json_add_text_or_null(j, "value", str_of(none ? "" : b->value));
    json_add_text_or_null(j, "reason", str_of(b->reason));
    json_add_text_or_null(j, "theorem", str_of(none ? "" : b->theorem));
    json_add_text_or_null(j, "source", str_of(none ? "" : b->source));
    json_end(j);
}

static void
print_json(struct out *o, const struct args *args, custos_currency from,
           custos_currency to, const custos_bound *got)
{
    struct document d;
    struct json *j = &d.json;

    document_begin(&d, o);
    json_add_text(j, "from", str_of(currencies[from]));
    json_add_text(j, "amount", str_of(args->given[CONVERT_AMOUNT]));
    json_begin_list(j, "rows");
    for (custos_currency c = CUSTOS_IN_PURE; c <= CUSTOS_IN_GDP; c++)
        if (!to || to == c)
            json_row(j, c, &got[c]);
    json_end(j);
    document_end(&d);
}

static int
convert_all(const struct args *args, custos_currency from, custos_currency to)
{
    static struct out o;
    custos_bound got[COUNT_OF(currencies)];
    custos_err err = CUSTOS_ERR_INIT;

    for (custos_currency c = CUSTOS_IN_PURE; c <= CUSTOS_IN_GDP; c++) {
        const char *delta = args->given[CONVERT_TO_DELTA];
        const char *order = args->given[CONVERT_TO_ORDER];
        custos_convert_options what = {
            .size = sizeof what,
            .from = from,
            .amount = args->given[CONVERT_AMOUNT],
            .delta = args->given[CONVERT_DELTA],
            .order = args->given[CONVERT_ORDER],
            .to = c,
            .to_delta = delta ? delta : "1e-6",
            .to_order = order ? order : "2",
        };
        custos_status st = CUSTOS_OK;

        got[c] = (custos_bound)CUSTOS_BOUND_INIT;
        if (!to || to == c)
            st = custos_convert(&what, &got[c], &err);
        if (st)
            return account_fail(&account_convert, args, st, &err);
    }
    out_init(&o, STDOUT_FILENO);
    (args->given[CONVERT_JSON] ? print_json : print_text)(&o, args, from, to,
                                                          got);
    return out_end(&o);
}

static int
run_convert(const struct verb *verb, int argc, char **argv)
{
    custos_currency from = CUSTOS_IN_PURE, to = (custos_currency)0;
    struct args args;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code = read_currency(args.given[CONVERT_FROM], "from", &from);
    if (!code && args.given[CONVERT_TO])
        code = read_currency(args.given[CONVERT_TO], "to", &to);
    if (!code && !args.given[CONVERT_AMOUNT])
        code = fail_usage("--amount is missing");
    return code ? code : convert_all(&args, from, to);
}

const struct verb account_convert = {
    .name = "account convert",
    .summary = "convert a promise to other privacy definitions",
    .usage = "account convert --from CURRENCY --amount NUMBER [options]",
    .about = "Uses the best known bound for each pair, rounded up. Where there "
             "is none, the\nrow says why.",
    .examples = "custos account convert --from zcdp --amount 0.1 --to-delta "
                "1e-9\n"
                "custos account convert --from pure --amount 1 --to zcdp\n"
                "custos account convert --from rdp --order 8 --amount 0.5 "
                "--to approx",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_convert,
};
