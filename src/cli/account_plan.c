/*
 * `custos account plan`: relates the number of counting queries, their error
 * and the budget. Computes one of the three from the other two, or prints a
 * table of errors by number of queries; both with delta 0 and with a delta.
 *
 * With delta 0, each of n queries about n people has an error of about
 * 3n/epsilon, and only about sqrt(n) queries can have as little error as
 * sampling. With a delta, about n queries can.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/account.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "report/digits.h"

enum {
    PLAN_N,
    PLAN_EPSILON,
    PLAN_DELTA,
    PLAN_QUERIES,
    PLAN_ERROR,
    PLAN_JSON,
    PLAN_OPTIONS
};

static const struct option options[PLAN_OPTIONS] = {
    [PLAN_N] = {"n", "COUNT", "how many people are in the data"},
    [PLAN_EPSILON] = {"epsilon", "NUMBER",
                      "the budget of all queries together"},
    [PLAN_DELTA] = {"delta", "NUMBER",
                    "delta of the budget, for Gaussian noise (1e-6)"},
    [PLAN_QUERIES] = {"queries", "COUNT", "how many counting queries"},
    [PLAN_ERROR] = {"error", "NUMBER",
                    "error of a count, with 95 % confidence"},
    [PLAN_JSON] = {"json", NULL, JSON_HELP},
};

#define COUNT_TOP 1e12
#define LN_20 2.995732273553991 /* 95 % of Laplace(1) is within +- this */
#define Z_95 1.959963984540054  /* 95 % of N(0, 1) is within +- this */
#define UP (1 + 1e-12)          /* outweighs all rounding errors in this file */

/* The options as numbers; 0 for what is to be computed. */
struct asked {
    double n, epsilon, queries, error;
    const char *delta;
    double sigma; /* of one query of sensitivity 1, rounded up */
};

static int
read_number(const struct args *args, int option, double least, double most,
            double *out)
{
    const char *text = args->given[option];
    char *end = NULL;

    *out = 0;
    if (!text)
        return CLI_OK;
    *out = strtod(text, &end);
    if (*end == '/')
        *out /= strtod(end + 1, &end);
    if (*end || !(*out >= least && *out <= most) || strpbrk(text, "xXnN "))
        return fail_usage("--%s must be a number from %g to %g, not %.60s",
                          options[option].name, least, most, text);
    return CLI_OK;
}

static int
read_asked(const struct args *args, struct asked *a)
{
    int code = read_number(args, PLAN_N, 1, COUNT_TOP, &a->n);

    if (!code)
        code = read_number(args, PLAN_EPSILON, 1e-6, 100, &a->epsilon);
    if (!code)
        code = read_number(args, PLAN_QUERIES, 1, COUNT_TOP, &a->queries);
    if (!code)
        code = read_number(args, PLAN_ERROR, 1e-6, COUNT_TOP, &a->error);
    if (code)
        return code;
    if (a->n != floor(a->n) || a->queries != floor(a->queries))
        return fail_usage("--n and --queries must be whole numbers");
    a->delta = args->given[PLAN_DELTA] ? args->given[PLAN_DELTA] : "1e-6";
    return CLI_OK;
}

