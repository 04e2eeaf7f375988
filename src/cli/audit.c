/*
 * `custos audit`: attacks a mechanism from outside and prints the largest epsilon
 * that the evidence refutes. Here: mechanisms of libcustos by name, outside
 * programs (--exec) and shared objects (--object). Whole series, attacks and the
 * curator have verbs of their own.
 */
#include "cli/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/clock.h"
#include "audit/library/library.h"
#include "audit/program/child.h"
#include "audit/program/exec.h"
#include "audit/program/object.h"
#include "base/base.h"
#include "cli/account.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/save.h"

enum {
    OPT_LIST,
    OPT_EPSILON,
    OPT_RHO,
    OPT_EXEC,
    OPT_OBJECT,
    OPT_CLAIM,
    OPT_DELTA,
    OPT_MU,
    OPT_RANGE,
    OPT_ROWS,
    OPT_ADJACENCY,
    OPT_PAIRS,
    OPT_SAMPLES,
    OPT_SEARCH,
    OPT_SECONDS,
    OPT_LEVEL,
    OPT_CI,
    OPT_THREADS,
    OPT_SEED,
    OPT_TIMEOUT,
    OPT_WHOLE,
    OPT_IGNORE_TIME,
    OPT_HTML,
    OPT_SVG,
    OPT_JSON,
    OPTIONS
};

static const struct option options[OPTIONS] = {
    [OPT_LIST] = {"list", NULL, "list the mechanisms of libcustos"},
    [OPT_EPSILON] = {"epsilon", "NUMBER", "of a mechanism of libcustos (1)"},
    [OPT_RHO] = {"rho", "NUMBER", "the same, of those that have one (1/8)"},
    [OPT_EXEC] = {"exec", "COMMAND",
                  "a shell command: reads a data set on standard\n"
                  "input, one value a line; prints an output a line"},
    [OPT_OBJECT] = {"object", "FILE",
                    "a shared object with the function\n"
                    "custos_audit_run (see custos_audit.h)"},
    [OPT_CLAIM] = {"claim", "NUMBER",
                   "the epsilon that is claimed; of a mechanism of\n"
                   "libcustos by default what it promises itself"},
    [OPT_DELTA] = {"delta", "NUMBER",
                   "the delta that is claimed (0; of a mechanism of\n"
                   "libcustos that has one 1e-5)"},
    [OPT_MU] = {"mu", "NUMBER",
                "instead of --claim: the mu of Gaussian differential\n"
                "privacy that is claimed"},
    [OPT_RANGE] = {"range", "LOW:HIGH",
                   "the values of generated data sets (0:1)"},
    [OPT_ROWS] = {"rows", "N,...", "how many rows they have (1,5)"},
    [OPT_ADJACENCY] = {"adjacency", "HOW", ADJACENCY_HELP},
    [OPT_PAIRS] = {"pairs", "FILE",
                   "your own neighbours: one value a line, an empty\n"
                   "line between two neighbours, -- between pairs"},
    [OPT_SAMPLES] = {"samples", "N", AUDIT_SAMPLES_HELP},
    [OPT_SEARCH] = {"search", "N", "outputs of each neighbour for the search"},
    [OPT_SECONDS] = {"seconds", "N",
                     AUDIT_SECONDS_HELP " (50 for --exec, else 10)"},
    [OPT_LEVEL] = {"level", "NUMBER", AUDIT_LEVEL_HELP},
    [OPT_CI] = {"ci", NULL, AUDIT_CI_HELP},
    [OPT_THREADS] = {"threads", "N",
                     AUDIT_THREADS_HELP
                     ";\n1 for --object, and if a run prints many lines"},
    [OPT_SEED] = {"seed", "N", AUDIT_SEED_HELP},
    [OPT_TIMEOUT] = {"timeout", "SECONDS",
                     "with --exec: a run that takes longer is killed, and\n"
                     "that is its output (10)"},
    [OPT_WHOLE] = {"whole", NULL,
                   "with --exec: all lines of a run are one output"},
    [OPT_IGNORE_TIME] = {"ignore-time", NULL,
                         "do not look at run times: nobody sees them"},
    [OPT_HTML] = {"html", "FILE", AUDIT_HTML_HELP},
    [OPT_SVG] = {"svg", "FILE", AUDIT_SVG_HELP},
    [OPT_JSON] = {"json", NULL, AUDIT_JSON_HELP},
};

