/*
 * `custos shell`: questions one after the other, with history and completion.
 *
 * A question ends with a semicolon and may take several lines. Lines that
 * begin with a backslash are commands of the shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/prompt.h"
#include "cli/query.h"
#include "cli/schema_print.h"

enum { SHELL_STORE, SHELL_AS, SHELL_FORMAT, SHELL_OPTIONS };
enum { QUESTION_MAX = 1 << 16 };

static const struct option options[SHELL_OPTIONS] = {
    [SHELL_STORE] = {"store", "DIR", STORE_HELP},
    [SHELL_AS] = {"as", "ANALYST", AS_HELP},
    [SHELL_FORMAT] = {"format", "FORMAT", FORMAT_HELP},
};

struct shell {
    struct curator *c;
    const struct policy_analyst *who; /* NULL: the owner */
    str name;
    enum answer_format format;
    char epsilon[64]; /* of the questions that follow; "": the default */
    struct buf question;
    bool done;
};

static const char *const about =
    "  SELECT ...;     ask (EXPLAIN SELECT ...; shows the plan, free)\n"
    "  \\d              tables;  \\d NAME  one table's columns\n"
    "  \\budget         what is left\n"
    "  \\epsilon E      pay this for each of the questions that follow\n"
    "  \\format F       table, bars, csv or json\n"
    "  \\q              leave\n";

static void
show_budget(struct shell *s, struct out *o)
{
    struct ledger *l = curator_ledger(s->c);
    struct ledger_balance b, window = {.limited = false};
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_balance(l, s->name, &b, &err) ||
        (s->name.len && ledger_window(l, s->name, clock_us(), &window, &err))) {
        (void)fail_status(err.code, &err);
        return;
    }
    if (!b.limited)
        out_text(o, "  no budget of your own: the common one counts\n");
    else
        out_printf(o, "  epsilon %s of %s left\n", b.left_epsilon,
                   b.facts.epsilon);
    if (window.limited)
        out_printf(o,
                   "  epsilon %s of %s left in your window: a query needs "
                   "room in both\n",
                   window.left_epsilon, window.facts.epsilon);
}

/* "\word rest" */
static void
run_command(struct shell *s, char *line, struct out *o)
{
    char *word = line + 1, *rest;
    size_t len = strcspn(word, " \t");

    rest = word + len + strspn(word + len, " \t");
    word[len] = '\0';
    if (!strcmp(word, "q"))
        s->done = true;
    else if (!strcmp(word, "d") || !strcmp(word, "dt"))
        schema_print(o, curator_policy(s->c), s->who, rest);
    else if (!strcmp(word, "budget"))
        show_budget(s, o);
    else if (!strcmp(word, "epsilon"))
        snprintf(s->epsilon, sizeof s->epsilon, "%s", rest);
    else if (!strcmp(word, "format"))
        (void)answer_format_read(rest, &s->format);
    else if (!strcmp(word, "?") || !strcmp(word, "help"))
        out_text(o, about);
    else
        (void)fail_usage("there is no command \\%.20s" HINT "\\? lists them",
                         word);
}

static void
run_question(struct shell *s, struct out *o)
{
    struct ask ask = {
        .who = s->name,
        .sql = str_of(buf_text(&s->question)),
        .epsilon = str_of(s->epsilon),
        .now = clock_us(),
    };

    (void)question_ask(s->c, &ask, s->format, o);
    s->question.len = 0;
}

/* One line of input. Its end and its spaces are cut off. */
static void
run_line(struct shell *s, char *line, struct out *o)
{
    size_t len = strlen(line);

    while (len && strchr(" \t\r\n", line[len - 1]))
        line[--len] = '\0';
    if (!s->question.len && (*line == '\\' || !len)) {
        if (len)
            run_command(s, line, o);
        return;
    }
    if (s->question.len)
        buf_add(&s->question, "\n", 1);
    buf_add(&s->question, line, len);
    if (s->question.failed) {
        (void)fail_usage("the question is longer than %d bytes", QUESTION_MAX);
        buf_clear(&s->question);
        buf_init(&s->question, NULL, QUESTION_MAX);
    } else if (len && line[len - 1] == ';') {
        run_question(s, o);
    }
}

/* From a terminal or from a file; the first failure of the output ends it. */
static int
talk(struct shell *s)
{
    struct prompt *p =
        prompt_new(curator_policy(s->c), s->who, isatty(STDIN_FILENO));
    int code = CLI_OK;
    char *line;

    if (!p)
        return fail_run("out of memory");
    while (
        !code && !s->done &&
        (line = prompt_line(p, s->question.len ? "     ...> " : "custos=> "))) {
        struct out o;

        out_init(&o, STDOUT_FILENO);
        run_line(s, line, &o);
        code = out_end(&o);
    }
    if (!code && s->question.len)
        code =
            fail_usage("the last question has no semicolon" HINT "it was not "
                       "asked");
    prompt_free(p);
    return code;
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    struct shell s = {0};
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words)
        return fail_usage("shell takes no words, only options");
    if (args.given[SHELL_FORMAT])
        code = answer_format_read(args.given[SHELL_FORMAT], &s.format);
    if (code)
        return code;
    forbid_cores();
    if (curator_open(store_given(args.given[SHELL_STORE]), &s.c, &err))
        return fail_status(err.code, &err);
    s.name = str_of(args.given[SHELL_AS]);
    buf_init(&s.question, NULL, QUESTION_MAX);
    code = curator_find(s.c, s.name, &s.who, &err) ? fail_status(err.code, &err)
                                                   : talk(&s);
    buf_clear(&s.question);
    curator_close(s.c);
    return code;
}

const struct verb verb_shell = {
    .name = "shell",
    .summary = "ask a store, one question after the other",
    .usage = "shell [options]",
    .about = "A prompt with history and completion. \\? lists its commands.",
    .examples = "custos shell --as ana\n"
                "echo 'SELECT count(*) FROM patients;' | custos shell\n",
    .options = options,
    .n_options = SHELL_OPTIONS,
    .run = run,
};
