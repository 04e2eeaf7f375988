/*
 * The one path from an analyst's text to a released answer.
 *
 * THEOREM  charge-first
 *   Whatever an analyst sees of private data was charged, durably, before the
 *   data was touched; a failure after the charge is not refunded.
 * SOURCE   doc/proofs/charge-first.md
 * NEEDS    ledger_writer_charge is durable on return (till-durable-first).
 * GIVES    an answer from private data carries the receipt of its charge; a
 *          cached answer costs nothing, since it is the same bytes again. A
 *          failure below the charge is in the chain before it is reported
 *          (tripwire).
 * FAILS    above the charge: depending only on query, policy, ledger, public
 *          tables and the state of attached files; below it: CUSTOS_EENGINE
 *          with one constant sentence, CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 * TESTED   the_charge_comes_first a_failed_engine_is_not_refunded
 *          the_same_question_is_free
 *          an_attached_file_that_is_gone_costs_nothing
 */
#include "curator/curator.h"

#include <stdio.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/cause.h"
#include "curator/course.h"
#include "curator/executor.h"
#include "curator/forecast.h"
#include "curator/shared_state.h"
#include "curator/key.h"
#include "curator/release.h"
#include "curator/reply.h"
#include "curator/tripwire.h"

enum { TEXT_MAX = 1 << 20 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static custos_status
charge_plan(struct curator *c, const struct course *k, bool shared,
            struct receipt *receipt, custos_err *err)
{
    struct course_request r;
    custos_status st = course_request(c, k, shared, &r, err);

    if (!st)
        st = tripwire_ready(c, k->ask.now, err);
    if (!st)
        st = ledger_writer_charge(c->shared->writer, &r.r, receipt, err);
    tripwire_refused(c, st, err);
    course_request_clear(&r);
    return st;
}

/* Answers a public question. */
static custos_status
run_public(struct curator *c, const struct course *k, struct answer **out,
           custos_err *err)
{
    custos_status st = engine_check_attached(c->engine, k->p, err);

    if (!st)
        st = course_check_point(k->asked, ASK_AT_FREE, err);
    return st ? st : course_run_public(c, k, out, err);
}

/*
 * Above the charge: computes the public parts of a private query, and refuses
 * the query if that fails (public-first). With an executor this is only a
 * trial: the worker that gets the charged query computes them again.
 */
static custos_status
prepare_public(struct curator *c, const struct course *k, const struct work *w,
               custos_err *err)
{
    struct work_snapshot *done = k->asked->public_parts;
    custos_status st;

    if (!engine_has_public_parts(k->p))
        return CUSTOS_OK;
    if (!c->executor)
        return engine_prepare(c->engine, k->p, err);
    if (done && done->version == w->of.version && done->policy == w->of.policy)
        return CUSTOS_OK;
    st = course_check_point(k->asked, ASK_AT_FREE, err);
    if (!st)
        st = course_try_public(c, w, err);
    if (!st && done)
        *done = w->of;
    return st;
}

/* Sets when the reply leaves, and when the work must have begun for that: half
   of the allowance is for waiting, half for a slow machine. */
static void
fix_times(const struct ask *ask, int64_t class_us, int64_t until_us,
          struct work *w)
{
    w->until_us = until_us;
    w->begin_us =
        until_us - class_us / REPLY_CLASS_MARGIN - ask->allowance_us / 2;
}

/* Runs the work by the executor; once more if it could not begin in time. */
static custos_status
execute(struct curator *c, int64_t class_us, struct work *w,
        struct answer **out, enum work_end *end, custos_err *err)
{
    const struct ask *ask = w->ask;
    custos_err first = CUSTOS_ERR_INIT;
    custos_status st = c->executor->run(c->executor->ctx, w, out, end, &first);
    int64_t until_us = 0;

