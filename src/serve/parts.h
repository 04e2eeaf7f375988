/*
 * What the listeners for PostgreSQL and HTTP share: the owner's limits, worker
 * threads, counters. daemon/ makes it.
 */
#ifndef SERVE_PARTS_H
#define SERVE_PARTS_H

#include "serve/counts.h"
#include "serve/receipts.h"
#include "serve/shares.h"
#include "serve/throttle.h"
#include "serve/verified.h"
#include "serve/workers.h"

/* The owner's limits. 0: the default. */
struct serve_limits {
    size_t waiting;     /* questions not yet begun */
    size_t connections; /* of all clients */
    size_t connections_per_analyst;
    size_t message_bytes;       /* of one message from a client */
    size_t query_bytes;         /* of one text of SQL */
    int64_t query_ms;           /* for one question, waiting included */
    int64_t free_ms;            /* for one free question, without waiting */
    int64_t login_ms;           /* from connect to a finished login; for HTTP,
                                   to a complete request */
    int64_t idle_ms;            /* between questions */
    int64_t stop_ms;            /* from the signal to the end */
    size_t running_per_analyst; /* questions at one time */
    int64_t ahead_ms; /* sum of the class times of one analyst's charged
                         questions in flight, for every two worker processes */
    size_t waiting_per_analyst;  /* questions not yet begun */
    size_t requests_per_analyst; /* a minute */
    size_t unread_per_analyst; /* bytes of requests and replies on their way */
    size_t prepared_per_analyst;  /* bytes of prepared statements and cursors */
    size_t prepared_bytes;        /* the same of one session */
    size_t reply_bytes;           /* of one free reply */
    size_t strangers;             /* connections that have not logged in */
    size_t strangers_per_address; /* an IPv6 /64 counts as one address */
    size_t logins;                /* attempts per minute by strangers */
    size_t logins_per_address;
    int64_t send_ms; /* within which a client must receive some of a reply */
};
void serve_limits_default(struct serve_limits *limits);

/* Fills in the default of each limit that is 0. */
void serve_limits_fill(struct serve_limits *limits);

/* How much of stop_ms running questions may use; the rest is for interrupted
   ones and last replies. */
int64_t serve_stop_questions_ms(const struct serve_limits *limits);

/* Names that are allowed in HTTP's Host besides numeric addresses and localhost
   (http/http_host.h). Borrowed. */
struct http_hosts {
    const char *listen; /* HOST:PORT as the owner wrote it */
    const char *const *names;
    size_t n_names;
};

/* What both listeners share. They borrow it; it outlives them. */
struct serve_parts {
    struct workers *workers;
    struct pool *pool; /* of worker processes */
    struct throttle *throttle;
    struct counts *counts;
    struct verified *verified;
    struct shares *shares; /* NULL: without limits */
    struct serve_limits limits;
    struct http_hosts hosts;
    struct receipts *receipts; /* the export of receipts; NULL: none */
    int64_t started_us;        /* steady_us() */
    bool acts; /* HTTP listens on loopback only, so it does acts of the owner
                  too */
    struct curator *curator; /* the handle of the main thread, which runs the
                                loop; not for questions */
    /* Does a worker process of each lane answer? For deep health, from any
       thread; NULL: there are none. */
    custos_status (*worker_ping)(void *ctx, custos_err *err);
    void *worker_ctx;
};

#endif
