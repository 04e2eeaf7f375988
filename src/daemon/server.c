#include "daemon/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "curator/owner.h"
#include "curator/reply_init.h"
#include "http/http.h"
#include "pg/loop.h"
#include "serve/clock.h"
#include "serve/listen.h"
#include "serve/log.h"
#include "serve/log_writer.h"
#include "serve/reply_clock.h"
#include "serve/reply_queue.h"

enum {
    CACHE_BYTES = 64 << 20,
    WORKERS_MAX = 256,
    PING_US = 10000000,
    THREADS_A_CORE = 64, /* a charged question keeps its thread until its reply
                            leaves, so most of them sleep */
    PLANNING_A_CORE = 1, /* questions of one analyst that are planned at once:
                            planning occupies a processor */
};

struct server {
    const struct server_options *options;
    struct serve_parts parts;
    struct counts counts;
    struct listening pg, http;
    int owner_fd, signals_fd;
    struct loop *loop;
    struct http *web;
    struct reply_queue *replies, *long_replies;
    struct notify notify;
};

/* --------------------------------------------------------------- listen -- */

/*
 * Without TLS anybody on the network path can read all answers and take over a
 * session that has logged in. So TLS is required off loopback, unless the owner
 * accepts this risk with two options.
 */
static custos_status
check_safe(const struct server *s, const struct listening *l,
           const char *option, custos_err *err)
{
    if (l->loopback || s->options->tls_cert || s->options->insecure >= 2)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL,
                       "--%s: %.40s can be reached from other machines" HINT
                       "give --tls-cert and --tls-key, or both "
                       "--insecure-listen and --i-know-this-is-not-private",
                       option, l->text);
}

static custos_status
listen_all(struct server *s, custos_err *err)
{
    const struct server_options *o = s->options;
    custos_status st = CUSTOS_OK;

    if (*o->pg) {
        st = listen_open(o->pg, "pg", &s->pg, err);
        if (!st)
            st = check_safe(s, &s->pg, "pg", err);
    }
    if (!st && *o->http) {
        st = listen_open(o->http, "http", &s->http, err);
        if (!st)
            st = check_safe(s, &s->http, "http", err);
    }
    if (!st)
        st = owner_listen(s->parts.curator, &s->owner_fd, err);
    return st;
}

/* Blocks the signals in every thread; the loop reads them. */
static custos_status
signals_open(struct server *s, custos_err *err)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) ||
        (s->signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
        return custos_fail(err, CUSTOS_EIO, "signals cannot be read");
    return CUSTOS_OK;
}

/* ----------------------------------------------------------- start, end -- */

/* Each connection needs a descriptor: allow as many as the system permits. */
static void
descriptors_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static size_t
count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores > 0 ? (size_t)cores : 1;
}

/* The number of worker processes for private questions with a short class time;
   the numbers for long and for free questions follow from it. */
static size_t
count_workers(const struct server *s)
{
    return s->options->workers ? s->options->workers : count_cores();
}

static int64_t
allowance_us(const struct server *s)
{
    return s->options->allowance_us ? s->options->allowance_us
                                    : REPLY_ALLOWANCE_US;
}

static custos_status
ping_workers(void *ctx, custos_err *err)
{
    struct server *s = ctx;
    int64_t until = reply_clock_us() + PING_US;
    custos_status st = CUSTOS_OK;

    for (int lane = 0; lane < POOL_LANES && !st; lane++)
        st = remote_ping(s->parts.pool, (enum pool_lane)lane, until, err);
    return st;
}

/*
 * Starts the worker processes: by default one per processor for private questions
 * with a short class time, half as many for those with a long one, one for those
 * without a class time, and one per processor for free questions. The first two
 * kinds also have spare processes. By default all together get about half of the
 * machine's memory.
 */
static custos_status
pool_start(struct server *s, custos_err *err)
{
    uint64_t memory =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    size_t n = count_workers(s);
    size_t slow = (n + 1) / 2;
    int64_t allowance = allowance_us(s);
    struct pool_options o = {
        .command = "/proc/self/exe",
        .store = s->options->store,
        .of = curator_snapshot(s->parts.curator),
        .workers = {[POOL_PRIVATE] = n,
                    [POOL_LONG] = slow,
                    [POOL_UNTIMED] = 1,
                    [POOL_FREE] = n},
        .spare = {[POOL_PRIVATE] = n, [POOL_LONG] = 1},
        .memory_bytes = s->options->worker_bytes ? s->options->worker_bytes
                                                 : memory / (3 * n + slow + 1),
        .free_us = s->parts.limits.free_ms * 1000,
        .now_us = reply_clock_us,
    };

    if (s->options->steps &&
        (!(s->replies = reply_queue_new(n, allowance)) ||
         !(s->long_replies = reply_queue_new(slow, allowance)) ||
         !reply_clock_start()))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    s->parts.worker_ping = ping_workers;
    s->parts.worker_ctx = s;
    return pool_new(&o, &s->parts.pool, err);
}

