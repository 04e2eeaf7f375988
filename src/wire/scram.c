/*
 * The steps of a login. Comparisons of proofs take constant time. Whether the
 * verifier is a mock matters only in the last `&` of proof_good.
 */
#include "wire/scram.h"

#include <sodium.h>
#include <stdio.h>

#include "base/base.h"
#include "base/error.h"
#include "wire/scram_hash.h"

enum { CLIENT_NONCE_MAX = 128 };

static const char plain_name[] = "SCRAM-SHA-256";
static const char plus_name[] = "SCRAM-SHA-256-PLUS";
static const char binding_flag[] = "p=tls-server-end-point";

void
scram_begin(struct scram *s, const struct scram_verifier *verifier,
            const uint8_t nonce[SCRAM_NONCE_BYTES], str binding)
{
    CUSTOS_REQUIRE(binding.len <= SCRAM_BINDING_MAX);
    *s = (struct scram){.at = SCRAM_WAITS_FIRST,
                        .verifier = *verifier,
                        .binding_len = binding.len};
    memcpy(s->server_nonce, nonce, SCRAM_NONCE_BYTES);
    if (binding.len)
        memcpy(s->binding, binding.ptr, binding.len);
}

void
scram_clear(struct scram *s)
{
    wipe(s, sizeof *s);
    s->at = SCRAM_FAILED;
}

static custos_status
fail_message(const char *what, custos_err *err)
{
    return custos_fail(err, CUSTOS_EPROTOCOL, "the login by SCRAM failed: %s",
                       what);
}

/* Takes the part before the next comma, and the comma. */
static str
take_part(str *text)
{
    const char *comma = text->len ? memchr(text->ptr, ',', text->len) : NULL;
    size_t len = comma ? (size_t)(comma - text->ptr) : text->len;
    str part = {text->ptr, len};

    *text = (str){text->ptr + len + (comma != NULL),
                  text->len - len - (comma != NULL)};
    return part;
}

static bool
is_attribute(str part, char letter)
{
    return part.len >= 2 && part.ptr[0] == letter && part.ptr[1] == '=';
}

static str
value_of(str part)
{
    return (str){part.ptr + 2, part.len - 2};
}

/* ------------------------------------------------------- client-first -- */

/* Does the client's flag fit the chosen mechanism and what was offered? */
static custos_status
check_binding(struct scram *s, str mechanism, str flag, custos_err *err)
{
    bool offered = s->binding_len > 0;

    s->bound = str_equal(mechanism, str_of(plus_name));
    if (!s->bound && !str_equal(mechanism, str_of(plain_name)))
        return fail_message("the mechanism was not offered", err);
    if (s->bound && !offered)
        return fail_message("there is no TLS to bind to", err);
    if (s->bound)
        return str_equal(flag, str_of(binding_flag))
                   ? CUSTOS_OK
                   : fail_message("with SCRAM-SHA-256-PLUS the login is bound "
                                  "to tls-server-end-point",
                                  err);
    if (str_equal(flag, str_of("n")))
        return CUSTOS_OK;
    if (!str_equal(flag, str_of("y")))
        return fail_message("without SCRAM-SHA-256-PLUS nothing is bound", err);
    /* "y" means that the client saw no offer of PLUS: if we made one, somebody in
       between has removed it. */
    return offered ? fail_message("the client could have bound the login to "
                                  "TLS and was not told so",
                                  err)
                   : CUSTOS_OK;
}

static bool
nonce_good(str nonce)
{
    for (size_t i = 0; i < nonce.len; i++)
        if (nonce.ptr[i] < '!' || nonce.ptr[i] > '~')
            return false;
    return nonce.len > 0 && nonce.len <= CLIENT_NONCE_MAX;
}

/* Reads client-first up to the nonce; keeps the header and the nonce. */
static custos_status
read_first(struct scram *s, str mechanism, str message, str *bare,
           custos_err *err)
{
    str rest = message, flag, authzid, name, nonce;
    custos_status st;

    if (message.len > SCRAM_MESSAGE_MAX)
        return fail_message("the client's first message is too long", err);
    flag = take_part(&rest);
    authzid = take_part(&rest);
    st = check_binding(s, mechanism, flag, err);
    if (st)
        return st;
    if (authzid.len)
        return fail_message("one user cannot log in for another", err);
    *bare = rest;
    name = take_part(&rest);
    nonce = take_part(&rest);
    if (!is_attribute(name, 'n') || !is_attribute(nonce, 'r') ||
        !nonce_good(value_of(nonce)))
        return fail_message("the client's first message has no name and nonce",
                            err);
    s->header_len = (size_t)(bare->ptr - message.ptr);
    CUSTOS_REQUIRE(s->header_len <= sizeof s->header);
    memcpy(s->header, message.ptr, s->header_len);
    s->nonce_len = nonce.len - 2;
    memcpy(s->nonce, nonce.ptr + 2, s->nonce_len);
    return CUSTOS_OK;
}

/* Writes server-first, and keeps the parts of both first messages that are signed
   later. */
