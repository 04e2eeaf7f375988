/*
 * Shared by both files of SCRAM: HMAC-SHA-256 and base64, by libsodium.
 */
#ifndef WIRE_SCRAM_HASH_H
#define WIRE_SCRAM_HASH_H

#include <stdint.h>

#include "base/sha256.h"
#include "base/str.h"

void scram_hmac(const uint8_t key[SHA256_BYTES], str text,
                uint8_t out[SHA256_BYTES]);

/* Decodes base64 with padding; false if the text is anything else. */
bool scram_base64(str text, uint8_t *out, size_t room, size_t *len);

/* Needs len <= 2048. */
void scram_add_base64(struct buf *out, const uint8_t *bytes, size_t len);

#endif
