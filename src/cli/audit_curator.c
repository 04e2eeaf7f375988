/*
 * `custos audit curator`: generated queries against a server of this command (or
 * of another one), on two stores that differ in one person.
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "audit/curator/all_types.h"
#include "audit/curator/attack.h"
#include "base/base.h"
#include "base/json.h"
#include "cli/audit.h"
#include "cli/audit_schema.h"
#include "cli/help.h"

enum {
    OPT_POLICY,
    OPT_STORE,
    OPT_DEMO,
    OPT_ALL_TYPES,
    OPT_SECONDS,
    OPT_QUERIES,
    OPT_SEED,
    OPT_CORPUS,
    OPT_REPLAY,
    OPT_FOUND,
    OPT_KEEP_GOING,
    OPT_THREADS,
    OPT_SERVER_BINARY,
    OPT_JSON,
    OPTIONS
};

static const struct option options[OPTIONS] = {
    [OPT_POLICY] = {"policy", "FILE",
                    "the tables of this policy, with made-up people"},
    [OPT_STORE] = {"store", "DIR",
                   "the tables of this store's policy, with made-up people;\n"
                   "the store itself is only read for its policy"},
    [OPT_DEMO] = {"demo", NULL, "only the tables of custos demo"},
    [OPT_ALL_TYPES] = {"all-types", NULL,
                       "only tables that have columns of every type"},
    [OPT_SECONDS] =
        {"seconds", "N",
         "how long, once the servers answer (60). What looks like a "
         "finding at the end is asked again, minutes longer at most"},
    [OPT_QUERIES] = {"queries", "N",
                     "ask so many, however long it takes, instead"},
    [OPT_SEED] = {"seed", "N",
                  "seed of the queries (drawn, and shown). Which of them are\n"
                  "reached in N seconds depends on the machine's speed"},
    [OPT_CORPUS] = {"corpus", "FILE...",
                    "first ask the queries of this file; may be repeated"},
    [OPT_REPLAY] = {"replay", "FILE",
                    "ask the queries of this file and no others"},
    [OPT_FOUND] = {"found", "FILE",
                   "append what is found; --replay and --corpus read it"},
    [OPT_KEEP_GOING] = {"keep-going", NULL, "do not stop at the first finding"},
    [OPT_THREADS] = {"threads", "N", "questions asked at one time (4)"},
    [OPT_SERVER_BINARY] = {"server-binary", "FILE", AUDIT_SERVER_HELP},
    [OPT_JSON] = {"json", NULL, "print one JSON object"},
};

enum {
    TARGETS_MAX = 6,
    POLICY_MEMORY = 64 << 20,
    SECONDS = 60,
    TEXT_MAX = 1 << 24,
    PROGRESS_MS = 1000,
    FEW = 100, /* queries */
};

/* What the callbacks need. */
struct session {
    const char *found;
    bool json, terminal;
    uint64_t seed;
    struct buf text;
    struct json document;
    double shown; /* seconds at which progress was last shown */
    custos_status status;
    custos_err err;
};

/* ----------------------------------------------------------------- options -- */

static void
add_target(struct curator_target *list, size_t *n, const char *name,
           const struct schema *schema)
{
    list[(*n)++] = (struct curator_target){name, schema, CROWD_SMALL, NULL};
}

/* Small tables of every schema first, then large ones. The standing corpus is
   about the tables of all types. */
static int
list_targets(const struct args *args, arena *a, struct schema *own,
             const struct corpus *standing, struct curator_target *out,
             size_t *n)
{
    bool demo = args->given[OPT_DEMO], all = args->given[OPT_ALL_TYPES];
    const char *policy = args->given[OPT_POLICY];
    const char *store = args->given[OPT_STORE];
    size_t small;

    *n = 0;
    if (policy && store)
        return fail_usage("--policy and --store cannot both be given");
    if (policy || store) {
        int code = audit_schema_read(a, store, policy, own);

        if (code)
            return code;
        schema_raise_budget(own);
        own->min_epsilon = own->min_rho = str_of("0");
        add_target(out, n, policy ? policy : store, own);
    }
    if (all || (!demo && *n == 0))
        add_target(out, n, "all types", &all_types);
    if (*n && out[*n - 1].schema == &all_types && !args->given[OPT_REPLAY])
        out[*n - 1].standing = standing;
    if (demo || (!all && !policy && !store))
        add_target(out, n, "demo", &demo_types);
    small = *n;
    for (size_t i = 0; i < small; i++)
        if (crowd_can_be_large(out[i].schema)) {
            out[*n] = out[i];
            out[(*n)++].size = CROWD_LARGE;
        }
    return CLI_OK;
}

/* ----------------------------------------------------------------- reports -- */

static void
clear_progress(const struct session *s)
{
    if (s->terminal)
        fputs("\r\033[K", stderr);
}

