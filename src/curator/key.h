/*
 * The key under which an answer is stored: a hash of the whole question. Two
 * questions have the same key if and only if they are equal (except for
 * collisions of SHA-256).
 */
#ifndef CURATOR_KEY_H
#define CURATOR_KEY_H

#include "base/sha256.h"
#include "curator/curator.h"

/* The key for this analyst alone, and one without a name for answers that all
   may share. */
struct answer_keys {
    uint8_t own[SHA256_BYTES], shared[SHA256_BYTES];
};

/* May fail: CUSTOS_EOVERFLOW, for a text that is too long. */
CUSTOS_MUST_USE custos_status answer_keys_make(
    const struct curator *c, const struct ask *ask, const struct query *q,
    const struct plan *p, struct answer_keys *out, custos_err *err);

#endif
