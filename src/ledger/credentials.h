/*
 * Credentials: what a name can log in with. They are stored beside the chain,
 * and each names the row that made it: a change and the row that records it are
 * one commit. Only what a server needs to check a secret is stored.
 *
 * A name has one password and up to LEDGER_TOKENS_MAX tokens, so that a new
 * token can be given out before the old one ends. The owner ("") has tokens
 * only. Metrics tokens belong to no name and permit only metrics and health
 * checks.
 */
#ifndef LEDGER_CREDENTIALS_H
#define LEDGER_CREDENTIALS_H

#include "ledger/ledger.h"

enum {
    LEDGER_CREDENTIAL_NAME_MAX = 256,
    LEDGER_CREDENTIAL_VERIFIER_MAX = 256,
    LEDGER_TOKEN_BYTES = 32, /* of a token's hash */
    LEDGER_TOKENS_MAX = 2,   /* of one name and access, at one time */
};

struct ledger_credential {
    char name[LEDGER_CREDENTIAL_NAME_MAX];         /* "": the owner */
    uint64_t seq;                                  /* the row that made it */
    char verifier[LEDGER_CREDENTIAL_VERIFIER_MAX]; /* "": none */
    int64_t expires; /* when the password expires, in microseconds since 1970;
                        0: never */
};

/* What a token permits. The numbers are stored in the file. */
enum ledger_access {
    LEDGER_ACCESS_FULL = 0,    /* everything its name may do */
    LEDGER_ACCESS_METRICS = 1, /* metrics and health; its name is empty */
};

struct ledger_token {
    char name[LEDGER_CREDENTIAL_NAME_MAX];
    enum ledger_access access;
    uint64_t seq;
    int64_t expires; /* 0: never */
    uint8_t hash[LEDGER_TOKEN_BYTES];
};

/*
 * Finds the credentials in the committed state, expired or not. A name that is
 * not in the terms in force has no credentials, whatever is stored. Fails with
 * CUSTOS_ENAME if there are none, and as reading does.
 */
CUSTOS_MUST_USE custos_status ledger_credential_find(
    struct ledger *l, str name, struct ledger_credential *out, custos_err *err);
CUSTOS_MUST_USE custos_status
ledger_token_find(struct ledger *l, const uint8_t hash[LEDGER_TOKEN_BYTES],
                  struct ledger_token *out, custos_err *err);

/* Finds the token that a row created for a name, if it still exists. */
CUSTOS_MUST_USE custos_status ledger_token_of_row(struct ledger *l, str name,
                                                  enum ledger_access access,
                                                  uint64_t seq,
                                                  struct ledger_token *out,
                                                  custos_err *err);

/* All stored credentials, by name, newest token first, allocated in a; also
   those of names that are no longer in the policy. */
CUSTOS_MUST_USE custos_status ledger_credentials(struct ledger *l, arena *a,
                                                 struct ledger_credential **out,
                                                 size_t *n, custos_err *err);
CUSTOS_MUST_USE custos_status ledger_tokens(struct ledger *l, arena *a,
                                            struct ledger_token **out,
                                            size_t *n, custos_err *err);

/* Was a name ever revoked, whether or not it has credentials again? */
CUSTOS_MUST_USE custos_status ledger_was_revoked(struct ledger *l, str name,
                                                 bool *out, custos_err *err);

/*
 * Sets the password and one token of the owner or of a name in the terms in
 * force, replacing all credentials it had, and writes the row. NEW: the name
 * must have no credentials; AGAIN: it must have some. Fails with CUSTOS_ENAME
 * (no such analyst, or nothing to replace), CUSTOS_EINVAL (it has some
 * already), and as writing does.
 */
enum ledger_credential_how { LEDGER_CREDENTIAL_NEW, LEDGER_CREDENTIAL_AGAIN };
CUSTOS_MUST_USE custos_status ledger_credential_put(
    struct ledger *l, const struct ledger_credential *credential,
    const struct ledger_token *token, enum ledger_credential_how how,
    int64_t now, struct receipt *out, custos_err *err);

/* Removes the password and all tokens. CUSTOS_ENAME: there are none. */
CUSTOS_MUST_USE custos_status ledger_credential_drop(struct ledger *l, str name,
                                                     int64_t now,
                                                     struct receipt *out,
                                                     custos_err *err);

/*
 * Adds a token for a name that has credentials, or for metrics. The newest
 * token before it stays valid, until old_until if that is not 0; older ones
 * end. Fails with CUSTOS_ENAME (the name has no credentials), and as writing
 * does.
 */
CUSTOS_MUST_USE custos_status ledger_token_put(struct ledger *l,
                                               const struct ledger_token *token,
                                               int64_t old_until, int64_t now,
                                               struct receipt *out,
                                               custos_err *err);

/* Ends all tokens of that name and access except the newest `keep` (0 or 1).
   CUSTOS_ENAME: there is nothing to end. */
CUSTOS_MUST_USE custos_status ledger_tokens_end(struct ledger *l, str name,
                                                enum ledger_access access,
                                                size_t keep, int64_t now,
                                                struct receipt *out,
                                                custos_err *err);

#endif