static void
on_progress(void *context, const struct curator_counts *c)
{
    struct session *s = context;

    if (!s->terminal || c->seconds - s->shown < PROGRESS_MS / 1000.0)
        return;
    s->shown = c->seconds;
    fprintf(stderr,
            "\r%.0f s: %" PRIu64 " queries, %" PRIu64 " pairs, %.0f %% "
            "rejected, %" PRIu64 " expressions, %" PRIu64 " findings\033[K",
            c->seconds, c->queries, c->pairs,
            100.0 * (double)c->rejected / (double)(c->queries ? c->queries : 1),
            c->expressions, c->findings);
}

static void
add_json(struct session *s, const struct curator_finding *f)
{
    const struct outcome *o = f->outcome;
    struct json *j = &s->document;

    json_begin(j, NULL);
    json_add_text(j, "kind", str_of(verdict_words(o->verdict)));
    json_add_text(j, "what", str_of(o->what));
    json_add_text(j, "target", str_of(f->target));
    json_add_text(j, "tables",
                  str_of(f->size == CROWD_LARGE ? "large" : "small"));
    json_add_text(j, "query", str_of(f->sql));
    json_add_text(j, "first_query", str_of(f->first));
    json_add_text(j, "with_person", str_of(o->said[SIDE_WITH]));
    json_add_text(j, "without_person", str_of(o->said[SIDE_WITHOUT]));
    json_add_seconds(j, "seconds", (int64_t)(1e6 * f->seconds));
    json_end(j);
}

static void
on_found(void *context, const struct curator_finding *f)
{
    struct session *s = context;
    const struct outcome *o = f->outcome;
    char remark[SAID_MAX + 160];

    clear_progress(s);
    snprintf(remark, sizeof remark, "%s: %s (%s, %s tables)",
             verdict_words(o->verdict), o->what, f->target,
             f->size == CROWD_LARGE ? "large" : "small");
    if (s->json)
        add_json(s, f);
    else
        printf("FOUND after %.1f s: %s\n"
               "  query            %s\n"
               "  with the person  %s\n"
               "  without          %s\n"
               "  asked at epsilon %g; first shown by\n"
               "  %s\n\n",
               f->seconds, remark, f->sql, o->said[SIDE_WITH],
               o->said[SIDE_WITHOUT], f->epsilon, f->first);
    fflush(stdout);
    if (s->found && !s->status)
        s->status =
            corpus_append(s->found, remark, f->sql, f->epsilon, &s->err);
}

static void
add_counts(struct session *s, const struct curator_counts *c)
{
    struct json *j = &s->document;

    json_end(j);
    json_add_count(j, "audit_curator_queries", c->queries);
    json_add_count(j, "audit_curator_pairs", c->pairs);
    json_add_count(j, "audit_curator_rejected", c->rejected);
    json_add_count(j, "audit_curator_expressions", c->expressions);
    json_add_count(j, "audit_curator_tables", c->tables);
    json_add_count(j, "audit_curator_suspicions", c->suspicions);
    json_add_count(j, "audit_curator_differences", c->findings);
    json_add_count(j, "seed", s->seed);
    json_add_seconds(j, "seconds", (int64_t)(1e6 * c->seconds));
    json_end(j);
}

static void
print_verdict(const struct curator_counts *c)
{
    if (c->findings)
        puts("The curator shows a person.");
    else if (c->pairs < FEW)
        printf("No difference was found, but only %" PRIu64 " queries were "
               "compared: that says little.\n",
               c->pairs);
    else
        puts("No difference was found. This proves nothing: what was not "
             "asked was not seen.");
}

static void
print_counts(struct session *s, const struct curator_counts *c)
{
    if (s->json) {
        add_counts(s, c);
        fputs(buf_text(&s->text), stdout);
        return;
    }
    print_verdict(c);
    printf("  queries tried                      %" PRIu64 "\n"
           "  rejected by the server             %" PRIu64 " (%.1f %%)\n"
           "  asked of both stores               %" PRIu64 ", with %" PRIu64
           " expressions\n"
           "  suspected, but not seen again      %" PRIu64 "\n"
           "  confirmed findings                 %" PRIu64 "\n"
           "  seconds %.1f, seed %" PRIu64 "\n",
           c->queries, c->rejected,
           100.0 * (double)c->rejected / (double)(c->queries ? c->queries : 1),
           c->pairs, c->expressions, c->suspicions, c->findings, c->seconds,
           s->seed);
}

/* An attack that compared nothing must not look like one that found nothing. A
   file of queries that are rejected by now is no such case: how they are rejected
   was compared. */
static int
check_asked(const struct curator_options *o, const struct curator_counts *c)
{
    if (c->findings || c->pairs || (o->only_corpus && c->queries))
        return CLI_OK;
    if (c->queries)
        return fail_run("all %" PRIu64 " queries were rejected, so no answers "
                        "were compared" HINT "give more --seconds or --queries",
                        c->queries);
    return fail_run("no query was asked in the time given" HINT
                    "give more --seconds");
}

/* --------------------------------------------------------------------- run -- */

static int
read_corpora(const struct args *args, struct corpus *standing,
             struct corpus *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = corpus_standing(standing, &err);

    if (!st && args->given[OPT_REPLAY])
        st = corpus_read(out, args->given[OPT_REPLAY], &err);
    for (size_t i = 0; !st && i < args->n_many; i++)
        st = corpus_read(out, args->many[i], &err);
    if (!st)
        return CLI_OK;
    return *err.hint ? fail_usage("%s" HINT "%s", err.said, err.hint)
                     : fail_usage("%s", err.said);
}

