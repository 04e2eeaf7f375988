/*
 * Who asks by HTTP: the bearer of a token.
 */
#ifndef SERVE_HTTP_ACCESS_H
#define SERVE_HTTP_ACCESS_H

#include "curator/credential.h"
#include "serve/http_route.h"
#include "serve/server.h"

/*
 * False: *reply refuses it: no token, a wrong one, an analyst's where the owner's
 * is needed, the owner's for an act where HTTP does none; or too many wrong ones
 * from this address, which has to wait. c is the calling thread's handle.
 */
bool http_authenticate(const struct serve_parts *parts, struct curator *c,
                       const struct http_request *r, const char *address,
                       enum http_access access, struct credential *out,
                       struct http_reply *reply);

#endif
