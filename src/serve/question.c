#include "serve/question.h"

#include "base/error.h"
#include "serve/clock.h"
#include "serve/log.h"
#include "serve/reply_clock.h"
#include "serve/reply_queue.h"

static void
report_remaining(struct question *q, struct curator *c)
{
    custos_err quiet = CUSTOS_ERR_INIT;

    q->has_remaining = !ledger_remaining(
        curator_ledger(c), q->ask.who, q->ask.now, NULL, &q->remaining, &quiet);
}

/* Logs crashes, which the crashed process could not log itself. */
static void
log_crashes(struct curator *c)
{
    struct log_line line;
    uint64_t row, n = curator_crashes(c, &row);

    if (n == 0)
        return;
    log_begin(&line, "tripwire");
    log_int(&line, "row", (int64_t)row);
    log_int(&line, "crashes", (int64_t)n);
    log_text(&line, "said",
             str_of("BUG: custos crashed while it worked on a charged query; "
                    "its analyst is suspended until custos owner resume"));
    log_end(&line, LOG_FD);
}

/* Logs a failure below the charge at once: unless it is an overrun, it is a
   bug. */
static void
log_trip(const struct question *q, struct curator *c)
{
    struct log_line line;
    uint64_t row;
    enum curator_trip trip = curator_tripped(c, &row);

    log_crashes(c);
    if (trip == TRIP_NONE)
        return;
    log_begin(&line, "tripwire");
    log_text(&line, "who", str_of(q->who.name));
    log_int(&line, "row", (int64_t)row);
    log_text(&line, "status", str_of(custos_status_sqlstate(q->status)));
    log_text(&line, "said",
             str_of(trip == TRIP_OVERRUN
                        ? "a charged query was ended because its time was up; "
                          "if this happens more often than the policy allows, "
                          "its analyst is suspended"
                        : "BUG: a charged query failed; its analyst is "
                          "suspended until custos owner resume"));
    log_end(&line, LOG_FD);
}

/* Called after the charge and before the data is touched: fixes when the reply
   leaves (theorem reply-time). */
static int64_t
fix_due(void *ctx, int64_t class_us)
{
    struct job *j = ctx;
    struct question *q = (struct question *)j;
    bool is_long = class_us > ASK_LONG_US;
    struct reply_queue *by = is_long ? j->long_replies : j->replies;

    workers_admit(j, class_us);
    reply_clock_watch();
    workers_fix_due(
        j, reply_queue_admit(by, j->asked_us, reply_clock_us(), class_us),
        is_long ? by : NULL); /* short work runs to its end (worker/remote.c) */
    /* The remaining budget is read now, at a public moment. If it were read
       when the work ends, it would include the charges of others up to then, and
       so reveal when that was. */
    if (!q->quiet)
        report_remaining(q, q->by);
    return j->due_us;
}

/* Called when the work could not begin in time: the reply then leaves later by
   what it would take alone. */
static int64_t
fix_due_again(void *ctx, int64_t class_us)
{
    struct job *j = ctx;
    const struct question *q = (struct question *)j;

    return workers_again(j, class_us + q->ask.allowance_us) ? j->due_us : 0;
}

/* Moves the job to the lane it belongs in; a job in the owner's lane stays
   there. */
static custos_status
choose_lane(void *ctx, enum ask_point at, custos_err *err)
{
    struct job *j = ctx;
    enum lane from = at == ASK_AT_FREE ? LANE_QUESTIONS : LANE_FREE;
    enum lane to = at == ASK_AT_FREE ? LANE_FREE : LANE_QUESTIONS;

    if (at == ASK_AT_CHARGED && j->lane != from)
        workers_planned(j);
    return j->lane != from || workers_move(j, to) == MOVE_HERE
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_EBUSY, "%s",
                             custos_status_words(CUSTOS_EBUSY));
}

static void
store_answer(struct job *j, struct curator *c)
{
    struct question *q = (struct question *)j;

    if (q->answer)
        curator_store_answer(c, q->answer);
    if (q->batch)
        curator_store_batch(c, q->batch);
}

static custos_status
ask_curator(struct question *q, struct curator *c)
{
    if (!q->batch)
        return curator_answer(c, &q->ask, &q->answer, &q->err);
    return q->explains ? curator_batch_explain(c, &q->ask, q->batch, &q->err)
                       : curator_batch(c, &q->ask, q->batch, &q->err);
}

/* Was something charged? */
static bool
is_charged(const struct question *q)
{
    const struct answer *a = q->answer;

    return q->batch ? q->batch->is_charged
                    : !(a->stored || a->explained || a->is_public);
}

/* Only a reply that is known to have cost nothing may leave at any time. */
void
question_work(struct job *j, struct curator *c)
{
    struct question *q = (struct question *)j;

    q->ask.who = str_of(q->who.name);
    q->ask.now = wall_us();
    q->ask.stop = &j->why;
    q->ask.check_point = choose_lane;
    q->ask.public_parts = &q->public_parts;
    q->ask.admit_ctx = j;
    q->by = c;
    if (j->replies) {
        j->leaves = store_answer;
        q->ask.admit = fix_due;
        q->ask.again = fix_due_again;
        q->ask.allowance_us = reply_queue_allowance(j->replies);
        q->ask.most_us = j->most_us;
    }
    q->err = (custos_err)CUSTOS_ERR_INIT;
    q->status = credential_holds(c, &q->who, &q->err);
    q->lost = q->status == CUSTOS_EDENIED;
    if (!q->status)
        q->status = ask_curator(q, c);
    log_trip(q, c);
    if (j->crowded)
        j->stepped =
            false; /* a full queue is not secret, and nothing was charged */
    if (q->status)
        return;
    j->stepped = is_charged(q);
    memcpy(q->policy, curator_policy(c)->id, sizeof q->policy);
    q->version = curator_version(c);
    if (!q->quiet && !(q->answer && q->answer->is_public) && !j->due_us)
        report_remaining(q, c);
}

void
question_init(struct question *q)
{
    *q = (struct question){.job.work = question_work};
}
