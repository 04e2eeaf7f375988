/*
 * `custos audit library`: audits every mechanism of libcustos against what it
 * promises.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/library/library.h"
#include "base/base.h"
#include "cli/audit_runs.h"
#include "cli/document.h"
#include "cli/help.h"

enum {
    LIBRARY_ONLY,
    LIBRARY_CI,
    LIBRARY_EPSILON,
    LIBRARY_DELTA,
    LIBRARY_RHO,
    LIBRARY_SAMPLES,
    LIBRARY_SECONDS,
    LIBRARY_SEED,
    LIBRARY_THREADS,
    LIBRARY_JSON,
    LIBRARY_OPTIONS
};

static const struct option options[LIBRARY_OPTIONS] = {
    [LIBRARY_ONLY] = {"only", "NAME...", "this mechanism; may be repeated"},
    [LIBRARY_CI] =
        {"ci", NULL,
         "short, and with a false alarm in at most one of a million\n"
         "runs instead of 5 % for each mechanism"},
    [LIBRARY_EPSILON] = {"epsilon", "NUMBER", "of every mechanism (1)"},
    [LIBRARY_DELTA] = {"delta", "NUMBER", "of those that have one (1e-5)"},
    [LIBRARY_RHO] = {"rho", "NUMBER", "of those that have one (1/8)"},
    [LIBRARY_SAMPLES] = {"samples", "NUMBER",
                         "outputs of each neighbour (10^6; with --ci "
                         "20000);\nfewer of a mechanism that is slow"},
    [LIBRARY_SECONDS] = {"seconds", "NUMBER", SECONDS_HELP},
    [LIBRARY_SEED] = {"seed", "NUMBER",
                      "of the search; the mechanisms' own coins have none (1)"},
    [LIBRARY_THREADS] = {"threads", "NUMBER", AUDIT_THREADS_HELP},
    [LIBRARY_JSON] = {"json", NULL, AUDIT_JSON_HELP},
};

enum { SAMPLES = 1000000, CI_SAMPLES = 20000 };

static const double ci_level = 1e-6; /* of the whole run */

static void
print_head(struct out *o, double level)
{
    out_printf(o,
               "What every mechanism promises, and what its outputs refute; "
               "level %g each.\nAn audit refutes and never proves.\n\n"
               "%-26s %10s %10s %10s  %-8s %7s\n",
               level, "mechanism", "claimed", "delta", "found", "verdict",
               "seconds");
}

/* mu where the claim is of Gaussian privacy. */
static void
print_row(struct out *o, const char *name, const struct finding *f)
{
    bool mu = f->claim.mu > 0;
    char claimed[AUDIT_NUMBER_MAX], delta[AUDIT_NUMBER_MAX],
        found[AUDIT_NUMBER_MAX];

    audit_number(mu ? f->claim.mu : f->claim.epsilon, claimed);
    audit_number(f->claim.delta, delta);
    audit_number(mu ? f->mu : f->epsilon, found);
    out_printf(o, "%-26s %10s %10s %10s  %-8s %7.1f\n", name, claimed,
               mu ? "(mu)" : delta, found, f->refuted ? "REFUTED" : "quiet",
               f->seconds);
}

static void
json_row(struct json *j, const char *name, const struct finding *f)
{
    bool mu = f->claim.mu > 0;

    json_begin(j, NULL);
    json_add_text(j, "mechanism", str_of(name));
    json_add_text(j, "claim", str_of(mu ? "mu" : "epsilon"));
    audit_json_number(j, "claimed", mu ? f->claim.mu : f->claim.epsilon);
    audit_json_number(j, "delta", f->claim.delta);
    audit_json_number(j, "found", mu ? f->mu : f->epsilon);
    json_add_bool(j, "refuted", f->refuted);
    json_add_text(j, "pair", str_of(f->pair.name));
    json_add_text(j, "event", str_of(f->event));
    json_add_count(j, "hits", f->hits);
    json_add_count(j, "other_hits", f->other_hits);
    json_add_count(j, "outputs", f->n);
    json_add_seconds(j, "seconds", (int64_t)(f->seconds * 1e6));
    json_end(j);
}

static bool
is_wanted(const struct args *args, const char *name)
{
    for (size_t i = 0; i < args->n_many; i++)
        if (!strcmp(args->many[i], name))
            return true;
    return args->n_many == 0;
}

/* Every name given is one, and the options suit each mechanism: found out before
   anything is printed. */
static int
check_mechanisms(const struct args *args, const struct library_options *library)
{
    for (size_t i = 0; i < args->n_many + library_n_entries; i++) {
        const char *name = i < args->n_many
                               ? args->many[i]
                               : library_entries[i - args->n_many].name;
        struct library_target target;
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st;

        if (!is_wanted(args, name))
            continue;
        st = library_make(name, library, &target, &err);
        if (st == CUSTOS_ENOMEM || st == CUSTOS_EENTROPY)
            return fail_status(st, &err);
        if (st == CUSTOS_ENAME)
            return fail_usage("%s" HINT "%s", err.said, err.hint);
        if (st)
            return fail_usage("%s: %s" HINT "%s", name, err.said, err.hint);
        library_clear(&target);
    }
    return CLI_OK;
}

