/*
 * Folders that appear complete or not at all: written beside their place, inside a
 * folder whose name ends in ".partial", synced, renamed.
 */
#ifndef RELEASE_FOLDER_H
#define RELEASE_FOLDER_H

#include <stdbool.h>

#include "custos.h"
#include "store/store.h"

struct folder {
    char path[STORE_PATH_MAX];    /* absolute; where it will appear */
    char partial[STORE_PATH_MAX]; /* where it is written; empty: not begun */
};

/*
 * Finds the place, of which only the last part must not exist yet. May fail:
 * CUSTOS_EINVAL (it exists, or is in the folder `outside`, which may be NULL),
 * CUSTOS_EIO (its parent does not exist).
 */
CUSTOS_MUST_USE custos_status folder_place(const char *path,
                                           const char *outside,
                                           struct folder *out, custos_err *err);

/* Would a path be this folder, or be in it, whether or not either exists? Of a folder
   that is being written, its partial name counts too. */
bool folder_would_be_in(const char *path, const char *folder);

/* Has one of the folders above a path, whether or not it exists, a file of this
   name? */
bool folder_above_has(const char *path, const char *name);

/*
 * Could folder_begin make the folder? Removes what an interrupted run left there, and
 * nothing else. Leaves no trace, where the file system can make files without a name:
 * whoever watches the place does not see when work began. May fail: as folder_begin.
 */
CUSTOS_MUST_USE custos_status folder_try(const struct folder *f,
                                         custos_err *err);

/* Makes the folder at f->partial, where an interrupted run may have left one; nothing
   else is removed. May fail: CUSTOS_EINVAL (something else is there), CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_begin(struct folder *f, custos_err *err);

/* Syncs what was written and puts it in its place. All files and folders get the same
   constant time of change. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_finish(struct folder *f, custos_err *err);

/* Removes what was written but not finished; no-op otherwise. */
void folder_drop(struct folder *f);

/* Removes what interrupted runs have left in a folder, all of whose runs have ended;
   nothing else. */
void folder_sweep(const char *path);

/* Copies files and folders from one folder into another, which exists; the copies
   get the rights that new files usually have. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status folder_copy(const char *from, const char *to,
                                          custos_err *err);

#endif
