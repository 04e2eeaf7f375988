/*
 * `custos release`: releases a table once and for all.
 */
#include "release/release.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "synth/price.h"

enum {
    RELEASE_STORE,
    RELEASE_TABLE,
    RELEASE_EPSILON,
    RELEASE_DELTA,
    RELEASE_RHO,
    RELEASE_OUT,
    RELEASE_WORKLOAD,
    RELEASE_COLUMNS,
    RELEASE_METHOD,
    RELEASE_ROWS,
    RELEASE_REPORT,
    RELEASE_DRY_RUN,
    RELEASE_OPTIONS
};

static const struct option options[RELEASE_OPTIONS] = {
    [RELEASE_STORE] = {"store", "DIR", STORE_HELP},
    [RELEASE_TABLE] = {"table", "NAME", "a table or view of the policy"},
    [RELEASE_EPSILON] = {"epsilon", "NUMBER",
                         "the price of all of it, with --delta"},
    [RELEASE_DELTA] = {"delta", "NUMBER", "the delta of that price"},
    [RELEASE_RHO] = {"rho", "NUMBER",
                     "or the price in zero-concentrated privacy; a budget\n"
                     "that has paid one counts in rho from then on"},
    [RELEASE_OUT] = {"out", "DIR", "the folder to make"},
    [RELEASE_WORKLOAD] = {"workload", "WHAT",
                          "the tables that matter: all-2way (all pairs of\n"
                          "columns), all-3way, or a file with the columns of\n"
                          "a table on each line, separated by commas\n"
                          "(all-2way)"},
    [RELEASE_COLUMNS] = {"columns", "LIST",
                         "only these columns, separated by commas"},
    [RELEASE_METHOD] =
        {"method", "NAME",
         "how to choose what to measure: aim (the most accurate\n"
         "rows), mst (the fastest), tables (exactly the tables\n"
         "asked for, each with its error), or auto (aim up to\n"
         "24 columns)"},
    [RELEASE_ROWS] = {"rows", "N",
                      "synthetic rows (as many as the measurements say)"},
    [RELEASE_REPORT] = {"report", "DIR",
                        "also put the report for you alone, which is NOT\n"
                        "PRIVATE, into this new folder (only in the store)"},
    [RELEASE_DRY_RUN] = {"dry-run", NULL,
                         "say what it would cost and how accurate it would "
                         "be,\nand do nothing"},
};

/* ------------------------------------------------------------- forecasts -- */

static void
print_column(struct out *o, const struct schema_column *c)
{
    char steps[64] = "";

    if (c->coding == SCHEMA_NUMBER)
        snprintf(steps, sizeof steps, "identifies; synthetic rows number it");
    else if (c->coding == SCHEMA_VALUES)
        snprintf(steps, sizeof steps, "%u values", (unsigned)c->n);
    else
        snprintf(steps, sizeof steps, "%u %s", (unsigned)c->n,
                 c->cuts[1] - c->cuts[0] == 1 ? "values" : "ranges");
    out_printf(o, "  %.*s: %s%s\n", (int)c->name.len, c->name.ptr, steps,
               c->nullable ? ", and NULL" : "");
}

/* The mean absolute error of a table's cells, if it is measured once. */
static void
print_table(struct out *o, const struct release *r, struct colset set,
            double sigma)
{
    const size_t cells = domain_cells(&r->schema->domain, set);
    char error[NUMBER_MAX];
    bool more = false;

    number_write_up(PRICE_MEAN_ABSOLUTE * sigma, error);
    out_text(o, "  ");
    COLSET_EACH(i, set)
    {
        const str name = r->schema->columns[r->schema->column[i]].name;

        out_printf(o, "%s%.*s", more ? "," : "", (int)name.len, name.ptr);
        more = true;
    }
    out_printf(o, ": %zu cells, %s rows a cell\n", cells, error);
}

static void
print_forecast(struct out *o, const struct release *r)
{
    const struct workload *w = &r->method.workload;

    out_printf(o, "Columns of %.*s\n", (int)r->schema->table.len,
               r->schema->table.ptr);
    for (size_t i = 0; i < r->schema->n; i++)
        print_column(o, &r->schema->columns[i]);
    if (r->zeros.n > 0)
        out_printf(o,
                   "Constraints\n  %zu of the policy apply: %zu cells of their "
                   "tables are empty\n",
                   r->zeros.n, r->zeros.cells);
    if (strcmp(r->price.delta, "0"))
        out_printf(
            o, "Price\n  epsilon %s at delta %s, which is spent as rho %s\n",
            r->price.epsilon, r->price.delta, r->price.rho_text);
    else
        out_printf(o, "Price\n  rho %s\n", r->price.rho_text);
    if (r->stored)
        out_text(o, "  already paid: the store has this release, and gives it "
                    "again for free\n");
    out_printf(o, "Method\n  %s, ", method_name(r->method.is));
    if (r->method.is == METHOD_TABLES)
        out_printf(o, "%zu measurements, of which all tables are made\n",
                   r->facts.rounds_most);
    else
        out_printf(o,
                   "at most %zu measurements after those of single columns\n",
                   r->facts.rounds_most);
    out_printf(o, "  a model of at most %zu MB\n",
               megabytes_up(r->facts.bytes_most));
    out_text(o, r->method.is == METHOD_TABLES
                    ? "Expected error of a table\n"
                    : "Expected error of a table, where it is measured "
                      "itself\n");
    for (size_t i = 0; i < r->schema->domain.n; i++)
        print_table(o, r, colset_of(i), r->facts.sigma[w->n + i]);
    for (size_t i = 0; i < w->n; i++)
        if (colset_count(w->sets[i]) > 1)
            print_table(o, r, w->sets[i], r->facts.sigma[i]);
    if (r->skipped > 0)
        out_printf(o,
                   "  left out: %zu groups of columns whose tables would be "
                   "too large\n",
                   r->skipped);
}