static custos_status
audit_one(const struct library_entry *entry,
          const struct library_options *library,
          const struct audit_options *audit, struct finding *f, custos_err *err)
{
    struct audit_options own = *audit;
    struct library_target target;
    custos_status st = library_make(entry->name, library, &target, err);

    if (st)
        return st;
    own.samples = own.samples ? library_samples(entry, own.samples) : 0;
    st = audit_run(&target.target, &target.claim, target.pairs.pair,
                   target.pairs.n, &own, f, err);
    library_clear(&target);
    return st;
}

/* Audits what is wanted; `d` is NULL if a table is printed. */
static int
run_entries(const struct args *args, const struct library_options *library,
            struct audit_runs *runs, struct out *o, struct document *d,
            size_t *refuted)
{
    audit_runs_start(runs, args->n_many ? args->n_many : library_n_entries);
    for (size_t i = 0; i < library_n_entries; i++) {
        const struct library_entry *entry = &library_entries[i];
        struct finding f;
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st;

        if (!is_wanted(args, entry->name))
            continue;
        st = audit_one(entry, library, &runs->options, &f, &err);
        if (st) {
            progress_end(&runs->progress);
            return fail_status(st, &err);
        }
        runs->at++;
        *refuted += f.refuted;
        if (d)
            json_row(&d->json, entry->name, &f);
        else
            print_row(o, entry->name, &f);
        if (!d && out_end(o))
            return CLI_FAILED;
    }
    progress_end(&runs->progress);
    return CLI_OK;
}

static int
print_end(struct out *o, struct document *d, size_t refuted)
{
    if (d) {
        json_end(&d->json);
        json_add_count(&d->json, "refuted", refuted);
        document_end(d);
    } else {
        out_printf(o, "\naudit_library_refuted %zu\n", refuted);
    }
    if (out_end(o))
        return CLI_FAILED;
    return refuted ? CLI_FAILED : CLI_OK;
}

/* Level and samples; --seconds alone lets the time decide how many. */
static int
read_size(const struct args *args, struct audit_runs *runs)
{
    bool ci = args->given[LIBRARY_CI];
    int code = audit_runs_read(runs, args->given[LIBRARY_SECONDS],
                               args->given[LIBRARY_SEED],
                               args->given[LIBRARY_THREADS]);

    if (code)
        return code;
    if (ci)
        runs->options.level = ci_level / (double)library_n_entries;
    if (args->given[LIBRARY_SAMPLES])
        return audit_read_count("samples", args->given[LIBRARY_SAMPLES], 200,
                                1000000000000u, &runs->options.samples);
    if (!(runs->options.seconds > 0))
        runs->options.samples = ci ? CI_SAMPLES : SAMPLES;
    return CLI_OK;
}

static int
run_library(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct document document, *d = NULL;
    struct library_options library;
    struct audit_runs runs;
    struct args args;
    size_t refuted = 0;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    library = (struct library_options){.epsilon = args.given[LIBRARY_EPSILON],
                                       .delta = args.given[LIBRARY_DELTA],
                                       .rho = args.given[LIBRARY_RHO]};
    code = read_size(&args, &runs);
    if (!code)
        code = check_mechanisms(&args, &library);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (args.given[LIBRARY_JSON]) {
        d = &document;
        document_begin(d, &o);
        json_begin_list(&d->json, "mechanisms");
    } else {
        print_head(&o, runs.options.level);
    }
    code = run_entries(&args, &library, &runs, &o, d, &refuted);
    if (!code)
        return print_end(&o, d, refuted);
    if (d)
        document_drop(d);
    return code;
}

const struct verb audit_library = {
    .name = "audit library",
    .summary = "audit every mechanism of libcustos",
    .usage =
        "audit library [--only NAME ...] [--ci] [--epsilon NUMBER]\n"
        "    [--delta NUMBER] [--rho NUMBER] [--samples NUMBER]\n"
        "    [--seconds NUMBER] [--seed NUMBER] [--threads NUMBER] [--json]",
    .about =
        "Runs each mechanism on neighbouring data and looks for an event that\n"
        "its promise does not allow. It must find none. Gaussian noise for a\n"
        "rho is judged by the mu of Gaussian privacy; mu^2 is about 2 rho.\n\n"
        "Exit code 1: a promise was refuted.",
    .examples = "custos audit library --ci\n"
                "custos audit library --only laplace --epsilon 0.1 --samples "
                "10000000",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_library,
};
