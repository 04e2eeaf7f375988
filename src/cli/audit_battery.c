/*
 * `custos audit battery`: audits mechanisms whose faults are known, and prints
 * what was found beside what others found.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/battery/battery.h"
#include "audit/clock.h"
#include "base/base.h"
#include "cli/audit_runs.h"
#include "cli/document.h"
#include "cli/help.h"

enum {
    BATTERY_ONLY,
    BATTERY_QUICK,
    BATTERY_SECONDS,
    BATTERY_SEED,
    BATTERY_THREADS,
    BATTERY_JSON,
    BATTERY_ALARMS,
    BATTERY_OPTIONS
};

static const struct option options[BATTERY_OPTIONS] = {
    [BATTERY_ONLY] = {"only", "NAME...", "this mechanism; may be repeated"},
    [BATTERY_QUICK] = {"quick", NULL,
                       "10^5 outputs of each neighbour at most: a few seconds, "
                       "and\nfew goals"},
    [BATTERY_SECONDS] = {"seconds", "NUMBER", SECONDS_HELP},
    [BATTERY_SEED] = {"seed", "NUMBER", SEED_HELP},
    [BATTERY_THREADS] = {"threads", "NUMBER", AUDIT_THREADS_HELP},
    [BATTERY_JSON] = {"json", NULL, AUDIT_JSON_HELP},
    [BATTERY_ALARMS] = {"alarms", "RUNS",
                        "instead, audit the correct mechanisms so many times "
                        "with\n10^5 outputs, and count how often one is "
                        "accused"},
};

enum { QUICK_SAMPLES = 100000 };

#define CI_LEVEL 1e-6
#define ALARMS_MOST 0.07 /* of the runs; the level promises 0.05 */

struct totals {
    size_t missed, false_alarms;
    double seconds;
};

static const char *
verdict_words(enum battery_verdict verdict)
{
    static const char *const words[] = {
        [BATTERY_CAUGHT] = "caught",
        [BATTERY_QUIET] = "quiet",
        [BATTERY_MISSED] = "MISSED",
        [BATTERY_FALSE_ALARM] = "FALSE ALARM",
        [BATTERY_NOT_CAUGHT] = "not caught",
    };

    return words[verdict];
}

static void
print_head(struct out *o)
{
    out_printf(
        o,
        "Epsilon claimed, true, and certified with 95 %% confidence; the "
        "goal; and what\nDP-Sniper and StatDP found (Bichsel et al. "
        "2021).\n\n%-18s %8s %8s %8s %8s  %-12s %-12s %-11s %7s\n",
        "mechanism", "claimed", "true", "found", "goal", "DP-Sniper", "StatDP",
        "verdict", "seconds");
}

/* A goal in parentheses is not required of this run. */
static void
print_row(struct out *o, const struct battery_entry *e, const struct finding *f)
{
    char claimed[AUDIT_NUMBER_MAX], truth[AUDIT_NUMBER_MAX],
        found[AUDIT_NUMBER_MAX], number[AUDIT_NUMBER_MAX],
        goal[AUDIT_NUMBER_MAX + 2];
    bool stated = e->goal > 0 && !battery_goal_required(e, f->n);

    audit_number(e->claim.epsilon, claimed);
    audit_number(e->truth, truth);
    audit_number(f->epsilon, found);
    audit_number(e->goal, number);
    snprintf(goal, sizeof goal, stated ? "(%s)" : "%s", number);
    out_printf(o, "%-18s %8s %8s %8s %8s  %-12s %-12s %-11s %7.1f\n", e->name,
               claimed, truth, found, goal, *e->sniper ? e->sniper : "-",
               *e->statdp ? e->statdp : "-", verdict_words(battery_judge(e, f)),
               f->seconds);
}

