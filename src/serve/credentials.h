/*
 * What an analyst comes in by, given: a password for PostgreSQL clients and a
 * token for HTTP. The store keeps what checks them, and these are all there is
 * of themselves: shown once, then wiped.
 */
#ifndef SERVE_CREDENTIALS_H
#define SERVE_CREDENTIALS_H

#include "curator/credential.h"

enum { CREDENTIALS_PASSWORD_MAX = 1025 };

struct credentials {
    char password[CREDENTIALS_PASSWORD_MAX]; /* empty: one is to be made */
    char token[CREDENTIAL_TOKEN_MAX];
    int64_t expires; /* both, in microseconds since 1970; 0: never */
};

/*
 * By credential_set, with its failures; CUSTOS_EINVAL: no name, which is the owner's,
 * or a password that is none. l is written to, by its thread.
 */
CUSTOS_MUST_USE custos_status credentials_give(struct ledger *l, str name,
                                               enum credential_change how,
                                               struct credentials *c,
                                               int64_t now, struct receipt *out,
                                               custos_err *err);

#endif
