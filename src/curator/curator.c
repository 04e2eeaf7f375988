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

enum purse {
    PURSE_BOTH,
    PURSE_OWN, /* the asker gets an answer that somebody else has paid for */
};

static custos_status
charge_plan(struct curator *c, const struct ask *ask, const struct plan *p,
            enum purse purse, struct receipt *receipt, custos_err *err)
{
    struct ledger_request r = {
        .who = ask->who,
        .query = ask->sql,
        .charge = &p->charge,
        .data_version = engine_version(c->engine),
        .now = ask->now,
        .shared = purse == PURSE_OWN,
        .max_failures = c->snapshot->policy->max_failures,
        .max_overruns = c->snapshot->policy->max_overruns,
        .max_bytes = c->snapshot->policy->ledger_bytes,
        .max_minute_bytes = c->snapshot->policy->ledger_minute_bytes,
    };
    struct buf plan, theorems;
    custos_status st;

    buf_init(&plan, NULL, TEXT_MAX);
    buf_init(&theorems, NULL, TEXT_MAX);
    plan_explain(p, &plan);
    for (size_t i = 0; i < p->n_theorems; i++)
        buf_printf(&theorems, "%s%s", i ? " " : "", p->theorems[i]);
    memcpy(r.policy, c->snapshot->policy->id, sizeof r.policy);
    r.plan = str_of(buf_text(&plan));
    r.theorems = str_of(buf_text(&theorems));
    st = plan.failed || theorems.failed ? no_memory(err)
                                        : tripwire_ready(c, ask->now, err);
    if (!st)
        st = ledger_writer_charge(c->shared->writer, &r, receipt, err);
    tripwire_refused(c, st, err);
    buf_clear(&plan);
    buf_clear(&theorems);
    return st;
}

/*
 * Stores an answer that was paid for. If that fails (the disk is full), the
 * answer is still given, since it was charged, with a remark.
 */
static void
keep_own(struct curator *c, const struct answer_keys *keys,
         struct answer *answer)
{
    custos_err quiet = CUSTOS_ERR_INIT;

    if (answer_store(c->shared->writer, keys->own, answer, c->snapshot->policy,
                     &quiet))
        answer_remark(answer, "This answer could not be kept: asking again "
                              "will cost again.");
}

/* Packs the answer so that curator_store_answer can store it later; without
   memory it will not be stored. */
static void
prepare_keeping(const struct policy *policy, const struct answer_keys *keys,
                struct answer *answer)
{
    struct answer_to_store *k = arena_take(answer->arena, 1, sizeof *k);
    struct buf b;

    if (!k)
        return;
    buf_init(&b, NULL, KEEP_BYTES_MAX);
    answer_pack(answer, &b);
    k->bytes.ptr =
        b.failed ? NULL : arena_copy(answer->arena, (str){b.ptr, b.len});
    k->bytes.len = b.len;
    buf_clear(&b);
    k->retention = retention_of(policy);
    k->is_shared = policy->share_answers;
    memcpy(k->own, keys->own, sizeof k->own);
    memcpy(k->shared, keys->shared, sizeof k->shared);
    answer->kept = k->bytes.ptr ? k : NULL;
}

void
curator_store_answer(struct curator *c, struct answer *answer)
{
    const struct answer_to_store *k = answer->kept;
    custos_err quiet = CUSTOS_ERR_INIT;

    if (!k)
        return;
    if (k->is_shared)
        (void)!ledger_writer_store(c->shared->writer, k->shared,
                                   &answer->receipt, k->bytes, &k->retention,
                                   &quiet);
    (void)!ledger_writer_store(c->shared->writer, k->own, &answer->receipt,
                               k->bytes, &k->retention, &quiet);
    answer->kept = NULL;
}

/* A question in progress: as it was asked, and as it was read. */
struct course {
    const struct ask *asked; /* with its parameter values separate */
    const struct ask *ask;   /* with the values inserted in its text */
    struct query *q;
    const struct plan *p;
};

/* May what comes next be done here? (struct ask, check_point) */
static custos_status
check_point(const struct course *k, enum ask_point at, custos_err *err)
{
    const struct ask *ask = k->asked;

    return ask->check_point ? ask->check_point(ask->admit_ctx, at, err)
                            : CUSTOS_OK;
}