static void
json_row(struct json *j, const struct battery_entry *e, const struct finding *f)
{
    json_begin(j, NULL);
    json_add_text(j, "mechanism", str_of(e->name));
    json_add_text(j, "source", str_of(e->source));
    json_add_bool(j, "correct", e->soundness == CORRECT);
    audit_json_number(j, "claimed", e->claim.epsilon);
    audit_json_number(j, "delta", e->claim.delta);
    audit_json_number(j, "true", e->truth);
    audit_json_number(j, "found", f->epsilon);
    audit_json_number(j, "goal", e->goal);
    json_add_bool(j, "goal_required", battery_goal_required(e, f->n));
    json_add_text_or_null(j, "dp_sniper", str_of(e->sniper));
    json_add_text_or_null(j, "statdp", str_of(e->statdp));
    json_add_text(j, "verdict", str_of(verdict_words(battery_judge(e, f))));
    json_add_text(j, "pair", str_of(f->pair.name));
    json_add_text(j, "event", str_of(f->event));
    json_add_count(j, "hits", f->hits);
    json_add_count(j, "other_hits", f->other_hits);
    json_add_count(j, "outputs", f->n);
    json_add_seconds(j, "seconds", (int64_t)(f->seconds * 1e6));
    json_end(j);
}

/* Is this entry wanted? */
static bool
is_wanted(const struct args *args, const struct battery_entry *e)
{
    for (size_t i = 0; i < args->n_many; i++)
        if (!strcmp(args->many[i], e->name))
            return true;
    return args->n_many == 0;
}

static int
check_names(const struct args *args)
{
    const char *names[64], *guess;

    CUSTOS_REQUIRE(battery_n_entries <= COUNT_OF(names));
    for (size_t i = 0; i < battery_n_entries; i++)
        names[i] = battery_entries[i].name;
    for (size_t i = 0; i < args->n_many; i++) {
        if (battery_find(args->many[i]))
            continue;
        guess = nearest(args->many[i], names, battery_n_entries);
        if (guess)
            return fail_usage("the battery has no mechanism %.60s" HINT
                              "did you mean %s?",
                              args->many[i], guess);
        return fail_usage("the battery has no mechanism %.60s" HINT
                          "custos audit battery --quick prints all names",
                          args->many[i]);
    }
    return CLI_OK;
}

/* Runs the entries that are wanted; `d` is NULL if a table is printed. */
static int
run_entries(const struct args *args, struct audit_runs *runs, struct out *o,
            struct document *d, struct totals *totals)
{
    bool quick = args->given[BATTERY_QUICK];
    size_t wanted = 0;

    for (size_t i = 0; i < battery_n_entries; i++)
        wanted += is_wanted(args, &battery_entries[i]);
    audit_runs_start(runs, wanted);
    for (size_t i = 0; i < battery_n_entries; i++) {
        const struct battery_entry *e = &battery_entries[i];
        struct finding f;
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st;

        if (!is_wanted(args, e))
            continue;
        runs->options.samples =
            quick && e->samples > QUICK_SAMPLES ? QUICK_SAMPLES : 0;
        st = battery_run(e, &runs->options, &f, &err);
        if (st) {
            progress_end(&runs->progress);
            return fail_status(st, &err);
        }
        runs->at++;
        totals->missed += battery_judge(e, &f) == BATTERY_MISSED;
        totals->false_alarms += battery_judge(e, &f) == BATTERY_FALSE_ALARM;
        if (d)
            json_row(&d->json, e, &f);
        else
            print_row(o, e, &f);
        if (!d && out_end(o))
            return CLI_FAILED;
    }
    progress_end(&runs->progress);
    return CLI_OK;
}

static int
print_totals(struct out *o, struct document *d, const struct totals *t)
{
    if (d) {
        json_end(&d->json);
        json_add_seconds(&d->json, "audit_battery_s",
                         (int64_t)(t->seconds * 1e6));
        json_add_count(&d->json, "audit_missed", t->missed);
        json_add_count(&d->json, "audit_false_alarms", t->false_alarms);
        document_end(d);
    } else {
        out_printf(o,
                   "\naudit_battery_s %.1f\naudit_missed %zu\n"
                   "audit_false_alarms %zu\n",
                   t->seconds, t->missed, t->false_alarms);
    }
    if (out_end(o))
        return CLI_FAILED;
    return t->missed || t->false_alarms ? CLI_FAILED : CLI_OK;
}