    if (*end == WORK_DELAYED && w->until_us && ask->again)
        until_us = ask->again(ask->admit_ctx, class_us);
    if (!until_us) {
        if (st && err)
            *err = first;
        return st;
    }
    fix_times(ask, class_us, until_us, w);
    return c->executor->run(c->executor->ctx, w, out, end, err);
}

/* Below the charge: does the work. The time of the reply is fixed here, before
   the data is read. */
static custos_status
run_charged(struct curator *c, const struct course *k, struct work *w,
            struct answer **out, enum work_end *end, custos_err *err)
{
    const struct ask *ask = w->ask;
    struct releaser here = {.engine = c->engine, .rng = c->rng};
    int64_t class_us = reply_class_of(c, k->p);
    custos_status st;

    /* Without a bound on the rows there is no class time, and the caller decides
       when the reply leaves. */
    if (ask->admit && class_us < INT64_MAX)
        fix_times(ask, class_us, ask->admit(ask->admit_ctx, class_us), w);
    if (c->executor)
        return execute(c, class_us, w, out, end, err);
    st = release_answer(&here, k->p, &w->receipt, out, err);
    *end = !st                         ? WORK_DONE
           : err && cause_is_stop(err) ? WORK_STOPPED
                                       : WORK_FAILED;
    return st;
}

/* Charges and runs a private query that has no cached answer. The caller drops
   the public parts that this handle may have computed (engine_unprepare). */
static custos_status
charge_and_run(struct curator *c, const struct course *k,
               const struct answer_keys *keys, struct answer **out,
               custos_err *err)
{
    int64_t class_us = reply_class_of(c, k->p);
    struct work w = {.of = curator_snapshot(c),
                     .ask = k->asked,
                     .time = course_time(class_us)};
    enum work_end end = WORK_FAILED;
    custos_status st;
    int work;

    st = engine_check_attached(c->engine, k->p, err);
    if (!st)
        st = course_check_class(k->asked, class_us, "query", err);
    if (!st && c->executor && !plan_digest(k->p, w.digest))
        st = no_memory(err);
    if (!st)
        st = prepare_public(c, k, &w, err);
    if (!st)
        st = course_check_point(k->asked, ASK_AT_CHARGED, err);
    if (!st && c->executor)
        st = c->executor->await(c->executor->ctx, &w, err);
    if (!st)
        st = tripwire_claim(&work, err);
    if (st)
        return st;
    st = charge_plan(c, k, false, &w.receipt, err);
    if (st) {
        tripwire_drop(work);
        return st;
    }
    tripwire_begin(c, &w.receipt, work);
    st = run_charged(c, k, &w, out, &end, err);
    tripwire_after(c, &k->ask, &w.receipt, work, end, st);
    if (!st)
        course_keep(c, keys, w.until_us ? KEEP_LATER : KEEP_NOW, *out);
    return st;
}

static custos_status
answer_private(struct curator *c, const struct course *k,
               const struct answer_keys *keys, struct answer **out,
               custos_err *err)
{
    custos_status st = charge_and_run(c, k, keys, out, err);

    engine_unprepare(c->engine);
    return st;
}

/* Gives a shared answer to this analyst, and charges only their own budget. */
static custos_status
charge_shared(struct curator *c, const struct course *k,
              const struct answer_keys *keys, struct answer *answer,
              custos_err *err)
{
    custos_status st = charge_plan(c, k, true, &answer->receipt, err);

    if (!st) {
        answer->stored = false; /* it was not free */
        course_keep_own(c, keys, answer);
    }
    return st;
}

/* Answers with the plan, what to expect of the answer, and the time of the reply.
   The time is not in the plan itself, since it depends on the machine, and the
   plan is charged and stored. */
static custos_status
explain_plan(struct curator *c, const struct course *k, struct answer **out,
             custos_err *err)
{
    char time[REPLY_CLASS_TEXT];
    struct forecast f = {.stored = false};
    custos_status st;
    struct buf more;

    forecast_make(c, &k->ask, k->q, k->p, &f);
    reply_class_write(f.reply_us, time);
    buf_init(&more, NULL, TEXT_MAX);
    forecast_write(k->p, &more);
    if (f.reply_us)
        buf_printf(&more, "answers in %s\n", time);
    st = more.failed ? no_memory(err)
                     : answer_of_explain(k->p, buf_text(&more), out, err);
    if (!st)
        (*out)->forecast = f;
    buf_clear(&more);
    return st;
}

static custos_status
answer_plan(struct curator *c, const struct course *k, struct answer **out,
            custos_err *err)
{
    struct answer_keys keys;
    custos_status st;

    if (k->q->explain)
        return explain_plan(c, k, out, err);
    if (k->p->is_public)
        return run_public(c, k, out, err);
    st = answer_keys_make(c, &k->ask, k->q, k->p, &keys, err);
    if (st)
        return st;
    st = course_find_own(c, &keys, out, err);
    if (!st)
        ledger_writer_count_cached(c->shared->writer, k->ask.who,
                                   (*out)->receipt.seq, k->ask.now);
    if (st != CUSTOS_ENAME)
        return st;
    st = forecast_check(k->asked, k->p, err);
    if (st)
        return st;
    st = course_find_shared(c, k, &keys, out, err);
    if (!st)
        return charge_shared(c, k, &keys, *out, err);
    return st == CUSTOS_ENAME ? answer_private(c, k, &keys, out, err) : st;
}

custos_status
curator_answer(struct curator *c, const struct ask *asked, struct answer **out,
               custos_err *err)
{
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct course k = {.asked = asked};
    struct answer *answer = NULL;
    custos_status st;

    c->trip = TRIP_NONE;
    if (!a)
        return no_memory(err);
    st = curator_refresh(c, err);
    if (!st)
        st = course_plan(c, a, NULL, &k, err);
    if (!st)
        st = answer_plan(c, &k, &answer, err);
    if (!st) {
        forecast_add(k.p, answer);
        *out = answer;
        answer = NULL;
    }
    answer_free(answer);
    plan_free(k.p);
    arena_free(a);
    return st;
}

/* In a worker, before it reads a private table: computes the public parts. That
   succeeded above the charge, so a failure here is not the query's fault. */
static custos_status
prepare_again(struct curator *c, const struct work *w, const struct plan *p,
              custos_err *err)
{
    custos_status st = engine_check_attached(c->engine, p, err);

    if (!st)
        st = engine_prepare(c->engine, p, err);
    if (st && work_is_charged(w))
        st = custos_fail(err, CUSTOS_EINTERNAL,
                         "the public part of the query failed");
    return st;
}

/* From here on private data is read, so CUSTOS_EINTERNAL, which says that none
   was, becomes CUSTOS_EENGINE. */
static custos_status
release_private(const struct releaser *here, const struct plan *p,
                const struct work *w, struct answer **out, custos_err *err)
{
    custos_status st = release_answer(here, p, &w->receipt, out, err);

    return st == CUSTOS_EINTERNAL ? CUSTOS_EENGINE : st;
}

/* Answers a plan; the answer is empty if only the public parts are wanted. */
static custos_status
work_answer(struct curator *c, const struct work *w, const struct plan *p,
            struct answer **out, custos_err *err)
{
    struct releaser here = {.engine = c->engine, .rng = c->rng};
    custos_status st;

    if (w->is_public)
        return release_public(c->engine, p, out, err);
    st = prepare_again(c, w, p, err);
    if (!st)
        st = w->prepare_only ? answer_new(1, out, err)
                             : release_private(&here, p, w, out, err);
    engine_unprepare(c->engine);
    return st;
}

custos_status
curator_work(struct curator *c, const struct work *w, struct answer **out,
             custos_err *err)
{
    uint8_t digest[PLAN_DIGEST_BYTES];
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct course k = {.asked = w->ask};
    custos_status st;

    if (!a)
        return no_memory(err);
    st = course_plan(c, a, NULL, &k, err);
    if (!st && (!plan_digest(k.p, digest) ||
                memcmp(digest, w->digest, sizeof digest) != 0 ||
                k.p->is_public != w->is_public))
        st = custos_fail(err, CUSTOS_EINTERNAL,
                         "the plan is not the one that was charged");
    if (!st)
        st = work_answer(c, w, k.p, out, err);
    plan_free(k.p);
    arena_free(a);
    return st;
}
