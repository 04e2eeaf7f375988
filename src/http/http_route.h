/*
 * Chooses the route of a request by path, method, arguments and format. It
 * looks only at the head, so that a refusal comes before the body is read.
 */
#ifndef HTTP_HTTP_ROUTE_H
#define HTTP_HTTP_ROUTE_H

#include "http/http_message.h"

enum http_task { /* questions first, up to TASK_BATCH_EXPLAIN */
                 TASK_QUERY,
                 TASK_EXPLAIN,
                 TASK_BATCH,
                 TASK_BATCH_EXPLAIN,
                 TASK_BUDGET,
                 TASK_SCHEMA,
                 TASK_LEDGER,
                 TASK_ME,
                 TASK_RISK,
                 TASK_LEARN,
                 TASK_HISTORY,
                 TASK_VERIFY,
                 TASK_OWNER_POLICY,
                 TASK_OWNER_ANALYSTS,
                 TASK_OWNER_DATA,
                 TASK_OWNER_HEALTH,
                 TASK_OWNER_ACT,
                 TASK_OWNER_RELOAD,
                 TASK_HEALTH,
                 TASK_HEALTH_DEEP,
                 TASK_METRICS,
                 TASK_OPENAPI,
};

/* Who may use a route: everybody; any analyst or the owner; a metrics token or
   the owner; the owner; the owner, if acts are done by HTTP. */
enum http_access {
    ACCESS_OPEN,
    ACCESS_TOKEN,
    ACCESS_WATCH,
    ACCESS_OWNER,
    ACCESS_ACT
};

enum http_form { FORM_JSON, FORM_CSV };

struct http_route {
    enum http_task task;
    enum http_access access;
    enum http_form form;
    bool takes_body; /* if not, a body is read but not kept */
};

/*
 * False: *reply answers the request already: with a refusal, a file of the
 * console, or the reply to OPTIONS, which lists the methods and allows no other
 * origin.
 */
bool http_route(const struct http_request *r, struct http_route *out,
                struct http_reply *reply);

#endif