/*
 * How often correct mechanisms are accused. An audit uses the seeds that follow
 * its own, so the seeds of runs are far apart. The counts of the certificate
 * are judged at the level of CI, too.
 */
static int
count_alarms(struct audit_runs *runs, uint64_t wanted, struct out *o)
{
    uint64_t alarms = 0, ci_alarms = 0, done = 0;

    runs->options.samples = QUICK_SAMPLES;
    audit_runs_start(runs, wanted);
    for (size_t i = 0; done < wanted; i = (i + 1) % battery_n_entries) {
        const struct battery_entry *e = &battery_entries[i];
        struct finding f;
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st;

        if (e->soundness == BROKEN)
            continue;
        runs->options.seed += (uint64_t)1 << 32;
        st = battery_run(e, &runs->options, &f, &err);
        if (st) {
            progress_end(&runs->progress);
            return fail_status(st, &err);
        }
        runs->at = (size_t)++done;
        alarms += f.refuted;
        ci_alarms += battery_accuses(e, &f, CI_LEVEL);
    }
    progress_end(&runs->progress);
    out_printf(o,
               "Correct mechanisms, %" PRIu64 " runs with 10^5 outputs of each "
               "neighbour: accused at\nlevel 0.05 in %.1f %% of the runs, at "
               "level 1e-6 in %" PRIu64 ".\n\naudit_alarm_runs %" PRIu64
               "\naudit_alarms %" PRIu64 "\naudit_alarms_ci %" PRIu64 "\n",
               wanted, 100 * (double)alarms / (double)wanted, ci_alarms, wanted,
               alarms, ci_alarms);
    if (out_end(o))
        return CLI_FAILED;
    return ci_alarms || (double)alarms > ALARMS_MOST * (double)wanted
               ? CLI_FAILED
               : CLI_OK;
}

static int
run_battery(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct document document, *d = NULL;
    struct audit_runs runs;
    struct totals totals = {.seconds = clock_seconds()};
    struct args args;
    uint64_t alarm_runs = 0;
    int code = args_read_options(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    code =
        audit_runs_read(&runs, args.given[BATTERY_SECONDS],
                        args.given[BATTERY_SEED], args.given[BATTERY_THREADS]);
    if (!code)
        code = check_names(&args);
    if (!code)
        code = audit_read_count("alarms", args.given[BATTERY_ALARMS], 1,
                                1000000, &alarm_runs);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (alarm_runs)
        return count_alarms(&runs, alarm_runs, &o);
    if (args.given[BATTERY_JSON]) {
        d = &document;
        document_begin(d, &o);
        json_begin_list(&d->json, "mechanisms");
    } else {
        print_head(&o);
    }
    code = run_entries(&args, &runs, &o, d, &totals);
    totals.seconds = clock_seconds() - totals.seconds;
    if (!code)
        return print_totals(&o, d, &totals);
    if (d)
        document_drop(d);
    return code;
}

const struct verb audit_battery = {
    .name = "audit battery",
    .summary = "try the auditor on mechanisms whose faults are known",
    .usage = "audit battery [--only NAME ...] [--quick] [--seconds NUMBER]\n"
             "    [--seed NUMBER] [--threads NUMBER] [--json]\n"
             "audit battery --alarms RUNS [--seed NUMBER]",
    .about =
        "Audits published mechanisms, correct and broken ones, as if they "
        "were\n"
        "unknown, and prints what is claimed, what is true and what was "
        "found,\n"
        "with the results of two other auditors. Every broken one must be\n"
        "caught, every correct one stay quiet. A goal in parentheses was "
        "stated\n"
        "for more outputs than were drawn, and need not be reached.\n\n"
        "Exit code 1: a goal was missed, or a correct mechanism was accused;\n"
        "with --alarms, in more than 7 % of the runs.",
    .examples = "custos audit battery\n"
                "custos audit battery --quick\n"
                "custos audit battery --alarms 1000\n"
                "custos audit battery --only prefix-sum --only svt-3 --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_battery,
};
