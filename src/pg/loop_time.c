/*
 * Time limits of connections, checked every SWEEP_US; signals; stopping.
 */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pg/loop_inside.h"

/* Closes the connection if the client has received nothing of its replies for
   too long. True if it did. */
static bool
close_if_unread(struct loop *l, struct conn *c)
{
    int64_t acked = conn_is_sending(c) ? peer_acked(c->fd) : -1;

    if (acked < 0 || acked != c->acked) {
        c->acked = acked;
        c->taken_us = l->now_us;
    }
    if (l->now_us - c->taken_us <= l->options.parts->limits.send_ms * 1000)
        return false;
    COUNT_ONE(l->options.parts->counts, slow_readers_total);
    loop_close(l, c, "not read");
    return true;
}

/* Enforces the limits on queries, logins and idle sessions. */
static void
enforce_limits(struct loop *l, struct conn *c)
{
    const struct serve_limits *limits = &l->options.parts->limits;
    const int64_t now = l->now_us;

    if (c->entered && c->question_us &&
        now - c->question_us > limits->query_ms * 1000) {
        if (session_stop(c->session, STOP_TIME)) {
            COUNT_ONE(l->options.parts->counts, timeouts_total);
            loop_drop(l, c, ASK_OVERRUN);
        }
        return; /* the reply follows when the job comes back */
    }
    if (!c->entered && now - c->since_us > limits->login_ms * 1000) {
        session_end(c->session, "08006", "the login took too long");
    } else if (c->entered && !c->question_us &&
               now - c->active_us > limits->idle_ms * 1000) {
        session_end(c->session, "57P05",
                    "terminating connection due to idle-session timeout");
    } else {
        return;
    }
    loop_drive(l, c);
}

/* Checks all connections every SWEEP_US. Closes an ended session even if its
   client does not receive the last bytes. When the time to stop is up, closes
   all. */
void
loop_sweep(struct loop *l)
{
    bool over = l->stopping && l->now_us > l->stop_by_us;

    if (l->now_us - l->swept_us < SWEEP_US && !over)
        return;
    l->swept_us = l->now_us;
    owner_sweep(l);
    if (l->deaf && !l->stopping && !l->draining)
        loop_watch(l, l->options.listen_fd, EVENT_LISTEN, EPOLLIN);
    l->deaf = false;
    for (size_t i = 0; i < l->n_slots; i++) {
        struct conn *c = l->slots[i].conn;

        if (!c)
            continue;
        if (over || (session_need(c->session) == NEED_END &&
                     l->now_us - c->active_us >
                         l->options.parts->limits.login_ms * 1000)) {
            session_end(c->session, "57P01", "the server is stopping");
            (void)conn_drive(c, l->tls, l->now_us);
            loop_close(l, c, "time");
        } else if (!close_if_unread(l, c)) {
            enforce_limits(l, c);
        }
    }
}

/* Closes the listeners, so that new clients are refused at once and do not
   wait. */
void
loop_deafen(struct loop *l)
{
    if (l->options.quiesce)
        l->options.quiesce(l->options.ctx);
    if (l->options.listen_fd < 0)
        return;
    epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->options.listen_fd, NULL);
    shutdown(l->options.listen_fd, SHUT_RDWR);
}

void
loop_stop(struct loop *l, int64_t within_ms)
{
    l->stop_by_us = l->now_us + within_ms * 1000;
    if (l->stopping)
        return;
    l->stopping = true;
    if (l->options.notify)
        notify_say(l->options.notify, "STOPPING=1");
    log_say("stop", "no new connections; running queries may finish");
    loop_deafen(l);
    for (size_t i = 0; i < l->n_slots; i++)
        if (l->slots[i].conn)
            loop_drive(l, l->slots[i].conn);
}

void
loop_signals(struct loop *l)
{
    struct signalfd_siginfo info;

    while (read(l->options.signals_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGHUP)
            owner_reload(l);
        else /* a second signal stops at once */
            loop_stop(l, l->stopping ? 0
                                     : serve_stop_questions_ms(
                                           &l->options.parts->limits));
    }
}

int64_t
loop_stop_by(const struct loop *l)
{
    return l->stop_by_us;
}