enum {
    SECONDS_EXEC = 50,
    SECONDS_ELSE = 10,
    TITLE_MAX = 400,
    TIMEOUT = 10,
    NAMES_MAX = 64, /* subcommands and mechanisms */
};

/* What is audited, on which pairs; one of the first three is used. */
struct subject {
    struct exec *exec;
    struct object *object;
    struct library_target library;
    const struct audit_target *target;
    const struct pair *pairs;
    size_t n_pairs;
    char title[TITLE_MAX];
    const char *note;
};

/* --------------------------------------------------------- what is given -- */

static int
read_claim(const struct args *args, struct claim *claim)
{
    const char *epsilon = args->given[OPT_CLAIM], *mu = args->given[OPT_MU];
    int code = audit_read_number("claim", epsilon, 0, 1000, &claim->epsilon);

    if (!code)
        code = audit_read_number("delta", args->given[OPT_DELTA], 0, 1,
                                 &claim->delta);
    if (!code)
        code = audit_read_number("mu", mu, 1e-9, 1000, &claim->mu);
    if (code)
        return code;
    if (!epsilon && !mu && !args->n_words)
        return fail_usage("what is claimed?" HINT
                          "give --claim EPSILON, or --mu MU");
    if (mu && (epsilon || (args->given[OPT_DELTA] && !args->n_words)))
        return fail_usage("--mu stands instead of --claim and --delta");
    return CLI_OK;
}

/* ----------------------------------------------------------- the subject -- */

static int
open_exec(const struct args *args, const struct data_pairs *pairs,
          struct subject *s)
{
    struct exec_options o = {
        .command = args->given[OPT_EXEC],
        .timeout = TIMEOUT,
        .lines = args->given[OPT_WHOLE] ? EXEC_LINE_WHOLE : EXEC_LINE_EACH,
        .time =
            args->given[OPT_IGNORE_TIME] ? EXEC_TIME_IGNORED : EXEC_TIME_SEEN,
    };
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = audit_read_number("timeout", args->given[OPT_TIMEOUT], 0.01,
                                 86400, &o.timeout);

    if (code)
        return code;
    children_end_on_signals();
    st = exec_new(&o, pairs->pair, pairs->n, &s->exec, &err);
    if (st)
        return fail_status(st, &err);
    s->target = exec_target(s->exec);
    snprintf(s->title, sizeof s->title, "%s", args->given[OPT_EXEC]);
    s->note = exec_starts_again(s->exec)
                  ? "The program was started for every output. It draws its "
                    "own coins, so counts differ from run to run."
                  : "Every line that the program printed was taken as an "
                    "output, independent of the others. It draws its own "
                    "coins, so counts differ from run to run.";
    return CLI_OK;
}

static int
open_object(const struct args *args, const struct data_pairs *pairs,
            struct subject *s)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    if (args->given[OPT_TIMEOUT] || args->given[OPT_WHOLE])
        return fail_usage("--timeout and --whole are for --exec");
    st = object_new(args->given[OPT_OBJECT],
                    args->given[OPT_IGNORE_TIME] ? OBJECT_TIME_IGNORED
                                                 : OBJECT_TIME_SEEN,
                    pairs->pair, pairs->n, &s->object, &err);
    if (st)
        return fail_status(st, &err);
    s->target = object_target(s->object);
    snprintf(s->title, sizeof s->title, "%s", args->given[OPT_OBJECT]);
    s->note = "The function draws its own coins, so counts differ from run "
              "to run.";
    return CLI_OK;
}

/* A mechanism of libcustos; *claim becomes its own promise, unless another one
   was given. */
