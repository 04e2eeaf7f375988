/*
 * `custos demo`: generates a hospital, makes a store of it, asks eight questions,
 * releases a table and shows what is left of the budget. Since the data is made up,
 * it can also show the exact numbers behind the noise.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/stranger/process.h"
#include "base/base.h"
#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/demo_hospital.h"
#include "cli/help.h"
#include "cli/paint.h"
#include "cli/progress.h"
#include "cli/query.h"
#include "curator/init.h"
#include "store/file.h"

enum { DEMO_PEOPLE, DEMO_KEEP, DEMO_OPTIONS };
enum { PEOPLE = 1000000, PEOPLE_MAX = 100000000, PATH_ROOM = 4096 };
enum { DEMO_ARENA = 1 << 26, LINE = 78 };

static const struct option options[DEMO_OPTIONS] = {
    [DEMO_PEOPLE] = {"people", "COUNT", "how many patients (1000000)"},
    [DEMO_KEEP] = {"keep", "DIR",
                   "create files and store in this new folder, and keep\n"
                   "them"},
};

static const struct question {
    const char *why;
    const char *sql;
    const char *who, *epsilon, *within;
    enum answer_format format;
} questions[] = {
    {.why = "How many patients has each city?",
     .sql = "SELECT city, count(*) AS patients FROM patients GROUP BY city",
     .epsilon = "0.1",
     .format = FORMAT_BARS},
    {.why = "The same question again: the cached answer, at no cost.",
     .sql = "select city, count(*) as patients from patients group by city",
     .epsilon = "0.1"},
    {.why = "Several numbers in one answer; each patient's part is bounded.",
     .sql = "SELECT department, count(*) AS stays, avg(nights) AS nights,\n"
            "       sum(cost) AS cost\n"
            "FROM visits GROUP BY department ORDER BY stays DESC",
     .epsilon = "0.3"},
    {.why = "People, not rows: who came to surgery in 2025?",
     .sql = "SELECT count(distinct patient_id) AS people FROM visits\n"
            "WHERE department = 'surgery' AND day >= '2025-01-01'",
     .who = "ana",
     .epsilon = "0.1"},
    {.why = "Ask by accuracy: within 5000, at the lowest price.",
     .sql = "SELECT extract(quarter FROM day) AS quarter, count(*) AS stays\n"
            "FROM visits GROUP BY quarter",
     .who = "ana",
     .within = "5000"},
    {.why = "Public tables are answered exactly and for free.",
     .sql = "SELECT name, beds FROM departments WHERE floor < 3\n"
            "ORDER BY beds DESC",
     .who = "ana"},
    {.why = "One person's row: rejected, and nothing is charged.",
     .sql = "SELECT born, city FROM patients WHERE id = 4711"},
    {.why = "A price above the owner's limit: rejected as well.",
     .sql = "SELECT count(*) FROM patients WHERE smoker",
     .epsilon = "5"},
};

struct watch {
    struct progress bar;
    uint64_t total;
};

static void
on_write(void *ctx, uint64_t done, uint64_t total)
{
    struct watch *w = ctx;

    if (!w->total)
        progress_start(&w->bar, total);
    w->total = total;
    progress_step(&w->bar, done);
}

static void
on_import(void *ctx, uint64_t done, uint64_t total, const char *what)
{
    (void)what;
    on_write(ctx, done, total);
}

static void
watch_end(struct watch *w)
{
    if (w->total)
        progress_end(&w->bar);
    w->total = 0;
}

/* Prints the output so far, so that it can be read while the next question
   runs. */
static int
flush_output(struct out *o)
{
    int code = out_end(o);

    out_init(o, STDOUT_FILENO);
    return code;
}

static void
print_heading(struct painter *p, const char *text)
{
    out_text(p->o, "\n");
    paint(p, PAINT_BOLD);
    out_text(p->o, text);
    paint(p, PAINT_PLAIN);
    out_text(p->o, "\n");
}

static int
show_sql(struct painter *p, const struct question *q)
{
    paint(p, PAINT_DIM);
    out_text(p->o, "    ");
    for (const char *s = q->sql; *s; s++) {
        out_add(p->o, s, 1);
        if (*s == '\n')
            out_text(p->o, "    ");
    }
    out_text(p->o, q->epsilon || q->within || q->who ? "\n    --" : "");
    if (q->epsilon)
        out_printf(p->o, " ε = %s", q->epsilon);
    if (q->within)
        out_printf(p->o, " within ± %s", q->within);
    if (q->who)
        out_printf(p->o, " as %s", q->who);
    paint(p, PAINT_PLAIN);
    out_text(p->o, "\n\n");
    return flush_output(p->o);
}

