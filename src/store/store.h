/*
 * The store: a folder that only its owner can read (mode 0700, files 0600).
 *
 *     format         "custos store 1"
 *     policy/N.yaml  policies as they were read; `current` names the one in force
 *     secret         32 bytes: the salt of ranks; never leaves the store
 *     ledger.db      outlives every data version
 *     lock           held while charging or checkpointing the ledger
 *     import         held while importing; charges need only `lock` and go on
 *     current        "D P": the data version and the policy in force
 *     data/N.duckdb  immutable, opened read-only by any number of processes
 *     tmp/           spill files and unfinished versions
 *     releases/ID/   releases that were paid for (release/release.h)
 *     reports/ID/    how near releases came to the data: NOT PRIVATE
 *     speed          the speed of this machine (engine/speed.h); may be missing
 *     rows           bounds of row counts (curator/reply.h); may be missing
 *     crashes        marks of crashed processes (curator/crash.h); may be missing
 *     owner.sock     the owner's socket (curator/owner.h), while a server runs
 *
 * A new version is written in tmp/, synced and renamed into data/. It comes into
 * force, together with the policy it was imported under, when `current` is
 * replaced by rename. Both are numbered by counters, never named by content.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

enum { STORE_FORMAT = 1, STORE_SECRET_BYTES = 32, STORE_PATH_MAX = 4096 };

struct store {
    char path[STORE_PATH_MAX]; /* absolute */
    uint64_t version; /* data version in force when last read or set; 0: none */
    uint64_t policy;  /* policy in force at that time */
    uint8_t secret[STORE_SECRET_BYTES];
    int import; /* descriptor of the import lock; -1: not held */
};

/*
 * Creates an empty store in a folder that does not exist or is empty,
 * completely or not at all. May fail: CUSTOS_EIO, CUSTOS_EINVAL (something else
 * is there, or the path is too long), CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status store_create(const char *path, str policy,
                                           custos_err *err);

/* Whether this process created the store that it has open, and what was there
   before. */
enum store_made {
    STORE_WAS_THERE,
    STORE_MADE,           /* created; nothing was there */
    STORE_MADE_IN_FOLDER, /* created in an empty folder */
};

/*
 * Removes a store that this process created and that never had data. No-op for
 * any other store, and while another process imports into it. Afterwards s can
 * only be closed. Cannot fail: what cannot be removed stays.
 */
void store_unmake(struct store *s, enum store_made made);

/*
 * Opens a store. May fail: CUSTOS_ENAME (there is none), CUSTOS_EIO,
 * CUSTOS_ECORRUPT, CUSTOS_EUNSUPPORTED (a newer format), CUSTOS_EDENIED
 * (other users have rights to it, or it belongs to another user), CUSTOS_EINVAL
 * (the path is too long).
 */
CUSTOS_MUST_USE custos_status store_open(const char *path, struct store *out,
                                         custos_err *err);

/* Releases the import lock and wipes the secret. */
void store_close(struct store *s);

/* Writes "DIR/name" to out (STORE_PATH_MAX bytes). */
void store_path(const struct store *s, const char *name, char *out);

/* Reads `current` again, into s->version and s->policy. */
CUSTOS_MUST_USE custos_status store_refresh(struct store *s, custos_err *err);

/* Reads the policy in force; *out is allocated in `a`. */
CUSTOS_MUST_USE custos_status store_policy(const struct store *s, arena *a,
                                           str *out, custos_err *err);

/*
 * Puts a policy and a data version in force, durably and in one step: data made
 * under one policy is meaningless under another. After a failure the old ones
 * are still in force; if only the last sync failed, the new ones may be.
 */
CUSTOS_MUST_USE custos_status store_commit(struct store *s, str policy,
                                           uint64_t version, custos_err *err);

/*
 * Takes the import lock without waiting; it is held until the version is in
 * force or the store is closed. Removes what earlier imports left behind:
 * unfinished versions, versions that were never in force, those older than the
 * one in force, and spill files of processes that have ended. May fail:
 * CUSTOS_EBUSY (another import runs), CUSTOS_EIO, and as store_refresh does.
 */
CUSTOS_MUST_USE custos_status store_import_begin(struct store *s,
                                                 custos_err *err);
void store_import_end(struct store *s);

/*
 * Removes what store_import_begin removes, and counts the bytes freed. Fails
 * like store_import_begin.
 */
struct store_freed {
    uint64_t data_bytes, tmp_bytes;
};
CUSTOS_MUST_USE custos_status store_vacuum(struct store *s,
                                           struct store_freed *out,
                                           custos_err *err);

/* The path in tmp/ where the next version is to be written. */
void store_import_path(const struct store *s, char *out);

/* Syncs that file and renames it into data/; *version becomes its number. */
CUSTOS_MUST_USE custos_status store_import_keep(struct store *s,
                                                uint64_t *version,
                                                custos_err *err);

/* The path of a version's data. */
void store_data_path(const struct store *s, uint64_t version, char *out);

/*
 * Lists, in `a` and ordered by number, the versions that have files: the one in
 * force, older ones until they are removed, and those that a running or
 * interrupted import has written.
 */
struct store_version {
    uint64_t number;
    int64_t time; /* when its file was written: microseconds since 1970 */
};
CUSTOS_MUST_USE custos_status store_versions(const struct store *s, arena *a,
                                             struct store_version **out,
                                             size_t *n, custos_err *err);

/* Is the store on a read-only file system? It can still be read then. */
bool store_is_read_only(const struct store *s);

/*
 * Creates a folder below tmp/ for the spill files of one process. Other processes
 * remove it only after *held is closed. May fail: CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status store_spill_new(const struct store *s, char *out,
                                              int *held, custos_err *err);
void store_spill_free(const char *path, int held);

/*
 * Copies the store to a new folder, completely or not at all; the copy is a
 * store. `ledger` writes the copy of the ledger to the path it is given, so
 * that no backup lacks one.
 */
typedef custos_status (*store_ledger_copy)(void *ctx, const char *path,
                                           custos_err *err);
CUSTOS_MUST_USE custos_status store_backup(const struct store *s,
                                           const char *to,
                                           store_ledger_copy ledger, void *ctx,
                                           custos_err *err);

#endif
