/*
 * Calls libsodium's SHA-256, so that sha256.h need not include sodium.h.
 */
#include "base/sha256.h"

#include <assert.h>
#include <sodium.h>

#include "base/base.h"

static_assert(sizeof(struct sha256) >= sizeof(crypto_hash_sha256_state) &&
                  alignof(struct sha256) >= alignof(crypto_hash_sha256_state),
              "the state fits");
static_assert(SHA256_BYTES == crypto_hash_sha256_BYTES, "the same hash");

void
sha256_init(struct sha256 *h)
{
    crypto_hash_sha256_init((void *)h->state);
}

void
sha256_add(struct sha256 *h, const void *bytes, size_t len)
{
    if (len > 0)
        crypto_hash_sha256_update((void *)h->state, bytes, len);
}

void
sha256_end(struct sha256 *h, uint8_t out[SHA256_BYTES])
{
    crypto_hash_sha256_final((void *)h->state, out);
    wipe(h, sizeof *h);
}

void
sha256_of(const void *bytes, size_t len, uint8_t out[SHA256_BYTES])
{
    struct sha256 h;

    sha256_init(&h);
    sha256_add(&h, bytes, len);
    sha256_end(&h, out);
}
