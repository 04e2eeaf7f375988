#include "pg/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sodium.h>

#include "base/error.h"
#include "pg/loop_inside.h"
#include "serve/clock.h"
#include "serve/listen.h"

/* ------------------------------------------------------- make, end, log -- */

static void
draw_random(void *ctx, uint8_t *bytes, size_t n)
{
    (void)ctx;
    randombytes_buf(bytes, n);
}

static void
count_cached(void *ctx, const struct credential *who, uint64_t seq)
{
    struct loop *l = ctx;

    COUNT_ONE(counts_of(l), answers_stored_total);
    curator_again(l->options.parts->curator, str_of(who->name), seq, wall_us());
}

/* Does not log the name: people type passwords there by mistake. */
static void
log_failed_login(void *ctx, const char *address)
{
    const struct loop *l = ctx;
    struct log_line line;

    COUNT_ONE(counts_of(l), logins_failed_total);
    log_begin(&line, "login-failed");
    log_text(&line, "from", str_of(address));
    log_text(&line, "by", str_of("pg"));
    log_end(&line, LOG_FD);
}

static void
count_refused_login(void *ctx)
{
    const struct loop *l = ctx;

    COUNT_ONE(counts_of(l), logins_refused_total);
}

void
loop_watch(struct loop *l, int fd, enum loop_event event, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u64 = event};

    if (fd >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e))
        log_say("error", "epoll_ctl failed");
}

custos_status
loop_new(const struct loop_options *options, struct loop **out, custos_err *err)
{
    const struct serve_limits *limits = &options->parts->limits;
    struct loop *l = calloc(1, sizeof *l);
    custos_status st = CUSTOS_OK;

    if (!l)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    l->options = *options;
    l->owner_link = -1;
    l->n_slots = limits->connections + STRANGERS_MAX;
    l->slots = calloc(l->n_slots, sizeof *l->slots);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->box = mailbox_new();
    if (options->cache_bytes)
        l->cache = cache_new(options->cache_bytes);
    if (!l->slots || l->epoll < 0 || !l->box || l->n_slots > SLOTS_MAX ||
        (options->cache_bytes && !l->cache))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st && options->tls_cert)
        st = tls_new(options->tls_cert, options->tls_key, &l->tls, err);
    if (st) {
        loop_free(l);
        return st;
    }
    l->host = (struct session_host){
        .limits = {limits->message_bytes, 32767},
        .query_bytes = limits->query_bytes,
        .held_bytes = limits->prepared_bytes,
        .shares = options->parts->shares,
        .tls = l->tls != NULL,
        .throttle = options->parts->throttle,
        .cache = l->cache,
        .ctx = l,
        .chance = draw_random,
        .enter = connections_enter,
        .strayed = log_failed_login,
        .crowded = count_refused_login,
        .again = count_cached,
    };
    loop_watch(l, options->listen_fd, EVENT_LISTEN, EPOLLIN);
    loop_watch(l, options->owner_fd, EVENT_OWNER, EPOLLIN);
    loop_watch(l, options->signals_fd, EVENT_SIGNAL, EPOLLIN);
    loop_watch(l, mailbox_fd(l->box), EVENT_BOX, EPOLLIN);
    *out = l;
    return CUSTOS_OK;
}

void
loop_free(struct loop *l)
{
    struct job *j, *next;

    if (!l)
        return;
    for (j = l->box ? mailbox_take(l->box) : NULL; j; j = next) {
        next = j->next;
        task_free((struct task *)j);
    }
    mailbox_free(l->box);
    if (l->epoll >= 0)
        close(l->epoll);
    cache_free(l->cache);
    tls_free(l->tls);
    free(l->slots);
    free(l);
}

static void
log_conn(const char *event, const struct conn *c, const char *why)
{
    const struct credential *who = session_who(c->session);
    struct log_line line;

    log_begin(&line, event);
    log_int(&line, "pg", c->id);
    log_text(&line, "from", str_of(c->address));
    if (who)
        log_text(&line, "who", str_of(who->name));
    if (why)
        log_text(&line, "why", str_of(why));
    log_end(&line, LOG_FD);
}

/* ---------------------------------------------------------- connections -- */

/* Strangers must not fill the disk: the log lines that they cause per second are
   limited. */
static bool
may_log_close(struct loop *l, const struct conn *c)
{
    if (c->entered)
        return true;
    if (l->now_us - l->lines_since_us >= 1000000) {
        l->lines_since_us = l->now_us;
        l->lines = 0;
    }
    return l->lines++ < STRANGER_LINES;
}

void
loop_close(struct loop *l, struct conn *c, const char *why)
{
    loop_drop(l, c, ASK_CANCELLED);
    if (may_log_close(l, c))
        log_conn("close", c, why);
    connections_remove(l, c);
}

static void
cancel_query(struct loop *l, const struct conn *from)
{
    struct pg_cancel asked = session_cancelled(from->session);
    struct conn *c = connections_at(l, asked.process);
    bool guessable = asked.len < PG_KEY_MAX;
    str address = str_of(from->address);

    /* A key of 32 bits can be guessed with enough tries; one of 256 cannot. */
    if (guessable &&
        throttle_cancels_end(l->options.parts->throttle, address, l->now_us)) {
        COUNT_ONE(counts_of(l), cancels_ignored_total);
        return;
    }
    if (!c || !session_is(c->session, &asked)) {
        COUNT_ONE(counts_of(l), cancels_wrong_total);
        if (guessable)
            throttle_cancel_failed(l->options.parts->throttle, address,
                                   l->now_us);
        return;
    }
    if (!session_stop(c->session, STOP_CANCEL))
        return;
    COUNT_ONE(counts_of(l), cancels_total);
    loop_drop(l, c, ASK_CANCELLED);
}

