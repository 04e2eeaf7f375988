/*
 * Credentials: looks up names and tokens, for the server; makes and lists
 * credentials. A token is 256 random bits; only its SHA-256 is stored. Tokens
 * are looked up by that hash, so the time of a look-up can reveal something
 * about a hash but not about a token. The last comparison takes constant time.
 */
#include "curator/credential.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "base/sha256.h"
#include "curator/shared_state.h"
#include "ledger/credentials.h"
#include "random/entropy.h"

static const char PREFIX[] = "custos_";
static const char MOCK[] = "custos: the salt of a name without a door";

static_assert(CREDENTIAL_NAME_MAX == (int)LEDGER_CREDENTIAL_NAME_MAX,
              "one length");
static_assert(CREDENTIAL_VERIFIER_MAX == (int)LEDGER_CREDENTIAL_VERIFIER_MAX,
              "one length");
static_assert(SHA256_BYTES == (int)LEDGER_TOKEN_BYTES, "a hash is kept");

static_assert(CREDENTIAL_TOKENS_MAX == (int)LEDGER_TOKENS_MAX, "one number");

static enum ledger_access
access_of(enum credential_access access)
{
    return access == CREDENTIAL_METRICS_ONLY ? LEDGER_ACCESS_METRICS
                                             : LEDGER_ACCESS_FULL;
}

static custos_status
fail_credential(custos_err *err)
{
    return custos_fail(err, CUSTOS_EDENIED,
                       "the name, the password or the token is not right");
}

static int64_t
now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

bool
credential_is_expired(int64_t expires, int64_t now)
{
    return expires && expires <= now;
}

/* Unknown names, names no longer in the policy and expired credentials get the
   same error. */
static custos_status
check_credential(custos_status st, int64_t expires, custos_err *err)
{
    if (st == CUSTOS_ENAME || st == CUSTOS_EPOLICY ||
        (!st && credential_is_expired(expires, now_us())))
        return fail_credential(err);
    return st;
}

/* Finds the password of a name; it must not have expired. */
static custos_status
find_password(struct curator *c, str name, struct ledger_credential *found,
              custos_err *err)
{
    custos_status st = ledger_credential_find(c->ledger, name, found, err);

    st = check_credential(st, found->expires, err);
    return !st && !*found->verifier ? fail_credential(err) : st;
}

static void
token_enters(const struct ledger_token *found, struct credential *out)
{
    *out = (struct credential){
        .seq = found->seq,
        .by_token = true,
        .access = found->access == LEDGER_ACCESS_METRICS
                      ? CREDENTIAL_METRICS_ONLY
                      : CREDENTIAL_FULL,
    };
    memcpy(out->name, found->name, sizeof out->name);
}

custos_status
credential_verifier(struct curator *c, str name, struct credential *out,
                    char verifier[CREDENTIAL_VERIFIER_MAX], custos_err *err)
{
    struct ledger_credential found = {.seq = 0};
    custos_status st = name.len && name.len < CREDENTIAL_NAME_MAX
                           ? find_password(c, name, &found, err)
                           : fail_credential(err);

    if (st)
        return st;
    *out = (struct credential){.seq = found.seq};
    memcpy(out->name, found.name, sizeof out->name);
    memcpy(verifier, found.verifier, sizeof found.verifier);
    return CUSTOS_OK;
}

void
credential_mock_salt(const struct curator *c, str name,
                     uint8_t salt[CREDENTIAL_SALT_BYTES])
{
    uint8_t hash[SHA256_BYTES];
    struct sha256 h;

    sha256_init(&h);
    sha256_add(&h, MOCK, sizeof MOCK);
    sha256_add(&h, c->shared->store.secret, STORE_SECRET_BYTES);
    sha256_add(&h, name.ptr, name.len);
    sha256_end(&h, hash);
    memcpy(salt, hash, CREDENTIAL_SALT_BYTES);
    wipe(hash, sizeof hash);
}

