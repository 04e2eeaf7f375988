/*
 * The store's lock file, and the file operations that the ledger needs besides
 * SQLite.
 */
#ifndef LEDGER_LOCK_H
#define LEDGER_LOCK_H

#include <stdbool.h>

#include "custos.h"

/*
 * Opens the lock file, and creates it if need be. *read_only: whether the disk
 * is read-only. May fail: CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status lock_open(const char *path, int *fd,
                                        bool *read_only, custos_err *err);

/* Waits a bounded time. May fail: CUSTOS_EBUSY, CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status lock_take(int fd, custos_err *err);
void lock_drop(int fd);

/* Creates an empty file that only its owner can read. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status file_make(const char *path, custos_err *err);

/* Syncs the folder that contains the path. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_sync(const char *path_in_it,
                                          custos_err *err);

#endif
