/*
 * The owner's socket, served by the loop: one caller at a time, one line, one
 * reply.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "pg/loop_inside.h"
#include "serve/clock.h"

static void
write_status(void *ctx, struct json *j)
{
    struct loop *l = ctx;
    size_t waiting, running;

    workers_count(l->options.parts->workers, &waiting, &running);
    json_add_count(j, "connections", l->n_conns);
    json_add_count(j, "sessions", l->n_entered);
    json_add_count(j, "waiting", waiting);
    json_add_count(j, "running", running);
    json_add_bool(j, "stopping", l->stopping || l->draining);
}

static void
write_sessions(void *ctx, struct json *j)
{
    struct loop *l = ctx;

    for (size_t i = 0; i < l->n_slots; i++) {
        const struct conn *c = l->slots[i].conn;

        if (!c || !c->entered)
            continue;
        json_begin(j, NULL);
        json_add_count(j, "pg", c->id);
        json_add_text(j, "who", str_of(session_who(c->session)->name));
        json_add_text(j, "from", str_of(c->address));
        json_add_int(j, "seconds", (l->now_us - c->since_us) / 1000000);
        json_add_bool(j, "asking", c->question_us);
        json_end(j);
    }
}

static void
begin_drain(void *ctx)
{
    struct loop *l = ctx;

    l->draining = true;
    loop_deafen(l);
}

static size_t
cut_sessions(void *ctx, str name)
{
    return connections_cut(ctx, &name,
                           "terminating connection: the owner has ended it");
}

/* Reads certificate and key again. Open connections keep what they need of the
   old ones. */
static custos_status
read_certificate(void *ctx, custos_err *err)
{
    struct loop *l = ctx;

    return l->tls ? tls_new(l->options.tls_cert, l->options.tls_key, &l->fresh,
                            err)
                  : CUSTOS_OK;
}

static custos_status
use_certificate(void *ctx, bool good, custos_err *err)
{
    struct loop *l = ctx;
    struct tls *fresh = l->fresh;

    l->fresh = NULL;
    if (!fresh || !good) {
        tls_free(fresh);
        return CUSTOS_OK;
    }
    tls_free(l->tls);
    l->tls = fresh;
    return l->options.renew ? l->options.renew(l->options.ctx, err) : CUSTOS_OK;
}

/* ---------------------------------------------------------------- calls -- */

static void
hang_up(struct loop *l)
{
    close(l->owner_link);
    l->owner_link = -1;
    l->owner_len = 0;
    loop_watch(l, l->options.owner_fd, EVENT_OWNER, EPOLLIN);
}

void
owner_call(struct loop *l)
{
    int fd = owner_accept(l->options.owner_fd);

    if (fd < 0)
        return;
    l->owner_link = fd;
    l->owner_since_us = l->now_us;
    epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->options.owner_fd, NULL);
    loop_watch(l, fd, EVENT_OWNER_LINE, EPOLLIN);
}

void
owner_sweep(struct loop *l)
{
    if (l->owner_link >= 0 && l->now_us - l->owner_since_us > OWNER_US)
        hang_up(l);
}

static void
answer_line(struct loop *l)
{
    const struct owner_hooks hooks = {
        .ctx = l,
        .renew = read_certificate,
        .renewed = use_certificate,
        .status = write_status,
        .sessions = write_sessions,
        .drain = begin_drain,
        .cut = cut_sessions,
    };
    size_t sent = 0;
    struct buf reply;

    buf_init(&reply, NULL, OWNER_REPLY_MAX);
    owner_answer(l->options.parts->curator, &hooks,
                 (str){l->owner_line, l->owner_len}, wall_us(), &reply);
    while (sent < reply.len && !reply.failed) {
        struct pollfd ready = {.fd = l->owner_link, .events = POLLOUT};
        ssize_t n = send(l->owner_link, reply.ptr + sent, reply.len - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        /* Waits for the caller to read, but not for long. */
        if (n < 0 && (errno != EAGAIN || poll(&ready, 1, 1000) <= 0))
            break;
        sent += n > 0 ? (size_t)n : 0;
    }
    buf_clear(&reply);
}

void
owner_read(struct loop *l)
{
    ssize_t n = recv(l->owner_link, l->owner_line + l->owner_len,
                     sizeof l->owner_line - l->owner_len, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        l->owner_len += (size_t)n;
        if (!memchr(l->owner_line, '\n', l->owner_len) &&
            l->owner_len < sizeof l->owner_line)
            return;
        answer_line(l);
    }
    hang_up(l);
}

static void
log_reload_failed(const custos_err *err)
{
    struct log_line l;

    log_begin(&l, "reload failed");
    log_text(&l, "said", str_of(err->said));
    if (*err->hint)
        log_text(&l, "hint", str_of(err->hint));
    log_end(&l, LOG_FD);
}

/* Called on SIGHUP, which only the server's own user and root can send. */
void
owner_reload(struct loop *l)
{
    struct receipt receipt;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = read_certificate(l, &err);

    if (st) {
        log_reload_failed(&err);
        return;
    }
    st = curator_reload(l->options.parts->curator, wall_us(), &receipt, &err);
    if (st)
        log_reload_failed(&err);
    else
        log_say("reload", "policy and data of the store are in force");
    if (use_certificate(l, !st, &err))
        log_reload_failed(&err);
}
