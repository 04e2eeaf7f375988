/*
 * Tokens of the owner, and tokens for metrics: given, replaced, taken away.
 */
#ifndef CLI_OWNER_TOKEN_H
#define CLI_OWNER_TOKEN_H

#include "curator/credential.h"

struct owner_token_act {
    enum credential_access access;
    bool revoke;                 /* takes all away */
    bool rotate;                 /* a new one beside the old one */
    bool end_old;                /* ends the old one */
    const char *expires, *grace; /* lengths of time as given, or NULL */
};

/* CLI_OK, or an exit code after its sentence. */
int owner_token_do(const char *store, const struct owner_token_act *act);

#endif
