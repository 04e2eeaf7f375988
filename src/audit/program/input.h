/*
 * Data sets as files that a program can read: one value a line, with all its
 * digits. Keeps those that were used last.
 */
#ifndef AUDIT_PROGRAM_INPUT_H
#define AUDIT_PROGRAM_INPUT_H

#include "audit/audit.h"

enum { INPUTS = 8 };

struct input {
    int fd;        /* -1: none */
    double *value; /* what the file says */
    size_t n;
    uint64_t used; /* when, by inputs.now */
};

struct inputs {
    struct input file[INPUTS];
    uint64_t now;
};

void inputs_init(struct inputs *in);
void inputs_clear(struct inputs *in);

/*
 * Finds the file of a data set; if there is none, writes it in place of the one
 * that was not used for longest (is_new). May fail: CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status inputs_find(struct inputs *in,
                                          const struct data *data, size_t *slot,
                                          bool *is_new, custos_err *err);

#endif
