/*
 * Files that survive a power cut: whole or not at all, owner-only whatever the
 * umask says.
 */
#ifndef STORE_FILE_H
#define STORE_FILE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

enum { FILE_MODE = 0600, FOLDER_MODE = 0700 };

/*
 * Puts text in path: written beside it as path.new, synced, renamed, the
 * folder synced. May fail: CUSTOS_EIO; path is then as it was.
 */
CUSTOS_MUST_USE custos_status file_write(const char *path, str text,
                                         custos_err *err);

/*
 * The whole of a file of at most `most` bytes, in a. May fail: CUSTOS_ENAME
 * (no such file), CUSTOS_EIO, CUSTOS_ECORRUPT (longer), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status file_read(const char *path, size_t most, arena *a,
                                        str *out, custos_err *err);

/* At most room bytes into into; *n becomes how many. The same failures. */
CUSTOS_MUST_USE custos_status file_read_into(const char *path, char *into,
                                             size_t room, size_t *n,
                                             custos_err *err);

/* A copy in a file that is not there yet, synced. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status file_copy(const char *from, const char *to,
                                        custos_err *err);

/* A new folder; it must not be there. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_new(const char *path, custos_err *err);

/* What was done to a file or to the names in a folder is on the disk. */
CUSTOS_MUST_USE custos_status file_sync(const char *path, custos_err *err);
CUSTOS_MUST_USE custos_status folder_sync_above(const char *path,
                                                custos_err *err);

/* Removes a file, or a folder with all in it, as far as it goes. */
void tree_remove(const char *path);

#endif
