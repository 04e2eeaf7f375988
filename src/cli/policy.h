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
extern const struct verb policy_verb_migrate;

/*
 * Reads options, prints the help or calls body with an arena. FILES_SOME is one
 * or more files; `needs` is the message if their number is wrong.
 */
enum policy_files { FILES_ONE, FILES_SOME };
int policy_run(const struct verb *verb, int argc, char **argv,
               enum policy_files files, const char *needs,
               int (*body)(arena *a, const struct args *args));

/* The text of a file of at most 1 MiB, in a. CLI_OK, or an exit code after
   printing why not. */
int file_text(arena *a, const char *path, str *out);

/*
 * Writes text to standard output, or to a new file: an existing one may be a
 * policy that the owner has edited. Returns the exit code.
 */
int text_put(const char *path, const char *text, size_t len);

/*
 * Converts the text of a file and writes the result as text_put does. `convert`
 * appends to its buffer; its CUSTOS_EPOLICY is a mistake in the file. Returns
 * the exit code.
 */
int text_convert(arena *a, const char *from, const char *to,
                 custos_status (*convert)(arena *a, str text, const char *path,
                                          struct buf *out, custos_err *err));

#define OUTPUT_HELP                                                            \
    "write to this new file instead of standard output; an\n"                  \
    "existing file is not overwritten"

#endif