/* Finds the sigma of the Gaussian for the given budget. */
static int
find_sigma(struct asked *a, const struct args *args)
{
    char sigma[CUSTOS_NUMBER_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = custos_gauss_sigma(
        CUSTOS_ANALYTIC, args->given[PLAN_EPSILON], a->delta, "1", sigma, &err);

    if (st)
        return account_fail(&account_plan, args, st, &err);
    a->sigma = strtod(sigma, NULL) * UP;
    return CLI_OK;
}

/* The 95 % error of each query if there are this many, rounded up. */
static double
laplace_error(const struct asked *a, double queries)
{
    return queries * LN_20 / a->epsilon * UP;
}

static double
gauss_error(const struct asked *a, double queries)
{
    return Z_95 * a->sigma * sqrt(queries) * UP;
}

/* The largest 95 % error that a count by sampling n people can have. */
static double
sampling_error(const struct asked *a)
{
    return Z_95 * sqrt(a->n) / 2;
}

static double
laplace_queries(const struct asked *a, double error)
{
    return floor(error * a->epsilon / LN_20 / UP);
}

static double
gauss_queries(const struct asked *a, double error)
{
    double root = error / (Z_95 * a->sigma) / UP;

    return floor(root * root / UP);
}

/* ---------------------------------------------------------------- table -- */

static void
print_row(struct out *o, const struct asked *a, double queries)
{
    double laplace = laplace_error(a, queries), gauss = gauss_error(a, queries);
    double sampling = sampling_error(a);
    char l[NUMBER_MAX], g[NUMBER_MAX];

    number_write_up(laplace, l);
    number_write_up(gauss, g);
    out_printf(o, "  %13.0f  %12s %9.4g%% %s  %12s %9.4g%% %s\n", queries, l,
               100 * laplace / a->n, laplace <= sampling ? "\u2713" : " ", g,
               100 * gauss / a->n, gauss <= sampling ? "\u2713" : " ");
}

/* Powers of ten, the root of n, and n, in ascending order. */
static size_t
list_queries(double n, double out[32])
{
    double root = floor(sqrt(n)), last = 1, k = 1;
    size_t count = 0;

    while (k < n) {
        if (root > last && root < k)
            out[count++] = root;
        out[count++] = last = k;
        k *= 10;
    }
    if (root > last && root < n)
        out[count++] = root;
    out[count++] = n;
    return count;
}

static void
print_laws(struct out *o, const struct asked *a)
{
    double sampling = sampling_error(a);

    out_printf(
        o,
        "\n  1. With delta 0, n queries: error %.3g n / epsilon. As a share "
        "of the people\n     that is %.3g / epsilon, whatever n is.\n",
        LN_20, LN_20);
    out_printf(o,
               "  2. With delta 0, at the sampling error (%.4g): %.0f queries, "
               "%.3g sqrt(n).\n",
               sampling, laplace_queries(a, sampling),
               laplace_queries(a, sampling) / sqrt(a->n));
    out_printf(o,
               "  3. With delta %s, at the sampling error: %.0f queries, "
               "%.3g n.\n",
               a->delta, gauss_queries(a, sampling),
               gauss_queries(a, sampling) / a->n);
}

static void
print_table(struct out *o, const struct asked *a, const double *queries,
            size_t n)
{
    out_printf(o,
               "Counting queries on %.0f people, epsilon %g for all of "
               "them; errors at 95 %%\n\n"
               "  %13s  %24s   %24s\n",
               a->n, a->epsilon, "queries", "Laplace, delta 0",
               "Gaussian, with delta");
    for (size_t i = 0; i < n; i++)
        print_row(o, a, queries[i]);
    out_printf(o,
               "\n  \u2713 no more than sampling error (%.4g); %% of the "
               "people\n",
               sampling_error(a));
    print_laws(o, a);
}

static void
json_whole(struct json *j, const char *name, double x)
{
    char text[NUMBER_MAX];

    snprintf(text, sizeof text, "%.0f", x);
    json_add_text(j, name, str_of(text));
}

static void
json_row(struct json *j, const struct asked *a, double queries)
{
    char laplace[NUMBER_MAX], gauss[NUMBER_MAX];

    number_write_up(laplace_error(a, queries), laplace);
    number_write_up(gauss_error(a, queries), gauss);
    json_begin(j, NULL);
    json_whole(j, "queries", queries);
    json_add_text(j, "laplace_error", str_of(laplace));
    json_add_text(j, "gauss_error", str_of(gauss));
    json_end(j);
}

static void
json_table(struct out *o, const struct asked *a, const double *queries,
           size_t n)
{
    double sampling = sampling_error(a);
    char text[NUMBER_MAX];
    struct document d;
    struct json *j = &d.json;

    document_begin(&d, o);
    snprintf(text, sizeof text, "%.6g", sampling);
    json_whole(j, "n", a->n);
    json_add_text(j, "sampling_error", str_of(text));
    json_whole(j, "queries_pure", laplace_queries(a, sampling));
    json_whole(j, "queries_approx", gauss_queries(a, sampling));
    json_begin_list(j, "rows");
    for (size_t i = 0; i < n; i++)
        json_row(j, a, queries[i]);
    json_end(j);
    document_end(&d);
}

static int
print_errors(const struct asked *a, bool json)
{
    static struct out o;
    double queries[32];
    size_t n = list_queries(a->n, queries);

    out_init(&o, STDOUT_FILENO);
    (json ? json_table : print_table)(&o, a, queries, n);
    return out_end(&o);
}

/* --------------------------------------------------- two give the third -- */

static int
print_two(const char *what, const char *laplace, const char *gauss,
          const struct asked *a, bool json)
{
    static struct out o;
    struct document d;

    out_init(&o, STDOUT_FILENO);
    if (json) {
        document_begin(&d, &o);
        json_add_text(&d.json, "find", str_of(what));
        json_add_text(&d.json, "pure", str_of(laplace));
        json_add_text(&d.json, "approx", str_of(gauss));
        document_end(&d);
    } else {
        out_printf(&o,
                   "%s: %s with delta 0 (Laplace), %s with delta %s "
                   "(Gaussian)\n",
                   what, laplace, gauss, a->delta);
    }
    return out_end(&o);
}

/* Prints the budget that a->queries queries with an error of a->error need. */
static int
print_budget(const struct asked *a, const struct args *args)
{
    char laplace[NUMBER_MAX], gauss[NUMBER_MAX], sigma[NUMBER_MAX];
    char squared[NUMBER_MAX], epsilon[CUSTOS_NUMBER_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    snprintf(sigma, sizeof sigma, "%.15g", a->error / Z_95 / UP);
    snprintf(squared, sizeof squared, "%.0f", a->queries);
    st = custos_gauss_epsilon(CUSTOS_ANALYTIC, sigma, a->delta, squared,
                              epsilon, &err);
    if (st)
        return account_fail(&account_plan, args, st, &err);
    number_write_up(a->queries * LN_20 / a->error * UP, laplace);
    digits_up(epsilon, 4, gauss);
    return print_two("epsilon", laplace, gauss, a,
                     args->given[PLAN_JSON] != NULL);
}

static int
run_plan(const struct verb *verb, int argc, char **argv)
{
    struct args args;
    struct asked a = {.n = 0};
    char laplace[NUMBER_MAX], gauss[NUMBER_MAX];
    bool json;
    int given, code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code = read_asked(&args, &a);
    if (code)
        return code;
    json = args.given[PLAN_JSON] != NULL;
    given = (a.epsilon > 0) + (a.queries > 0) + (a.error > 0);
    if (given == 2 && a.epsilon == 0)
        return print_budget(&a, &args);
    if (!(given == 2 && a.n == 0) && !(given == 1 && a.n > 0 && a.epsilon > 0))
        return fail_usage("give --n and --epsilon for the table, or two of "
                          "--queries, --error and --epsilon for the third");
    code = find_sigma(&a, &args);
    if (code)
        return code;
    if (given == 1)
        return print_errors(&a, json);
    if (a.queries > 0) {
        number_write_up(laplace_error(&a, a.queries), laplace);
        number_write_up(gauss_error(&a, a.queries), gauss);
        return print_two("error", laplace, gauss, &a, json);
    }
    snprintf(laplace, sizeof laplace, "%.0f", laplace_queries(&a, a.error));
    snprintf(gauss, sizeof gauss, "%.0f", gauss_queries(&a, a.error));
    return print_two("queries", laplace, gauss, &a, json);
}

const struct verb account_plan = {
    .name = "account plan",
    .summary = "find number, error or budget of counting queries",
    .usage = "account plan --n COUNT --epsilon NUMBER [--delta NUMBER]\n"
             "account plan --queries COUNT --epsilon NUMBER\n"
             "account plan --error NUMBER --epsilon NUMBER\n"
             "account plan --queries COUNT --error NUMBER",
    .about =
        "For counting queries, each of sensitivity 1, answered with equal\n"
        "noise: Laplace noise with delta 0, Gaussian noise with a delta.",
    .examples = "custos account plan --n 10000 --epsilon 1\n"
                "custos account plan --queries 1000 --error 50 --delta 1e-9",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_plan,
};
