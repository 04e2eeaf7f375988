/*
 * THEOREM  worker-costs-one
 *   A worker process that fails, is killed or sends a malformed message costs
 *   only the question it had: that question stays charged, no part of an answer
 *   to it is given, and the worker is replaced.
 * SOURCE   doc/proofs/worker-released.md
 * NEEDS    a worker has one question at a time (pool_take).
 * GIVES    one constant sentence for a charged question that fails here,
 *          whatever happened.
 * FAILS    CUSTOS_EENGINE, with *end for the tripwire; CUSTOS_ENOMEM, before the
 *          work is sent; for public work, also the worker's own error.
 * TESTED   a_killed_worker_costs_one_question a_worker_that_lies_is_ended
 *          a_stop_is_never_lost a_stop_leaves_short_work_its_worker
 *          work_ends_at_its_time
 */
#include "worker/remote.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "curator/answer.h"

enum {
    LOOK_US = 20000,   /* how often a waiting caller checks its stop flag */
    GRACE_US = 200000, /* for stopped free work to end by itself */
};

/* An answer is not longer as bytes than in memory (answer_pack). */
static_assert(MESSAGE_MAX_TOLD >= ANSWER_BYTES, "an answer might not be sent");

struct remote {
    struct executor executor;
    struct pool *pool;
};

/* One request to a worker. */
struct errand {
    enum pool_lane lane;
    const struct work_snapshot *of;
    const _Atomic int *stop;
    int64_t begin_us, until_us; /* 0: any time */
    enum message_kind asks, wants;
    struct buf *request;
    arena *a; /* for the reply */
    /* Decodes the reply; false: it is malformed, and the worker is at fault. */
    bool (*takes)(const struct errand *c, str bytes);
    custos_err told; /* the error in a MESSAGE_FAILED */
    custos_status status;
    void *out;
};

static bool
is_stopped(const struct errand *c)
{
    return c->stop && atomic_load(c->stop) != ASK_GOES_ON;
}

/* Why there is no reply. */
static enum work_end
work_end_of(const struct errand *c, enum channel_end end,
            enum process_death death)
{
    if (end == CHANNEL_BROKEN ||
        (end == CHANNEL_CLOSED && death == DEATH_FAULT))
        return WORK_FAILED; /* the worker's own fault, even if there was a stop too */
    if (is_stopped(c))
        return WORK_STOPPED;
    return end == CHANNEL_LATE ? WORK_OVERRUN : WORK_LOST;
}

/*
 * When, after a stop, the worker that got this request is ended. Starting another
 * worker takes longer than short work, and other questions would wait for it. So a
 * private question with a short class time, which is charged anyway, runs to its
 * end, and free work has a moment to end by itself.
 */
static int64_t
end_after_stop(const struct errand *c, int64_t now_us)
{
    switch (c->lane) {
    case POOL_PRIVATE: return c->until_us ? c->until_us : INT64_MAX;
    case POOL_FREE: return now_us + GRACE_US;
    case POOL_LONG:
    case POOL_UNTIMED:
    case POOL_LANES: break;
    }
    return now_us;
}

/* Waits for the beginning of a reply, at most until the request's time limit. */
static enum channel_end
await_reply(const struct process *w, const struct errand *c)
{
    int64_t end = c->until_us ? c->until_us : INT64_MAX;
    enum channel_end waited = CHANNEL_LATE;
    bool stopped = false;

    while (waited == CHANNEL_LATE) {
        int64_t now = w->to.now_us();

        if (!stopped && is_stopped(c)) {
            int64_t stop_end = end_after_stop(c, now);

            stopped = true;
            end = stop_end < end ? stop_end : end;
        }
        if (now >= end)
            return CHANNEL_LATE;
        waited =
            channel_wait(&w->to, end - now < LOOK_US ? end : now + LOOK_US);
    }
    return waited;
}

