/*
 * An outside program as a target. It is started by /bin/sh with the data set on
 * its standard input, one value a line, and prints outputs, one a line.
 *
 * A program that prints one line is started again for every output: its run time
 * and exit status are part of what is seen. A program that prints several lines
 * is kept running, and each line is an output; the lines must be independent.
 * CUSTOS_AUDIT_OUTPUTS in its environment says how many are wanted.
 */
#ifndef AUDIT_PROGRAM_EXEC_H
#define AUDIT_PROGRAM_EXEC_H

#include "audit/audit.h"

enum exec_lines {
    EXEC_LINE_EACH, /* each line is an output */
    EXEC_LINE_WHOLE /* everything that a run prints is one output */
};

enum exec_time { EXEC_TIME_SEEN, EXEC_TIME_IGNORED };

struct exec_options {
    const char *command;
    double timeout; /* seconds that a run, or the wait for a line, may take */
    enum exec_lines lines;
    enum exec_time time;
};

struct exec;

/*
 * Runs the program on both sides of the first pair, and of the last if that is
 * quick, to learn what it prints. Fails with CUSTOS_EINVAL if it never prints
 * anything; with CUSTOS_EIO or CUSTOS_ENOMEM if it cannot be started.
 */
CUSTOS_MUST_USE custos_status exec_new(const struct exec_options *options,
                                       const struct pair *pairs, size_t n_pairs,
                                       struct exec **out, custos_err *err);
void exec_free(struct exec *exec);

/* Owned by exec. */
const struct audit_target *exec_target(const struct exec *exec);

/* Is the program started again for every output? */
bool exec_starts_again(const struct exec *exec);

#endif
