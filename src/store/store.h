/*
 * The store: a folder of the owner's (mode 0700, files 0600).
 *
 *     format        "custos store 1"
 *     policy.yaml   the policy in force, as it was read
 *     secret        32 bytes: the salt of ranks; never leaves the store
 *     ledger.db     outlives every data version
 *     lock          held by whoever charges, checkpoints or imports
 *     current       the number of the data version in force
 *     data/N.duckdb immutable, opened read-only by any number of processes
 *     tmp/          spill files and half-made versions; emptied at start
 *
 * A new version is written in tmp/, synced, renamed into data/, and counts
 * from the moment `current` is replaced by rename. Versions are numbered by a
 * counter, never named by content.
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
    uint64_t version;          /* of the data in force when opened; 0: none */
    uint8_t secret[STORE_SECRET_BYTES];
    int lock; /* file descriptor */
};

/*
 * Makes an empty store in a folder that is not there yet or is empty: all of
 * it or nothing. May fail: CUSTOS_EIO, CUSTOS_EINVAL (something else is
 * there), CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status store_create(const char *path, str policy,
                                           custos_err *err);

/*
 * Opens it. May fail: CUSTOS_ENAME (no store there), CUSTOS_EIO,
 * CUSTOS_ECORRUPT, CUSTOS_EUNSUPPORTED (a newer format), CUSTOS_EDENIED
 * (others than the owner may read it).
 */
CUSTOS_MUST_USE custos_status store_open(const char *path, struct store *out,
                                         custos_err *err);
void store_close(struct store *s);

/* "DIR/name" into out (STORE_PATH_MAX). */
void store_path(const struct store *s, const char *name, char *out);

/* The policy in force, into a. */
CUSTOS_MUST_USE custos_status store_policy(const struct store *s, arena *a,
                                           str *out, custos_err *err);

/* Replaces the policy and the data version in one step each, durably. */
CUSTOS_MUST_USE custos_status store_policy_set(struct store *s, str policy,
                                               custos_err *err);
CUSTOS_MUST_USE custos_status store_version_set(struct store *s,
                                                uint64_t version,
                                                custos_err *err);

/* The whole-store lock; waits up to wait_ms. May fail: CUSTOS_EBUSY. */
CUSTOS_MUST_USE custos_status store_lock(struct store *s, int wait_ms,
                                         custos_err *err);
void store_unlock(struct store *s);

#endif
