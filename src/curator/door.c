/*
 * Doors, as a server asks for them: names and tokens in, who it is out. A
 * token is 256 random bits; of it the SHA-256 is kept. Finding it goes by the
 * hash, so how far a look-up gets tells of a hash and not of a token, and the
 * last comparison takes the same time for all.
 */
#include "curator/door.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/sha256.h"
#include "curator/house.h"
#include "ledger/doors.h"
#include "random/entropy.h"

static const char PREFIX[] = "custos_";
static const char MOCK[] = "custos: the salt of a name without a door";

static_assert(DOOR_NAME_MAX == (int)LEDGER_DOOR_NAME_MAX, "one length");
static_assert(DOOR_VERIFIER_MAX == (int)LEDGER_DOOR_VERIFIER_MAX, "one length");
static_assert(SHA256_BYTES == (int)LEDGER_TOKEN_BYTES, "a hash is kept");

static custos_status
fail_door(custos_err *err)
{
    return custos_fail(err, CUSTOS_EDENIED,
                       "the name, the password or the token is not right");
}

/* What was found; of a name without a door the one sentence of all. */
static custos_status
tell(custos_status st, const struct ledger_door *found, struct door *out,
     custos_err *err)
{
    if (st == CUSTOS_ENAME || st == CUSTOS_EPOLICY)
        return fail_door(err);
    if (st)
        return st;
    memcpy(out->name, found->name, sizeof out->name);
    out->seq = found->seq;
    return CUSTOS_OK;
}

custos_status
door_verifier(struct curator *c, str name, struct door *out,
              char verifier[DOOR_VERIFIER_MAX], custos_err *err)
{
    struct ledger_door found;
    custos_status st;

    st = name.len && name.len < DOOR_NAME_MAX
             ? ledger_door_find(c->ledger, name, &found, err)
             : CUSTOS_ENAME;
    st = tell(st, &found, out, err);
    if (!st && !*found.verifier)
        st = fail_door(err);
    if (!st)
        memcpy(verifier, found.verifier, sizeof found.verifier);
    return st;
}

void
door_mock_salt(const struct curator *c, str name, uint8_t salt[DOOR_SALT_BYTES])
{
    uint8_t hash[SHA256_BYTES];
    struct sha256 h;

    sha256_init(&h);
    sha256_add(&h, MOCK, sizeof MOCK);
    sha256_add(&h, c->house->store.secret, STORE_SECRET_BYTES);
    sha256_add(&h, name.ptr, name.len);
    sha256_end(&h, hash);
    memcpy(salt, hash, DOOR_SALT_BYTES);
    wipe(hash, sizeof hash);
}

custos_status
door_token(struct curator *c, str token, struct door *out, custos_err *err)
{
    uint8_t hash[SHA256_BYTES], differ = 0;
    struct ledger_door found;
    custos_status st = CUSTOS_ENAME;

    sha256_of(token.ptr, token.len, hash);
    if (token.len == DOOR_TOKEN_MAX - 1)
        st = ledger_door_of_token(c->ledger, hash, &found, err);
    for (size_t i = 0; i < sizeof hash && !st; i++)
        differ |= (uint8_t)(hash[i] ^ found.token[i]);
    return tell(differ ? CUSTOS_ENAME : st, &found, out, err);
}

custos_status
door_holds(struct curator *c, const struct door *d, custos_err *err)
{
    struct ledger_door found;
    struct door now;
    custos_status st =
        ledger_door_find(c->ledger, str_of(d->name), &found, err);

    st = tell(st, &found, &now, err);
    if (st == CUSTOS_EDENIED || (!st && now.seq != d->seq))
        st = custos_fail(err, CUSTOS_EDENIED,
                         "the password or token that you came in by is no "
                         "longer valid: connect again");
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
door_salt_new(uint8_t salt[DOOR_SALT_BYTES], custos_err *err)
{
    return random_fill(salt, DOOR_SALT_BYTES, err);
}

custos_status
door_password_new(char password[DOOR_PASSWORD_MADE + 1], custos_err *err)
{
    /* 32 of them, none easily taken for another */
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    uint8_t bits[DOOR_PASSWORD_MADE];
    custos_status st = random_fill(bits, sizeof bits, err);

    for (size_t i = 0; i < sizeof bits && !st; i++)
        password[i] = letters[bits[i] & 31];
    password[DOOR_PASSWORD_MADE] = '\0';
    wipe(bits, sizeof bits);
    return st;
}

custos_status
door_token_new(char token[DOOR_TOKEN_MAX], custos_err *err)
{
    uint8_t bits[DOOR_TOKEN_BYTES];
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

custos_status
door_set(struct ledger *l, str name, enum door_change how, str verifier,
         str token, int64_t now, struct receipt *out, custos_err *err)
{
    struct ledger_door door = {.seq = 0};
    custos_status st;

    if (name.len >= sizeof door.name || verifier.len >= sizeof door.verifier)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a name has at most %d bytes, a verifier %d",
                           DOOR_NAME_MAX - 1, DOOR_VERIFIER_MAX - 1);
    memcpy(door.name, name.ptr, name.len);
    memcpy(door.verifier, verifier.ptr, verifier.len);
    sha256_of(token.ptr, token.len, door.token);
    st = ledger_door_put(l, &door,
                         how == DOOR_NEW ? LEDGER_DOOR_NEW : LEDGER_DOOR_AGAIN,
                         now, out, err);
    wipe(&door, sizeof door);
    return st;
}

custos_status
door_revoke(struct ledger *l, str name, int64_t now, struct receipt *out,
            custos_err *err)
{
    return ledger_door_drop(l, name, now, out, err);
}

/* --------------------------------------------------------------- listing -- */

static struct door_seen
seen_of(str name, bool known, const struct ledger_door *d)
{
    static const uint8_t none[LEDGER_TOKEN_BYTES];

    return (struct door_seen){
        .name = name,
        .known = known,
        .password = d && *d->verifier,
        .token = d && memcmp(d->token, none, sizeof none) != 0,
        .seq = d ? d->seq : 0,
    };
}

custos_status
door_list(struct ledger *l, arena *a, struct door_seen **out, size_t *n,
          custos_err *err)
{
    struct ledger_door *doors = NULL;
    struct ledger_terms terms = {0};
    struct door_seen *list;
    size_t n_doors = 0, told = 0;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = ledger_doors(l, a, &doors, &n_doors, err);
    if (st)
        return st;
    list = arena_take(a, terms.n_analysts + n_doors + 1, sizeof *list);
    if (!list)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < terms.n_analysts; i++)
        list[told++] = seen_of(terms.analysts[i].name, true, NULL);
    for (size_t i = 0; i < n_doors; i++) {
        str name = str_of(doors[i].name);
        size_t at = 0;

        while (at < terms.n_analysts && !str_equal(list[at].name, name))
            at++;
        if (at < terms.n_analysts)
            list[at] = seen_of(list[at].name, true, &doors[i]);
        else if (name.len)
            list[told++] = seen_of(name, false, &doors[i]);
    }
    *out = list;
    *n = told;
    return CUSTOS_OK;
}
