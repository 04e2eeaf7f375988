/*
 * What a process leaves behind when it dies of its own fault while it works on
 * charged questions: their rows, in the store's file `crashes`, one a line. The
 * next charge of the store turns them into failures (tripwire.h). The file only
 * grows until the owner resumes; a mark that was taken up is an empty line.
 */
#ifndef CURATOR_CRASH_H
#define CURATOR_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Opens the file, making it if need be, and watches from here on; or one of
   these. The caller closes it, when no work is left. */
enum { CRASH_NO_FILE = -1, CRASH_READ_ONLY = -2 };
int crash_open(const char *path);

/* A place for work of this thread's, to be had before the charge; -1: all are
   taken, and nothing may be charged. */
int crash_claim(void);

/* The work of the question with this row begins. */
void crash_begin(int work, int file, uint64_t seq);

/* It has ended, or was never begun. */
void crash_end(int work);

/* Bytes of marks that were ever written, those that were taken up included;
   UINT64_MAX where that cannot be seen. */
uint64_t crash_size(int file);

/* One line of the file. Unreadable: it is cut off, or no number. */
struct crash_mark {
    size_t at, len; /* bytes of the file, without the end of the line */
    uint64_t seq;
    bool readable;
    bool taken_up; /* the caller's: crash_forget is to erase it */
};

struct crash_marks {
    struct crash_mark *list;
    size_t n;
    uint64_t size; /* crash_size, as it was read */
};

/*
 * The marks that were not taken up yet, in a, and the file locked against other
 * processes until crash_forget. May fail: CUSTOS_EIO, CUSTOS_ENOMEM; then not
 * locked.
 */
CUSTOS_MUST_USE custos_status crash_read(int file, arena *a,
                                         struct crash_marks *out,
                                         custos_err *err);

/*
 * Erases what was taken up, in place, since a handler may append at any moment
 * without a lock: a mark that comes after the reading is never lost. May fail:
 * CUSTOS_EIO; then they are taken up again.
 */
CUSTOS_MUST_USE custos_status crash_forget(int file,
                                           const struct crash_marks *marks,
                                           custos_err *err);

#endif
