/*
 * The store's lock file, and what else of files the ledger needs besides
 * SQLite: a durable name.
 */
#ifndef LEDGER_LOCK_H
#define LEDGER_LOCK_H

#include <stdbool.h>

#include "custos.h"

/*
 * Opens (and makes) the lock file; *read_only: on a disk that cannot be
 * written. May fail: CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status lock_open(const char *path, int *fd,
                                        bool *read_only, custos_err *err);

/* Waits a bounded time. May fail: CUSTOS_EBUSY, CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status lock_take(int fd, custos_err *err);
void lock_drop(int fd);

/* An empty file of the owner's that was not there. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status file_make(const char *path, custos_err *err);

/* Makes the name durable. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_sync(const char *path_in_it,
                                          custos_err *err);

#endif
