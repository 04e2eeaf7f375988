/*
 * The parser of command lines: `--name value`, `--name=value`, `-f` for `--file`,
 * and words without dashes.
 *
 * A value may begin with one dash (a negative number); two dashes mean that the
 * value was forgotten. Everything is checked against the verb's table before
 * any of it is used. An option whose value is called "NAME..." may be repeated;
 * a verb has at most one of these.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>

#include "base/nearest.h"
#include "cli/cli.h"

enum {
    ARGS_OPTIONS_MAX = 64,
    ARGS_WORDS_MAX = 256,
    ARGS_MANY_MAX = 1024,
};

struct args {
    const char *given[ARGS_OPTIONS_MAX]; /* NULL: not given; "": a switch */
    const char *words[ARGS_WORDS_MAX];
    size_t n_words;
    const char *many[ARGS_MANY_MAX]; /* values of the repeatable option */
    size_t n_many;
    bool help; /* --help or -h was given; nothing else was checked */
};

/* Returns CLI_OK, or CLI_USAGE after printing why. Borrows argv. */
int
args_read(const struct verb *verb, int argc, char **argv, struct args *args);

/* The same for a verb that takes options only: words are an error. */
int args_read_options(const struct verb *verb, int argc, char **argv,
                      struct args *args);

#endif
