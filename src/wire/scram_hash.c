/*
 * libsodium's HMAC and base64.
 */
#include "wire/scram_hash.h"

#include <sodium.h>

#include "base/base.h"

enum { BASE64_BYTES_MAX = 2048 };

void
scram_hmac(const uint8_t key[SHA256_BYTES], str text, uint8_t out[SHA256_BYTES])
{
    crypto_auth_hmacsha256(out, (const unsigned char *)text.ptr, text.len, key);
}

bool
scram_base64(str text, uint8_t *out, size_t room, size_t *len)
{
    return sodium_base642bin(out, room, text.ptr, text.len, NULL, len, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0;
}

void
scram_add_base64(struct buf *out, const uint8_t *bytes, size_t len)
{
    char text[4 * ((BASE64_BYTES_MAX + 2) / 3) + 1];

    CUSTOS_REQUIRE(len <= BASE64_BYTES_MAX);
    sodium_bin2base64(text, sizeof text, bytes, len,
                      sodium_base64_VARIANT_ORIGINAL);
    buf_add_text(out, text);
    wipe(text, sizeof text);
}
