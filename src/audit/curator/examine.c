/*
 * From a suspicion to a finding: is it there again, and what is the shortest
 * query that shows it?
 */
#include <stdio.h>
#include <string.h>

#include "audit/clock.h"
#include "audit/curator/attack_inside.h"
#include "audit/curator/minimize.h"
#include "base/error.h"

enum {
    AGAIN = 2,         /* times that a fault must be there again */
    TRIES = 1500,      /* of the minimizer */
    STUCK_SECONDS = 4, /* a worker that failed after so long may still work */
    PATIENCE = 4,      /* the time limits, times this, for what was too slow */
    SLOW_FACTOR = 10,
    SECONDS = 40, /* of the minimizer */
    SQL_ROOM = GRAMMAR_TEXT_MAX,
};

custos_status
attacker_recover(struct attacker *a, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (int i = 0; !st && i < N_SIDES; i++) {
        struct stranger_server *s = &a->shared->server[i];
        char store[FOLDER_PATH_MAX + 16], log[FOLDER_PATH_MAX + 16];
        const char *words[] = {"custos",  "owner", "resume",
                               "--store", store,   NULL};

        snprintf(store, sizeof store, "%s/store", s->folder.path);
        snprintf(log, sizeof log, "%s/resume.log", s->folder.path);
        st = stranger_run(s->program, words, (str){"", 0}, log, err);
        if (!st)
            st = client_reopen(&a->sides.client[i], err);
    }
    return st;
}

/* Asks once; the verdict is about this asking alone. */
static custos_status
ask_once(struct attacker *a, const struct pair_question *q,
         enum verdict suspected, struct outcome *out, custos_err *err)
{
    custos_status st = pair_explain(&a->sides, q, out, err);

    if (!st && out->verdict == VERDICT_SAME)
        st = pair_ask(&a->sides, q, out, err);
    if (!st && out->verdict == VERDICT_FAILED)
        st = attacker_recover(a, err);
    if (!st && suspected == VERDICT_LATE && out->verdict == VERDICT_SAME &&
        pair_is_slow(out))
        out->verdict = VERDICT_LATE;
    return st;
}

/* Is it there again, with certainty? Not yet if the connection was lost. */
static custos_status
confirm(struct attacker *a, const struct pair_question *q,
        struct outcome *outcome, custos_err *err)
{
    enum verdict kind = outcome->verdict;
    custos_status st = CUSTOS_OK;

    if (kind == VERDICT_MOVED)
        return pair_sharpen(&a->sides, q, outcome, err);
    if (kind == VERDICT_LATE) {
        outcome->verdict = VERDICT_SAME;
        st = pair_time(&a->sides, q, outcome, err);
        if (!st && outcome->verdict == VERDICT_FAILED)
            st = attacker_recover(a, err);
        return st;
    }
    for (int i = 0; !st && i < AGAIN; i++) {
        struct outcome again;

        st = ask_once(a, q, kind, &again, err);
        if (st || again.verdict != kind) {
            outcome->verdict = VERDICT_SAME;
            break;
        }
        *outcome = again;
        if (again.lost)
            break;
    }
    return st;
}

/* ---------------------------------------------------------------- shortest -- */

struct shrinking {
    struct attacker *attacker;
    enum verdict kind;
    double epsilon, ends;
    custos_err err;
};

static bool
still_there(void *context, const char *sql)
{
    struct shrinking *s = context;
    const struct pair_question q = {sql, s->epsilon};
    struct outcome out;

    if (clock_seconds() > s->ends)
        return false;
    /* A busy machine can lose a connection whatever is asked. */
    return !ask_once(s->attacker, &q, s->kind, &out, &s->err) &&
           out.verdict == s->kind && !out.lost;
}

static void
report(struct attacker *a, const char *sql, const struct pair_question *q,
       const struct outcome *outcome, double seen)
{
    const struct curator_options *o = a->shared->options;
    const struct curator_finding finding = {
        .target = a->shared->target->name,
        .size = a->shared->target->size,
        .sql = sql,
        .first = q->sql,
        .epsilon = q->epsilon,
        .seconds = seen - a->shared->began,
        .outcome = outcome,
    };

    a->shared->counts.findings++;
    if (o->found)
        o->found(o->context, &finding);
    if (!o->keep_going)
        a->shared->stop = true;
    a->shared->slice_over = true;
}

static double
slowest_of(const struct outcome *o)
{
    double a = o->seconds[SIDE_WITH], b = o->seconds[SIDE_WITHOUT];

    return a > b ? a : b;
}

/* Starts both servers again, with longer time limits. */
static custos_status
restart_patiently(struct attacker *a, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (int i = 0; !st && i < N_SIDES; i++) {
        struct stranger_server *s = &a->shared->server[i];

        s->options.max_seconds *= PATIENCE;
        st = stranger_restart(s, CLOCK_NONE, err);
    }
    for (int i = 0; !st && i < N_SIDES; i++) {
        a->sides.client[i].port = a->shared->server[i].port;
        st = client_reopen(&a->sides.client[i], err);
    }
    return st ? st : attacker_recover(a, err);
}

