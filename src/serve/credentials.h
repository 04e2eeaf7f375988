/*
 * Gives an analyst credentials: a password for PostgreSQL clients and a token
 * for HTTP. The store keeps only what is needed to check them; the secrets
 * themselves are shown once, then wiped.
 */
#ifndef SERVE_CREDENTIALS_H
#define SERVE_CREDENTIALS_H

#include "curator/credential.h"

enum { CREDENTIALS_PASSWORD_MAX = 1025 };

struct credentials {
    char password[CREDENTIALS_PASSWORD_MAX]; /* empty: one is generated */
    char token[CREDENTIAL_TOKEN_MAX];
    int64_t expires; /* of both, in microseconds since 1970; 0: never */
};

/*
 * Fails as credential_set does; also with CUSTOS_EINVAL for an empty name (the
 * owner's) or a password that SCRAM does not accept. Writes to l, in the
 * calling thread.
 */
CUSTOS_MUST_USE custos_status credentials_give(struct ledger *l, str name,
                                               enum credential_change how,
                                               struct credentials *c,
                                               int64_t now, struct receipt *out,
                                               custos_err *err);

#endif
