/*
 * Who asks by HTTP: the bearer of a token.
 */
#ifndef SERVE_HTTP_ACCESS_H
#define SERVE_HTTP_ACCESS_H

#include "curator/credential.h"
#include "serve/http_route.h"
#include "serve/server.h"

/*
 * False: refused by *reply (no token, a wrong one, one of an analyst where the
 * owner's is needed, the owner's for an act where there are none), or made to wait after too many wrong ones from this
 * address. c is the calling thread's handle.
 */
bool http_authenticate(const struct serve_parts *parts, struct curator *c,
                       const struct http_request *r, const char *address,
                       enum http_access access, struct credential *out,
                       struct http_reply *reply);

#endif