/* Wraps a text to the width of a terminal. */
static void
show_words(struct out *o, const char *before, const char *said)
{
    size_t used = strlen(before);

    out_text(o, before);
    while (*said) {
        size_t len = strcspn(said, " ");

        if (used + 1 + len > LINE) {
            out_text(o, "\n   ");
            used = 3;
        }
        out_text(o, " ");
        out_add(o, said, len);
        used += 1 + len;
        said += len + strspn(said + len, " ");
    }
    out_text(o, "\n");
}

/* A refusal is printed in place of the answer: it is part of the demo. */
static int
ask_question(struct painter *p, struct curator *c, const struct question *q)
{
    struct ledger_remaining remaining;
    struct answer *answer = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    int code;
    struct ask a = {
        .who = str_of(q->who),
        .sql = str_of(q->sql),
        .epsilon = str_of(q->epsilon),
        .within = str_of(q->within),
        .now = clock_us(),
    };

    print_heading(p, q->why);
    code = show_sql(p, q);
    if (code)
        return code;
    if (curator_answer(c, &a, &answer, &err)) {
        show_words(p->o, "  rejected:", err.said);
        if (*err.hint)
            show_words(p->o, "  hint:", err.hint);
        return CLI_OK;
    }
    answer_print(p->o, q->format, answer,
                 ledger_remaining(curator_ledger(c), a.who, a.now, NULL,
                                  &remaining, &err)
                     ? NULL
                     : &remaining);
    answer_free(answer);
    return CLI_OK;
}

static void
show_truth(struct painter *p, const struct hospital *h)
{
    char text[32];

    print_heading(p, "The exact numbers of patients "
                     "(shown only because the data is made up)");
    out_text(p->o, "\n  ");
    for (size_t i = 0; i < HOSPITAL_CITIES; i++) {
        write_grouped((int64_t)h->by_city[i], text);
        out_printf(p->o, "%s%s %s", i ? ", " : "", hospital_city[i], text);
    }
    out_text(p->o, "\n");
}

static void
show_command(struct painter *p, int argc, char **argv)
{
    size_t used = strlen("    custos");

    paint(p, PAINT_DIM);
    out_text(p->o, "    custos");
    for (int i = 0; i < argc; i++) {
        const bool quoted = strchr(argv[i], ' ') != NULL;
        const size_t len = strlen(argv[i]) + (quoted ? 3 : 1);
        /* An option stays with its value. */
        const size_t with = !strncmp(argv[i], "--", 2) && i + 1 < argc
                                ? 1 + strlen(argv[i + 1])
                                : 0;

        if (used + len + with + strlen(" \\") > LINE &&
            (i == 0 || strncmp(argv[i - 1], "--", 2) != 0)) {
            out_text(p->o, " \\\n       ");
            used = 7;
        }
        out_printf(p->o, quoted ? " \"%s\"" : " %s", argv[i]);
        used += len;
    }
    paint(p, PAINT_PLAIN);
    out_text(p->o, "\n\n");
}

/* Releases a table, and asks what was released, without the store. */
static int
release_table(struct painter *p, const char *folder, char *store)
{
    char out[PATH_ROOM + 16], synopsis[PATH_ROOM + 40];
    char *release[] = {"release",   "--store", store,     "--table", "patients",
                       "--epsilon", "0.05",    "--delta", "1e-10",   "--rows",
                       "10000",     "--out",   out};
    char *question[] = {"synopsis", "query", synopsis,
                        "SELECT smoker, count(*) AS patients FROM patients "
                        "GROUP BY smoker"};
    int code;

    snprintf(out, sizeof out, "%s/release", folder);
    snprintf(synopsis, sizeof synopsis, "%s/synopsis.custos", out);
    print_heading(p, "A release: one price, then files that anybody may keep");
    show_command(p, COUNT_OF(release), release);
    code = flush_output(p->o);
    if (!code)
        code = verb_release.run(&verb_release, COUNT_OF(release), release);
    if (code)
        return code;
    print_heading(p, "One of these files answers for ever, without the store");
    show_command(p, COUNT_OF(question), question);
    code = flush_output(p->o);
    return code ? code
                : verb_synopsis.run(&verb_synopsis, COUNT_OF(question),
                                    question);
}

