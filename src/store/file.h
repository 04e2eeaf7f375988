/*
 * Reads files, and writes files that survive a power cut and that only their
 * owner can read, whatever the umask.
 */
#ifndef STORE_FILE_H
#define STORE_FILE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

enum { FILE_MODE = 0600, FOLDER_MODE = 0700 };

/*
 * Writes text to path: first to path.new, which is synced and renamed; then the
 * folder is synced. May fail: CUSTOS_EIO, CUSTOS_EINVAL (the path is too long).
 * After a failure or a power cut, path has the old content or all of the new.
 */
CUSTOS_MUST_USE custos_status file_write(const char *path, str text,
                                         custos_err *err);

/*
 * Reads a file of at most `most` bytes; *out is allocated in `a`. May fail:
 * CUSTOS_ENAME (no such file), CUSTOS_EIO, CUSTOS_ECORRUPT (the file is
 * longer), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status file_read(const char *path, size_t most, arena *a,
                                        str *out, custos_err *err);

/* Reads a file of at most `room` bytes; sets *n to its length. Fails like
   file_read. */
CUSTOS_MUST_USE custos_status file_read_into(const char *path, char *into,
                                             size_t room, size_t *n,
                                             custos_err *err);

/* Copies to a new file, synced. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status file_copy(const char *from, const char *to,
                                        custos_err *err);

/* Creates a folder that does not exist yet. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_new(const char *path, custos_err *err);

/* file_sync syncs a file; folder_sync_above syncs the folder that contains path. */
CUSTOS_MUST_USE custos_status file_sync(const char *path, custos_err *err);
CUSTOS_MUST_USE custos_status folder_sync_above(const char *path,
                                                custos_err *err);

/* Removes a file, or a folder with everything in it, as far as possible. */
void tree_remove(const char *path);

#endif
