/*
 * A session's tasks: begins them, takes them back, refuses them, gives them up.
 */
#include "pg/session_inside.h"

struct task *
session_want(struct session *s, enum task_kind kind, enum session_then then)
{
    struct task *t = task_new(kind);

    if (!t) {
        session_refuse(s, "53200", "out of memory");
        return NULL;
    }
    t->q.who = s->who;
    t->share = share_again(s->share);
    s->task = s->running = t;
    s->stop = STOP_NOT;
    s->then = then;
    s->at = AT_WORK;
    return t;
}

struct task *
session_task(struct session *s)
{
    struct task *t = s->task;

    s->task = NULL;
    return t;
}

static bool
is_waited_for(const struct session *s, const struct task *t)
{
    return s->running == t && (s->at == AT_WORK || s->at == AT_NAMED);
}

/* The reply to a question that was given up: the same however far it had come. */
static void
report_stopped(struct session *s)
{
    struct pg_report r = {
        .severity = PG_ERROR,
        .sqlstate = "57014",
        .message = str_of(s->stop == STOP_CANCEL
                              ? "canceling statement due to user request"
                              : "the question took longer than the owner of "
                                "the data allows"),
        .detail = str_of("What was charged for it stays charged."),
    };

    s->stop = STOP_NOT;
    session_error(s, &r);
}

static void
task_told(struct session *s, struct task *t, int64_t now_us)
{
    s->at = AT_READY;
    if (s->stop)
        report_stopped(s);
    else if (s->then == THEN_READ)
        reading_told(s, t);
    else if (s->then == THEN_SIMPLE)
        simple_told(s, t, now_us);
    else if (s->then == THEN_PARSE)
        extended_parsed(s, t);
    else if (s->then == THEN_FETCH)
        cursor_told(s, t, now_us);
    else
        extended_told(s, t, now_us);
}

void
session_told(struct session *s, struct task *t, int64_t now_us)
{
    if (is_waited_for(s, t)) {
        s->running = NULL;
        if (s->at == AT_NAMED)
            login_told(s, t);
        else
            task_told(s, t, now_us);
        session_go(s, now_us);
    }
    task_free(t);
}

void
session_refused(struct session *s, struct task *t, const char *sqlstate,
                const char *said, const char *hint, int64_t now_us)
{
    if (is_waited_for(s, t)) {
        s->running = NULL;
        if (s->at == AT_NAMED)
            session_fatal(s, sqlstate, said, hint);
        else
            session_refuse(s, sqlstate, "%s" HINT "%s", said, hint);
        session_go(s, now_us);
    }
    task_free(t);
}

bool
session_stop(struct session *s, enum session_stop why)
{
    if (s->at != AT_WORK || s->stop)
        return false;
    s->stop = why;
    return true;
}
