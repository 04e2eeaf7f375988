/*
 * Shared by the files of an outside program: its state, and a run of it.
 */
#ifndef AUDIT_PROGRAM_EXEC_INSIDE_H
#define AUDIT_PROGRAM_EXEC_INSIDE_H

#include <pthread.h>

#include "audit/program/child.h"
#include "audit/program/exec.h"
#include "audit/program/input.h"

/* How many outputs a program is asked for. */
#define EXEC_VARIABLE "CUSTOS_AUDIT_OUTPUTS"

struct exec {
    struct audit_target target;
    char *command;
    char **environment; /* environ, and how many outputs are wanted */
    char wanted[40];
    double timeout;
    enum exec_lines lines;
    bool kept_running;
    pthread_mutex_t lock; /* guards idle */
    struct exec_state *idle;
};

/* Of a thread: the data sets that it used last, each with a program that may be
   running on it. Those that wait for us to read cost no time. */
struct exec_state {
    struct exec *exec;
    struct exec_state *next; /* in the list of the idle */
    struct inputs inputs;
    struct child child[INPUTS];
};

/* The state of a thread; as `open` of a target. */
CUSTOS_MUST_USE custos_status exec_open(const struct audit_target *target,
                                        void **state, custos_err *err);
void exec_state_free(struct exec_state *state);

/* Starts the program and reads until it ends; the status as a code. Fails as
   child_start does. */
CUSTOS_MUST_USE custos_status exec_run_once(const struct exec *e,
                                            struct child *c, int input,
                                            unsigned *status, double *seconds,
                                            custos_err *err);

/* Blanks for the ends of lines: all numbers of a run are one output. */
void exec_join_lines(struct buf *text);

/*
 * Runs it on the first pair, and on the last if that is quick; sets the width of
 * the target and kept_running. Fails as exec_new does.
 */
CUSTOS_MUST_USE custos_status exec_probe(struct exec *e,
                                         const struct pair *pairs, size_t n,
                                         custos_err *err);

#endif