custos_status
credential_token(struct curator *c, str token, struct credential *out,
                 custos_err *err)
{
    uint8_t hash[SHA256_BYTES], differ = 0;
    struct ledger_token found = {.seq = 0};
    custos_status st = CUSTOS_ENAME;

    sha256_of(token.ptr, token.len, hash);
    if (token.len == CREDENTIAL_TOKEN_MAX - 1)
        st = ledger_token_find(c->ledger, hash, &found, err);
    for (size_t i = 0; i < sizeof hash && !st; i++)
        differ |= (uint8_t)(hash[i] ^ found.hash[i]);
    st = check_credential(differ ? CUSTOS_ENAME : st, found.expires, err);
    if (!st)
        token_enters(&found, out);
    return st;
}

custos_status
credential_holds(struct curator *c, const struct credential *d, custos_err *err)
{
    struct ledger_token token = {.seq = 0};
    struct ledger_credential password = {.seq = 0};
    str name = str_of(d->name);
    custos_status st;

    if (d->by_token) {
        st = ledger_token_of_row(c->ledger, name, access_of(d->access), d->seq,
                                 &token, err);
        st = check_credential(st, token.expires, err);
    } else {
        st = find_password(c, name, &password, err);
        if (!st && password.seq != d->seq)
            st = CUSTOS_EDENIED;
    }
    if (st == CUSTOS_EDENIED)
        st = custos_fail(err, CUSTOS_EDENIED,
                         "the password or token of this session is no longer "
                         "valid" HINT "connect again");
    return st;
}

static custos_status
random_fill(void *out, size_t len, custos_err *err)
{
    if (entropy_fill(out, len))
        return custos_fail(err, CUSTOS_EENTROPY,
                           "no randomness from the system");
    return CUSTOS_OK;
}

custos_status
credential_salt_new(uint8_t salt[CREDENTIAL_SALT_BYTES], custos_err *err)
{
    return random_fill(salt, CREDENTIAL_SALT_BYTES, err);
}

custos_status
credential_password_new(char password[CREDENTIAL_PASSWORD_MADE + 1],
                        custos_err *err)
{
    /* 32 characters that are not easily confused */
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    uint8_t bits[CREDENTIAL_PASSWORD_MADE];
    custos_status st = random_fill(bits, sizeof bits, err);

    for (size_t i = 0; i < sizeof bits && !st; i++)
        password[i] = letters[bits[i] & 31];
    password[CREDENTIAL_PASSWORD_MADE] = '\0';
    wipe(bits, sizeof bits);
    return st;
}

custos_status
credential_token_new(char token[CREDENTIAL_TOKEN_MAX], custos_err *err)
{
    uint8_t bits[CREDENTIAL_TOKEN_BYTES];
    size_t at = sizeof PREFIX - 1;
    custos_status st = random_fill(bits, sizeof bits, err);

    if (st)
        return st;
    memcpy(token, PREFIX, at);
    for (size_t i = 0; i < sizeof bits; i++, at += 2)
        snprintf(token + at, 3, "%02x", bits[i]);
    wipe(bits, sizeof bits);
    return CUSTOS_OK;
}

/* A token as it is stored: its hash. */
static custos_status
token_make(str name, enum credential_access access, str token, int64_t expires,
           struct ledger_token *out, custos_err *err)
{
    *out =
        (struct ledger_token){.access = access_of(access), .expires = expires};
    if (name.len >= sizeof out->name)
        return ledger_fail_analyst(name, err); /* no name of a policy is this
                                                  long */
    if (name.len)
        memcpy(out->name, name.ptr, name.len);
    sha256_of(token.ptr, token.len, out->hash);
    return CUSTOS_OK;
}

custos_status
credential_set(struct ledger *l, str name, enum credential_change how,
               str verifier, str token, int64_t expires, int64_t now,
               struct receipt *out, custos_err *err)
{
    struct ledger_credential credential = {.expires = expires};
    struct ledger_token kept;
    custos_status st =
        token_make(name, CREDENTIAL_FULL, token, expires, &kept, err);

