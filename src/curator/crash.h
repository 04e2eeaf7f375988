/*
 * What a process leaves behind when it dies of its own fault while it works on
 * charged questions: their rows, in the store's file `crashes`. The next charge
 * of the store turns them into failures (tripwire.h).
 */
#ifndef CURATOR_CRASH_H
#define CURATOR_CRASH_H

#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Opens the file, making it if need be, and watches from here on; or one of
   these. The caller closes it, when no work is left. */
enum { CRASH_NO_FILE = -1, CRASH_READ_ONLY = -2 };
int crash_open(const char *path);

/* The work of the question with this row begins, in this thread; -1: too many
   are at work, and nothing was begun. */
int crash_begin(int file, uint64_t seq);
void crash_end(int work);

/* Is there a mark? */
bool crash_is_marked(int file);

/*
 * The rows that were at work, in a, and the file locked against other processes
 * until crash_forget. May fail: CUSTOS_EIO, CUSTOS_ENOMEM; then not locked.
 */
CUSTOS_MUST_USE custos_status crash_read(int file, arena *a, uint64_t **seqs,
                                         size_t *n, custos_err *err);

enum crash_marks { CRASH_KEEP, CRASH_EMPTY };
void crash_forget(int file, enum crash_marks marks);

#endif
