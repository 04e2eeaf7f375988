/*
 * Files of the user: a picture or a report that a verb writes, an input that it
 * reads. (store/file.h has those of a store.)
 */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "base/str.h"

/*
 * Writes the file in one step: under another name, then by a rename. Returns
 * CLI_OK, or an exit code after printing why; `option` names the option that
 * gave the path.
 */
int save_file(const char *option, const char *path, str text);

/* Can it be written? For verbs that work long before they write; path may be
   NULL. Returns as save_file. */
int save_check(const char *option, const char *path);

/*
 * Reads a file, or a pipe, of at most `limit` bytes into *text, which the caller
 * clears. Returns as save_file; *text needs no clearing after a failure.
 */
int
load_file(const char *option, const char *path, size_t limit, struct buf *text);

#endif