static void
watch_again(struct loop *l, struct conn *c)
{
    struct epoll_event e = {.events = conn_events(c)};

    e.data.u64 = (uint64_t)c->id << 8 | EVENT_CONN;
    if (e.events == c->events)
        return;
    c->events = e.events;
    epoll_ctl(l->epoll, EPOLL_CTL_MOD, c->fd, &e);
}

static void
note_entry(struct loop *l, struct conn *c)
{
    if (c->entered || !session_who(c->session) ||
        session_need(c->session) == NEED_END)
        return;
    connections_entered(l, c);
    COUNT_ONE(counts_of(l), logins_total);
    log_conn("login", c, NULL);
}

/* True if the server is stopping and the session has no question running. */
static bool
is_leaving(const struct loop *l, const struct conn *c)
{
    return l->stopping && !session_in_question(c->session);
}

void
loop_drive(struct loop *l, struct conn *c)
{
    for (;;) {
        enum conn_now now;

        if (is_leaving(l, c))
            session_end(c->session, "57P01",
                        "terminating connection: the server is stopping");
        now = conn_drive(c, l->tls, l->now_us);
        note_entry(l, c);
        if (now == CONN_TASK) {
            if (loop_submit(l, c))
                break;
            continue;
        }
        if (now == CONN_TURN) {
            c->wants_turn = true;
            l->turns = true;
            break;
        }
        if (now == CONN_CANCEL)
            cancel_query(l, c);
        if (now != CONN_WAITS) {
            loop_close(l, c, NULL);
            return;
        }
        break;
    }
    session_count(c->session);
    watch_again(l, c);
}

static void
refuse_place(struct loop *l, int fd)
{
    const struct pg_report r = {
        .severity = PG_FATAL,
        .sqlstate = "53300",
        .message = str_of("sorry, too many clients already"),
    };
    struct buf b;

    COUNT_ONE(counts_of(l), connections_refused_total);
    buf_init(&b, NULL, 1024);
    pg_out_report(&b, &r);
    if (send(fd, buf_text(&b), b.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_say("refused", "too many connections");
    buf_clear(&b);
    close(fd);
}

static void
accept_all(struct loop *l)
{
    char address[64];
    int fd;

    while ((fd = listen_accept(l->options.listen_fd, address)) >= 0) {
        struct epoll_event e = {.events = EPOLLIN};
        struct conn *c;

        (void)connections_make_room(l, address, CONNECTIONS_WITHIN_LIMITS);
        c = connections_add(l, fd, address);
        if (!c && connections_make_room(l, address, CONNECTIONS_ONE_PLACE))
            c = connections_add(l, fd, address);
        if (!c) {
            refuse_place(l, fd);
            continue;
        }
        COUNT_ONE(counts_of(l), connections_total);
        e.data.u64 = (uint64_t)c->id << 8 | EVENT_CONN;
        c->events = EPOLLIN;
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e))
            loop_close(l, c, "no descriptor");
    }
    /* Without free descriptors the loop can neither accept nor refuse
       connections: it waits for the next sweep. */
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
        errno == ENOBUFS) {
        log_say("refused", "no descriptors are left for new connections");
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->options.listen_fd, NULL);
        l->deaf = true;
    }
}

static void
conn_event(struct loop *l, uint32_t id, uint32_t events)
{
    struct conn *c = connections_at(l, id);
    enum session_need need = c ? session_need(c->session) : NEED_END;

    if (!c)
        return;
    /* A client that hangs up while a question runs does not get its answer. */
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) && need != NEED_BYTES &&
        need != NEED_TURN) {
        loop_close(l, c, "gone");
        return;
    }
    if (((events & (EPOLLIN | EPOLLHUP)) || c->wants_write) && !c->shaking &&
        !conn_read(c, l->scratch, sizeof l->scratch, l->now_us)) {
        loop_close(l, c, "gone");
        return;
    }
    loop_drive(l, c);
}

/* --------------------------------------------------------------- events -- */

static void
event_take(struct loop *l, const struct epoll_event *e)
{
    switch ((enum loop_event)(e->data.u64 & 0xff)) {
    case EVENT_LISTEN: accept_all(l); break;
    case EVENT_OWNER: owner_call(l); break;
    case EVENT_OWNER_LINE: owner_read(l); break;
    case EVENT_SIGNAL: loop_signals(l); break;
    case EVENT_BOX: loop_come_back(l); break;
    case EVENT_CONN:
        conn_event(l, (uint32_t)(e->data.u64 >> 8), e->events);
        break;
    }
}

/* Drives the connections that had more to do than one turn allows, after all
   others have had theirs. */
static void
give_turns(struct loop *l)
{
    l->turns = false;
    l->now_us = steady_us();
    for (size_t i = 0; i < l->n_slots; i++) {
        struct conn *c = l->slots[i].conn;

        if (c && c->wants_turn)
            loop_drive(l, c);
    }
}

void
loop_run(struct loop *l)
{
    struct epoll_event events[EVENTS_MAX];

    l->now_us = l->swept_us = steady_us();
    while (!l->stopping || l->n_conns) {
        int n = epoll_wait(l->epoll, events, EVENTS_MAX,
                           l->turns ? 0 : SWEEP_US / 1000);

        l->now_us = steady_us();
        for (int i = 0; i < n; i++)
            event_take(l, &events[i]);
        if (l->turns)
            give_turns(l);
        loop_sweep(l);
        if (l->options.notify)
            notify_alive(l->options.notify, l->now_us);
        if (l->draining && !l->n_conns)
            loop_stop(l, serve_stop_questions_ms(&l->options.parts->limits));
    }
    if (l->owner_link >= 0) /* its caller gets no answer any more */
        close(l->owner_link);
    l->owner_link = -1;
}
