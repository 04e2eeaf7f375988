/*
 * `custos init`: makes a store from a policy, or a new data version of a store.
 */
#include "curator/init.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/import_report.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "cli/replies.h"

enum { INIT_STORE, INIT_MAX_LOSS, INIT_ACCEPT_LOSS, INIT_OPTIONS };
enum { INIT_ARENA = 1 << 26 };
enum { PPM_DIGITS = 4 }; /* a millionth is 0.0001 % */

static const struct option options[INIT_OPTIONS] = {
    [INIT_STORE] = {"store", "DIR", STORE_HELP},
    [INIT_MAX_LOSS] = {"max-loss", "PERCENT",
                       "stop if a column loses more than this share of its\n"
                       "values, or a table of its rows (5)"},
    [INIT_ACCEPT_LOSS] = {"accept-loss", NULL,
                          "import in any case: lost values become NULL, rows\n"
                          "that need them are dropped"},
};

struct watch {
    struct progress bar;
    bool started;
};

static void
on_progress(void *ctx, uint64_t done, uint64_t total, const char *what)
{
    struct watch *w = ctx;

    (void)what;
    if (!w->started)
        progress_start(&w->bar, total);
    w->started = true;
    progress_step(&w->bar, done);
}

/* --max-loss in millionths. */
static int
loss_read(const struct args *args, uint64_t *out)
{
    const char *text = args->given[INIT_MAX_LOSS];
    struct datum d, all = {.type = TYPE_INT, .n = 100};

    *out = args->given[INIT_ACCEPT_LOSS] ? LOSS_PPM_ANY : LOSS_PPM_DEFAULT;
    if (!text)
        return CLI_OK;
    if (args->given[INIT_ACCEPT_LOSS])
        return fail_usage("give --max-loss or --accept-loss, not both");
    if (!datum_read(TYPE_DECIMAL, str_of(text), &d) || d.n < 0 ||
        datum_cmp(&d, &all) > 0 || !datum_round(&d, 18, PPM_DIGITS))
        return fail_usage("--max-loss must be a percentage from 0 to 100, not "
                          "%.40s",
                          text);
    for (; d.scale < PPM_DIGITS; d.scale++)
        d.n *= 10;
    *out = (uint64_t)d.n;
    return CLI_OK;
}

static int
print_report(const struct init_report *r, const char *store, arena *a)
{
    char receipt[RECEIPT_TEXT_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct out o;

    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "%s %s, data version %" PRIu64 "\n",
               r->created ? "made" : "updated", store, r->version);
    if (r->budget.len)
        out_printf(&o, "  the budget is %s; what was spent stays spent\n",
                   r->budget.ptr);
    for (size_t i = 0; i < r->n_tables; i++)
        if (r->tables[i].name.len)
            import_report_print(&o, &r->tables[i]);
    receipt_write(&r->receipt, receipt);
    out_printf(&o, "receipt %s\n", receipt);
    st = replies_prepare(store, a, &o, &err);
    return st ? fail_status(st, &err) : out_end(&o);
}

static int
run_init(const struct verb *verb, int argc, char **argv)
{
    struct watch watch = {0};
    struct init_report r;
    struct args args;
    const char *store;
    uint64_t max_loss_ppm;
    custos_err err = CUSTOS_ERR_INIT;
    arena *a;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("init needs one policy file" HINT
                          "custos init policy.yaml");
    code = loss_read(&args, &max_loss_ppm);
    if (code)
        return code;
    forbid_cores();
    store = store_given(args.given[INIT_STORE]);
    a = arena_new(NULL, INIT_ARENA);
    if (!a)
        return fail_run("out of memory");
    err.code = curator_init(args.words[0], store, max_loss_ppm, clock_us(),
                            on_progress, &watch, a, &r, &err);
    if (watch.started)
        progress_end(&watch.bar);
    if (err.code && r.tables)
        code = import_refusal_print(r.tables, r.n_tables, max_loss_ppm);
    else
        code =
            err.code ? fail_status(err.code, &err) : print_report(&r, store, a);
    arena_free(a);
    return code;
}

const struct verb verb_init = {
    .name = "init",
    .summary = "create a store from a policy, or import new data",
    .usage = "init [--store DIR] [--max-loss PERCENT | --accept-loss] POLICY",
    .about = "Imports every table of the policy, finds out whom each row "
             "belongs to, and puts\npolicy, budget and data in force, all at "
             "once or not at all. In an existing\nstore the data becomes a new "
             "version; the ledger and what was spent stay.\n\n"
             "Reports what was read, kept, changed and lost, in exact numbers "
             "that are for you\nalone. A value is lost if it cannot be read as "
             "the type of its column or is not\none of its declared values.\n\n"
             "Give each private table a max_rows in the policy. For one "
             "without, init charges\nfor a noisy count of its rows, at a "
             "thousandth of the budget's epsilon, and\nagain at every later "
             "init, since each makes a new data version.",
    .examples = "custos init policy.yaml\n"
                "custos init policy.yaml --store /srv/custos/hospital\n"
                "custos init policy.yaml --max-loss 0.5\n",
    .options = options,
    .n_options = INIT_OPTIONS,
    .run = run_init,
};
