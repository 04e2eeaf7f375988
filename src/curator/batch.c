/*
 * The path of a batch: as that of a question (curator.c), in the same order, but
 * each step for all items before the next step for any.
 *
 * THEOREM  batch-charge-first
 *   Whatever an analyst sees of the private data of a batch was charged, durably
 *   and as a whole, before any of its items read data.
 * SOURCE   doc/proofs/batch-all-or-nothing.md
 * NEEDS    charge-first; batch-all-or-nothing; reply-time, for the class time of
 *          all items together.
 * GIVES    an answer for each item, or one failure. The mechanisms of the items
 *          compose as they do one by one; the moment of the reply is a function
 *          of the plans.
 * FAILS    above the charge: depending on public facts; below it: as
 *          charge-first, at the first item that fails. No later item reads data,
 *          so that a batch cannot provoke more failures than a question. An item
 *          that takes the time of those after it is an overrun.
 * TESTED   a_batch_is_charged_as_a_whole equal_questions_are_charged_once
 *          a_failed_item_ends_the_batch a_batch_replies_once
 *          a_slow_item_is_an_overrun a_late_item_is_an_overrun_of_the_one_before
 *          the_batch_is_charged_before_data_is_read
 */
#include "curator/batch_inside.h"

#include "base/error.h"
#include "curator/answer.h"
#include "curator/cause.h"
#include "curator/forecast.h"
#include "curator/release.h"
#include "curator/tripwire.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

void
ask_batch_clear(struct ask_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ask_item *item = &b->items[i];

        if (item->answer != &item->again)
            answer_free(item->answer);
        item->answer = NULL;
    }
}

void
curator_store_batch(struct curator *c, struct ask_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].answer)
            curator_store_answer(c, b->items[i].answer);
}

/* -------------------------------------------------------- cached answers -- */

/* Looks for the answer among those that are paid for. */
static custos_status
find_answer(struct progress *g, size_t i, custos_err *err)
{
    struct entry *e = &g->entries[i];
    struct answer **out = &g->b->items[i].answer;
    custos_status st;

    if (e->kind != ENTRY_RUN)
        return CUSTOS_OK;
    answer_free(*out); /* left by an attempt in another thread */
    *out = NULL;
    st = course_find_own(g->c, &e->keys, out, err);
    if (!st)
        e->kind = ENTRY_CACHED;
    if (st != CUSTOS_ENAME)
        return st;
    st = forecast_check(&e->asked, e->k.p, err);
    if (st)
        return st;
    st = course_find_shared(g->c, &e->k, &e->keys, out, err);
    if (!st)
        e->kind = ENTRY_SHARED;
    return st == CUSTOS_ENAME ? CUSTOS_OK : st;
}

/* ----------------------------------------------------------- public parts -- */

static bool
is_snapshot(const struct work_snapshot *a, const struct work_snapshot *b)
{
    return a->version == b->version && a->policy == b->policy;
}

/* Has the entry public work, which costs nothing? */
static bool
has_public_work(const struct entry *e)
{
    return e->kind == ENTRY_PUBLIC ||
           (e->kind == ENTRY_RUN && engine_has_public_parts(e->k.p));
}

static custos_status
check_attached(struct progress *g, size_t i, custos_err *err)
{
    const struct entry *e = &g->entries[i];

    return e->kind == ENTRY_PUBLIC || e->kind == ENTRY_RUN
               ? engine_check_attached(g->c->engine, e->k.p, err)
               : CUSTOS_OK;
}

/* Answers a public entry. Their number of rows is not known before; it is public,
   and nothing is charged yet. */
