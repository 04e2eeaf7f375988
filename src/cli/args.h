/*
 * The reader of command lines: `--name value`, `--name=value`, words.
 *
 * A value may begin with one dash (a negative number), not with two: then it
 * was forgotten. Everything is checked against the verb's table before the
 * verb sees anything. An option whose value is called "NAME..." may be given
 * again; a verb has at most one such.
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
    const char *many[ARGS_MANY_MAX]; /* of the option that may be repeated */
    size_t n_many;
    bool help; /* --help or -h stood somewhere; the rest is unchecked */
};

/* Returns CLI_OK, or CLI_USAGE after its sentence. Borrows argv. */
int
args_read(const struct verb *verb, int argc, char **argv, struct args *args);

#endif