/* --------------------------------------------------------------- running -- */

/* A bar for each step. */
struct watching {
    const char *what;
    struct progress bar;
};

static void
step(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    struct watching *w = ctx;

    if (!w->what || strcmp(w->what, what)) {
        progress_end(&w->bar);
        progress_start(&w->bar, total);
        /* All output comes at the end: on a terminal, too, the bar is wanted. */
        w->bar.watched = isatty(STDERR_FILENO);
        w->what = what;
    }
    progress_step(&w->bar, done);
}

static void
print_cost(struct out *o, const struct release *r,
           const struct receipt *receipt)
{
    char text[RECEIPT_TEXT_MAX];

    out_printf(o, "%s\n", r->out.path);
    if (receipt->seq == 0) {
        out_text(o, "The store had this release: no cost.\n");
        return;
    }
    receipt_write(receipt, text);
    if (strcmp(r->price.delta, "0"))
        out_printf(o, "Cost: epsilon %s, delta %s\n", r->price.epsilon,
                   r->price.delta);
    else
        out_printf(o, "Cost: rho %s\n", r->price.rho_text);
    out_printf(o, "Receipt %s\n", text);
}

/* The release is complete: a report that fails takes nothing from it. */
static void
report(struct release_request *request, struct release *r, struct out *o)
{
    const char *folder = *r->report.copy ? r->report.copy
                         : r->rows       ? r->report.path
                                         : NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (release_report(request, r, &err))
        print_warning("no report for you: %s", err.said);
    else if (folder)
        out_printf(o,
                   "A report for you alone, NOT PRIVATE:\n"
                   "%s/private-report.html\n",
                   folder);
}

static int
release(struct curator *c, struct release_request *request, struct release *r,
        struct watching *watching, struct out *o)
{
    struct receipt receipt;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code;

    st = release_run(c, request, r, &receipt, &err);
    if (st) {
        progress_end(&watching->bar);
        return fail_status(st, &err);
    }
    print_cost(o, r, &receipt);
    code = out_end(o);
    out_init(o, STDOUT_FILENO);
    report(request, r, o);
    progress_end(&watching->bar);
    return code;
}

static int
read_request(const struct args *args, struct release_request *out)
{
    const char *const *given = args->given;
    char *end = NULL;

    *out = (struct release_request){
        .table = str_of(given[RELEASE_TABLE]),
        .columns = str_of(given[RELEASE_COLUMNS]),
        .workload = str_of(given[RELEASE_WORKLOAD]),
        .method = str_of(given[RELEASE_METHOD]),
        .epsilon = str_of(given[RELEASE_EPSILON]),
        .delta = str_of(given[RELEASE_DELTA]),
        .rho = str_of(given[RELEASE_RHO]),
        .out = given[RELEASE_OUT],
        .report = given[RELEASE_REPORT],
        .now = clock_us(),
    };
    if (!given[RELEASE_TABLE])
        return fail_usage("release needs --table");
    if (!given[RELEASE_OUT] && !given[RELEASE_DRY_RUN])
        return fail_usage("release needs --out, or --dry-run");
    if (!given[RELEASE_ROWS])
        return CLI_OK;
    out->rows = strtoull(given[RELEASE_ROWS], &end, 10);
    if (*end || end == given[RELEASE_ROWS] || given[RELEASE_ROWS][0] == '-' ||
        out->rows == 0 || out->rows > (uint64_t)1 << 31)
        return fail_usage("--rows is a number from 1 to 2147483648, not %.40s",
                          given[RELEASE_ROWS]);
    return CLI_OK;
}

static int
run_release(const struct verb *verb, int argc, char **argv)
{
    struct watching watching = {.what = NULL};
    struct release_request request;
    struct curator *c = NULL;
    struct release r = {.arena = NULL};
    custos_err err = CUSTOS_ERR_INIT;
    struct args args;
    struct out o;
    int code = args_read_options(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    code = read_request(&args, &request);
    if (code)
        return code;
    request.progress = step;
    request.progress_ctx = &watching;
    forbid_cores();
    out_init(&o, STDOUT_FILENO);
    if (curator_open(store_given(args.given[RELEASE_STORE]), &c, &err) ||
        release_prepare(c, &request, &r, &err)) {
        code = fail_status(err.code, &err);
    } else if (args.given[RELEASE_DRY_RUN]) {
        print_forecast(&o, &r);
    } else {
        code = release(c, &request, &r, &watching, &o);
    }
    if (!code)
        code = out_end(&o);
    release_free(&r);
    curator_close(c);
    return code;
}

const struct verb verb_release = {
    .name = "release",
    .summary = "release a table once and for all, for one price",
    .usage = "release [options] --table NAME --out DIR",
    .about =
        "Measures the table within one charge, which is durable before the "
        "table is read,\n"
        "and makes a folder to publish. Everything in it was "
        "paid for together: whoever\n"
        "has it may compute anything of it, for ever, at no further cost. The "
        "same request\n"
        "on unchanged data gets the stored release. Columns need a public "
        "domain: declared\n"
        "values, or a range.\n",
    .examples =
        "custos release --table patients --epsilon 1 --delta 1e-9 --dry-run\n"
        "custos release --table patients --epsilon 1 --delta 1e-9 --out "
        "patients\n"
        "custos release --table patients --rho 0.1 --columns age,city "
        "--method mst --out small\n",
    .options = options,
    .n_options = RELEASE_OPTIONS,
    .run = run_release,
};
