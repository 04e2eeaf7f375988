/*
 * The store: a folder of the owner's (mode 0700, files 0600).
 *
 *     format         "custos store 1"
 *     policy/N.yaml  policies as they were read; the last is in force
 *     secret         32 bytes: the salt of ranks; never leaves the store
 *     ledger.db      outlives every data version
 *     lock           held by whoever charges or checkpoints
 *     import         held by whoever imports, so that queries go on meanwhile
 *     current        "D P": the data version and the policy in force
 *     data/N.duckdb  immutable, opened read-only by any number of processes
 *     tmp/           spill files and half-made versions
 *     speed          how fast this machine is (engine/speed.h); may be missing
 *     rows           bounds of rows (curator/reply.h); may be missing
 *
 * A new version is written in tmp/, synced, renamed into data/, and counts
 * from the moment `current` is replaced by rename; with it, in the same step,
 * the policy it was made under. Both are numbered by counters, never named by
 * content.
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
    uint64_t version; /* of the data in force when opened or set; 0: none */
    uint64_t policy;  /* the same of the policy */
    uint8_t secret[STORE_SECRET_BYTES];
    int import; /* descriptor of the lock of imports; -1: not held */
};

/*
 * Makes an empty store in a folder that is not there yet or is empty: all of
 * it or nothing. May fail: CUSTOS_EIO, CUSTOS_EINVAL (something else is
 * there), CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status store_create(const char *path, str policy,
                                           custos_err *err);

/* Who made a store that is open, and what was there before. */
enum store_made {
    STORE_WAS_THERE,
    STORE_MADE,           /* by this process; nothing was there */
    STORE_MADE_IN_FOLDER, /* by this process, in an empty folder */
};

/*
 * Removes a store that this process made and that never had data, so that all is
 * as it was before. No-op for any other store, and while another process imports
 * into it: then it is that one's. s can only be closed then. Cannot fail: what
 * cannot be removed stays.
 */
void store_unmake(struct store *s, enum store_made made);

/*
 * Opens it. May fail: CUSTOS_ENAME (no store there), CUSTOS_EIO,
 * CUSTOS_ECORRUPT, CUSTOS_EUNSUPPORTED (a newer format), CUSTOS_EDENIED
 * (others than the owner may read it).
 */
CUSTOS_MUST_USE custos_status store_open(const char *path, struct store *out,
                                         custos_err *err);

/* Lets go of the lock of imports and wipes the secret. */
void store_close(struct store *s);

/* "DIR/name" into out (STORE_PATH_MAX). */
void store_path(const struct store *s, const char *name, char *out);

/* Reads `current` again: s->version and s->policy are what is in force now. */
CUSTOS_MUST_USE custos_status store_refresh(struct store *s, custos_err *err);

/* The policy in force, into a. */
CUSTOS_MUST_USE custos_status store_policy(const struct store *s, arena *a,
                                           str *out, custos_err *err);

/*
 * Puts a policy and a data version in force, durably and in one step: data made
 * under one policy means nothing under another. A failure leaves what was in
 * force.
 */
CUSTOS_MUST_USE custos_status store_commit(struct store *s, str policy,
                                           uint64_t version, custos_err *err);

/*
 * The lock of imports, taken at once or not at all; held until the version is
 * in force or the store is closed. With it, what earlier imports left behind
 * is removed: half-made versions, versions that never came into force, those
 * before the one in force, spill files of processes that are gone. May fail:
 * CUSTOS_EBUSY (another import runs), CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status store_import_begin(struct store *s,
                                                 custos_err *err);
void store_import_end(struct store *s);

/*
 * Removes what store_import_begin removes, and says how much of the disk that
 * was. May fail as it does.
 */
struct store_freed {
    uint64_t data_bytes, tmp_bytes;
};
CUSTOS_MUST_USE custos_status store_vacuum(struct store *s,
                                           struct store_freed *out,
                                           custos_err *err);

/* The number of the next version, and where it is to be made. */
void store_import_path(const struct store *s, char *out);

/* Syncs the file made there and puts it among the versions. */
CUSTOS_MUST_USE custos_status store_import_keep(struct store *s,
                                                uint64_t *version,
                                                custos_err *err);

/* Where version N lies. */
void store_data_path(const struct store *s, uint64_t version, char *out);

/*
 * The versions whose files are there, by number, in a: the one in force, and
 * what an import that runs or was broken off has left.
 */
struct store_version {
    uint64_t number;
    int64_t time; /* when its file was written: microseconds since 1970 */
};
CUSTOS_MUST_USE custos_status store_versions(const struct store *s, arena *a,
                                             struct store_version **out,
                                             size_t *n, custos_err *err);

/* Does it lie on a disk that cannot be written? Then it can be read. */
bool store_is_read_only(const struct store *s);

/*
 * A folder below tmp/ for the spill files of one process: emptied by others
 * only once *held is closed. May fail: CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status store_spill_new(const struct store *s, char *out,
                                              int *held, custos_err *err);
void store_spill_free(const char *path, int held);

/*
 * A copy of the store in a new folder, all of it or nothing; opening the copy
 * is restoring it. ledger writes the copy of the ledger to the path it gets,
 * so that no backup exists without one.
 */
typedef custos_status (*store_ledger_copy)(void *ctx, const char *path,
                                           custos_err *err);
CUSTOS_MUST_USE custos_status store_backup(const struct store *s,
                                           const char *to,
                                           store_ledger_copy ledger, void *ctx,
                                           custos_err *err);

#endif
