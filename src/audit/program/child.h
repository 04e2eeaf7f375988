/*
 * A shell command that is run as a child: its input is a file, its output a pipe
 * that is read with a deadline. The input is no pipe, so a program that does not
 * read it, or that writes before it reads, cannot block us or itself.
 *
 * A child has a process group of its own, which child_end kills: nothing that the
 * command started outlives the run. Ctrl-C therefore does not reach it, and a
 * program that is interrupted must call children_end_on_signals before.
 */
#ifndef AUDIT_PROGRAM_CHILD_H
#define AUDIT_PROGRAM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "custos.h"

/* What is visible besides the numbers, as a batch's code. Codes of texts have the
   highest bit set. */
enum child_code {
    CODE_EXIT_MOST = 255, /* 1 ... 255: the exit status */
    CODE_SIGNAL = 256,    /* and the number of the signal that killed it */
    CODE_HANG = 1000,     /* did not end, or said nothing, before the timeout */
    CODE_FLOOD = 1001,    /* printed more than is read */
    CODE_NOTHING = 1002,  /* printed nothing */
};

/* What happens to standard error. */
enum child_errors { CHILD_ERRORS_DROPPED, CHILD_ERRORS_KEPT };

struct child {
    pid_t pid;         /* 0: none */
    int out, err;      /* -1: none, or at its end */
    struct buf text;   /* what was read of its output, */
    struct buf errors; /* and of its standard error */
    size_t taken;      /* of text, by child_line */
    bool at_end;
};

enum child_news { CHILD_MORE, CHILD_CLOSED, CHILD_SLOW, CHILD_FULL };

/* An unnamed file for inputs; -1 and errno on failure. */
int child_file(void);

/* At most `limit` bytes of output, and as many of errors, are kept. */
void child_init(struct child *c, size_t limit);

/* Starts the command with the input from its beginning. Fails with CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status child_start(struct child *c, const char *command,
                                          char *const *environment, int input,
                                          enum child_errors errors,
                                          custos_err *err);

/* Waits for output or errors until the deadline, and reads them. CHILD_CLOSED: the
   output is at its end; child_end reads the errors that are left. */
enum child_news child_read(struct child *c, double deadline);

/*
 * The next line, without its end and followed by a NUL; waits for it until the
 * deadline. The last line needs no end. Valid until the next call. False: `why`
 * says why there is none.
 */
bool
child_line(struct child *c, double deadline, str *line, enum child_news *why);

/* Waits for the end until the deadline, then kills; the code of its status. Does
   nothing if no child runs. */
unsigned child_end(struct child *c, double deadline);

/* From now on SIGINT, SIGTERM and SIGHUP kill all children before they end this
   process. */
void children_end_on_signals(void);

/* Kills the child and frees everything. */
void child_clear(struct child *c);

#endif