static custos_status
answer_public(struct progress *g, const struct entry *e, struct answer **out,
              custos_err *err)
{
    custos_status st = course_run_public(g->c, &e->k, out, err);

    for (size_t i = 0; !st && i < (*out)->n_rows * (*out)->n_columns; i++)
        g->public_bytes +=
            sizeof *(*out)->cells + (*out)->cells[i].value.text.len;
    if (st || g->public_bytes <= BATCH_PUBLIC_BYTES)
        return st;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "the answers over public tables have more than %d bytes "
                       "together" HINT "ask for fewer rows",
                       BATCH_PUBLIC_BYTES);
}

/* Answers a public entry; of a private one, computes the public parts as a
   trial: whoever runs it computes them again. */
static custos_status
do_public(struct progress *g, size_t i, custos_err *err)
{
    struct entry *e = &g->entries[i];
    struct answer **out = &g->b->items[i].answer;
    custos_status st;

    if (!has_public_work(e))
        return CUSTOS_OK;
    if (e->kind == ENTRY_PUBLIC) {
        answer_free(*out);
        *out = NULL;
        return answer_public(g, e, out, err);
    }
    if (g->c->executor)
        return course_try_public(g->c, &e->work, err);
    st = engine_prepare(g->c->engine, e->k.p, err);
    engine_unprepare(g->c->engine);
    return st;
}

/* Above the charge: does the public work of all entries, once for a snapshot. */
static custos_status
do_all_public(struct progress *g, custos_err *err)
{
    struct work_snapshot now = curator_snapshot(g->c);
    custos_status st;
    bool any = false;

    for (size_t i = 0; i < g->b->n; i++)
        any = any || has_public_work(&g->entries[i]);
    if (!any || (g->c->executor && is_snapshot(&g->b->public_of, &now)))
        return CUSTOS_OK;
    g->b->at = g->b->n;
    st = course_check_point(g->ask, ASK_AT_FREE, err);
    if (!st)
        st = batch_each(g, do_public, err);
    if (!st)
        g->b->public_of = now;
    return st;
}

/* --------------------------------------------------------------- charging -- */

static custos_status
prepare_work(struct progress *g, size_t i, custos_err *err)
{
    struct entry *e = &g->entries[i];

    e->work = (struct work){.of = curator_snapshot(g->c),
                            .ask = &e->asked,
                            .time = course_time(g->class_us)};
    if (e->kind != ENTRY_RUN && e->kind != ENTRY_SHARED)
        return CUSTOS_OK;
    if (g->c->executor && !plan_digest(e->k.p, e->work.digest))
        return no_memory(err);
    e->has_request = true;
    return course_request(g->c, &e->k, e->kind == ENTRY_SHARED, &e->request,
                          err);
}

/* Above the charge, in the order of charge_and_run (curator.c): all that can be
   refused at no cost. */
static custos_status
check_all(struct progress *g, custos_err *err)
{
    struct curator *c = g->c;
    const struct work *first = NULL;
    custos_status st = batch_each(g, check_attached, err);

    g->b->at = g->b->n;
    if (!st)
        st = course_check_class(g->ask, g->class_us, "batch", err);
    if (!st)
        st = batch_each(g, prepare_work, err);
    if (!st)
        st = do_all_public(g, err);
    g->b->at = st ? g->b->at : g->b->n;
    if (!st && g->running > 0)
        st = course_check_point(g->ask, ASK_AT_CHARGED, err);
    for (size_t i = 0; i < g->b->n && !first; i++)
        if (g->entries[i].kind == ENTRY_RUN)
            first = &g->entries[i].work;
    if (!st && first && c->executor)
        st = c->executor->await(c->executor->ctx, first, err);
    return st;
}

