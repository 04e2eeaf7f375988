/*
 * `custos shell`: a prompt for questions, with history and completion.
 *
 * A question ends with a semicolon and may take several lines. A line that
 * begins with a backslash is a command of the shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/prompt.h"
#include "cli/query.h"
#include "cli/schema_print.h"

enum {
    SHELL_STORE,
    SHELL_AS,
    SHELL_EPSILON,
    SHELL_RHO,
    SHELL_FORMAT,
    SHELL_OPTIONS
};
enum { QUESTION_MAX = 1 << 16 };

static const struct option options[SHELL_OPTIONS] = {
    [SHELL_STORE] = {"store", "DIR", STORE_HELP},
    [SHELL_AS] = {"as", "ANALYST", AS_HELP},
    [SHELL_EPSILON] = {"epsilon", "NUMBER",
                       "the price of each answer (the policy's default)"},
    [SHELL_RHO] = {"rho", "NUMBER", RHO_HELP},
    [SHELL_FORMAT] = {"format", "FORMAT", FORMAT_HELP},
};

struct shell {
    struct curator *c;
    const struct policy_analyst *who; /* NULL: the owner */
    str name;
    enum answer_format format;
    char epsilon[64]; /* of each question; "": the policy's default, or */
    char rho[64];     /* this, if it is not "" */
    struct buf question;
    struct prompt *prompt;
    bool is_terminal;
    bool done;
};

static const char *const about =
    "  SELECT ...;     ask (EXPLAIN SELECT ...; shows the plan at no cost)\n"
    "  \\d              list the tables;  \\d NAME  list a table's columns\n"
    "  \\budget         show the remaining budget\n"
    "  \\epsilon E      set the price of the questions that follow\n"
    "  \\rho R          set it in rho instead, if the policy allows that\n"
    "  \\format F       set the format: table, bars, csv or json\n"
    "  \\?              show this help\n"
    "  \\q              quit\n";

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
        out_text(o, "  no budget of your own: you share the common budget\n");
    else
        out_printf(o, "  epsilon %s of %s left\n", b.left_epsilon,
                   b.facts.epsilon);
    if (window.limited)
        out_printf(
            o,
            "  epsilon %s of %s left in your window: a question must fit "
            "both\n",
            window.left_epsilon, window.facts.epsilon);
}

#define LONG_PRICE "the price has too many digits"

/* One of the two prices; the one that is set last counts. False: it is too
   long. */
static bool
set_price(struct shell *s, const char *epsilon, const char *rho)
{
    if (strlen(epsilon) >= sizeof s->epsilon || strlen(rho) >= sizeof s->rho)
        return false;
    snprintf(s->epsilon, sizeof s->epsilon, "%s", epsilon);
    snprintf(s->rho, sizeof s->rho, "%s", rho);
    return true;
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
    else if (!strcmp(word, "epsilon") || !strcmp(word, "rho")) {
        bool in_rho = word[0] == 'r';

        if (!rest[0])
            (void)fail_usage("\\%s needs a number", word);
        else if (!set_price(s, in_rho ? "" : rest, in_rho ? rest : ""))
            (void)fail_usage(LONG_PRICE);
    } else if (!strcmp(word, "format"))
        (void)answer_format_read(rest, &s->format);
    else if (!strcmp(word, "?") || !strcmp(word, "help"))
        out_text(o, about);
    else
        (void)fail_usage("there is no command \\%.20s" HINT "\\? lists them",
                         word);
}

/* Shows the warnings about a question, and asks whether it is meant. */
static custos_status
confirm_warned(void *ctx, str warnings, custos_err *err)
{
    struct shell *s = ctx;
    const char *line;

    for (size_t from = 0, i = 0; i < warnings.len; i++)
        if (warnings.ptr[i] == '\n') {
            fprintf(stderr, "warning: %.*s\n", (int)(i - from),
                    warnings.ptr + from);
            from = i + 1;
        }
    line = prompt_line(s->prompt, "Ask it, and be charged? [y/N] ");
    if (line && (*line == 'y' || *line == 'Y'))
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL,
                       "not asked, and nothing was charged");
}

static void
run_question(struct shell *s, struct out *o)
{
    struct ask ask = {
        .who = s->name,
        .sql = str_of(buf_text(&s->question)),
        .epsilon = str_of(s->epsilon),
        .rho = str_of(s->rho),
        .now = clock_us(),
        .warned = s->is_terminal ? confirm_warned : NULL,
        .warned_ctx = s,
    };

    (void)question_ask(s->c, &ask, s->format, o);
    s->question.len = 0;
}

/* Handles one line of input, without its end and trailing spaces. */
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

/* Reads lines until the end, \q, or a failure to write the output. */
static int
read_lines(struct shell *s)
{
    int code = CLI_OK;
    char *line;

    s->is_terminal = isatty(STDIN_FILENO);
    s->prompt = prompt_new(curator_policy(s->c), s->who, s->is_terminal);
    if (!s->prompt)
        return fail_run("out of memory");
    while (!code && !s->done &&
           (line = prompt_line(s->prompt,
                               s->question.len ? "     ...> " : "custos=> "))) {
        struct out o;

        out_init(&o, STDOUT_FILENO);
        run_line(s, line, &o);
        code = out_end(&o);
    }
    if (!code && s->question.len)
        code = fail_usage("the last question was not asked" HINT
                          "end it with a semicolon");
    prompt_free(s->prompt);
    return code;
}

static int
run_shell(const struct verb *verb, int argc, char **argv)
{
    struct shell s = {0};
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    int code = args_read_options(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.given[SHELL_EPSILON] && args.given[SHELL_RHO])
        return fail_usage("give one of --epsilon and --rho");
    if (!set_price(&s,
                   args.given[SHELL_EPSILON] ? args.given[SHELL_EPSILON] : "",
                   args.given[SHELL_RHO] ? args.given[SHELL_RHO] : ""))
        return fail_usage(LONG_PRICE);
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
                                                   : read_lines(&s);
    buf_clear(&s.question);
    curator_close(s.c);
    return code;
}

const struct verb verb_shell = {
    .name = "shell",
    .summary = "ask questions at a prompt",
    .usage = "shell [options]",
    .about = "A prompt with history and completion. End each question with a "
             "semicolon. \\d\n"
             "lists the tables and columns that you may use, \\? all commands. "
             "Without a\n"
             "terminal the questions are read from standard input.",
    .examples = "custos shell --as ana\n"
                "echo 'SELECT count(*) FROM patients;' | custos shell\n",
    .options = options,
    .n_options = SHELL_OPTIONS,
    .run = run_shell,
};
