/*
 * Authenticates HTTP requests by their bearer token.
 */
#ifndef SERVE_HTTP_ACCESS_H
#define SERVE_HTTP_ACCESS_H

#include "curator/credential.h"
#include "serve/http_route.h"
#include "serve/server.h"

/*
 * False: *reply refuses the request: no token, a wrong one, one that does not
 * allow this route, an act of the owner where HTTP does none, or too many wrong
 * tokens from this address, which then has to wait. c is the calling thread's
 * handle.
 */
bool http_authenticate(const struct serve_parts *parts, struct curator *c,
                       const struct http_request *r, const char *address,
                       enum http_access access, struct credential *out,
                       struct http_reply *reply);

#endif
