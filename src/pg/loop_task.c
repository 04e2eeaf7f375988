/*
 * Brings tasks of sessions to the worker threads and back: chooses the lane,
 * enforces limits, counts and logs the outcome.
 */
#include "base/error.h"
#include "pg/loop_inside.h"
#include "serve/reply_clock.h"

static void
task_done(struct job *j)
{
    mailbox_put(((struct task *)j)->box, j);
}

/* Credential look-ups have a lane of their own, which is fair between
   addresses. */
static void
choose_lane(struct job *j, const struct task *t, const struct conn *c)
{
    bool login = t->kind == TASK_VERIFIER;

    j->lane = login ? LANE_LOGINS
              : t->kind == TASK_CATALOG || t->kind == TASK_CATALOG_DESCRIBE
                  ? LANE_FREE
                  : LANE_QUESTIONS;
    j->who = str_of(login ? c->group : t->q.who.name);
}

static void
refuse_task(struct loop *l, struct conn *c, struct task *t,
            const char *sqlstate, const char *said, const char *hint)
{
    session_refused(c->session, t, sqlstate, said, hint, l->now_us);
}

/* False: refused, because the analyst has too many requests or unread
   replies. */
static bool
share_allows(struct loop *l, struct conn *c, struct task *t)
{
    struct share *share = session_share(c->session);
    int64_t wait = share_request(share, l->now_us);
    custos_err err = CUSTOS_ERR_INIT;

    if (wait) {
        COUNT_ONE(counts_of(l), requests_refused_total);
        share_fail_requests(share, wait, &err);
        refuse_task(l, c, t, "53400", err.said, err.hint);
        return false;
    }
    if (share_is_full(share, SHARE_MESSAGES)) {
        COUNT_ONE(counts_of(l), unread_refused_total);
        share_fail_unread(share, &err);
        refuse_task(l, c, t, "53200", err.said, err.hint);
        return false;
    }
    return true;
}

static void
refuse_busy(struct loop *l, struct conn *c, struct task *t,
            enum workers_submit why)
{
    bool login = t->kind == TASK_VERIFIER;

    if (why == SUBMIT_SHARE_FULL)
        COUNT_ONE(counts_of(l), busy_share_total);
    else
        COUNT_ONE(counts_of(l), busy_total);
    if (why == SUBMIT_ENDING)
        refuse_task(l, c, t, "57P01",
                    "the server is stopping; nothing was charged", "");
    else if (why == SUBMIT_SHARE_FULL && login)
        refuse_task(l, c, t, "53300",
                    "too many logins from this address are waiting",
                    "try again");
    else if (why == SUBMIT_SHARE_FULL)
        refuse_task(
            l, c, t, "53300",
            "too many of your questions are waiting; nothing was charged",
            "ask again when some are answered");
    else if (login)
        refuse_task(l, c, t, "53300", "the server is busy", "try again");
    else
        refuse_task(l, c, t, "53300",
                    "too many questions are waiting; nothing was charged",
                    "ask again later");
}

bool
loop_submit(struct loop *l, struct conn *c)
{
    struct task *t = session_task(c->session);
    enum workers_submit taken;

    if (t->kind != TASK_VERIFIER && !share_allows(l, c, t))
        return false;
    t->box = l->box;
    t->owner = c->id;
    t->reply_max = l->options.parts->limits.reply_bytes;
    t->q.job.work = task_work;
    t->q.job.done = task_done;
    t->q.job.asked_us = reply_clock_us();
    choose_lane(&t->q.job, t, c);
    taken = workers_submit(l->options.parts->workers, &t->q.job);
    if (taken != SUBMIT_TAKEN) {
        refuse_busy(l, c, t, taken);
        return false;
    }
    if (t->kind == TASK_ANSWER)
        COUNT_ONE(counts_of(l), questions_total);
    c->task = t;
    c->question_us = l->now_us;
    l->n_out++;
    return true;
}

void
loop_drop(struct loop *l, const struct conn *c, enum ask_stop why)
{
    if (c->task)
        workers_drop(l->options.parts->workers, &c->task->q.job, why);
}

static void
count_answer(struct loop *l, const struct task *t, const struct conn *c)
{
    struct counts *n = counts_of(l);
    struct log_line line;

    if (t->kind != TASK_ANSWER || t->q.job.stopped)
        return;
    if (t->q.status && t->q.job.stepped && t->q.status == CUSTOS_EENGINE)
        COUNT_ONE(n, failures_total);
    else if (t->q.status)
        COUNT_ONE(n, refusals_total);
    else if (t->cost[0] && t->q.answer->stored)
        COUNT_ONE(n, answers_stored_total);
    else if (t->cost[0])
        COUNT_ONE(n, answers_charged_total);
    if (!t->q.status && !t->q.job.stepped)
        return;
    log_begin(&line, "question");
    log_int(&line, "pg", t->owner);
    log_text(&line, "who", str_of(t->q.who.name));
    log_text(&line, "status", str_of(custos_status_sqlstate(t->q.status)));
    if (!t->q.status)
        log_int(&line, "row", (int64_t)t->q.answer->receipt.seq);
    if (t->q.status)
        log_cause(&line, &t->q.err);
    if (!c)
        log_text(&line, "given", str_of("no"));
    log_end(&line, LOG_FD);
}

void
loop_come_back(struct loop *l)
{
    struct job *j, *next;

    for (j = mailbox_take(l->box); j; j = next) {
        struct task *t = (struct task *)j;
        struct conn *c = connections_at(l, t->owner);

        next = j->next;
        l->n_out--;
        if (c && c->task != t)
            c = NULL; /* another connection has this id now */
        count_answer(l, t, c);
        if (!c) {
            task_free(t);
            continue;
        }
        c->task = NULL;
        c->question_us = 0;
        if (j->crowded)
            refuse_busy(l, c, t, SUBMIT_SHARE_FULL);
        else
            session_told(c->session, t, l->now_us);
        loop_drive(l, c);
    }
}
