/*
 * The reader of command lines: `--name value`, `--name=value`, words.
 *
 * A value may begin with one dash (a negative number), not with two: then it
 * was forgotten. Everything is checked against the verb's table before the
 * verb sees anything.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>

#include "cli/cli.h"

enum {
    ARGS_OPTIONS_MAX = 32,
    ARGS_WORDS_MAX = 4,
};

struct args {
    const char *given[ARGS_OPTIONS_MAX]; /* NULL: not given; "": a switch */
    const char *words[ARGS_WORDS_MAX];
    size_t n_words;
    bool help; /* --help or -h stood somewhere; the rest is unchecked */
};

/* Returns CLI_OK, or CLI_USAGE after its sentence. Borrows argv. */
int
args_read(const struct verb *verb, int argc, char **argv, struct args *args);

/* The candidate most like text, or NULL when none is much like it. */
const char *nearest(const char *text, const char *const *candidates, size_t n);

#endif
