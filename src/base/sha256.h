/*
 * SHA-256 (libsodium's): names policies, chains the ledger and ranks rows.
 * Pieces may be added one by one; only their concatenation counts, so a caller
 * that hashes several fields must hash their lengths too.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

struct sha256 {
    alignas(8) unsigned char state[104];
};

/* These functions cannot fail. sha256_end wipes the state. */
void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *bytes, size_t len);
void sha256_end(struct sha256 *h, uint8_t out[SHA256_BYTES]);

/* Hashes all bytes in one call. */
void sha256_of(const void *bytes, size_t len, uint8_t out[SHA256_BYTES]);

#endif