    if (st)
        return st;
    if (verifier.len >= sizeof credential.verifier)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a verifier has at most %d bytes",
                           CREDENTIAL_VERIFIER_MAX - 1);
    memcpy(credential.name, kept.name, sizeof credential.name);
    memcpy(credential.verifier, verifier.ptr, verifier.len);
    st = ledger_credential_put(l, &credential, &kept,
                               how == CREDENTIAL_NEW ? LEDGER_CREDENTIAL_NEW
                                                     : LEDGER_CREDENTIAL_AGAIN,
                               now, out, err);
    wipe(&credential, sizeof credential);
    return st;
}

custos_status
credential_token_add(struct ledger *l, str name, enum credential_access access,
                     str token, int64_t expires, int64_t old_until, int64_t now,
                     struct receipt *out, custos_err *err)
{
    struct ledger_token kept;
    custos_status st = token_make(name, access, token, expires, &kept, err);

    return st ? st : ledger_token_put(l, &kept, old_until, now, out, err);
}

custos_status
credential_tokens_end(struct ledger *l, str name, enum credential_access access,
                      int64_t now, struct receipt *out, custos_err *err)
{
    return ledger_tokens_end(l, name, access_of(access),
                             access == CREDENTIAL_FULL, now, out, err);
}

custos_status
credential_revoke(struct ledger *l, str name, int64_t now, struct receipt *out,
                  custos_err *err)
{
    return ledger_credential_drop(l, name, now, out, err);
}

/* --------------------------------------------------------------- listing -- */

static struct credential_info
seen_of(str name, bool known, const struct ledger_credential *d)
{
    return (struct credential_info){
        .name = name,
        .known = known,
        .password = d && *d->verifier,
        .seq = d ? d->seq : 0,
        .expires = d ? d->expires : 0,
    };
}

/* The index of a name in a list of n; n: not found. */
static size_t
seen_at(const struct credential_info *list, size_t n, const char *name)
{
    size_t at = 0;

    while (at < n && !str_equal(list[at].name, str_of(name)))
        at++;
    return at;
}

static void
add_tokens(struct credential_info *list, size_t n,
           const struct ledger_token *tokens, size_t n_tokens)
{
    for (size_t i = 0; i < n_tokens; i++) {
        size_t at = seen_at(list, n, tokens[i].name);

        if (at == n || tokens[i].access != LEDGER_ACCESS_FULL ||
            list[at].n_tokens == CREDENTIAL_TOKENS_MAX)
            continue;
        list[at].token = true;
        list[at].tokens[list[at].n_tokens++] =
            (struct credential_token_info){tokens[i].seq, tokens[i].expires};
    }
}

custos_status
credential_list(struct ledger *l, arena *a, struct credential_info **out,
                size_t *n, custos_err *err)
{
    struct ledger_credential *credentials = NULL;
    struct ledger_token *tokens = NULL;
    struct ledger_terms terms = {0};
    struct credential_info *list;
    size_t n_credentials = 0, n_tokens = 0, told = 0;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = ledger_credentials(l, a, &credentials, &n_credentials, err);
    if (!st)
        st = ledger_tokens(l, a, &tokens, &n_tokens, err);
    if (st)
        return st;
    list = arena_take(a, terms.n_analysts + n_credentials + 1, sizeof *list);
    if (!list)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < terms.n_analysts; i++)
        list[told++] = seen_of(terms.analysts[i].name, true, NULL);
    for (size_t i = 0; i < n_credentials; i++) {
        size_t at = seen_at(list, terms.n_analysts, credentials[i].name);

        if (at < terms.n_analysts)
            list[at] = seen_of(list[at].name, true, &credentials[i]);
        else if (*credentials[i].name)
            list[told++] =
                seen_of(str_of(credentials[i].name), false, &credentials[i]);
    }
    add_tokens(list, told, tokens, n_tokens);
    for (size_t i = 0; i < told && !st; i++)
        if (!list[i].seq)
            st = ledger_was_revoked(l, list[i].name, &list[i].revoked, err);
    if (st)
        return st;
    *out = list;
    *n = told;
    return CUSTOS_OK;
}
