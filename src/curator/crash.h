/*
 * What a process leaves behind when it crashes while it works on charged
 * questions: their rows, in the store's file `crashes`, one a line. The next
 * charge of the store turns these marks into failures (tripwire.h). The file only
 * grows until the owner resumes; a mark that was taken up becomes an empty line.
 */
#ifndef CURATOR_CRASH_H
#define CURATOR_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* Opens the file, creating it if need be, and installs the signal handlers; or
   one of these. The caller closes it, when no work is left. */
enum { CRASH_NO_FILE = -1, CRASH_READ_ONLY = -2 };
int crash_open(const char *path);

/* A slot for work of this thread, claimed before the charge; -1: all are taken,
   and nothing may be charged. */
int crash_claim(void);

/* The work of the question with this row begins. */
void crash_begin(int work, int file, uint64_t seq);

/* It has ended, or was never begun. */
void crash_end(int work);

/* Bytes of all marks ever written, those taken up included; UINT64_MAX where the
   file cannot be examined. */
uint64_t crash_size(int file);

/* One line of the file. Unreadable: it is cut off, or not a number. */
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
 * Erases the marks that were taken up, in place, since a handler may append at
 * any moment without a lock: a mark written after the reading is never lost. May
 * fail: CUSTOS_EIO; then they are taken up again.
 */
CUSTOS_MUST_USE custos_status crash_forget(int file,
                                           const struct crash_marks *marks,
                                           custos_err *err);

#endif