/* Charges all entries or none; sets their receipts. */
static custos_status
charge_all(struct progress *g, custos_err *err)
{
    struct ledger_request requests[BATCH_MOST];
    struct receipt receipts[BATCH_MOST];
    custos_status st;
    size_t n = 0;

    for (size_t i = 0; i < g->b->n; i++)
        if (g->entries[i].has_request)
            requests[n++] = g->entries[i].request.r;
    if (n == 0)
        return CUSTOS_OK;
    g->b->at = g->b->n;
    st = tripwire_ready(g->c, g->ask->now, err);
    if (!st)
        st = ledger_writer_charge_all(g->c->shared->writer, requests, n,
                                      receipts, err);
    tripwire_refused(g->c, st, err);
    n = 0;
    for (size_t i = 0; i < g->b->n && !st; i++)
        if (g->entries[i].has_request)
            g->entries[i].work.receipt = receipts[n++];
    return st;
}

/* ---------------------------------------------------------------- running -- */

/* When the entries from this one on must begin, so that all can end by due_us: as
   begin_us in curator.c. After the last entry that runs this is due_us. */
static int64_t
latest_begin(const struct progress *g, size_t from, int64_t due_us)
{
    int64_t class_us = 0, allowances = 0;

    for (size_t i = from; i < g->b->n; i++)
        if (g->entries[i].kind == ENTRY_RUN) {
            class_us += g->entries[i].class_us;
            allowances += g->ask->allowance_us;
        }
    return due_us - class_us / REPLY_CLASS_MARGIN - allowances / 2;
}

/* Limits an entry's work, if the batch's reply leaves at due_us. It is killed when
   the next one must begin: with a later limit it could keep the next from
   beginning in time, and would not count as an overrun itself. */
static void
fix_times(const struct progress *g, size_t i, int64_t due_us)
{
    struct work *w = &g->entries[i].work;

    w->begin_us = latest_begin(g, i, due_us);
    w->until_us = latest_begin(g, i + 1, due_us);
}

/* Without an executor: this thread does the work. */
static custos_status
run_here(struct progress *g, struct entry *e, struct answer **out,
         enum work_end *end, custos_err *err)
{
    struct engine *engine = g->c->engine;
    struct releaser here = {.engine = engine, .rng = g->c->rng};
    bool prepares = engine_has_public_parts(e->k.p);
    custos_status st =
        prepares ? engine_prepare(engine, e->k.p, err) : CUSTOS_OK;

    if (st) {
        *end = WORK_LOST; /* no private data was read */
        return custos_fail(err, CUSTOS_EENGINE, "%s",
                           custos_status_words(CUSTOS_EENGINE));
    }
    st = release_answer(&here, e->k.p, &e->work.receipt, out, err);
    if (prepares)
        engine_unprepare(engine);
    *end = !st                         ? WORK_DONE
           : err && cause_is_stop(err) ? WORK_STOPPED
                                       : WORK_FAILED;
    return st;
}

/* Runs an entry; due_us: when the reply leaves; 0: not fixed. */
static custos_status
run_entry(struct progress *g, size_t i, int64_t due_us, enum work_end *end,
          custos_err *err)
{
    const struct executor *by = g->c->executor;
    struct entry *e = &g->entries[i];
    struct answer **out = &g->b->items[i].answer;

    if (!by)
        return run_here(g, e, out, end, err);
    if (due_us)
        fix_times(g, i, due_us);
    return by->run(by->ctx, &e->work, out, end, err);
}

/* Runs the first entry that runs; once more if it could not begin in time, as
   execute (curator.c). Only this one: what delays it is not of this batch. */
static custos_status
run_first(struct progress *g, size_t i, int64_t *due_us, enum work_end *end,
          custos_err *err)
{
    custos_err first = CUSTOS_ERR_INIT;
    custos_status st = run_entry(g, i, *due_us, end, &first);
    int64_t later_us = 0;

    if (*end == WORK_DELAYED && *due_us && g->ask->again)
        later_us = g->ask->again(g->ask->admit_ctx, g->class_us);
    if (!later_us) {
        if (st && err)
            *err = first;
        return st;
    }
    *due_us = later_us;
    return run_entry(g, i, later_us, end, err);
}

/* Records how an entry's work ended; before: the receipt of the one that ran
   before it, or NULL. If that one left too little time, it has overrun. */
