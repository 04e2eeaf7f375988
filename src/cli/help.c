#include "cli/help.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/out.h"

enum { NAME_COLUMNS = 23 };

/* Prints each line of text, indented. */
static void
add_lines(struct out *o, const char *text, const char *indent)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        out_text(o, len ? indent : "");
        out_add(o, text, len);
        out_text(o, "\n");
        text += len + (text[len] == '\n');
    }
}

/* A line that begins with a space continues the one before. */
static void
add_usage(struct out *o, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        out_text(o, *text == ' ' ? "  " : "  custos ");
        out_add(o, text, len);
        out_text(o, "\n");
        text += len + (text[len] == '\n');
    }
}

static void
add_option(struct out *o, const struct option *option)
{
    char name[64];
    const char *text = option->help;

    snprintf(name, sizeof name, "--%s%s%s", option->name,
             option->value ? " " : "", option->value ? option->value : "");
    if (strlen(name) > NAME_COLUMNS) /* a line of its own */
        out_printf(o, "  %s\n", name);
    while (*text) {
        size_t len = strcspn(text, "\n");

        out_printf(o, "  %-*s %.*s\n", NAME_COLUMNS,
                   text == option->help && strlen(name) <= NAME_COLUMNS ? name
                                                                        : "",
                   (int)len, text);
        text += len + (text[len] == '\n');
    }
}

int
help_of_verb(const struct verb *verb)
{
    struct out o;

    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "custos %s: %s\n\n", verb->name, verb->summary);
    add_usage(&o, verb->usage);
    if (verb->about) {
        out_text(&o, "\n");
        add_lines(&o, verb->about, "");
    }
    for (size_t i = 0; i < verb->n_subs; i++)
        out_printf(&o, "%s  %-*s %s\n", i ? "" : "\nVerbs\n\n", NAME_COLUMNS,
                   strchr(verb->subs[i]->name, ' ') + 1,
                   verb->subs[i]->summary);
    if (verb->n_options) {
        out_text(&o, "\nOptions\n\n");
        for (size_t i = 0; i < verb->n_options; i++)
            add_option(&o, &verb->options[i]);
    }
    if (verb->examples) {
        out_text(&o, "\nExamples\n\n");
        add_lines(&o, verb->examples, "  ");
    }
    return out_end(&o);
}

int
help_of_all(const struct verb *const *verbs, size_t n)
{
    struct out o;

    out_init(&o, STDOUT_FILENO);
    out_text(&o, "custos: differentially private answers with exact noise\n\n"
                 "  custos VERB [options]\n\nVerbs\n\n");
    for (size_t i = 0; i < n; i++)
        out_printf(&o, "  %-*s %s\n", NAME_COLUMNS, verbs[i]->name,
                   verbs[i]->summary);
    out_printf(&o, "  %-*s %s\n", NAME_COLUMNS, "help [VERB]",
               "print this text, or the help of a verb");
    out_printf(&o, "  %-*s %s\n", NAME_COLUMNS, "--version",
               "print the version");
    out_text(&o,
             "\nTo begin, run custos demo. For your own data: custos policy "
             "draft, custos policy\ncheck, custos init, custos query.\n\n"
             "Numbers are exact: 0.1 is one tenth, 1/3 one third, 1e-6 a "
             "millionth.\n"
             "Exit codes: 0 done, 1 something failed, 2 wrong options or "
             "input,\n3 the budget does not allow it.\n\nExamples\n\n"
             "  custos demo\n"
             "  custos noise discrete-laplace --scale 10 --draws 5\n"
             "  echo 1834 | custos noise discrete-laplace --epsilon 0.5 "
             "--sensitivity 1 \\\n      --error\n"
             "  custos account compose --mechanism "
             "laplace:epsilon=0.1:count=100\n"
             "  custos risk --epsilon 1 --delta 1e-6 --n 100000\n"
             "  custos help noise\n");
    return out_end(&o);
}
