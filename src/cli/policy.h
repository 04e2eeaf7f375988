/*
 * What the verbs of `custos policy` share.
 */
#ifndef CLI_POLICY_H
#define CLI_POLICY_H

#include "base/arena.h"
#include "base/str.h"
#include "cli/args.h"
#include "cli/cli.h"

enum { POLICY_ARENA = 1 << 27 };

extern const struct verb policy_verb_draft;
extern const struct verb policy_verb_check;
extern const struct verb policy_verb_import;

/*
 * What all of them do: options, help, memory. needs: the sentence when there
 * are not so many words; FILES_SOME is one or more.
 */
enum policy_files { FILES_ONE, FILES_SOME };
int policy_run(const struct verb *verb, int argc, char **argv,
               enum policy_files files, const char *needs,
               int (*body)(arena *a, const struct args *args));

/* The text of a file of at most 1 MiB, in a. An exit code after a failure. */
int file_text(arena *a, const char *path, str *out);

/*
 * Writes text to standard output, or to a file that is not there yet: what an
 * owner has answered is not overwritten. Exit code.
 */
int text_put(const char *path, const char *text, size_t len);

#define OUTPUT_HELP                                                            \
    "write it there instead of to standard output; a file that\n"              \
    "exists is left alone"

#endif