static void
record_end(struct progress *g, const struct receipt *before,
           const struct receipt *r, enum work_end end, custos_status st)
{
    if (before && end == WORK_DELAYED)
        tripwire_record(g->c, g->ask, before, WORK_OVERRUN, st);
    else
        tripwire_record(g->c, g->ask, r, end, st);
}

/* Below the charge: runs the entries one after the other. The time of the reply is
   fixed before the first reads data. The first failure ends the batch. */
static custos_status
run_all(struct progress *g, int work, custos_err *err)
{
    const struct ask *ask = g->ask;
    const struct receipt *before = NULL;
    custos_status st = CUSTOS_OK;
    int64_t due_us = 0;

    if (g->running > 0 && ask->admit && g->class_us < INT64_MAX)
        due_us = ask->admit(ask->admit_ctx, g->class_us);
    for (size_t i = 0; i < g->b->n && !st; i++) {
        struct entry *e = &g->entries[i];
        enum work_end end = WORK_FAILED;

        if (e->kind != ENTRY_RUN)
            continue;
        g->b->at = i;
        tripwire_begin(g->c, &e->work.receipt, work);
        st = before ? run_entry(g, i, due_us, &end, err)
                    : run_first(g, i, &due_us, &end, err);
        record_end(g, before, &e->work.receipt, end, st);
        before = &e->work.receipt;
        if (!st)
            course_keep(g->c, &e->keys, due_us ? KEEP_LATER : KEEP_NOW,
                        g->b->items[i].answer);
    }
    return st;
}

/* Charges what must be charged, and runs it. */
static custos_status
charge_and_run(struct progress *g, custos_err *err)
{
    custos_status st;
    int work = -1;

    if (g->running > 0)
        st = tripwire_claim(&work, err);
    else
        st = CUSTOS_OK;
    if (!st)
        st = charge_all(g, err);
    for (size_t i = 0; i < g->b->n && !st; i++) {
        struct entry *e = &g->entries[i];
        struct answer *answer = g->b->items[i].answer;

        if (e->kind != ENTRY_SHARED)
            continue;
        answer->receipt = e->work.receipt;
        answer->stored = false; /* it was not free */
        course_keep_own(g->c, &e->keys, answer);
    }
    if (!st)
        st = run_all(g, work, err);
    tripwire_drop(work);
    return st;
}

/* Cached answers are counted, and an answer is given to each entry that asks the
   same. */
static void
give_answers(struct progress *g)
{
    for (size_t i = 0; i < g->b->n; i++) {
        struct ask_item *item = &g->b->items[i];
        struct entry *e = &g->entries[i];

        if (e->kind == ENTRY_CACHED)
            ledger_writer_count_cached(g->c->shared->writer, e->k.ask.who,
                                       item->answer->receipt.seq, e->k.ask.now);
        if (e->kind != ENTRY_AGAIN) {
            forecast_add(e->k.p, item->answer);
            continue;
        }
        item->again = *g->b->items[e->same].answer;
        item->again.stored = true;
        item->again.kept = NULL;
        item->answer = &item->again;
    }
}

custos_status
curator_batch(struct curator *c, const struct ask *ask, struct ask_batch *b,
              custos_err *err)
{
    struct progress g = {.c = c, .ask = ask, .b = b};
    struct charge sum;
    custos_status st;

    c->trip = TRIP_NONE;
    b->at = b->n;
    b->is_charged = true; /* until it is known that nothing was */
    st = batch_plan(&g, err);
    if (!st)
        st = batch_each(&g, find_answer, err);
    if (!st) {
        batch_add_classes(&g);
        batch_add_costs(&g, &sum, &b->is_charged);
        st = check_all(&g, err);
    }
    if (!st)
        st = charge_and_run(&g, err);
    if (!st) {
        b->at = b->n;
        give_answers(&g);
    }
    batch_end(&g);
    return st;
}