static int
open_library(const struct args *args, struct claim *claim, struct subject *s)
{
    struct library_options o = {.epsilon = args->given[OPT_EPSILON],
                                .delta = args->given[OPT_DELTA],
                                .rho = args->given[OPT_RHO]};
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = library_make(args->words[0], &o, &s->library, &err);

    if (st == CUSTOS_ENAME)
        return fail_usage("%s" HINT "%s", err.said,
                          *err.hint ? err.hint : "see custos audit --list");
    if (st)
        return fail_status(st, &err);
    s->target = &s->library.target;
    s->pairs = s->library.pairs.pair;
    s->n_pairs = s->library.pairs.n;
    if (!args->given[OPT_CLAIM] && !args->given[OPT_MU])
        *claim = s->library.claim;
    else if (!args->given[OPT_MU] && !args->given[OPT_DELTA])
        claim->delta = s->library.claim.delta;
    snprintf(s->title, sizeof s->title, "%s of libcustos", args->words[0]);
    s->note = "The mechanism draws its coins from the system, as in use, so "
              "counts differ from run to run.";
    return CLI_OK;
}

static int
open_outside(const struct args *args, struct data_pairs *pairs,
             struct subject *s)
{
    struct audit_pairs_given given = {.range = args->given[OPT_RANGE],
                                      .rows = args->given[OPT_ROWS],
                                      .adjacency = args->given[OPT_ADJACENCY],
                                      .pairs = args->given[OPT_PAIRS]};
    int code = audit_read_pairs(&given, pairs);

    if (code)
        return code;
    s->pairs = pairs->pair;
    s->n_pairs = pairs->n;
    return args->given[OPT_EXEC] ? open_exec(args, pairs, s)
                                 : open_object(args, pairs, s);
}

static void
close_subject(struct subject *s)
{
    exec_free(s->exec);
    object_free(s->object);
    library_clear(&s->library);
}

static int
list_mechanisms(void)
{
    static struct out o;

    out_init(&o, STDOUT_FILENO);
    for (size_t i = 0; i < library_n_entries; i++)
        out_printf(&o, "%-26s %s\n", library_entries[i].name,
                   library_entries[i].about);
    return out_end(&o);
}

/* ------------------------------------------------------------ the report -- */

/* The options that were given, and sizes and seed as they turned out. */
static void
write_again(const struct args *args, const struct finding *f, struct buf *line)
{
    buf_add_text(line, "custos audit");
    if (args->n_words)
        buf_printf(line, " %s", args->words[0]);
    audit_add_options(line, options, args->given, OPTIONS);
    audit_add_sizes(line, "", f);
    buf_printf(line, " --seed %" PRIu64, f->seed);
}

static int
print_finding(const struct args *args, const struct subject *s,
              const struct finding *f)
{
    struct audit_outputs outputs = {.html = args->given[OPT_HTML],
                                    .svg = args->given[OPT_SVG],
                                    .json = args->given[OPT_JSON] != NULL};
    struct report report = {.finding = f, .title = s->title, .note = s->note};
    struct buf again;
    int code;

    if (s->exec && strstr(f->feature, "status")) /* as child.h has it */
        report.note = "Status 1 to 255 is the exit status of the program, "
                      "256 + N signal N, 1000 no end before the timeout, 1001 "
                      "too much output, 1002 no output; a larger one is the "
                      "hash of the text besides the numbers, with standard "
                      "error.";
    else if (s->exec && strstr(f->feature, "written"))
        report.note = "A form is known by its hash: numbers with or without "
                      "a point, an exponent, a plus sign.";
    buf_init(&again, NULL, 1 << 16);
    write_again(args, f, &again);
    report.again = buf_text(&again);
    code = audit_print(&report, &outputs);
    buf_clear(&again);
    return code;
}

/* --------------------------------------------------------------- the run -- */

static int
read_sizes(const struct args *args, struct audit_options *out)
{
    struct audit_given given = {
        .samples = args->given[OPT_SAMPLES],
        .search = args->given[OPT_SEARCH],
        .seconds = args->given[OPT_SECONDS],
        .level = args->given[OPT_LEVEL],
        .threads = args->given[OPT_THREADS],
        .seed = args->given[OPT_SEED],
        .ci = args->given[OPT_CI] != NULL,
    };

    if (args->given[OPT_OBJECT] && !given.threads)
        given.threads = "1"; /* not every function may run twice at once */
    return audit_read_options(
        &given, args->given[OPT_EXEC] ? SECONDS_EXEC : SECONDS_ELSE, out);
}

