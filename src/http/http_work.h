/*
 * Does the work of a routed request in a worker thread: reads its body, asks
 * the curator, and writes the reply.
 */
#ifndef HTTP_HTTP_WORK_H
#define HTTP_HTTP_WORK_H

#include "http/http_route.h"
#include "serve/parts.h"
#include "serve/question.h"

struct http_work {
    struct question question; /* first, so that its job can be cast to this */
    const struct http_request *request;
    struct http_route route;
    const struct serve_parts *parts;
    struct http_reply *reply;
    struct share *share; /* borrowed; NULL: without limits */

    /* set by http_work.c */
    void (*ask)(struct job *j, struct curator *c);
    arena *arena;           /* of what the body says; freed with the work */
    struct buf explained;   /* "EXPLAIN " and the query */
    struct ask_batch batch; /* of TASK_BATCH and TASK_BATCH_EXPLAIN */
};

/*
 * Before submitting the job, the caller sets who, request, route, parts, reply,
 * done and asked_us; what these point to must live until the job is done.
 */
void http_work_init(struct http_work *w);

/* To be called when the job is back: counts and logs the question. */
void http_work_report(const struct http_work *w, struct counts *counts);

void http_work_clear(struct http_work *w);

#endif