static enum channel_end
exchange_messages(const struct process *w, bool sent, struct errand *c)
{
    enum message_kind kind = MESSAGE_FAILED;
    enum channel_end end = CHANNEL_OK;
    str bytes = {"", 0};

    if (!sent)
        end = channel_send(&w->to, c->asks, c->request, c->until_us);
    if (!end)
        end = await_reply(w, c);
    if (!end)
        end = channel_receive(&w->to, c->until_us, MESSAGE_MAX_TOLD, c->a,
                              &kind, &bytes);
    if (end)
        return end;
    if (kind == MESSAGE_FAILED)
        return message_failed_unpack(bytes, &c->status, &c->told)
                   ? CHANNEL_OK
                   : CHANNEL_BROKEN;
    c->status = CUSTOS_OK;
    return kind == c->wants && c->takes(c, bytes) ? CHANNEL_OK : CHANNEL_BROKEN;
}

/* Sends the request to a worker. WORK_DONE: there is a reply, and c->status is
   CUSTOS_OK or the worker's error. */
static enum work_end
ask_worker(struct remote *r, struct errand *c)
{
    bool sent = false;
    struct process *w = pool_take_for(r->pool, c->lane, c->of, c->begin_us,
                                      c->stop, c->asks, c->request, &sent);
    enum channel_end end;

    c->told = (custos_err)CUSTOS_ERR_INIT;
    if (!w)
        return is_stopped(c)                        ? WORK_STOPPED
               : pool_is_late(r->pool, c->begin_us) ? WORK_DELAYED
                                                    : WORK_LOST;
    if (!sent && is_stopped(c)) {
        pool_give(r->pool, w);
        return WORK_STOPPED;
    }
    end = exchange_messages(w, sent, c);
    if (!end) {
        pool_give(r->pool, w);
        return WORK_DONE;
    }
    if (end == CHANNEL_LATE) { /* do not wait: the reply leaves now */
        pool_kill(r->pool, w);
        return work_end_of(c, end, DEATH_KILLED);
    }
    return work_end_of(c, end, pool_lose(r->pool, w));
}

/* ------------------------------------------------------------- questions -- */

/* Fails with the one constant sentence. */
static custos_status
fail_constant(enum work_end end, custos_err *err)
{
    custos_status st = custos_fail(err, CUSTOS_EENGINE, "%s",
                                   custos_status_words(CUSTOS_EENGINE));

    if (end == WORK_FAILED)
        custos_note(err, "worker: failed");
    return st;
}

/* A failure reported by the worker. Below the charge it counts for the tripwire,
   unless CUSTOS_EINTERNAL says that it happened before private data was read. */
static custos_status
fail_told(const struct work *w, const struct errand *c, enum work_end *end,
          custos_err *err)
{
    custos_status st;

    *end = c->status == CUSTOS_EINTERNAL ? WORK_LOST : WORK_FAILED;
    if (!work_is_charged(w)) {
        if (err)
            *err = c->told;
        return c->status;
    }
    st = custos_fail(err, CUSTOS_EENGINE, "%s",
                     custos_status_words(CUSTOS_EENGINE));
    custos_note(err, "%s", c->told.noted);
    return st;
}

static bool
takes_answer(const struct errand *c, str bytes)
{
    return answer_unpack(bytes, c->out);
}

static bool
takes_rows(const struct errand *c, str bytes)
{
    return message_rows_unpack(bytes, c->a, c->out);
}

static enum pool_lane
lane_of(const struct work *w)
{
    if (!work_is_charged(w))
        return POOL_FREE;
    return w->time == WORK_UNTIMED ? POOL_UNTIMED
           : w->time == WORK_LONG  ? POOL_LONG
                                   : POOL_PRIVATE;
}

static custos_status
await_workers(void *ctx, const struct work *w, custos_err *err)
{
    const struct remote *r = ctx;

    if (pool_await(r->pool, lane_of(w), &w->of, w->ask->stop))
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EBUSY,
                       "no worker process is ready for this data, and nothing "
                       "was charged" HINT "ask again");
}

