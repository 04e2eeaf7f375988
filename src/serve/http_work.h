/*
 * Does a request that has a route: reads its body, asks the curator in a worker's
 * thread, and writes the reply.
 */
#ifndef SERVE_HTTP_WORK_H
#define SERVE_HTTP_WORK_H

#include "serve/http_route.h"
#include "serve/question.h"
#include "serve/server.h"

struct http_work {
    struct question question; /* first: its job is this */
    const struct http_request *request;
    struct http_route route;
    const struct serve_parts *parts;
    struct http_reply *reply;
    struct share *share; /* borrowed; NULL: without limits */

    /* its own */
    void (*ask)(struct job *j, struct curator *c);
    arena *arena;         /* of what the body says, until the reply is made */
    struct buf explained; /* EXPLAIN and the text */
};

/*
 * Before submitting it the caller sets who, request, route, parts, reply, done
 * and asked_us; all of them live until it is done.
 */
void http_work_init(struct http_work *w);

/* Afterwards: counts it, and logs what it was. */
void http_work_report(const struct http_work *w, struct counts *counts);

void http_work_clear(struct http_work *w);

#endif
