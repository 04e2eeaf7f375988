/*
 * What http.c (sockets), http_exchange.c (requests) and http_limits.c (limits)
 * share.
 */
#ifndef HTTP_HTTP_INSIDE_H
#define HTTP_HTTP_INSIDE_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "http/http.h"
#include "http/http_status.h"
#include "http/http_work.h"
#include "serve/peer.h"

/* A connection. until_us: until when we wait for the client; 0: the client waits
   for us, or the connection is being closed. */
struct link {
    struct link *next, *prev;
    int fd;
    int64_t since_us;
    int64_t until_us;
    bool known;    /* it has shown a valid token */
    bool sending;  /* it waits for the client to receive a reply */
    int64_t acked; /* bytes acknowledged when last checked, while sending */
    char group[PEER_GROUP_MAX];
};

enum drop { DROP_NOT, DROP_SLOW, DROP_GONE };

/* A request and its reply. It belongs to the HTTP thread, except while a worker
   thread has its job. */
struct exchange {
    struct http_work work; /* first, so that its job can be cast to this */
    struct http *http;
    struct MHD_Connection *connection;
    struct link *link;
    struct http_request request;
    struct http_reply reply;
    struct buf body;
    unsigned long long received;  /* bytes of the body, kept or not */
    struct share *share;          /* the analyst's, held; NULL: a stranger */
    size_t counted;               /* bytes of this exchange in that share */
    bool answered;                /* `reply` is complete */
    bool endless;                 /* reply without waiting for the body's end */
    struct exchange *next, *prev; /* in the list of running exchanges */
    enum drop dropped;
    enum workers_submit refused; /* why workers_submit refused it;
                                    SUBMIT_TAKEN: it did not */
};

struct http {
    const struct serve_parts *parts;
    struct curator *curator; /* the HTTP thread's own handle */
    struct MHD_Daemon *daemon;
    struct http_status status;
    char *cert, *key;
    pthread_t thread;
    bool has_thread;
    int wake;
    _Atomic bool quiet, ends;
    _Atomic bool retires, over; /* to end with its last connection; ended */
    struct http *older;         /* earlier daemons that still serve */
    /*
     * Number of jobs that are submitted and not yet back; the last statement
     * of job_done decrements it. The HTTP thread does not end before it is 0,
     * and this struct is freed only after the thread has ended. So a job's
     * pointer to this struct is always valid.
     */
    atomic_size_t jobs;
    bool quiesced;
    struct link *links;
    size_t n_links;
    pthread_mutex_t lock; /* guards `running` and the `answered` of its
                             exchanges */
    struct exchange *running;
};

/* Called by the library: for each part of a request, and after its end. */
enum MHD_Result
exchange_answer(void *http, struct MHD_Connection *c, const char *url,
                const char *method, const char *version, const char *upload,
                size_t *upload_bytes, void **state);
void exchange_end(void *http, struct MHD_Connection *c, void **state,
                  enum MHD_RequestTerminationCode code);

/* The client's address; empty: not known. */
void exchange_address(struct MHD_Connection *c, char text[INET6_ADDRSTRLEN]);
void exchange_refuse(struct exchange *x, enum http_fault fault);

/* --- http_limits.c */

void links_make_room(struct http *h, const struct link *newest);
void links_look(struct http *h, int64_t now_us); /* ends overdue waits */
void link_sends(const struct http *h, struct link *l, int64_t now_us);

/* True if the body is so long that we do not wait for its end. */
bool body_is_endless(const struct exchange *x, unsigned long long length);
enum MHD_Result body_take(struct exchange *x, const char *bytes, size_t n);

/* False: refused, because the analyst has too many requests or unread
   replies. */
bool exchange_may_ask(struct exchange *x, int64_t now_us);
/* Sets how many bytes of this exchange count in the analyst's share. */
void exchange_count(struct exchange *x, size_t bytes);

#endif
