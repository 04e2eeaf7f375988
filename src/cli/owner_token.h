/*
 * Issues, replaces and revokes the tokens of the owner and those for metrics.
 */
#ifndef CLI_OWNER_TOKEN_H
#define CLI_OWNER_TOKEN_H

#include "curator/credential.h"

struct owner_token_act {
    enum credential_access access;
    bool revoke;                 /* end all */
    bool rotate;                 /* issue one, keep the old one */
    bool end_old;                /* end the old one */
    const char *expires, *grace; /* lengths of time as given, or NULL */
};

/* CLI_OK, or an exit code after printing why. */
int owner_token_do(const char *store, const struct owner_token_act *act);

#endif