/* Answers a public question, in this thread or by the handle's executor. */
static custos_status
run_public(struct curator *c, const struct course *k, struct answer **out,
           custos_err *err)
{
    struct work w = {
        .of = curator_snapshot(c), .ask = k->asked, .is_public = true};
    custos_status st = engine_check_attached(c->engine, k->p, err);
    enum work_end end;

    if (!st)
        st = check_point(k, ASK_AT_FREE, err);
    if (!st && !c->executor)
        return release_public(c->engine, k->p, out, err);
    if (!st)
        st = plan_digest(k->p, w.digest) ? CUSTOS_OK : no_memory(err);
    if (st)
        return st;
    return c->executor->run(c->executor->ctx, &w, out, &end, err);
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
    struct work only = *w;
    struct answer *nothing = NULL;
    enum work_end end;
    custos_status st;

    if (!engine_has_public_parts(k->p))
        return CUSTOS_OK;
    if (!c->executor)
        return engine_prepare(c->engine, k->p, err);
    if (done && done->version == w->of.version && done->policy == w->of.policy)
        return CUSTOS_OK;
    st = check_point(k, ASK_AT_FREE, err);
    if (st)
        return st;
    only.prepare_only = true;
    st = c->executor->run(c->executor->ctx, &only, &nothing, &end, err);
    answer_free(nothing);
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

/* Above the charge: is the class time within the server's limit? */
static custos_status
check_class(const struct curator *c, const struct course *k, struct work *w,
            custos_err *err)
{
    int64_t class_us = reply_class_of(c, k->p), most = k->asked->most_us;
    char takes[REPLY_CLASS_TEXT];

    w->time = class_us == INT64_MAX    ? WORK_UNTIMED
              : class_us > ASK_LONG_US ? WORK_LONG
                                       : WORK_SHORT;
    if (!most || class_us <= most || class_us == INT64_MAX)
        return CUSTOS_OK;
    reply_class_write(class_us, takes);
    return custos_fail(err, CUSTOS_EDENIED,
                       "the reply to this query would take %s, longer than the "
                       "server allows" HINT
                       "ask something simpler, or ask the owner "
                       "for a larger --max-seconds",
                       takes);
}

/* Charges and runs a private query that has no cached answer. The caller drops
   the public parts that this handle may have computed (engine_unprepare). */
static custos_status
charge_and_run(struct curator *c, const struct course *k,
               const struct answer_keys *keys, struct answer **out,
               custos_err *err)
{
    struct work w = {.of = curator_snapshot(c), .ask = k->asked};
    enum work_end end = WORK_FAILED;
    custos_err quiet = CUSTOS_ERR_INIT;
    custos_status st;
    int work;

    st = engine_check_attached(c->engine, k->p, err);
    if (!st)
        st = check_class(c, k, &w, err);
    if (!st && c->executor && !plan_digest(k->p, w.digest))
        st = no_memory(err);
    if (!st)
        st = prepare_public(c, k, &w, err);
    if (!st)
        st = check_point(k, ASK_AT_CHARGED, err);
    if (!st && c->executor)
        st = c->executor->await(c->executor->ctx, &w, err);
    if (!st)
        st = tripwire_claim(&work, err);
    if (st)
        return st;
    st = charge_plan(c, k->ask, k->p, PURSE_BOTH, &w.receipt, err);
    if (st) {
        tripwire_drop(work);
        return st;
    }
    tripwire_begin(c, &w.receipt, work);
    st = run_charged(c, k, &w, out, &end, err);
    tripwire_after(c, k->ask, &w.receipt, work, end, st);
    if (st)
        return st;
    if (w.until_us) {
        prepare_keeping(c->snapshot->policy, keys, *out);
        return CUSTOS_OK;
    }
    /* If this fails, the next asker is charged in full, which is safe. */
    if (c->snapshot->policy->share_answers)
        (void)!answer_store(c->shared->writer, keys->shared, *out,
                            c->snapshot->policy, &quiet);
    keep_own(c, keys, *out);
    return CUSTOS_OK;
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

/* Finds the answer that this analyst has paid for before. CUSTOS_ENAME: there
   is none. */
static custos_status
find_own(struct curator *c, const struct ask *ask,
         const struct answer_keys *keys, struct answer **out, custos_err *err)
{
    custos_status st;

    ledger_writer_settle(c->shared->writer, keys->own);
    st = answer_find(c->ledger, keys->own, out, err);
    if (!st)
        ledger_writer_count_cached(c->shared->writer, ask->who,
                                   (*out)->receipt.seq, ask->now);
    return st;
}

/* Finds the answer that another analyst has paid for. CUSTOS_ENAME: there is
   none. */
static custos_status
find_shared(struct curator *c, const struct ask *ask,
            const struct answer_keys *keys, struct answer **out,
            custos_err *err)
{
    if (!c->snapshot->policy->share_answers || !ask->who.len)
        return CUSTOS_ENAME;
    return answer_find(c->ledger, keys->shared, out, err);
}

/* Gives a shared answer to this analyst, and charges only their own budget. */
static custos_status
charge_shared(struct curator *c, const struct ask *ask, const struct plan *p,
              const struct answer_keys *keys, struct answer *answer,
              custos_err *err)
{
    custos_status st = charge_plan(c, ask, p, PURSE_OWN, &answer->receipt, err);

    if (!st) {
        answer->stored = false; /* it was not free */
        keep_own(c, keys, answer);
    }
    return st;
}

custos_status
curator_find(const struct curator *c, str name,
             const struct policy_analyst **who, custos_err *err)
{
    *who = NULL;
    if (!name.len)
        return CUSTOS_OK;
    *who = policy_analyst_find(c->snapshot->policy, name);
    if (*who)
        return CUSTOS_OK;
    return ledger_fail_analyst(name, err);
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

    forecast_make(c, k->ask, k->q, k->p, &f);
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
    st = answer_keys_make(c, k->ask, k->q, k->p, &keys, err);
    if (st)
        return st;
    st = find_own(c, k->ask, &keys, out, err);
    if (st != CUSTOS_ENAME)
        return st;
    st = forecast_check(k->asked, k->p, err);
    if (st)
        return st;
    st = find_shared(c, k->ask, &keys, out, err);
    if (!st)
        return charge_shared(c, k->ask, k->p, &keys, *out, err);
    return st == CUSTOS_ENAME ? answer_private(c, k, &keys, out, err) : st;
}

/* Reads the tree with the parameter values in it, and inserts them in ask->sql
   too, for the ledger. */
static custos_status
read_ask(arena *a, struct ask *ask, struct query **q, custos_err *err)
{
    struct sql_params params;
    custos_status st;
    struct buf text;

    if (ask->n_params == 0)
        return sql_read(a, ask->sql, q, err);
    buf_init(&text, NULL, TEXT_MAX);
    st = sql_params_find(a, ask->sql, 0, &params, err);
    if (!st)
        st = sql_params_give(&params, ask->params, ask->n_params, err);
    if (!st)
        st = sql_read_with(a, ask->sql, &params, q, err);
    if (!st)
        st = sql_fill(a, ask->sql, &params, &text, err);
    if (!st) {
        ask->sql = str_of(arena_copy(a, (str){text.ptr, text.len}));
        if (!ask->sql.ptr)
            st = no_memory(err);
    }
    buf_clear(&text);
    return st;
}

/* Reads and plans: a function of the question, the policy and row counts of
   public tables, here as in a worker. The caller frees the plan, also after a
   failure. */
static custos_status
plan_ask(struct curator *c, struct ask *ask, arena *a, struct query **q,
         struct plan **p, custos_err *err)
{
    struct plan_known known = {.count = engine_count, .ctx = c->engine};
    struct plan_options options = {
        .epsilon = ask->epsilon,
        .rho = ask->rho,
        .within = ask->within,
        .jointly = ask->jointly,
        .mechs = c->mechs,
        .known = &known,
        .stop = ask->stop,
    };
    custos_status st = curator_find(c, ask->who, &options.who, err);

    if (!st)
        st = read_ask(a, ask, q, err);
    if (!st)
        st = plan_make(a, *q, c->snapshot->policy, &options, p, err);
    return st;
}

custos_status
curator_answer(struct curator *c, const struct ask *asked, struct answer **out,
               custos_err *err)
{
    struct ask copy = *asked;
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct course k = {.asked = asked, .ask = &copy};
    struct answer *answer = NULL;
    struct plan *p = NULL;
    custos_status st;

    c->trip = TRIP_NONE;
    if (!a)
        return no_memory(err);
    st = curator_refresh(c, err);
    if (!st)
        st = plan_ask(c, &copy, a, &k.q, &p, err);
    k.p = p;
    if (!st)
        st = answer_plan(c, &k, &answer, err);
    if (!st) {
        forecast_add(p, answer);
        *out = answer;
        answer = NULL;
    }
    answer_free(answer);
    plan_free(p);
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
    struct ask ask = *w->ask;
    struct plan *p = NULL;
    struct query *q;
    custos_status st;

    if (!a)
        return no_memory(err);
    st = plan_ask(c, &ask, a, &q, &p, err);
    if (!st && (!plan_digest(p, digest) ||
                memcmp(digest, w->digest, sizeof digest) != 0 ||
                p->is_public != w->is_public))
        st = custos_fail(err, CUSTOS_EINTERNAL,
                         "the plan is not the one that was charged");
    if (!st)
        st = work_answer(c, w, p, out, err);
    plan_free(p);
    arena_free(a);
    return st;
}