/* Which side took seconds where the other took far less; N_SIDES: neither. */
static int
far_slower(const struct outcome *o)
{
    const double *s = o->seconds;

    for (int i = 0; i < N_SIDES; i++)
        if (s[i] > STUCK_SECONDS && s[i] > SLOW_FACTOR * s[1 - i])
            return i;
    return N_SIDES;
}

/*
 * Asks once more. What is answered now may still be slow because of the person:
 * then one side is far slower each time. The 24 askings of pair_time would take
 * too long here.
 */
static custos_status
ask_patiently(struct attacker *a, const struct pair_question *q,
              struct outcome *outcome, custos_err *err)
{
    custos_status st = pair_explain(&a->sides, q, outcome, err);
    int side = N_SIDES;

    for (int i = 0; i <= AGAIN && !st; i++) {
        if (outcome->verdict == VERDICT_SAME)
            st = pair_ask(&a->sides, q, outcome, err);
        if (i == 0)
            side = far_slower(outcome);
        if (st || outcome->verdict != VERDICT_SAME ||
            far_slower(outcome) != side || side == N_SIDES)
            return st;
    }
    outcome->verdict = VERDICT_LATE;
    snprintf(outcome->what, SAID_MAX, "%d askings of %d", 1 + (int)AGAIN,
             1 + (int)AGAIN);
    return st;
}

/*
 * A server that has not replied in time may be busy for ever: both are started
 * again before the query is asked once more. On a busy machine a query can be too
 * slow by itself, so it gets more time. The servers end with this thread, so the
 * slice is over either way. What takes so long is not minimized.
 */
static custos_status
examine_lost(struct attacker *a, const struct pair_question *q,
             struct outcome *outcome, double seen, custos_err *err)
{
    custos_status st;

    a->shared->slice_over = true;
    a->sides.reply_seconds = PATIENCE * PAIR_REPLY_SECONDS;
    st = restart_patiently(a, err);
    if (!st)
        st = ask_patiently(a, q, outcome, err);
    a->sides.reply_seconds = PAIR_REPLY_SECONDS;
    if (!st && verdict_is_fault(outcome->verdict)) {
        snprintf(outcome->what + strlen(outcome->what),
                 SAID_MAX - strlen(outcome->what),
                 "; %.1f s with the person, %.1f s without",
                 outcome->seconds[SIDE_WITH], outcome->seconds[SIDE_WITHOUT]);
        report(a, q->sql, q, outcome, seen);
    } else {
        a->shared->counts.suspicions++;
    }
    return st;
}

custos_status
examine(struct attacker *a, const struct pair_question *q,
        struct outcome *outcome, custos_err *err)
{
    static char sql[SQL_ROOM]; /* the caller has the gate alone */
    struct shrinking s = {.attacker = a,
                          .epsilon = q->epsilon,
                          .ends = clock_seconds() + SECONDS,
                          .err = CUSTOS_ERR_INIT};
    double seen = clock_seconds();
    struct outcome last;
    size_t asked = 0;
    custos_status st = CUSTOS_OK;

    for (int i = 0; i < N_SIDES; i++)
        if (stranger_ended(&a->shared->server[i])) {
            snprintf(outcome->what, SAID_MAX, "the server ended");
            report(a, q->sql, q, outcome, seen);
            return CUSTOS_OK;
        }
    if (outcome->lost || (outcome->verdict == VERDICT_FAILED &&
                          slowest_of(outcome) > STUCK_SECONDS))
        return examine_lost(a, q, outcome, seen, err);
    if (outcome->verdict == VERDICT_FAILED)
        st = attacker_recover(a, err);
    if (!st)
        st = confirm(a, q, outcome, err);
    if (!st && outcome->lost)
        return examine_lost(a, q, outcome, seen, err);
    if (st)
        return st;
    if (!verdict_is_fault(outcome->verdict)) {
        a->shared->counts.suspicions++;
        return CUSTOS_OK;
    }
    s.kind = outcome->verdict;
    for (int i = 0; i < N_SIDES; i++) /* each try of a slow one takes as long */
        s.ends += SLOW_FACTOR * outcome->seconds[i];
    snprintf(sql, sizeof sql, "%s", q->sql);
    st = minimize(sql, sizeof sql, TRIES, still_there, &s, &asked);
    if (st)
        return custos_fail(err, st, "out of memory");
    s.ends += SECONDS;
    last = *outcome;
    if (!ask_once(a, &(struct pair_question){sql, q->epsilon}, s.kind, &last,
                  &s.err) &&
        last.verdict == s.kind && !last.lost && s.kind != VERDICT_LATE)
        *outcome = last;
    report(a, sql, q, outcome, seen);
    return CUSTOS_OK;
}
