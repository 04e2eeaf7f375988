/*
 * The doors analysts come in by: per name a SCRAM verifier and the hash of a
 * bearer token, in the ledger's file, so that who may come in and the row that
 * says so are one commit. A password or a token is never in the store, and
 * nothing of either is ever in a row.
 *
 * Every look reads what is committed now: a door that was closed or changed in
 * any process is so at once for all. The name "" is the owner, who has a token
 * alone.
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

/* What a credential is for. Metrics: /metrics and health, nothing else; it has
   no name, and must not be taken for the owner's. */
enum credential_access { CREDENTIAL_FULL, CREDENTIAL_METRICS_ONLY };

/* Who came in, by which credential, and which row of the chain made it: see
   credential_holds. */
struct credential {
    char name[CREDENTIAL_NAME_MAX]; /* "": the owner */
    uint64_t seq;
    bool by_token;
    enum credential_access access;
};

/*
 * The SCRAM verifier of an analyst of the policy in force, as wire/scram writes
 * it. May fail: CUSTOS_EDENIED (none: go on with credential_mock_salt, so that a
 * stranger cannot tell), and as reading the ledger does.
 */
CUSTOS_MUST_USE custos_status
credential_verifier(struct curator *c, str name, struct credential *out,
                    char verifier[CREDENTIAL_VERIFIER_MAX], custos_err *err);

/* The salt that a name without a door shows: the same one each time. */
void credential_mock_salt(const struct curator *c, str name,
                          uint8_t salt[CREDENTIAL_SALT_BYTES]);

/*
 * Whose token it is. It is hashed before it is compared, so that the time this
 * takes tells nothing of a token that is kept. May fail: CUSTOS_EDENIED.
 */
CUSTOS_MUST_USE custos_status credential_token(struct curator *c, str token,
                                               struct credential *out,
                                               custos_err *err);

/*
 * Is the door still the one that was come in by? False once it was rotated or
 * revoked, or has expired, or the policy in force has lost the name: the session is to end. To
 * be asked before each question of a session. CUSTOS_EDENIED: it is not.
 */
CUSTOS_MUST_USE custos_status credential_holds(struct curator *c,
                                               const struct credential *d,
                                               custos_err *err);

/*
 * Everybody of the policy, in its order, then names with a door that it has
 * lost; the owner is not among them. In a.
 */
struct credential_info {
    str name;
    bool known;           /* the policy in force has it */
    bool password, token; /* what it has a door by */
    bool revoked;         /* it has none, and had one before */
    uint64_t seq;    /* the row that made the credential; 0: there is none */
    int64_t expires; /* the password; 0: never */
    size_t n_tokens; /* newest first */
    struct credential_token_info {
        uint64_t seq;
        int64_t expires; /* 0: never */
    } tokens[CREDENTIAL_TOKENS_MAX];
};

/* Did it expire by now? */
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
 * Gives a name its door: the verifier (empty for the owner) and the token's
 * hash, instead of all it had, both until `expires` (0: for good); one commit
 * with its row. CREDENTIAL_NEW refuses a name that has one, CREDENTIAL_AGAIN one that has
 * none. CUSTOS_EPOLICY: the policy in force does not know the name.
 */
enum credential_change { CREDENTIAL_NEW, CREDENTIAL_AGAIN };
CUSTOS_MUST_USE custos_status credential_set(struct ledger *l, str name,
                                             enum credential_change how,
                                             str verifier, str token,
                                             int64_t expires, int64_t now,
                                             struct receipt *out,
                                             custos_err *err);

/*
 * One more token for a name that has a door, or for metrics (name empty). The
 * newest before it stays valid, until old_until if that is not 0; older ones
 * end. CUSTOS_ENAME: the name has no credential.
 */
CUSTOS_MUST_USE custos_status
credential_token_add(struct ledger *l, str name, enum credential_access access,
                     str token, int64_t expires, int64_t old_until, int64_t now,
                     struct receipt *out, custos_err *err);

/* Ends the tokens of a name but the newest, or of metrics all. CUSTOS_ENAME:
   there is none to end. */
CUSTOS_MUST_USE custos_status
credential_tokens_end(struct ledger *l, str name, enum credential_access access,
                      int64_t now, struct receipt *out, custos_err *err);

/* Takes it away, also of a name that the policy has lost. CUSTOS_ENAME. */
CUSTOS_MUST_USE custos_status credential_revoke(struct ledger *l, str name,
                                                int64_t now,
                                                struct receipt *out,
                                                custos_err *err);

#endif