static struct throttle *
throttle_start(const struct serve_limits *limits)
{
    const struct throttle_limits tries = {
        .per_address = (uint32_t)limits->logins_per_address,
        .all = (uint32_t)limits->logins,
    };

    return throttle_new(&tries);
}

static struct shares *
shares_start(const struct serve_limits *limits)
{
    const struct share_limits shares = {
        .bytes = {[SHARE_MESSAGES] = limits->unread_per_analyst,
                  [SHARE_PREPARED] = limits->prepared_per_analyst},
        .requests = (uint32_t)limits->requests_per_analyst,
    };

    return shares_new(&shares);
}

static custos_status
workers_start(struct server *s, custos_err *err)
{
    size_t workers = count_workers(s);
    struct workers_options options = {
        .threads = s->options->threads ? s->options->threads
                                       : THREADS_A_CORE * count_cores(),
        .free_threads = workers,
        .waiting_max = s->parts.limits.waiting,
        .share_waiting = s->parts.limits.waiting_per_analyst,
        .share_running = s->parts.limits.running_per_analyst,
        .share_planning = PLANNING_A_CORE * count_cores(),
        .share_work_us = s->parts.limits.ahead_ms * 500 * (int64_t)workers,
        .work_us = s->parts.limits.ahead_ms * 750 * (int64_t)workers,
        .steps = s->options->steps,
        .pool = s->parts.pool,
        .free_answers = s->options->free_answers,
        .replies = s->replies,
        .long_replies = s->long_replies,
        /* a part of query_ms, which includes waiting */
        .most_us = s->parts.limits.query_ms * 1000 / 4,
    };

    if (options.threads > WORKERS_MAX)
        options.threads = WORKERS_MAX;
    return workers_new(s->parts.curator, &options, &s->parts.workers, err);
}

static void
stop_http_listening(void *ctx)
{
    struct server *s = ctx;

    if (s->web)
        http_quiesce(s->web);
}

static custos_status
renew_http(void *ctx, custos_err *err)
{
    struct server *s = ctx;
    const struct server_options *o = s->options;
    custos_status st =
        s->web ? http_renew(&s->web, s->http.fd, o->tls_cert, o->tls_key, err)
               : CUSTOS_OK;

    return !st ? st
               : custos_fail(err, st,
                             "policy, data and the certificate for PostgreSQL "
                             "are in force, but HTTP keeps its certificate: it "
                             "cannot listen with the new one");
}

static custos_status
start_parts(struct server *s, custos_err *err)
{
    const struct server_options *o = s->options;
    struct loop_options loop = {
        .parts = &s->parts,
        .tls_cert = o->tls_cert,
        .tls_key = o->tls_key,
        .cache_bytes = CACHE_BYTES,
        .quiesce = stop_http_listening,
        .renew = renew_http,
        .ctx = s,
        .notify = &s->notify,
    };
    custos_status st = signals_open(s, err);
    custos_err quiet = CUSTOS_ERR_INIT;

    descriptors_raise();
    if (!st)
        st = curator_open(o->store, &s->parts.curator, err);
    /* If this fails, the default speeds are used. */
    if (!st && o->steps)
        (void)!reply_speed_ready(s->parts.curator, &quiet);
    if (!st && (!(s->parts.throttle = throttle_start(&s->parts.limits)) ||
                !(s->parts.shares = shares_start(&s->parts.limits)) ||
                !(s->parts.verified = verified_new())))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = listen_all(s, err);
    s->parts.acts = s->http.loopback;
    s->parts.started_us = steady_us();
    if (!st)
        st = pool_start(s, err);
    if (!st)
        st = workers_start(s, err);
    loop.listen_fd = s->pg.fd;
    loop.owner_fd = s->owner_fd;
    loop.signals_fd = s->signals_fd;
    if (!st)
        st = loop_new(&loop, &s->loop, err);
    if (!st && o->receipts)
        st = receipts_start(s->parts.curator, o->receipts, &s->counts,
                            &s->parts.receipts, err);
    if (!st && s->http.fd >= 0)
        st = http_start(&s->parts, s->http.fd, o->tls_cert, o->tls_key, &s->web,
                        err);
    return st;
}

