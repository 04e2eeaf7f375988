/*
 * The HTTP listener, built on libmicrohttpd. Only the files that include
 * http_inside.h use that library.
 *
 * One thread has all sockets. It reads requests, refuses or answers some of them
 * itself, and hands the rest to the worker threads. A connection is suspended
 * until its job comes back, so a slow client or a slow question holds up nothing
 * but its own connection. Every wait has a limit, which the owner sets: for a
 * request to arrive completely, for a reply to be received, for a question to be
 * answered.
 */
#include "http/http.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "http/http_inside.h"
#include "serve/clock.h"
#include "serve/reply_clock.h"

enum {
    HEAD_BYTES = 32 << 10, /* of one request's head */
    LOOK_MS = 250,         /* how often waits are checked */
    LOOK_US = 1000 * LOOK_MS,
    END_US = 2 * 1000000, /* time for the last replies */
    PEM_MAX = 1 << 20,
};

/* ----------------------------------------------------------- connections -- */

static void
group_of(struct MHD_Connection *c, char group[PEER_GROUP_MAX])
{
    char address[INET6_ADDRSTRLEN];

    exchange_address(c, address);
    peer_group(str_of(address), group);
}

static void
on_connection(void *ctx, struct MHD_Connection *c, void **state,
              enum MHD_ConnectionNotificationCode code)
{
    struct http *h = ctx;
    struct link *l = *state;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

        COUNT_ONE(h->parts->counts, connections_total);
        *state = l = info ? calloc(1, sizeof *l) : NULL;
        if (!l)
            return; /* its requests will be refused */
        l->fd = info->connect_fd;
        l->since_us = steady_us();
        l->until_us = l->since_us + h->parts->limits.login_ms * 1000;
        l->next = h->links;
        if (l->next)
            l->next->prev = l;
        h->links = l;
        h->n_links++;
        group_of(c, l->group);
        links_make_room(h, l);
    } else if (l) {
        h->n_links--;
        if (l->prev)
            l->prev->next = l->next;
        else
            h->links = l->next;
        if (l->next)
            l->next->prev = l->prev;
        free(l);
        *state = NULL;
    }
}

static bool
has_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* Ends waits whose time is up, and drops questions of clients that have
   gone. */
static void
end_long_waits(struct http *h)
{
    const struct serve_parts *parts = h->parts;
    int64_t asked = reply_clock_us();

    links_look(h, steady_us());
    pthread_mutex_lock(&h->lock);
    for (struct exchange *x = h->running; x; x = x->next) {
        int64_t waited = asked - x->work.question.job.asked_us;

        if (x->dropped)
            continue;
        if (waited > parts->limits.query_ms * 1000) {
            x->dropped = DROP_SLOW;
            COUNT_ONE(parts->counts, timeouts_total);
        } else if (has_gone(x->link->fd)) {
            x->dropped = DROP_GONE;
            COUNT_ONE(parts->counts, cancels_total);
        }
        if (x->dropped)
            workers_drop(parts->workers, &x->work.question.job,
                         x->dropped == DROP_SLOW ? ASK_OVERRUN : ASK_CANCELLED);
    }
    pthread_mutex_unlock(&h->lock);
}

/* ------------------------------------------------------------------ loop -- */

static void
stop_listening(struct http *h)
{
    int fd;

    if (h->quiesced || !h->quiet)
        return;
    h->quiesced = true;
    fd = MHD_quiesce_daemon(h->daemon);
    if (fd >= 0)
        close(fd);
}

static void
wait_for_work(struct http *h, int epoll)
{
    struct pollfd p[] = {{.fd = epoll, .events = POLLIN},
                         {.fd = h->wake, .events = POLLIN}};
    MHD_UNSIGNED_LONG_LONG most;
    int ms = LOOK_MS;
    eventfd_t told;

    if (MHD_get_timeout(h->daemon, &most) == MHD_YES && most < LOOK_MS)
        ms = (int)most;
    (void)poll(p, COUNT_OF(p), ms);
    if (p[1].revents)
        (void)!eventfd_read(h->wake, &told);
}

/* The library cannot stop a daemon while it has suspended connections, or while
   a worker thread is about to wake it. So this thread goes on until all jobs
   are back. */
static bool
is_over(const struct http *h, int64_t end, int64_t now)
{
    return atomic_load(&h->jobs) == 0 &&
           ((end && now > end) || ((h->ends || h->retires) && !h->links));
}