/* A function of a shared object may call exit: that must not look like an audit
   that found nothing. */
static bool in_audit;

static void
say_unfinished(void)
{
    if (in_audit) {
        fail_run("the audited function ended the process" HINT
                 "an audit needs a function that returns");
        _exit(CLI_FAILED);
    }
}

static int
audit_subject(const struct args *args, struct claim *claim,
              struct data_pairs *pairs, struct audit_options *o)
{
    static struct finding f;
    static struct subject s;
    custos_err err = CUSTOS_ERR_INIT;
    double began = clock_seconds();
    struct progress bar;
    custos_status st;
    int code = args->n_words ? open_library(args, claim, &s)
                             : open_outside(args, pairs, &s);

    if (code)
        return code;
    /* Two programs run at the same time anyway, one for each neighbour. */
    if (s.exec && !exec_starts_again(s.exec) && !args->given[OPT_THREADS])
        o->threads = 1;
    if (o->seconds > 0) { /* the first runs took some of them */
        double left = o->seconds - (clock_seconds() - began);

        o->seconds = left > o->seconds / 10 ? left : o->seconds / 10;
    }
    audit_show_progress(&bar, o);
    atexit(say_unfinished);
    in_audit = true;
    st = audit_run(s.target, claim, s.pairs, s.n_pairs, o, &f, &err);
    in_audit = false;
    progress_end(&bar);
    code = st ? fail_status(st, &err) : print_finding(args, &s, &f);
    close_subject(&s);
    return code;
}

/* Parameters that this mechanism does not have. A delta may also be that of a
   claim. */
static int
check_parameters(const struct args *args)
{
    const struct library_entry *entry = library_find(args->words[0]);

    if (!entry)
        return CLI_OK; /* library_make says it */
    if (args->given[OPT_RHO] && !entry->uses_rho)
        return fail_usage("%s has no rho", entry->name);
    if (args->given[OPT_EPSILON] && entry->uses_rho)
        return fail_usage("%s has no epsilon" HINT "give --rho", entry->name);
    if (args->given[OPT_DELTA] && !entry->uses_delta && !args->given[OPT_CLAIM])
        return fail_usage("%s has no delta" HINT
                          "a delta of a claim needs --claim too",
                          entry->name);
    return CLI_OK;
}

/* Options that a mechanism of libcustos has no use for. */
static int
check_library(const struct args *args)
{
    static const int outside[] = {OPT_RANGE,      OPT_ROWS,    OPT_ADJACENCY,
                                  OPT_PAIRS,      OPT_TIMEOUT, OPT_WHOLE,
                                  OPT_IGNORE_TIME};

    if (args->n_words > 1)
        return fail_usage("unexpected word %.60s" HINT
                          "see custos audit --help",
                          args->words[1]);
    if (args->given[OPT_EXEC] || args->given[OPT_OBJECT])
        return fail_usage("give one of a mechanism's name, --exec and "
                          "--object");
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        if (args->given[outside[i]])
            return fail_usage("--%s is for --exec and --object: a mechanism "
                              "of libcustos has neighbours of its own",
                              options[outside[i]].name);
    return check_parameters(args);
}

static int
check_subject(const struct args *args)
{
    if (args->n_words)
        return check_library(args);
    if (args->given[OPT_EXEC] && args->given[OPT_OBJECT])
        return fail_usage("give either --exec or --object");
    if (!args->given[OPT_EXEC] && !args->given[OPT_OBJECT])
        return fail_usage("what is to be audited?" HINT
                          "give the name of a mechanism (custos audit "
                          "--list), --exec COMMAND or --object FILE");
    if (args->given[OPT_EPSILON] || args->given[OPT_RHO])
        return fail_usage("--epsilon and --rho are for mechanisms of "
                          "libcustos" HINT "give --claim EPSILON");
    return CLI_OK;
}

