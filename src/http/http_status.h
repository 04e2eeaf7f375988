/*
 * What the HTTP thread answers itself: health, metrics, the API's description,
 * toy questions. Nothing here is derived from data.
 */
#ifndef HTTP_HTTP_STATUS_H
#define HTTP_HTTP_STATUS_H

#include "http/http_route.h"
#include "serve/parts.h"

enum {
    HTTP_CODES_MAX = 64,
    TOYS_EVERY_US = 10000,  /* one toy answer per this time, for all clients */
    TOYS_AHEAD_US = 500000, /* how far toys_us may be ahead of the clock */
};

struct http_status {
    struct curator *curator; /* of the listener's thread; borrowed */
    int64_t toys_us;         /* each toy answer moves it TOYS_EVERY_US ahead */
    uint64_t replies[600];   /* by status */
    struct {
        const char *code;
        uint64_t n;
    } errors[HTTP_CODES_MAX]; /* in the order of their first occurrence */
};

void http_status_count(struct http_status *s, const struct http_reply *reply);

/* False: the task is one for a worker thread. */
bool http_status_answer(struct http_status *s, enum http_task task,
                        const struct http_request *r,
                        const struct serve_parts *parts, int64_t now_us,
                        struct http_reply *out);

#endif
