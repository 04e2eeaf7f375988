/*
 * The inside of what the owner gets by HTTP: api_owner.c looks, api_act.c acts.
 * Each function writes the body of a reply or fails.
 */
#ifndef SERVE_API_OWNER_H
#define SERVE_API_OWNER_H

#include "serve/api.h"

struct api_call {
    const struct serve_parts *parts;
    struct curator *c; /* the worker's */
    const struct http_request *request;
    arena *a; /* for the time of the call */
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
 * A line to the owner's socket of this very server: what it does is done where
 * all acts of the owner are, one after the other. *rest is what follows
 * `{"ok":true`. Fails as owner_ask and owner_reply_read do.
 */
CUSTOS_MUST_USE custos_status api_owner_ask(const struct api_call *call,
                                            const char *line, str *rest,
                                            custos_err *err);

#endif
