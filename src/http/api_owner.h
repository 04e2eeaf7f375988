/*
 * Internal to the owner's routes: api_owner.c has those that read, api_act.c
 * those that change something. Each function writes the body of a reply or
 * fails.
 */
#ifndef HTTP_API_OWNER_H
#define HTTP_API_OWNER_H

#include "http/api.h"
#include "wire/json.h"

struct api_call {
    const struct serve_parts *parts;
    struct curator *c; /* the worker thread's handle */
    const struct http_request *request;
    arena *a; /* freed after the call */
};

CUSTOS_MUST_USE custos_status api_owner_policy(const struct api_call *call,
                                               struct http_reply *out,
                                               custos_err *err);
CUSTOS_MUST_USE custos_status api_owner_analysts(const struct api_call *call,
                                                 struct http_reply *out,
                                                 custos_err *err);
CUSTOS_MUST_USE custos_status api_owner_data(const struct api_call *call,
                                             struct http_reply *out,
                                             custos_err *err);
CUSTOS_MUST_USE custos_status api_owner_health(const struct api_call *call,
                                               struct http_reply *out,
                                               custos_err *err);
CUSTOS_MUST_USE custos_status api_owner_act(const struct api_call *call,
                                            struct http_reply *out,
                                            custos_err *err);
CUSTOS_MUST_USE custos_status api_owner_reload(const struct api_call *call,
                                               struct http_reply *out,
                                               custos_err *err);

/*
 * Sends a line to this server's own owner's socket, so that the loop does such
 * requests one at a time. Fails as owner_ask and owner_reply_read do.
 */
CUSTOS_MUST_USE custos_status api_owner_ask(const struct api_call *call,
                                            const char *line,
                                            struct json_value *reply,
                                            custos_err *err);

#endif
