/*
 * What http.c (sockets) and http_exchange.c (requests) share.
 */
#ifndef SERVE_HTTP_INSIDE_H
#define SERVE_HTTP_INSIDE_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "serve/http.h"
#include "serve/http_status.h"
#include "serve/http_work.h"
#include "serve/peer.h"

/* A connection and when its current wait ends; 0: it waits for us. */
struct link {
    struct link *next, *prev;
    int fd;
    int64_t since_us;
    int64_t until_us;
    bool known;    /* it has shown a token that is in force */
    bool sending;  /* it waits for the client to receive a reply; then: */
    int64_t acked; /* bytes received when last looked at */
    char group[PEER_GROUP_MAX];
};

enum drop { DROP_NOT, DROP_SLOW, DROP_GONE };

/* A request and its reply. The loop's, except what a worker has. */
struct exchange {
    struct http_work work; /* first: its job is this */
    struct http *http;
    struct MHD_Connection *connection;
    struct link *link;
    struct http_request request;
    struct http_reply reply;
    struct buf body;
    unsigned long long received;  /* bytes of the body, kept or not */
    struct share *share;          /* of who asks, held; NULL: a stranger */
    size_t counted;               /* its bytes in that share */
    bool answered;                /* reply is what will be sent */
    bool endless;                 /* its body is too long to be waited for */
    struct exchange *next, *prev; /* in the list of running ones */
    enum drop dropped;
    enum workers_submit refused; /* SUBMIT_TAKEN: it was not */
};

struct http {
    const struct serve_parts *parts;
    struct curator *curator; /* the loop's own */
    struct MHD_Daemon *daemon;
    struct http_status status;
    char *cert, *key;
    pthread_t thread;
    bool has_thread;
    int wake;
    _Atomic bool quiet, ends;
    _Atomic bool retires, over; /* ends with its last connection; has ended */
    struct http *older;         /* daemons before it that still have some */
    /*
     * Jobs that workers have, until the last statement of job_done. The loop
     * does not end before they are back, and nothing of this is freed before
     * the loop has ended: so a job's reference to it is always good.
     */
    atomic_size_t jobs;
    bool quiesced;
    struct link *links;
    size_t n_links;
    pthread_mutex_t lock; /* of what follows, and of their `answered` */
    struct exchange *running;
};

/* What the library calls for a request, part by part, and after it. */
enum MHD_Result
exchange_answer(void *http, struct MHD_Connection *c, const char *url,
                const char *method, const char *version, const char *upload,
                size_t *upload_bytes, void **state);
void exchange_end(void *http, struct MHD_Connection *c, void **state,
                  enum MHD_RequestTerminationCode code);

/* Who is at the other end; empty: not known. */
void exchange_address(struct MHD_Connection *c, char text[INET6_ADDRSTRLEN]);
void exchange_refuse(struct exchange *x, enum http_fault fault);

/* --- http_limits.c */

void links_make_room(struct http *h, const struct link *newest);
void links_look(struct http *h, int64_t now_us); /* ends waits that are over */
void link_sends(const struct http *h, struct link *l, int64_t now_us);

/* True if the body is too long to wait for its end. */
bool body_is_endless(const struct exchange *x, unsigned long long length);
enum MHD_Result body_take(struct exchange *x, const char *bytes, size_t n);

/* False: refused for what its analyst has asked for already. */
bool exchange_may_ask(struct exchange *x, int64_t now_us);
/* So many of its bytes are in memory. */
void exchange_count(struct exchange *x, size_t bytes);

#endif