static void
write_first(struct scram *s, str bare, struct buf *out)
{
    char salt[2 * SCRAM_SALT_MAX];
    size_t at = bare.len + 1;
    int len;

    sodium_bin2base64(s->nonce + s->nonce_len, sizeof s->nonce - s->nonce_len,
                      s->server_nonce, sizeof s->server_nonce,
                      sodium_base64_VARIANT_ORIGINAL);
    s->nonce_len = strlen(s->nonce);
    sodium_bin2base64(salt, sizeof salt, s->verifier.salt, s->verifier.salt_len,
                      sodium_base64_VARIANT_ORIGINAL);
    memcpy(s->said, bare.ptr, bare.len);
    s->said[bare.len] = ',';
    len = snprintf(s->said + at, sizeof s->said - at, "r=%s,s=%s,i=%u,",
                   s->nonce, salt, s->verifier.iterations);
    s->said_len = at + (size_t)len;
    CUSTOS_REQUIRE(len > 0 && s->said_len < sizeof s->said);
    buf_add(out, s->said + at, (size_t)len - 1);
}

custos_status
scram_first(struct scram *s, str mechanism, str message, struct buf *out,
            custos_err *err)
{
    custos_status st;
    str bare = {0};

    if (s->at != SCRAM_WAITS_FIRST)
        st = fail_message("this is not its first step", err);
    else
        st = read_first(s, mechanism, message, &bare, err);
    if (!st)
        write_first(s, bare, out);
    s->at = st ? SCRAM_FAILED : SCRAM_WAITS_FINAL;
    return st;
}

/* ------------------------------------------------------- client-final -- */

/* c= must be the header again, followed by the binding if the client chose PLUS. */
static bool
binding_same(const struct scram *s, str base64)
{
    uint8_t got[sizeof s->header + SCRAM_BINDING_MAX];
    uint8_t want[sizeof s->header + SCRAM_BINDING_MAX];
    size_t n = s->header_len, len;

    memcpy(want, s->header, n);
    if (s->bound) {
        memcpy(want + n, s->binding, s->binding_len);
        n += s->binding_len;
    }
    return scram_base64(base64, got, sizeof got, &len) && len == n &&
           sodium_memcmp(got, want, n) == 0;
}

/* Splits off the proof; the rest must match the first messages. */
static custos_status
read_final(const struct scram *s, str message, str *signed_part,
           uint8_t proof[SHA256_BYTES], custos_err *err)
{
    str rest = message, binding, nonce, part = {0};
    size_t len;

    if (message.len > SCRAM_MESSAGE_MAX)
        return fail_message("the client's last message is too long", err);
    binding = take_part(&rest);
    nonce = take_part(&rest);
    while (rest.len)
        part = take_part(&rest);
    if (!is_attribute(binding, 'c') || !is_attribute(nonce, 'r') ||
        !is_attribute(part, 'p') ||
        part.ptr + part.len != message.ptr + message.len ||
        !scram_base64(value_of(part), proof, SHA256_BYTES, &len) ||
        len != SHA256_BYTES)
        return fail_message("the client's last message is not whole", err);
    if (!binding_same(s, value_of(binding)))
        return fail_message("it is bound to another connection than this one",
                            err);
    if (!str_equal(value_of(nonce), (str){s->nonce, s->nonce_len}))
        return fail_message("the client's last message has another nonce", err);
    *signed_part = (str){message.ptr, (size_t)(part.ptr - message.ptr) - 1};
    return CUSTOS_OK;
}

/* HMAC of the whole conversation. */
static void
sign_conversation(const struct scram *s, const uint8_t key[SHA256_BYTES],
                  str last, uint8_t out[SHA256_BYTES])
{
    crypto_auth_hmacsha256_state h;

    crypto_auth_hmacsha256_init(&h, key, SHA256_BYTES);
    crypto_auth_hmacsha256_update(&h, (const unsigned char *)s->said,
                                  s->said_len);
    crypto_auth_hmacsha256_update(&h, (const unsigned char *)last.ptr,
                                  last.len);
    crypto_auth_hmacsha256_final(&h, out);
    wipe(&h, sizeof h);
}

/* The proof is the client's key XOR the client's signature. */
static bool
proof_good(const struct scram *s, str last, uint8_t proof[SHA256_BYTES])
{
    uint8_t signature[SHA256_BYTES], stored[SHA256_BYTES];
    bool same;

    sign_conversation(s, s->verifier.stored_key, last, signature);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        proof[i] ^= signature[i];
    sha256_of(proof, SHA256_BYTES, stored);
    same = sodium_memcmp(stored, s->verifier.stored_key, sizeof stored) == 0;
    wipe(signature, sizeof signature);
    wipe(proof, SHA256_BYTES);
    return same & !s->verifier.mock;
}

static custos_status
check_final(const struct scram *s, str message, struct buf *out,
            custos_err *err)
{
    uint8_t proof[SHA256_BYTES], signature[SHA256_BYTES];
    custos_status st;
    str last;

    st = read_final(s, message, &last, proof, err);
    if (st)
        return st;
    if (!proof_good(s, last, proof))
        return custos_fail(err, CUSTOS_EAUTH, "%s",
                           custos_status_words(CUSTOS_EAUTH));
    sign_conversation(s, s->verifier.server_key, last, signature);
    buf_add_text(out, "v=");
    scram_add_base64(out, signature, sizeof signature);
    return CUSTOS_OK;
}

custos_status
scram_final(struct scram *s, str message, struct buf *out, custos_err *err)
{
    custos_status st = s->at == SCRAM_WAITS_FINAL
                           ? check_final(s, message, out, err)
                           : fail_message("this is not its last step", err);

    s->at = st ? SCRAM_FAILED : SCRAM_DONE;
    return st;
}
