/*
 * `custos init`: from a policy to a store that can be asked.
 */
#include "curator/init.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/paint.h"
#include "cli/progress.h"
#include "cli/replies.h"

enum { INIT_STORE, INIT_OPTIONS };
enum { INIT_ARENA = 1 << 26 };

static const struct option options[INIT_OPTIONS] = {
    [INIT_STORE] = {"store", "DIR", STORE_HELP},
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

/* What only the owner learns. */
static void
print_table(struct out *o, const struct engine_import_table *t)
{
    char rows[32], kept[32], units[32], lost[32], outside[32];

    write_grouped((int64_t)t->rows, rows);
    write_grouped((int64_t)t->kept, kept);
    write_grouped((int64_t)t->units, units);
    write_grouped((int64_t)t->without_unit, lost);
    write_grouped((int64_t)t->outside, outside);
    out_text(o, "  ");
    out_add(o, t->name.ptr, t->name.len);
    if (t->attached) {
        out_text(o, ": attached, its rows stay where they are\n");
        return;
    }
    out_printf(o, ": %s row%s read, %s kept", rows, t->rows == 1 ? "" : "s",
               kept);
    if (t->units)
        out_printf(o, ", of %s unit%s", units, t->units == 1 ? "" : "s");
    if (t->without_unit)
        out_printf(o, "; %s belong%s to no unit", lost,
                   t->without_unit == 1 ? "s" : "");
    if (t->outside)
        out_printf(o, "; %s value%s lay outside the domain", outside,
                   t->outside == 1 ? "" : "s");
    out_text(o, "\n");
}

static int
report(const struct init_report *r, const char *store, arena *a)
{
    char receipt[RECEIPT_TEXT_MAX];
    custos_err err;
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
            print_table(&o, &r->tables[i]);
    receipt_write(&r->receipt, receipt);
    out_printf(&o, "receipt %s\n", receipt);
    st = replies_prepare(store, a, &o, &err);
    return st ? fail_status(st, &err) : out_end(&o);
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    struct watch watch = {0};
    struct init_report r;
    struct args args;
    const char *store;
    custos_err err;
    arena *a;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("init needs the policy's file, such as policy.yaml");
    forbid_cores();
    store = store_given(args.given[INIT_STORE]);
    a = arena_new(NULL, INIT_ARENA);
    if (!a)
        return fail_run("out of memory");
    err.code = curator_init(args.words[0], store, clock_us(), on_progress,
                            &watch, a, &r, &err);
    if (watch.started)
        progress_end(&watch.bar);
    code = err.code ? fail_status(err.code, &err) : report(&r, store, a);
    arena_free(a);
    return code;
}

const struct verb verb_init = {
    .name = "init",
    .summary = "make a store from a policy, or a new data version",
    .usage = "init [--store DIR] POLICY",
    .about = "Imports every table of the policy, resolves who each row "
             "belongs to, and puts\npolicy, budget and data in force: all of "
             "it or nothing. On a store that is\nthere, the data becomes a "
             "new version; ledger and budget go on.",
    .examples = "custos init policy.yaml\n"
                "custos init policy.yaml --store /srv/custos/hospital\n",
    .options = options,
    .n_options = INIT_OPTIONS,
    .run = run,
};
