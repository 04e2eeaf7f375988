/*
 * `custos audit attack NAME`: an attack on a naive server and on custos, for owners
 * who ask why. The attacks themselves are in audit/attack/.
 */
#include "cli/audit_attack_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/audit.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/save.h"

enum {
    ATTACK_EPSILON,
    ATTACK_SEED,
    ATTACK_QUICK,
    ATTACK_SVG,
    ATTACK_JSON,
    ATTACK_OPTIONS
};

enum { STEPS = 1000 }; /* of the progress bar */

static const struct option options[ATTACK_OPTIONS] = {
    [ATTACK_EPSILON] = {"epsilon", "NUMBER",
                        "the budget that custos keeps (1; floating-point:\n"
                        "0.1; timing has none)"},
    [ATTACK_SEED] = {"seed", "NUMBER",
                     "of the secrets and the naive servers (1); the noise\n"
                     "of custos cannot be seeded"},
    [ATTACK_QUICK] = {"quick", NULL, "fewer samples"},
    [ATTACK_SVG] = {"svg", "FILE", "write the picture to an SVG file"},
    [ATTACK_JSON] = {"json", NULL, "print JSON, with numbers as strings"},
};

static const struct attack *const attacks[] = {
    &attack_floating_point, &attack_reconstruction, &attack_differencing,
    &attack_averaging,      &attack_linkage,        &attack_timing,
};

static int
print_list(bool as_json)
{
    static struct out o;
    struct document d;

    out_init(&o, STDOUT_FILENO);
    if (as_json) {
        document_begin(&d, &o);
        json_begin_list(&d.json, "attacks");
    }
    for (size_t i = 0; i < COUNT_OF(attacks); i++)
        if (as_json) {
            json_begin(&d.json, NULL);
            json_add_text(&d.json, "name", str_of(attacks[i]->name));
            json_add_text(&d.json, "summary", str_of(attacks[i]->summary));
            json_end(&d.json);
        } else {
            out_printf(&o, "  %-16s %s\n", attacks[i]->name,
                       attacks[i]->summary);
        }
    if (as_json) {
        json_end(&d.json);
        document_end(&d);
    } else {
        out_printf(&o, "  %-16s %s\n", "all", "all of them, quickly");
    }
    return out_end(&o);
}

/* --------------------------------------------------------------- running -- */

/* One run of one or of all attacks. */
struct attack_run {
    const struct args *args;
    const struct attack *const *attacks;
    size_t n, at;
    struct attack_options options;
    struct progress progress;
    struct attack_report reports[COUNT_OF(attacks)];
    char command[4096];
};

static void
show_progress(void *context, double done)
{
    struct attack_run *run = context;

    progress_step(&run->progress, (uint64_t)(((double)run->at + done) /
                                             (double)run->n * STEPS));
}

static int
read_seed(const char *text, uint64_t *out)
{
    char *end = NULL;

    *out = 1;
    if (!text)
        return CLI_OK;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return fail_usage("--seed must be a whole number from 0 to "
                          "18446744073709551615, not %.60s",
                          text);
    return CLI_OK;
}

static int
choose(const struct args *args, struct attack_run *run)
{
    const char *name = args->words[0], *names[COUNT_OF(attacks) + 1], *guess;

    for (size_t i = 0; i < COUNT_OF(attacks); i++) {
        names[i] = attacks[i]->name;
        if (!strcmp(name, names[i])) {
            run->attacks = &attacks[i];
            run->n = 1;
            return CLI_OK;
        }
    }
    names[COUNT_OF(attacks)] = "all";
    run->attacks = attacks;
    run->n = COUNT_OF(attacks);
    if (!strcmp(name, "all"))
        return CLI_OK;
    guess = nearest(name, names, COUNT_OF(names));
    if (guess)
        return fail_usage("there is no attack %.60s" HINT "did you mean %s?",
                          name, guess);
    return fail_usage(
        "there is no attack %.60s" HINT "custos audit attack lists them", name);
}

