/*
 * Logins by SCRAM: the input is two messages of a client, separated by the
 * first newline; its first byte chooses mechanism and channel binding. No login
 * may succeed, since the input cannot know the password. A verifier that was
 * read, written and read again must be the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/scram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
check_verifier(str text)
{
    struct scram_verifier v, again;
    struct buf out;

    if (scram_verifier_read(text, &v, NULL))
        return;
    require(v.iterations >= 1 && v.iterations <= SCRAM_ITERATIONS_MAX);
    buf_init(&out, NULL, 4096);
    scram_verifier_write(&v, &out);
    require(!out.failed);
    require(!scram_verifier_read((str){out.ptr, out.len}, &again, NULL));
    require(!memcmp(v.stored_key, again.stored_key, sizeof v.stored_key) &&
            v.salt_len == again.salt_len && v.iterations == again.iterations);
    buf_clear(&out);
}

static void
check_login(uint8_t how, str first, str last)
{
    static const uint8_t nonce[SCRAM_NONCE_BYTES] = "eighteen bytes, ok";
    static const uint8_t salt[SCRAM_SALT_BYTES] = "salt";
    const str binding = {"0123456789abcdef0123456789abcdef", how & 1 ? 32 : 0};
    struct scram_verifier v;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct scram s;
    struct buf out;

    scram_verifier_mock(salt, &v);
    memset(v.stored_key, 7, sizeof v.stored_key);
    v.mock = how & 4;
    buf_init(&out, NULL, 4096);
    scram_begin(&s, &v, nonce, binding);
    st = scram_first(&s,
                     str_of(how & 2 ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256"),
                     first, &out, &err);
    require((st == CUSTOS_OK) == (out.len > 0) && !out.failed);
    require(s.at == (st ? SCRAM_FAILED : SCRAM_WAITS_FINAL));
    st = scram_final(&s, last, &out, &err);
    require(st == CUSTOS_EPROTOCOL || st == CUSTOS_EAUTH);
    require(err.code == st && err.said[0] && s.at == SCRAM_FAILED);
    scram_clear(&s);
    buf_clear(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data, *cut;

    if (len < 1)
        return 0;
    check_verifier((str){text + 1, len - 1});
    cut = memchr(text + 1, '\n', len - 1);
    if (!cut)
        cut = text + len - 1;
    check_login(data[0], (str){text + 1, (size_t)(cut - text) - (cut > text)},
                (str){cut + 1, (size_t)(text + len - cut) - 1});
    return 0;
}
