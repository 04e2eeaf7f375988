/*
 * `custos serve`: one process that listens for PostgreSQL clients and for HTTP.
 * A loop thread has the PostgreSQL sockets, worker threads answer questions, one
 * writer writes the ledger.
 */
#ifndef DAEMON_SERVER_H
#define DAEMON_SERVER_H

#include "serve/parts.h"
#include "serve/workers.h"

struct server_options {
    const char *store;
    const char *pg;   /* "127.0.0.1:6432"; "" : no PostgreSQL clients */
    const char *http; /* "127.0.0.1:8080"; "" : no HTTP */
    const struct receipts_target *receipts; /* where receipts are exported;
                                               NULL: nowhere */
    const char *const *http_hosts; /* names that HTTP accepts in Host, besides
                                      its own (http_host.h) */
    size_t n_http_hosts;
    const char *tls_cert, *tls_key; /* PEM files, both or none; reread by
                                       reload */
    size_t threads;                 /* 0: 64 per processor; at most 256 */
    size_t workers;                 /* worker processes for private questions
                                       with a short class time, and as many for
                                       free questions; 0: one per processor */
    uint64_t worker_bytes;          /* memory of each worker process; 0: all get
                                       about half of the machine's memory */
    bool steps;                     /* charged replies leave at fixed times */
    int64_t allowance_us;           /* of replies; 0: the default */
    int insecure;                   /* 2: both options that allow listening off
                                       loopback without TLS are given */
    /* Who answers free questions; NULL: worker processes. */
    const struct workers_free *free_answers;
    struct serve_limits limits;
};

/*
 * Serves until SIGTERM or SIGINT, or `drain` at the owner's socket. May fail
 * at the start: CUSTOS_EINVAL (addresses, TLS files, off loopback without TLS),
 * CUSTOS_EIO, and as opening the store does.
 */
CUSTOS_MUST_USE custos_status server_run(const struct server_options *options,
                                         custos_err *err);

#endif