/* The first word is a subcommand, which the caller has looked for, or a mechanism.
   This comes before the options are read, since they may be those of a
   subcommand. */
static int
check_name(const struct verb *verb, const char *name)
{
    const char *names[NAMES_MAX], *guess;
    size_t n = 0;

    CUSTOS_REQUIRE(verb->n_subs + library_n_entries <= NAMES_MAX);
    if (library_find(name))
        return CLI_OK;
    for (size_t i = 0; i < verb->n_subs; i++)
        names[n++] = strchr(verb->subs[i]->name, ' ') + 1;
    for (size_t i = 0; i < library_n_entries; i++)
        names[n++] = library_entries[i].name;
    guess = nearest(name, names, n);
    if (guess)
        return fail_usage("there is no custos audit %.60s" HINT
                          "did you mean %s?",
                          name, guess);
    return fail_usage("there is no custos audit %.60s" HINT
                      "see custos audit --help, and --list for mechanisms",
                      name);
}

static int
run_audit(const struct verb *verb, int argc, char **argv)
{
    static struct data_pairs pairs;
    const char *name = argc > 1 ? argv[1] : "";
    const struct verb *sub = subs_find(verb, name);
    struct audit_options sizes = {.samples = 0};
    struct claim claim = {.epsilon = 0};
    struct args args;
    int code;

    if (sub)
        return sub->run(sub, argc - 1, argv + 1);
    code = *name && *name != '-' ? check_name(verb, name) : CLI_OK;
    if (!code)
        code = args_read(verb, argc, argv, &args);
    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    if (args.given[OPT_LIST])
        return list_mechanisms();
    code = check_subject(&args);
    if (!code)
        code = read_claim(&args, &claim);
    if (!code)
        code = read_sizes(&args, &sizes);
    if (!code)
        code = save_check("html", args.given[OPT_HTML]);
    if (!code)
        code = save_check("svg", args.given[OPT_SVG]);
    if (code)
        return code;
    code = audit_subject(&args, &claim, &pairs, &sizes);
    data_pairs_clear(&pairs);
    return code;
}

static const struct verb *const subs[] = {
    &audit_battery, &audit_library, &audit_attack, &audit_query, &audit_curator,
};

const struct verb verb_audit = {
    .name = "audit",
    .summary = "attack a mechanism, and refute a wrong epsilon",
    .usage = "audit MECHANISM [--epsilon NUMBER] [--delta NUMBER] [options]\n"
             "audit --exec COMMAND --claim EPSILON [--delta DELTA] [options]\n"
             "audit --object FILE --claim EPSILON [--delta DELTA] [options]",
    .about =
        "Runs the mechanism on neighbouring data sets, looks for an event "
        "that\n"
        "the claim does not allow, and certifies it on fresh outputs: the two\n"
        "probabilities of the event are bounded by its counts, and epsilon is\n"
        "at least the logarithm of their ratio. Values, their bits, the run\n"
        "time, the exit status, texts and the length of the output all count\n"
        "as seen.\n"
        "\n"
        "An audit refutes and never proves. Exit status: 0 nothing was "
        "refuted,\n"
        "1 the claim was refuted, 2 wrong use.\n"
        "\n"
        "A command is started again for every output if it prints one line. "
        "One\n"
        "that prints several lines must print independent outputs; how many "
        "are\n"
        "wanted is in its environment, as CUSTOS_AUDIT_OUTPUTS.",
    .examples =
        "custos audit laplace --epsilon 0.5\n"
        "custos audit --exec 'awk -f examples/audit/naive.awk' --claim 0.1\n"
        "custos audit --exec 'python3 mean.py' --claim 1 --delta 1e-6 \\\n"
        "    --range 0:100 --rows 1,20 --seconds 300 --html report.html\n"
        "custos audit --object ./mine.so --claim 0.5 --ci",
    .options = options,
    .n_options = COUNT_OF(options),
    .subs = subs,
    .n_subs = COUNT_OF(subs),
    .run = run_audit,
};
