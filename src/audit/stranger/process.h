/*
 * Child processes of an audit, and the temporary folder in which they work.
 *
 * Nothing is left behind, however the audit ends. Every child gets SIGTERM when
 * the thread that started it ends, so only a thread that outlives them may start
 * any. Each folder has a keeper: a process that waits until the audit closes a
 * pipe or is gone, and then removes the folder.
 */
#ifndef AUDIT_STRANGER_PROCESS_H
#define AUDIT_STRANGER_PROCESS_H

#include <sys/types.h>

#include "base/str.h"
#include "custos.h"

enum { FOLDER_PATH_MAX = 512 };

struct folder {
    char path[FOLDER_PATH_MAX];
    int hold; /* the end of the pipe that the keeper watches */
    pid_t keeper;
};

/* Creates a folder of mode 0700 in $TMPDIR, or in /tmp, whose name begins with
   `name`, a short one. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_make(const char *name, struct folder *out,
                                          custos_err *err);

/* Removes it with everything in it. No-op if it was not made. */
void folder_remove(struct folder *folder);

/* Writes a file of mode 0600 in the folder. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_write(const struct folder *folder,
                                           const char *name, str text,
                                           custos_err *err);

/*
 * Starts a program with nothing on its standard input, no standard output, and
 * its standard error appended to `log`. `words` ends with NULL. May fail:
 * CUSTOS_EIO; a program that cannot be run exits with status 127.
 */
CUSTOS_MUST_USE custos_status stranger_spawn(const char *program,
                                             const char *const *words,
                                             const char *log, pid_t *out,
                                             custos_err *err);

/*
 * Runs a program to its end, with `input` (at most a pipe's capacity, 4096
 * bytes) on its standard input. May fail: CUSTOS_EIO, and CUSTOS_EINVAL if it
 * does not exit with 0; the message then has the first line of the log.
 */
CUSTOS_MUST_USE custos_status stranger_run(const char *program,
                                           const char *const *words, str input,
                                           const char *log, custos_err *err);

/*
 * The same with files as its standard input and output; `log` is of this run
 * alone. Fails as stranger_run does.
 */
CUSTOS_MUST_USE custos_status stranger_run_files(
    const char *program, const char *const *words, const char *input,
    const char *output, const char *log, custos_err *err);

/* Has it ended? Then it need not be stopped. */
bool stranger_has_ended(pid_t pid);

/* SIGTERM, and SIGKILL after ten seconds. No-op for 0. */
void stranger_end(pid_t pid);

/* Reads the beginning of a log into text, NUL-terminated; "" if there is none. */
void log_read(const char *log, char *text, size_t room);

#endif
