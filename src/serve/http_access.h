/*
 * Authenticates HTTP requests by their bearer token.
 */
#ifndef SERVE_HTTP_ACCESS_H
#define SERVE_HTTP_ACCESS_H

#include "curator/credential.h"
#include "serve/http_route.h"
#include "serve/server.h"

/*
 * False: *reply refuses the request: it has no token, a wrong one, or one that
 * does not allow this route; or it is an act of the owner and parts->acts is
 * false; or too many wrong tokens came from this address, which then has to
 * wait. c is the calling thread's handle.
 */
bool http_authenticate(const struct serve_parts *parts, struct curator *c,
                       const struct http_request *r, const char *address,
                       enum http_access access, struct credential *out,
                       struct http_reply *reply);

#endif
