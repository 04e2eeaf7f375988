/*
 * The loop: one thread with all PostgreSQL connections and the owner's socket,
 * by epoll. It does the owner's commands itself; all other work that takes time
 * goes to worker threads and comes back by a mailbox.
 */
#ifndef PG_LOOP_H
#define PG_LOOP_H

#include "serve/notify.h"
#include "serve/parts.h"
#include "serve/tls.h"

struct loop;

struct loop_options {
    const struct serve_parts *parts;
    int listen_fd;                  /* -1: no PostgreSQL clients */
    int owner_fd;                   /* the owner's socket; -1: none */
    int signals_fd;                 /* SIGTERM, SIGINT, SIGHUP by signalfd */
    const char *tls_cert, *tls_key; /* NULL: no TLS */
    size_t cache_bytes;             /* 0: no answers in memory */
    void (*quiesce)(void *ctx);     /* makes other listeners accept nobody new;
                                       may be NULL */
    /* Makes other listeners read certificate and key again; may be NULL. */
    custos_status (*renew)(void *ctx, custos_err *err);
    void *ctx;
    struct notify *notify; /* systemd's watchdog; may be NULL */
};

/* May fail: CUSTOS_ENOMEM, CUSTOS_EINVAL (TLS files). */
CUSTOS_MUST_USE custos_status loop_new(const struct loop_options *options,
                                       struct loop **out, custos_err *err);

/* Runs until it is told to stop and all sessions have ended or their time is
   up. */
void loop_run(struct loop *l);

/* After loop_run: until when running questions may go on, in steady_us(). */
int64_t loop_stop_by(const struct loop *l);

/* To be called after workers_stop; frees tasks that came back after
   loop_run. */
void loop_free(struct loop *l);

#endif