static int
ask_all(struct painter *p, const struct hospital *h, const char *folder,
        char *store)
{
    char *budget[] = {"budget", "--store", store};
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    int code = CLI_OK;

    if (curator_open(store, &c, &err))
        return fail_status(err.code, &err);
    for (size_t i = 0; i < COUNT_OF(questions) && !code; i++)
        code = ask_question(p, c, &questions[i]);
    curator_close(c);
    if (code)
        return code;
    show_truth(p, h);
    code = release_table(p, folder, store);
    if (code)
        return code;
    print_heading(p, "What is left of the budget");
    out_text(p->o, "\n");
    code = out_end(p->o);
    return code ? code : verb_budget.run(&verb_budget, 3, budget);
}

static int
make_store(struct painter *p, struct hospital *h, const char *folder,
           const char *store)
{
    char policy[PATH_ROOM + 16], people[32], visits[32];
    arena *a = arena_new(NULL, DEMO_ARENA);
    struct watch w = {0};
    struct init_report report;
    custos_err err = CUSTOS_ERR_INIT;
    bool written;

    if (!a)
        return fail_run("out of memory");
    written = hospital_write(h, folder, on_write, &w);
    watch_end(&w);
    if (!written) {
        arena_free(a);
        return fail_run("cannot write the hospital's files: %s",
                        strerror(errno));
    }
    snprintf(policy, sizeof policy, "%s/policy.yaml", folder);
    err.code = curator_init(policy, store, LOSS_PPM_DEFAULT, clock_us(),
                            on_import, &w, a, &report, &err);
    watch_end(&w);
    arena_free(a);
    if (err.code)
        return fail_status(err.code, &err);
    write_grouped((int64_t)h->people, people);
    write_grouped((int64_t)h->visits, visits);
    print_heading(p, "A hospital");
    out_printf(p->o,
               "\n  A store with %s patients and %s visits, all made up. The\n"
               "  owner's promise to each patient, for all answers to all "
               "analysts together:\n"
               "  ε = 1, δ = 1e-9. Whatever anybody learns below is at most\n"
               "  e^1 times as likely with the patient in the data as "
               "without.\n",
               people, visits);
    return CLI_OK;
}

static int
people_read(const char *text, uint64_t *out)
{
    struct datum d;

    *out = PEOPLE;
    if (!text)
        return CLI_OK;
    if (!datum_read(TYPE_INT, str_of(text), &d) || d.n < 1 || d.n > PEOPLE_MAX)
        return fail_usage("--people must be a whole number from 1 to %d",
                          PEOPLE_MAX);
    *out = (uint64_t)d.n;
    return CLI_OK;
}

/* Creates the demo's folder: --keep, or a temporary one, which is removed even if
   the demo is interrupted. */
static int
make_folder(const char *keep, struct folder *temporary, char path[PATH_ROOM])
{
    custos_err err = CUSTOS_ERR_INIT;

    if (keep && strlen(keep) >= PATH_ROOM)
        return fail_usage("--keep: the path is too long");
    if (keep) {
        snprintf(path, PATH_ROOM, "%s", keep);
        if (folder_new(path, &err))
            return fail_status(err.code, &err);
        return CLI_OK;
    }
    if (folder_make("custos-demo", temporary, &err))
        return fail_status(err.code, &err);
    snprintf(path, PATH_ROOM, "%s", temporary->path);
    return CLI_OK;
}

static int
run_demo(const struct verb *verb, int argc, char **argv)
{
    char folder[PATH_ROOM], store[PATH_ROOM + 16];
    struct folder temporary = {.keeper = 0};
    struct hospital h = {0};
    struct args args;
    struct painter p;
    struct out o;
    int code = args_read_options(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    code = people_read(args.given[DEMO_PEOPLE], &h.people);
    if (!code)
        code = make_folder(args.given[DEMO_KEEP], &temporary, folder);
    if (code)
        return code;
    snprintf(store, sizeof store, "%s/store", folder);
    out_init(&o, STDOUT_FILENO);
    painter_init(&p, &o);
    code = make_store(&p, &h, folder, store);
    if (!code)
        code = ask_all(&p, &h, folder, store);
    folder_remove(&temporary);
    return code;
}

const struct verb verb_demo = {
    .name = "demo",
    .summary = "see it work on a made-up hospital",
    .usage = "demo [--people COUNT] [--keep DIR]",
    .about = "Generates a hospital of a million patients, makes a store of it, "
             "asks eight\nquestions (two of which are rejected), releases a "
             "table and shows what is left\nof the budget. The noise differs "
             "on every run. Set NO_COLOR to turn colours off.",
    .examples = "custos demo\n"
                "custos demo --people 10000 --keep hospital\n"
                "custos shell --store hospital/store",
    .options = options,
    .n_options = DEMO_OPTIONS,
    .run = run_demo,
};
