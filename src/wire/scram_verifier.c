/*
 * Verifiers: from a password, from and to PostgreSQL's text, and for names that
 * do not exist.
 */
#include "wire/scram.h"

#include <sodium.h>

#include "base/base.h"
#include "base/error.h"
#include "wire/scram_hash.h"

enum {
    ITERATIONS_DIGITS = 7,
    KEY_BASE64 = 44, /* characters that encode 32 bytes */
};

static const char prefix[] = "SCRAM-SHA-256$";

/*
 * Hi() of RFC 5802: PBKDF2 with one block. The HMAC state after the key is
 * computed once and copied, so that a round takes two blocks of SHA-256.
 */
static void
hi(str password, const uint8_t *salt, size_t salt_len, uint32_t iterations,
   uint8_t out[SHA256_BYTES])
{
    static const uint8_t first_block[4] = {0, 0, 0, 1};
    crypto_auth_hmacsha256_state keyed, h;
    uint8_t u[SHA256_BYTES];

    crypto_auth_hmacsha256_init(&keyed, (const unsigned char *)password.ptr,
                                password.len);
    h = keyed;
    crypto_auth_hmacsha256_update(&h, salt, salt_len);
    crypto_auth_hmacsha256_update(&h, first_block, sizeof first_block);
    crypto_auth_hmacsha256_final(&h, u);
    memcpy(out, u, sizeof u);
    for (uint32_t i = 1; i < iterations; i++) {
        h = keyed;
        crypto_auth_hmacsha256_update(&h, u, sizeof u);
        crypto_auth_hmacsha256_final(&h, u);
        for (size_t j = 0; j < sizeof u; j++)
            out[j] ^= u[j];
    }
    wipe(&keyed, sizeof keyed);
    wipe(&h, sizeof h);
    wipe(u, sizeof u);
}

static void
verifier_of(str password, const uint8_t *salt, size_t salt_len,
            uint32_t iterations, struct scram_verifier *out)
{
    uint8_t salted[SHA256_BYTES], client_key[SHA256_BYTES];

    *out =
        (struct scram_verifier){.iterations = iterations, .salt_len = salt_len};
    memcpy(out->salt, salt, salt_len);
    hi(password, salt, salt_len, iterations, salted);
    scram_hmac(salted, str_of("Client Key"), client_key);
    sha256_of(client_key, sizeof client_key, out->stored_key);
    scram_hmac(salted, str_of("Server Key"), out->server_key);
    wipe(salted, sizeof salted);
    wipe(client_key, sizeof client_key);
}

static bool
password_good(str password)
{
    for (size_t i = 0; i < password.len; i++)
        if (password.ptr[i] < ' ' || password.ptr[i] > '~')
            return false;
    return password.len > 0 && password.len <= SCRAM_PASSWORD_MAX;
}

custos_status
scram_verifier_make(str password, const uint8_t *salt, size_t salt_len,
                    uint32_t iterations, struct scram_verifier *out,
                    custos_err *err)
{
    if (!password_good(password))
        return custos_fail(err, CUSTOS_EINVAL,
                           "a password has 1 to %d characters of printable "
                           "ASCII: clients differ in how they send others",
                           SCRAM_PASSWORD_MAX);
    if (salt_len < 1 || salt_len > SCRAM_SALT_MAX || iterations < 1 ||
        iterations > SCRAM_ITERATIONS_MAX)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a verifier has 1 to %d bytes of salt and 1 to %d "
                           "iterations",
                           SCRAM_SALT_MAX, SCRAM_ITERATIONS_MAX);
    verifier_of(password, salt, salt_len, iterations, out);
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- text -- */

void
scram_verifier_write(const struct scram_verifier *v, struct buf *out)
{
    buf_printf(out, "%s%u:", prefix, v->iterations);
    scram_add_base64(out, v->salt, v->salt_len);
    buf_add_text(out, "$");
    scram_add_base64(out, v->stored_key, sizeof v->stored_key);
    buf_add_text(out, ":");
    scram_add_base64(out, v->server_key, sizeof v->server_key);
}

/* Takes from the text the part before `end`, and `end` itself; false if there is
   no `end`. */
static bool
take_until(str *text, char end, str *out)
{
    const char *at = text->len ? memchr(text->ptr, end, text->len) : NULL;

    if (!at)
        return false;
    *out = (str){text->ptr, (size_t)(at - text->ptr)};
    *text = (str){at + 1, text->len - out->len - 1};
    return true;
}

static bool
read_iterations(str text, uint32_t *out)
{
    uint32_t n = 0;

    if (text.len == 0 || text.len > ITERATIONS_DIGITS || text.ptr[0] == '0')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        n = n * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *out = n;
    return n <= SCRAM_ITERATIONS_MAX;
}

static bool
read_key(str text, uint8_t out[SHA256_BYTES])
{
    size_t len;

    return text.len == KEY_BASE64 &&
           scram_base64(text, out, SHA256_BYTES, &len) && len == SHA256_BYTES;
}

custos_status
scram_verifier_read(str text, struct scram_verifier *out, custos_err *err)
{
    struct scram_verifier v = {0};
    str method, iterations, salt, stored;
    bool good = take_until(&text, '$', &method) &&
                str_equal(method, (str){prefix, sizeof prefix - 2}) &&
                take_until(&text, ':', &iterations) &&
                read_iterations(iterations, &v.iterations) &&
                take_until(&text, '$', &salt) &&
                scram_base64(salt, v.salt, sizeof v.salt, &v.salt_len) &&
                v.salt_len > 0 && take_until(&text, ':', &stored) &&
                read_key(stored, v.stored_key) && read_key(text, v.server_key);

    if (good)
        *out = v;
    wipe(&v, sizeof v);
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EINVAL,
                              "not a verifier of the form "
                              "SCRAM-SHA-256$4096:salt$StoredKey:ServerKey");
}

/* ---------------------------------------------------------------- mocks -- */

/* Keys and salt are 0. A mock is parsed like a true verifier, so that it takes as
   long. */
static const char nobody[] = "SCRAM-SHA-256$4096:"
                             "AAAAAAAAAAAAAAAAAAAAAA=="
                             "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
                             ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
_Static_assert(SCRAM_ITERATIONS == 4096, "the number of the text above");

void
scram_verifier_mock(const uint8_t salt[SCRAM_SALT_BYTES],
                    struct scram_verifier *out)
{
    custos_status st = scram_verifier_read(str_of(nobody), out, NULL);

    CUSTOS_REQUIRE(!st && out->salt_len == SCRAM_SALT_BYTES);
    out->mock = true;
    memcpy(out->salt, salt, SCRAM_SALT_BYTES);
}
