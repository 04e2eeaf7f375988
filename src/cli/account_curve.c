/* `custos account curve`: delta against epsilon, as lower and upper bounds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/account_points.h"
#include "cli/chart.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "report/digits.h"

enum {
    CURVE_MECHANISM,
    CURVE_DELTA,
    CURVE_POINTS,
    CURVE_ADJACENCY,
    CURVE_SVG,
    CURVE_JSON,
    CURVE_OPTIONS
};

static const struct option options[CURVE_OPTIONS] = {
    [CURVE_MECHANISM] = {"mechanism", "MECHANISM...", MECHANISM_HELP},
    [CURVE_DELTA] = {"delta", "NUMBER",
                     "the smallest delta of the curve (1e-9)"},
    [CURVE_POINTS] = {"points", "COUNT", "number of points, 2 to 201 (17)"},
    [CURVE_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [CURVE_SVG] = {"svg", "FILE", "write the curve to an SVG file"},
    [CURVE_JSON] = {"json", NULL, JSON_HELP},
};

static int
read_points(const char *text, size_t *out)
{
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : 17;

    if (text && (*end || *text < '0' || *text > '9' || n < 2 || n > POINTS_MAX))
        return fail_usage("--points must be a whole number from 2 to %d, not "
                          "%.60s",
                          (int)POINTS_MAX, text);
    *out = n;
    return CLI_OK;
}

static void
make_chart(const struct points *p, double y[POINTS_MAX],
           double high[POINTS_MAX], double low[POINTS_MAX], struct chart *c)
{
    for (size_t i = 0; i < p->n; i++) {
        y[i] = number_value(p->points[i].delta);
        high[i] = strtod(p->points[i].high, NULL);
        low[i] = strtod(p->points[i].low, NULL);
    }
    *c = (struct chart){
        .title = "What the plan costs",
        .subtitle = "each point is a promise that the plan keeps, by its "
                    "privacy-loss distribution",
        .x = {.label = "epsilon", .most = fmax(high[p->n - 1], 1e-9)},
        .y = {.label = "delta",
              .least = pow(10, floor(log10(y[p->n - 1]) + 1e-9)),
              .most = 1,
              .is_log = true},
        .curves = {{"epsilon at most", high, y, p->n, false},
                   {"epsilon at least", low, y, p->n, true}},
        .n = 2,
    };
}

static void
print_json(struct out *o, const struct points *p)
{
    struct document d;
    struct json *j = &d.json;

    document_begin(&d, o);
    json_begin_list(j, "points");
    for (size_t i = 0; i < p->n; i++) {
        json_begin(j, NULL);
        json_add_text(j, "delta", str_of(p->points[i].delta));
        json_add_text(j, "epsilon_low", str_of(p->points[i].low));
        json_add_text(j, "epsilon_high", str_of(p->points[i].high));
        json_end(j);
    }
    json_end(j);
    json_add_text(j, "theorem", str_of("plan-pld"));
    document_end(&d);
}

static void
print_text(struct out *o, const struct points *p, const struct chart *chart)
{
    struct painter painter;
    char low[NUMBER_MAX], high[NUMBER_MAX];

    painter_init(&painter, o);
    out_printf(o, "  %-14s %-16s %s\n", "delta", "epsilon at least", "at most");
    for (size_t i = 0; i < p->n; i++) {
        digits_down(p->points[i].low, 6, low);
        digits_up(p->points[i].high, 6, high);
        out_printf(o, "  %-14s %-16s %s\n", p->points[i].delta, low, high);
    }
    out_text(o, "\n");
    plot_print(&painter, chart);
}

static int
run_curve(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    static struct points p;
    static double y[POINTS_MAX], high[POINTS_MAX], low[POINTS_MAX];
    custos_plan *plan = NULL;
    custos_pld *pld = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct chart chart;
    struct args args;
    size_t n = 0;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code = read_points(args.given[CURVE_POINTS], &n);
    if (!code)
        code = account_plan_of(&args, args.given[CURVE_ADJACENCY], &plan);
    if (code)
        return code;
    st = custos_pld_new(plan, &pld, &err);
    if (st)
        code = fail_status(st, &err);
    else
        code = points_of_pld(
            pld, args.given[CURVE_DELTA] ? args.given[CURVE_DELTA] : "1e-9", n,
            &p);
    custos_pld_free(pld);
    custos_plan_free(plan);
    if (code)
        return code;
    make_chart(&p, y, high, low, &chart);
    if (args.given[CURVE_SVG])
        code = svg_write(args.given[CURVE_SVG], &chart);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (args.given[CURVE_JSON])
        print_json(&o, &p);
    else
        print_text(&o, &p, &chart);
    return out_end(&o);
}

const struct verb account_curve = {
    .name = "account curve",
    .summary = "plot delta against epsilon for a plan",
    .usage = "account curve --mechanism MECHANISM ... [--svg FILE]",
    .about =
        "The releases keep every (epsilon, delta) of the curve at once. The\n"
        "exact epsilon lies between the two columns.",
    .examples = "custos account curve --mechanism gaussian:sigma=20:count=50 "
                "\\\n    --svg curve.svg",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_curve,
};
