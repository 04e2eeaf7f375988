#include "pg/conn.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEPT_BYTES = 2048 };

static bool
is_waiting(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* False: the connection is gone. */
static bool
send_bytes(struct conn *c, const char *bytes, size_t len, size_t *n)
{
    ssize_t sent;

    *n = 0;
    if (c->link) {
        enum tls_result r = tls_write(c->link, bytes, len, n);

        c->wants_write = r == TLS_WRITE;
        c->wants_read = r == TLS_READ;
        return r != TLS_CLOSED;
    }
    sent = send(c->fd, bytes, len, MSG_NOSIGNAL);
    if (sent < 0)
        return is_waiting();
    *n = (size_t)sent;
    return true;
}

/* An idle connection keeps only a small buffer. */
static void
out_empty(struct conn *c, struct buf *out)
{
    c->sent = 0;
    out->len = 0;
    if (out->room > KEPT_BYTES)
        buf_clear(out);
}

static bool
send_pending(struct conn *c)
{
    struct buf *out = session_out(c->session);

    while (c->sent < out->len) {
        size_t n;

        if (!send_bytes(c, out->ptr + c->sent, out->len - c->sent, &n))
            return false;
        c->sent += n;
        if (!n)
            return true;
    }
    out_empty(c, out);
    return true;
}

/* Continues the handshake. False: the connection is gone. */
static bool
do_handshake(struct conn *c, struct tls *tls, int64_t now_us)
{
    enum tls_result r;

    if (!c->link && !(c->link = tls_link_new(tls, c->fd)))
        return false;
    r = tls_handshake(c->link);
    c->wants_write = r == TLS_WRITE;
    c->shaking = r == TLS_READ || r == TLS_WRITE;
    if (r == TLS_DONE)
        session_secured(c->session, tls_binding(c->link), now_us);
    return r != TLS_CLOSED;
}

enum conn_now
conn_drive(struct conn *c, struct tls *tls, int64_t now_us)
{
    for (;;) {
        if (!c->shaking && !send_pending(c))
            return CONN_CLOSED;
        if (c->sent < session_out(c->session)->len)
            return CONN_WAITS;
        switch (session_need(c->session)) {
        case NEED_END: return CONN_CLOSED;
        case NEED_CANCEL: return CONN_CANCEL;
        case NEED_WORK: return c->task ? CONN_WAITS : CONN_TASK;
        case NEED_SPACE: session_sent(c->session, now_us); break;
        case NEED_TLS:
            if (!do_handshake(c, tls, now_us))
                return CONN_CLOSED;
            if (c->shaking)
                return CONN_WAITS;
            break;
        case NEED_TURN:
            if (!c->wants_turn)
                return CONN_TURN;
            c->wants_turn = false;
            session_sent(c->session, now_us);
            break;
        case NEED_BYTES: return CONN_WAITS;
        }
    }
}

bool
conn_read(struct conn *c, char *scratch, size_t room, int64_t now_us)
{
    while (session_need(c->session) == NEED_BYTES) {
        size_t n = 0;

        if (c->link) {
            enum tls_result r = tls_read(c->link, scratch, room, &n);

            c->wants_write = r == TLS_WRITE;
            if (r == TLS_CLOSED)
                return false;
        } else {
            ssize_t got = recv(c->fd, scratch, room, 0);

            if (got == 0 || (got < 0 && !is_waiting()))
                return false;
            n = got > 0 ? (size_t)got : 0;
        }
        if (!n)
            return true;
        c->active_us = now_us;
        c->has_sent = true;
        session_receive(c->session, (str){scratch, n}, now_us);
        if (!c->link && n < room)
            return true;
    }
    return true;
}

bool
conn_is_sending(const struct conn *c)
{
    return c->sent < session_out(c->session)->len;
}

uint32_t
conn_events(const struct conn *c)
{
    bool sending = conn_is_sending(c);

    if (c->shaking)
        return c->wants_write ? EPOLLOUT : EPOLLIN;
    if (sending)
        return c->wants_read ? EPOLLIN : EPOLLOUT;
    if (c->wants_write)
        return EPOLLOUT;
    /* While a task runs, all that matters is whether the client hangs up. */
    return session_need(c->session) == NEED_BYTES ? EPOLLIN : EPOLLRDHUP;
}

void
conn_clear(struct conn *c)
{
    tls_link_free(c->link);
    session_free(c->session);
    close(c->fd);
}