/* An attack of hours must not lose what it found. */
static int
check_found(const char *path)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = path ? corpus_check_append(path, &err) : CUSTOS_OK;

    return st ? fail_status(st, &err) : CLI_OK;
}

static int
read_sizes(const struct args *args, struct curator_options *o)
{
    uint64_t seconds = SECONDS, threads = 0, seed = 0;
    int code = audit_read_count("seconds", args->given[OPT_SECONDS], 1, 1000000,
                                &seconds);

    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        return fail_run("the system gives no random bytes");
    seed >>= 32; /* short enough to type */
    if (!code && args->given[OPT_SECONDS] && args->given[OPT_QUERIES])
        code = fail_usage("--seconds and --queries cannot both be given");
    if (!code)
        code = audit_read_count("queries", args->given[OPT_QUERIES], 1,
                                UINT64_MAX >> 11, &o->queries);
    if (!code)
        code = audit_read_count("threads", args->given[OPT_THREADS], 1, 64,
                                &threads);
    if (!code)
        code = audit_read_count("seed", args->given[OPT_SEED], 0,
                                UINT64_MAX >> 11, &seed);
    o->seconds = (double)seconds;
    o->threads = (unsigned)threads;
    o->seed = seed;
    return code;
}

static int
attack(const struct args *args, const struct curator_options *given)
{
    struct curator_options o = *given;
    struct session s = {
        .found = args->given[OPT_FOUND],
        .json = args->given[OPT_JSON] != NULL,
        .terminal = isatty(STDERR_FILENO) == 1,
        .seed = o.seed,
        .err = CUSTOS_ERR_INIT,
    };
    struct curator_counts counts = {0};
    custos_status st;
    int code = CLI_OK;

    buf_init(&s.text, NULL, TEXT_MAX);
    json_init(&s.document, &s.text, JSON_LINES);
    json_begin(&s.document, NULL);
    json_begin_list(&s.document, "findings");
    o.progress = on_progress;
    o.found = on_found;
    o.context = &s;
    st = curator_attack(&o, &counts, &s.err);
    clear_progress(&s);
    if (!st)
        st = s.status;
    if (!st)
        code = check_asked(&o, &counts);
    if (!st && !code)
        print_counts(&s, &counts);
    buf_clear(&s.text);
    if (st || code)
        return st ? fail_status(st, &s.err) : code;
    return counts.findings ? CLI_FAILED : CLI_OK;
}

static int
run_with(const struct args *args, arena *a)
{
    struct curator_target targets[TARGETS_MAX];
    struct corpus standing = {0}, corpus = {0};
    struct schema own;
    struct curator_options o = {
        .targets = targets,
        .corpus = &corpus,
        .only_corpus = args->given[OPT_REPLAY] != NULL,
        .keep_going = args->given[OPT_KEEP_GOING] != NULL,
    };
    int code = list_targets(args, a, &own, &standing, targets, &o.n_targets);

    if (!code)
        code = audit_read_server(args->given[OPT_SERVER_BINARY], &o.program);
    if (!code)
        code = read_sizes(args, &o);
    if (!code)
        code = read_corpora(args, &standing, &corpus);
    if (!code)
        code = check_found(args->given[OPT_FOUND]);
    if (!code)
        code = attack(args, &o);
    corpus_clear(&corpus);
    corpus_clear(&standing);
    return code;
}

static int
run_curator(const struct verb *verb, int argc, char **argv)
{
    static struct args args;
    int code = args_read_options(verb, argc, argv, &args);
    arena *a;

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    a = arena_new(NULL, POLICY_MEMORY);
    if (!a)
        return fail_run("out of memory");
    code = run_with(&args, a);
    arena_free(a);
    return code;
}

const struct verb audit_curator = {
    .name = "audit curator",
    .summary = "attack the server with generated queries",
    .usage = "audit curator [--policy FILE | --store DIR | --demo | "
             "--all-types]\n"
             "  [--seconds N | --queries N] [--seed N] [--corpus FILE]...\n"
             "  [--found FILE] [--keep-going] [--json]\n"
             "audit curator --replay FILE [options]",
    .about =
        "Makes two stores that differ in one person, serves both, and asks "
        "the\n"
        "same generated queries of both as an analyst would. A finding is an\n"
        "error after the charge, any difference in errors, remarks or groups,\n"
        "a reply that takes longer because of the person, or a number that "
        "the\n"
        "person moves further than EXPLAIN claims. It is printed with the\n"
        "shortest query that shows it. The tables of all types are first "
        "asked\n"
        "the queries that showed a person once.\n"
        "\n"
        "Exit status: 0 nothing was found, which proves nothing; 1 something\n"
        "was, or the attack failed; 2 wrong use.",
    .examples = "custos audit curator --seconds 3600\n"
                "custos audit curator --all-types --corpus "
                "test/attack/errors.txt \\\n"
                "    --found found.txt\n"
                "custos audit curator --replay found.txt",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_curator,
};