static void *
http_main(void *ctx)
{
    struct http *h = ctx;
    int epoll =
        MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    int64_t looked = 0, end = 0, now;

    for (;;) {
        wait_for_work(h, epoll);
        stop_listening(h);
        MHD_run(h->daemon);
        now = steady_us();
        if (now - looked >= LOOK_US) {
            end_long_waits(h);
            looked = now;
        }
        if (h->ends && !end)
            end = now + END_US;
        if (is_over(h, end, now))
            break;
    }
    /* Closed here, not by the thread that joins this one: curator_close frees
       the MPFR cache of the thread that calls it. */
    MHD_stop_daemon(h->daemon);
    curator_close(h->curator);
    h->daemon = NULL;
    h->curator = NULL;
    h->over = true;
    return NULL;
}

/* ------------------------------------------------------- start and stop -- */

static custos_status
pem_read(const char *path, char **out, custos_err *err)
{
    FILE *f = fopen(path, "re");
    char *text = f ? calloc(1, PEM_MAX) : NULL;
    size_t n = text ? fread(text, 1, PEM_MAX - 1, f) : 0;

    if (f)
        fclose(f);
    if (n == 0) {
        free(text);
        return custos_fail(err, CUSTOS_EINVAL, "cannot read %.150s", path);
    }
    *out = text;
    return CUSTOS_OK;
}

static custos_status
daemon_start(struct http *h, int fd, custos_err *err)
{
    unsigned limit = (unsigned)h->parts->limits.connections;
    unsigned flags =
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (h->cert ? MHD_USE_TLS : 0);
    char versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, h->key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, versions},
        {MHD_OPTION_END, 0, NULL},
    };
    int own = dup(fd);

    if (own < 0)
        return custos_fail(err, CUSTOS_EIO, "cannot listen for HTTP");
    if (!h->cert)
        tls[0].option = MHD_OPTION_END;
    h->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, exchange_answer, h, MHD_OPTION_LISTEN_SOCKET, own,
        MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEAD_BYTES, MHD_OPTION_NOTIFY_COMPLETED, exchange_end, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    if (h->daemon)
        return CUSTOS_OK;
    close(own);
    return h->cert ? custos_fail(err, CUSTOS_EINVAL,
                                 "cannot listen for HTTP with this certificate "
                                 "and key")
                   : custos_fail(err, CUSTOS_EIO, "cannot listen for HTTP");
}

static void
stop_one(struct http *h)
{
    h->quiet = h->ends = true;
    if (h->wake >= 0)
        (void)!eventfd_write(h->wake, 1);
    if (h->has_thread)
        pthread_join(h->thread, NULL);
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    curator_close(h->curator);
    if (h->wake >= 0)
        close(h->wake);
    if (h->key)
        wipe(h->key, PEM_MAX);
    free(h->cert);
    free(h->key);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

custos_status
http_start(const struct serve_parts *parts, int fd, const char *tls_cert,
           const char *tls_key, struct http **out, custos_err *err)
{
    struct http *h = calloc(1, sizeof *h);
    custos_status st = CUSTOS_OK;

    if (!h || pthread_mutex_init(&h->lock, NULL)) {
        free(h);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    h->parts = parts;
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (h->wake < 0)
        st = custos_fail(err, CUSTOS_EIO, "cannot listen for HTTP");
    if (!st && tls_cert)
        st = pem_read(tls_cert, &h->cert, err);
    if (!st && tls_cert)
        st = pem_read(tls_key, &h->key, err);
    if (!st)
        st = curator_share(parts->curator, &h->curator, err);
    h->status.curator = h->curator;
    if (!st)
        st = daemon_start(h, fd, err);
    if (!st && pthread_create(&h->thread, NULL, http_main, h))
        st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
    h->has_thread = !st;
    if (st)
        http_stop(h);
    else
        *out = h;
    return st;
}

/* Frees the daemons that have ended. */
static void
free_ended(struct http **at)
{
    while (*at) {
        struct http *h = *at;

        if (!h->over) {
            at = &h->older;
            continue;
        }
        *at = h->older;
        stop_one(h);
    }
}

custos_status
http_renew(struct http **web, int fd, const char *tls_cert, const char *tls_key,
           custos_err *err)
{
    struct http *fresh = NULL;
    custos_status st =
        http_start((*web)->parts, fd, tls_cert, tls_key, &fresh, err);

    if (st)
        return st;
    (*web)->retires = true;
    http_quiesce(*web);
    fresh->older = *web;
    free_ended(&fresh->older);
    *web = fresh;
    return CUSTOS_OK;
}

void
http_quiesce(struct http *h)
{
    for (; h; h = h->older) {
        h->quiet = true;
        (void)!eventfd_write(h->wake, 1);
    }
}

void
http_stop(struct http *h)
{
    while (h) {
        struct http *older = h->older;

        stop_one(h);
        h = older;
    }
}
