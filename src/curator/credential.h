/*
 * Credentials: for each name a SCRAM verifier and the hashes of its bearer
 * tokens. They are in the ledger's file, so that a change and the row that
 * records it are one commit. The store never holds a password or a token, and no
 * row of the chain holds anything derived from them.
 *
 * Each look-up reads the committed state, so a change or revocation by any
 * process takes effect for all at once. The name "" is the owner, who has
 * tokens only.
 */
#ifndef CURATOR_CREDENTIAL_H
#define CURATOR_CREDENTIAL_H

#include "curator/curator.h"

enum {
    CREDENTIAL_NAME_MAX = 256,
    CREDENTIAL_VERIFIER_MAX = 256,
    CREDENTIAL_TOKEN_BYTES = 32,
    CREDENTIAL_TOKEN_MAX =
        7 + 2 * CREDENTIAL_TOKEN_BYTES + 1, /* "custos_", hex, NUL */
    CREDENTIAL_SALT_BYTES = 16,
    CREDENTIAL_PASSWORD_MADE = 20,
    CREDENTIAL_TOKENS_MAX = 2, /* of one name, while one replaces the other */
};

/* What a credential permits. A metrics token permits /metrics and health only;
   it has no name, and must not be taken for the owner's. */
enum credential_access { CREDENTIAL_FULL, CREDENTIAL_METRICS_ONLY };

/* Who logged in, with which credential, and which row of the chain made that
   credential (see credential_holds). */
struct credential {
    char name[CREDENTIAL_NAME_MAX]; /* "": the owner */
    uint64_t seq;
    bool by_token;
    enum credential_access access;
};

/*
 * The SCRAM verifier of an analyst of the policy in force, as wire/scram writes
 * it. Fails with CUSTOS_EDENIED if there is none, and as reading the ledger
 * does. After CUSTOS_EDENIED go on with credential_mock_salt, so that a
 * stranger cannot tell whether the name exists.
 */
CUSTOS_MUST_USE custos_status
credential_verifier(struct curator *c, str name, struct credential *out,
                    char verifier[CREDENTIAL_VERIFIER_MAX], custos_err *err);

/* The salt shown for a name without a password; the same name always gets the
   same salt. */
void credential_mock_salt(const struct curator *c, str name,
                          uint8_t salt[CREDENTIAL_SALT_BYTES]);

/*
 * Finds whose token it is. The token is hashed before it is compared, so that
 * the time this takes reveals nothing about stored tokens. Fails with
 * CUSTOS_EDENIED.
 */
CUSTOS_MUST_USE custos_status credential_token(struct curator *c, str token,
                                               struct credential *out,
                                               custos_err *err);

/*
 * Is the credential still the one that was used to log in? Call it before each
 * question of a session. CUSTOS_EDENIED: it was rotated or revoked, has expired,
 * or the policy in force no longer has the name; end the session.
 */
CUSTOS_MUST_USE custos_status credential_holds(struct curator *c,
                                               const struct credential *d,
                                               custos_err *err);

/*
 * Lists all analysts of the policy, in its order, then names that have
 * credentials but are no longer in it; not the owner. Allocated in `a`.
 */
struct credential_info {
    str name;
    bool known;           /* in the policy in force */
    bool password, token; /* which credentials it has */
    bool revoked;         /* it has none, and had one before */
    uint64_t seq;         /* the row that made the credential; 0: none */
    int64_t expires;      /* when the password expires; 0: never */
    size_t n_tokens;      /* how many; tokens has the newest first */
    struct credential_token_info {
        uint64_t seq;
        int64_t expires; /* 0: never */
    } tokens[CREDENTIAL_TOKENS_MAX];
};

/* Has a credential expired by `now`? expires: 0 for never. */
bool credential_is_expired(int64_t expires, int64_t now);
CUSTOS_MUST_USE custos_status credential_list(struct ledger *l, arena *a,
                                              struct credential_info **out,
                                              size_t *n, custos_err *err);

/* A new password: CREDENTIAL_PASSWORD_MADE letters and digits, 100 random bits. */
CUSTOS_MUST_USE custos_status credential_password_new(
    char password[CREDENTIAL_PASSWORD_MADE + 1], custos_err *err);

/* Random bytes for a salt. */
CUSTOS_MUST_USE custos_status
credential_salt_new(uint8_t salt[CREDENTIAL_SALT_BYTES], custos_err *err);

/* A new token: "custos_" and 64 hex digits. Wipe it after showing it. */
CUSTOS_MUST_USE custos_status
credential_token_new(char token[CREDENTIAL_TOKEN_MAX], custos_err *err);

/*
 * Sets a name's credentials, replacing all it had: the verifier (empty for the
 * owner) and the hash of one token, both until `expires` (0: for good). The
 * change and its row of the chain are one commit. CREDENTIAL_NEW rejects a name
 * that has credentials (CUSTOS_EINVAL), CREDENTIAL_AGAIN one that has none
 * (CUSTOS_ENAME). CUSTOS_ENAME: also if the policy in force has no such name.
 */
enum credential_change { CREDENTIAL_NEW, CREDENTIAL_AGAIN };
CUSTOS_MUST_USE custos_status credential_set(struct ledger *l, str name,
                                             enum credential_change how,
                                             str verifier, str token,
                                             int64_t expires, int64_t now,
                                             struct receipt *out,
                                             custos_err *err);

/*
 * Adds a token for a name that has credentials, or for metrics (name empty). The
 * newest token before it stays valid, until old_until if that is not 0; older
 * ones end. CUSTOS_ENAME: the name has no credentials.
 */
CUSTOS_MUST_USE custos_status
credential_token_add(struct ledger *l, str name, enum credential_access access,
                     str token, int64_t expires, int64_t old_until, int64_t now,
                     struct receipt *out, custos_err *err);

/* Ends all tokens of a name except the newest; for metrics, all of them.
   CUSTOS_ENAME: there is none to end. */
CUSTOS_MUST_USE custos_status
credential_tokens_end(struct ledger *l, str name, enum credential_access access,
                      int64_t now, struct receipt *out, custos_err *err);

/* Removes a name's credentials, also if the policy no longer has the name.
   CUSTOS_ENAME: it has none. */
CUSTOS_MUST_USE custos_status credential_revoke(struct ledger *l, str name,
                                                int64_t now,
                                                struct receipt *out,
                                                custos_err *err);

#endif