static custos_status
run_remote(void *ctx, const struct work *w, struct answer **out,
           enum work_end *end, custos_err *err)
{
    struct remote *r = ctx;
    struct answer *answer = NULL;
    struct buf request;
    custos_status st = answer_new(1, &answer, err);
    struct errand c = {
        .lane = lane_of(w),
        .of = &w->of,
        .stop = w->ask->stop,
        .begin_us = w->begin_us,
        .until_us = w->until_us,
        .asks = MESSAGE_QUERY,
        .wants = MESSAGE_ANSWER,
        .request = &request,
        .takes = takes_answer,
    };

    *end = WORK_FAILED;
    if (st)
        return st;
    c.a = answer->arena;
    c.out = answer;
    if (c.lane == POOL_FREE)
        c.begin_us = c.until_us = pool_free_until(r->pool);
    message_begin(&request, MESSAGE_MAX_ASKED);
    message_query_pack(w, &request);
    *end = ask_worker(r, &c);
    buf_clear(&request);
    if (*end == WORK_DONE && !c.status) {
        answer->is_public = w->is_public;
        answer->receipt = w->receipt;
        *out = answer;
        return CUSTOS_OK;
    }
    st = *end == WORK_DONE ? fail_told(w, &c, end, err)
                           : fail_constant(*end, err);
    answer_free(answer);
    return st;
}

static custos_status
catalog_remote(void *ctx, const struct work_snapshot *of,
               const struct catalog_ask *ask, enum catalog_how how, arena *a,
               struct catalog_rows *out, custos_err *err)
{
    struct remote *r = ctx;
    int64_t until = pool_free_until(r->pool);
    struct buf request;
    struct errand c = {
        .lane = POOL_FREE,
        .of = of,
        .stop = ask->stop,
        .begin_us = until,
        .until_us = until,
        .asks = MESSAGE_CATALOG,
        .wants = MESSAGE_ROWS,
        .request = &request,
        .a = a,
        .takes = takes_rows,
        .out = out,
    };
    enum work_end end;

    message_begin(&request, MESSAGE_MAX_ASKED);
    message_catalog_pack(ask, how, &request);
    end = ask_worker(r, &c);
    buf_clear(&request);
    if (end != WORK_DONE)
        return fail_constant(end, err);
    if (c.status && err)
        *err = c.told;
    return c.status;
}

/* ---------------------------------------------------------------- handle -- */

custos_status
remote_new(struct pool *pool, struct remote **out, custos_err *err)
{
    struct remote *r = calloc(1, sizeof *r);

    if (!r)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    r->pool = pool;
    r->executor = (struct executor){.ctx = r,
                                    .await = await_workers,
                                    .run = run_remote,
                                    .catalog = catalog_remote};
    *out = r;
    return CUSTOS_OK;
}

void
remote_free(struct remote *r)
{
    free(r);
}

const struct executor *
remote_executor(const struct remote *r)
{
    return &r->executor;
}

custos_status
remote_ping(struct pool *p, enum pool_lane lane, int64_t until_us,
            custos_err *err)
{
    const struct work_snapshot of = pool_snapshot(p);
    struct process *w = pool_take(p, lane, &of, until_us, NULL);
    enum message_kind kind = MESSAGE_FAILED;
    arena *a = arena_new(NULL, 1 << 16);
    struct buf request;
    bool good;
    str bytes;

    message_begin(&request, MESSAGE_HEAD);
    good = a && w && !channel_send(&w->to, MESSAGE_PING, &request, until_us) &&
           !channel_receive(&w->to, until_us, MESSAGE_HEAD, a, &kind, &bytes) &&
           kind == MESSAGE_READY;
    buf_clear(&request);
    arena_free(a);
    if (good)
        pool_give(p, w);
    else if (w)
        (void)pool_lose(p, w);
    else
        good = pool_is_busy(p, lane); /* with long questions */
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EBUSY, "no worker process answers");
}