static int
prepare(const struct args *args, struct attack_run *run)
{
    ssize_t len;
    int code;

    if (args->n_words > 1)
        return fail_usage("give one attack, or all");
    code = choose(args, run);
    if (!code)
        code = read_seed(args->given[ATTACK_SEED], &run->options.seed);
    if (code)
        return code;
    if (args->given[ATTACK_SVG] && run->n > 1)
        return fail_usage("--svg needs one attack, not all");
    if (args->given[ATTACK_EPSILON] && run->attacks[0] == &attack_timing)
        return fail_usage("timing takes no --epsilon");
    code = save_check("svg", args->given[ATTACK_SVG]);
    if (code)
        return code;
    run->args = args;
    run->options.epsilon = args->given[ATTACK_EPSILON];
    run->options.quick = args->given[ATTACK_QUICK] || run->n > 1;
    run->options.progress = show_progress;
    run->options.context = run;
    len = readlink("/proc/self/exe", run->command, sizeof run->command - 1);
    run->options.command = len > 0 ? run->command : NULL;
    return CLI_OK;
}

static int
run_all(struct attack_run *run)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;

    progress_start(&run->progress, STEPS);
    /* The reports come at the end: on a terminal, too, the bar is wanted. */
    run->progress.watched = isatty(STDERR_FILENO);
    for (run->at = 0; run->at < run->n && !st;) {
        st = run->attacks[run->at]->run(&run->options, &run->reports[run->at],
                                        &err);
        run->at++;
    }
    progress_end(&run->progress);
    return st ? fail_status(st, &err) : CLI_OK;
}

/* Exit code 1 if custos gave more than it may. */
static int
judge(const struct attack_run *run)
{
    int code = CLI_OK;

    for (size_t i = 0; i < run->n; i++)
        for (size_t k = 0; k < run->reports[i].n_rows; k++)
            if (attack_broken(&run->reports[i].rows[k]))
                code = fail_run("%s: custos gave the attacker more than it "
                                "may" HINT
                                "this happens by chance less than once in a "
                                "million times: please report it as in "
                                "CONTRIBUTING.md",
                                run->attacks[i]->name);
    return code;
}

static int
print_reports(struct attack_run *run)
{
    static struct out o;
    const char *svg = run->args->given[ATTACK_SVG];
    struct attack_picture picture;
    struct document d;
    int code = CLI_OK;

    attack_make_picture(&run->reports[0], &picture);
    if (svg)
        code = svg_write(svg, &picture.chart);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (run->args->given[ATTACK_JSON]) {
        document_begin(&d, &o);
        json_begin_list(&d.json, "attacks");
        for (size_t i = 0; i < run->n; i++)
            attack_print_json(&d.json, run->attacks[i], &run->reports[i]);
        json_end(&d.json);
        document_end(&d);
    } else {
        for (size_t i = 0; i < run->n; i++)
            attack_print_text(&o, run->attacks[i], &run->reports[i]);
    }
    code = out_end(&o);
    return code ? code : judge(run);
}

static int
run_attack(const struct verb *verb, int argc, char **argv)
{
    static struct attack_run run;
    struct args args;
    int code = args_read(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    if (args.n_words == 0)
        return print_list(args.given[ATTACK_JSON]);
    code = prepare(&args, &run);
    if (!code)
        code = run_all(&run);
    return code ? code : print_reports(&run);
}

const struct verb audit_attack = {
    .name = "audit attack",
    .summary = "show an attack on a naive server, and on custos",
    .usage = "audit attack\n"
             "audit attack NAME [options]\n"
             "audit attack all [options]",
    .about =
        "What an attacker learns from a server without noise, from one with "
        "too\n"
        "little, and from custos. Without a name, lists the attacks:\n"
        "floating-point, reconstruction, differencing, averaging, linkage and\n"
        "timing. Shares have 95 % intervals; \"allowed\" is the most that the\n"
        "promise of custos permits anybody. reconstruction and averaging also\n"
        "make a store in a temporary folder, ask it through the command, and\n"
        "remove it. An attack shows what is unsafe; it proves nothing safe.\n"
        "\n"
        "Exit 1: custos gave more than its promise allows, by a test that is\n"
        "wrong less than once in a million times.",
    .examples = "custos audit attack\n"
                "custos audit attack reconstruction\n"
                "custos audit attack differencing --epsilon 0.5 --svg "
                "differencing.svg\n"
                "custos audit attack all --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_attack,
};