static void
say_started(const struct server *s)
{
    struct log_line l;

    log_begin(&l, "listen");
    if (s->pg.fd >= 0)
        log_text(&l, "pg", str_of(s->pg.text));
    if (s->http.fd >= 0)
        log_text(&l, "http", str_of(s->http.text));
    log_text(&l, "tls", str_of(s->options->tls_cert ? "yes" : "no"));
    log_text(&l, "steps", str_of(s->options->steps ? "yes" : "no"));
    log_end(&l, LOG_FD);
}

static void
exit_now(int signal)
{
    (void)signal;
    _exit(0); /* what was charged is on disk */
}

/*
 * From here on no loop reads signals: one more signal ends the process at once,
 * and an alarm ends it when its time is up, whatever still runs. Returns how many
 * milliseconds running questions may go on; the rest of the time is for
 * interrupted ones and last replies.
 */
static int64_t
end_in_time(const struct server *s)
{
    const int signals[] = {SIGTERM, SIGINT, SIGALRM};
    const struct serve_limits *limits = &s->parts.limits;
    int64_t left_us = s->loop ? loop_stop_by(s->loop) - steady_us() : 0;
    int64_t all_us;
    struct itimerval limit = {0};
    sigset_t set;

    left_us = left_us > 0 ? left_us : 0;
    all_us =
        left_us + (limits->stop_ms - serve_stop_questions_ms(limits)) * 1000;
    limit.it_value.tv_sec = (time_t)(all_us / 1000000);
    limit.it_value.tv_usec = (suseconds_t)(all_us % 1000000);
    sigemptyset(&set);
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        signal(signals[i], exit_now);
        sigaddset(&set, signals[i]);
    }
    (void)setitimer(ITIMER_REAL, &limit, NULL);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return left_us / 1000;
}

/* Ends the parts in the order of their dependence. The owner's socket is closed
   early: worker threads may wait there for the loop, which no longer answers. */
static void
end_parts(struct server *s)
{
    int64_t questions_ms = end_in_time(s);

    stop_http_listening(s);
    if (s->owner_fd >= 0)
        owner_close(s->parts.curator, s->owner_fd);
    if (!workers_stop(s->parts.workers, questions_ms)) {
        log_say("stopped", "a question did not end and was left behind");
        log_writer_stop();
        _exit(0);
    }
    http_stop(s->web);
    receipts_stop(s->parts.receipts);
    loop_free(s->loop);
    workers_free(s->parts.workers);
    pool_free(s->parts.pool);
    reply_clock_stop();
    reply_queue_free(s->replies);
    reply_queue_free(s->long_replies);
    if (s->pg.fd >= 0)
        close(s->pg.fd);
    if (s->http.fd >= 0)
        close(s->http.fd);
    if (s->signals_fd >= 0)
        close(s->signals_fd);
    verified_free(s->parts.verified);
    throttle_free(s->parts.throttle);
    shares_free(s->parts.shares);
    curator_close(s->parts.curator);
}

custos_status
server_run(const struct server_options *options, custos_err *err)
{
    struct server s = {
        .options = options,
        .parts.limits = options->limits,
        .pg.fd = -1,
        .http.fd = -1,
        .owner_fd = -1,
        .signals_fd = -1,
    };
    custos_status st;

    s.parts.counts = &s.counts;
    s.parts.hosts = (struct http_hosts){
        .listen = options->http,
        .names = options->http_hosts,
        .n_names = options->n_http_hosts,
    };
    alloc_keep_freed();
    serve_limits_fill(&s.parts.limits);
    st = log_writer_start(LOG_FD, &s.counts.log_lines_dropped_total, err);
    if (st)
        return st;
    notify_open(&s.notify);
    st = start_parts(&s, err);
    if (!st) {
        say_started(&s);
        notify_say(&s.notify, "READY=1");
        loop_run(s.loop);
    }
    end_parts(&s);
    if (!st)
        log_say("stopped", "all is written");
    notify_close(&s.notify);
    log_writer_stop();
    return st;
}
