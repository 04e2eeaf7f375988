/*
 * Authenticates HTTP requests by their bearer token.
 */
#ifndef HTTP_HTTP_ACCESS_H
#define HTTP_HTTP_ACCESS_H

#include "curator/credential.h"
#include "http/http_route.h"
#include "serve/parts.h"

/*
 * False: *reply refuses the request, because it has no token, a wrong one, or one
 * that does not allow this route; because it is an act of the owner and
 * parts->acts is false; or because the store cannot be read. After too many wrong
 * tokens from one address, the reply to another wrong one tells the client to
 * wait. c is the calling thread's handle.
 */
bool http_authenticate(const struct serve_parts *parts, struct curator *c,
                       const struct http_request *r, const char *address,
                       enum http_access access, struct credential *out,
                       struct http_reply *reply);

#endif
