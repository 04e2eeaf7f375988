/*
 * The marks that a process leaves when it crashes while it works on charged
 * questions: their row numbers, one a line, in the store's file `crashes`. The
 * next charge in the store turns these marks into failures (tripwire.h). A mark
 * that became a failure is called taken up, and is overwritten with newlines;
 * the file never shrinks.
 */
#ifndef CURATOR_CRASH_H
#define CURATOR_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Opens the file, creating it if need be, and installs the signal handlers.
   Returns its descriptor, which the caller closes when no work is left, or one
   of these. */
enum { CRASH_NO_FILE = -1, CRASH_READ_ONLY = -2 };
int crash_open(const char *path);

/* Claims a slot for this thread's work, before the charge; -1: all slots are
   taken, and nothing may be charged. */
int crash_claim(void);

/* The work on the question with this row begins. */
void crash_begin(int work, int file, uint64_t seq);

/* It has ended, or was never begun. */
void crash_end(int work);

/* Bytes of all marks ever written, including those taken up; UINT64_MAX if stat
   fails. */
uint64_t crash_size(int file);

/* One line of the file. Not readable: it is cut off, or not a number. */
struct crash_mark {
    size_t at, len; /* position in the file, without the newline */
    uint64_t seq;
    bool readable;
    bool taken_up; /* set by the caller: crash_forget erases it */
};

struct crash_marks {
    struct crash_mark *list;
    size_t n;
    uint64_t size; /* crash_size when it was read */
};

/*
 * Reads the marks not yet taken up (allocated in `a`), and locks the file
 * against other processes until crash_forget. May fail: CUSTOS_EIO,
 * CUSTOS_ENOMEM; then the file is not locked.
 */
CUSTOS_MUST_USE custos_status crash_read(int file, arena *a,
                                         struct crash_marks *out,
                                         custos_err *err);

/*
 * Erases the marks that were taken up, and unlocks the file. It overwrites them
 * in place, because a handler may append at any moment without the lock, and a
 * mark written after crash_read must not be lost. May fail: CUSTOS_EIO; then
 * the marks are taken up again later.
 */
CUSTOS_MUST_USE custos_status crash_forget(int file,
                                           const struct crash_marks *marks,
                                           custos_err *err);

#endif
