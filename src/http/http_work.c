#include "http/http_work.h"

#include <strings.h>

#include "base/base.h"
#include "base/error.h"
#include "http/api.h"
#include "serve/clock.h"
#include "serve/log.h"
#include "wire/http.h"

enum { BODY_ARENA = 1 << 26 };

static const char EXPLAIN[] = "EXPLAIN ";

/* Takes the word EXPLAIN off a text that begins with it. False: it does not. */
static bool
explain_cut(str *sql)
{
    size_t len = sizeof EXPLAIN - 2;
    str rest = *sql;

    while (rest.len && strchr(" \t\r\n", rest.ptr[0]))
        rest.ptr++, rest.len--;
    if (rest.len <= len || strncasecmp(rest.ptr, EXPLAIN, len) != 0 ||
        !strchr(" \t\r\n", rest.ptr[len]))
        return false;
    *sql = (str){rest.ptr + len, rest.len - len};
    return true;
}

/* Reads the question from the body. */
static custos_status
question_read(struct http_work *w, custos_err *err)
{
    struct ask *ask = &w->question.ask;
    struct http_query said;
    custos_status st;

    arena_free(w->arena); /* of an attempt in another lane */
    w->arena = arena_new(NULL, BODY_ARENA);
    if (!w->arena)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = http_query_read(w->arena, w->request->body, &said, err);
    if (!st && said.sql.len > w->parts->limits.query_bytes)
        st = custos_fail(err, CUSTOS_EOVERFLOW,
                         "the query is longer than %zu bytes",
                         w->parts->limits.query_bytes);
    if (st) {
        err->at = -1; /* it is a position in the body, not in the query */
        return st;
    }
    ask->sql = said.sql;
    ask->epsilon = said.epsilon;
    ask->rho = said.rho;
    ask->within = said.within;
    ask->jointly = said.jointly;
    ask->warned = said.cautious ? ask_reject_warned : NULL;
    ask->params = said.params;
    ask->n_params = said.n_params;
    return CUSTOS_OK;
}

/* Reads a batch from the body. */
static custos_status
batch_read(struct http_work *w, custos_err *err)
{
    struct ask_batch *b = &w->batch;
    struct http_batch said;
    size_t at = SIZE_MAX;
    custos_status st;

    if (w->arena)
        return CUSTOS_OK; /* read before it moved to another lane */
    w->arena = arena_new(NULL, BODY_ARENA);
    if (!w->arena)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = http_batch_read(w->arena, w->request->body, &said, &at, err);
    for (size_t i = 0; !st && i < said.n; i++)
        if (said.queries[i].sql.len > w->parts->limits.query_bytes) {
            at = i;
            st = custos_fail(err, CUSTOS_EOVERFLOW,
                             "it is longer than %zu bytes",
                             w->parts->limits.query_bytes);
        }
    if (!st)
        b->items = arena_take(w->arena, said.n, sizeof *b->items);
    if (!st && !b->items)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st) {
        err->at = -1; /* it is a position in the body, not in the query */
        api_name_query(at, err);
        return st;
    }
    b->n = said.n;
    for (size_t i = 0; i < said.n; i++) {
        const struct http_query *q = &said.queries[i];

        b->items[i] = (struct ask_item){.sql = q->sql,
                                        .epsilon = q->epsilon,
                                        .rho = q->rho,
                                        .within = q->within,
                                        .jointly = q->jointly,
                                        .params = q->params,
                                        .n_params = q->n_params};
    }
    w->question.ask.warned = said.cautious ? ask_reject_warned : NULL;
    return CUSTOS_OK;
}

/* Refuses an answer over public tables that is too long: it can be asked for in
   pieces. */
static void
check_length(struct http_work *w)
{
    const struct question *q = &w->question;
    custos_err err = CUSTOS_ERR_INIT;

    if (q->status || !q->answer->is_public ||
        w->reply->body.len <= w->parts->limits.reply_bytes)
        return;
    custos_fail(&err, CUSTOS_EOVERFLOW,
                "the answer has more than %zu bytes" HINT "ask for fewer rows",
                w->parts->limits.reply_bytes);
    http_refuse(w->reply, &err, str_of(""));
}

static void
work_question(struct http_work *w, struct curator *c)
{
    struct question *q = &w->question;

    q->err = (custos_err)CUSTOS_ERR_INIT;
    q->status = question_read(w, &q->err);
    if (q->status)
        q->job.stepped = false;
    else
        w->ask(&q->job, c);
    if (q->job.moves)
        return; /* it is asked again in another lane */
    if (q->job.crowded) {
        COUNT_ONE(w->parts->counts, busy_share_total);
        http_fault(w->reply, HTTP_FAULT_SHARE);
        return;
    }
    api_answer(q, w->route.form, w->reply);
    check_length(w);
}

/* Asks a batch, or plans it. */
static void
work_batch(struct http_work *w, struct curator *c)
{
    bool explains = w->route.task == TASK_BATCH_EXPLAIN;
    struct question *q = &w->question;

    q->err = (custos_err)CUSTOS_ERR_INIT;
    q->status = batch_read(w, &q->err);
    q->batch = q->status ? NULL : &w->batch;
    q->explains = explains;
    if (q->status)
        q->job.stepped = false;
    else
        w->ask(&q->job, c);
    if (q->job.moves)
        return; /* it is asked again in another lane */
    if (explains)
        q->job.stepped = false; /* nothing is charged */
    if (q->job.crowded) {
        COUNT_ONE(w->parts->counts, busy_share_total);
        http_fault(w->reply, HTTP_FAULT_SHARE);
    } else if (q->lost) {
        http_fault(w->reply, HTTP_FAULT_TOKEN);
    } else if (!q->status && explains) {
        api_batch_explained(q, c, w->arena, w->reply);
    } else {
        api_batch(q, w->reply);
    }
}

/* Answers with the plan. Error positions refer to the text that was sent. */
static void
work_explain(struct http_work *w, struct curator *c)
{
    struct question *q = &w->question;
    str sql = {0}, of = {0};
    int shift = 0;

    q->err = (custos_err)CUSTOS_ERR_INIT;
    q->status = question_read(w, &q->err);
    if (!q->status) {
        sql = of = q->ask.sql;
        if (!explain_cut(&of)) {
            shift = sizeof EXPLAIN - 1;
            buf_add_text(&w->explained, EXPLAIN);
            buf_add(&w->explained, sql.ptr, sql.len);
            q->ask.sql = (str){buf_text(&w->explained), w->explained.len};
        }
        if (w->explained.failed)
            q->status = custos_fail(&q->err, CUSTOS_ENOMEM, "out of memory");
    }
    if (!q->status)
        w->ask(&q->job, c);
    q->job.stepped = false; /* EXPLAIN is never charged */
    if (q->status && q->err.at >= shift)
        q->err.at -= shift;
    if (q->lost)
        http_fault(w->reply, HTTP_FAULT_TOKEN);
    else if (q->status)
        http_refuse(w->reply, &q->err, sql);
    else
        api_explained(q, c, of, w->arena, w->reply);
}

static void
work_request(struct job *j, struct curator *c)
{
    struct http_work *w = (struct http_work *)(void *)j;
    str who = str_of(w->question.who.name);

    j->stepped = false;
    if (share_is_full(w->share, SHARE_MESSAGES)) {
        w->question.status = share_fail_unread(w->share, &w->question.err);
        http_fault(w->reply, HTTP_FAULT_UNREAD);
        return;
    }
    switch (w->route.task) {
    case TASK_QUERY:
        j->stepped = true;
        work_question(w, c);
        break;
    case TASK_EXPLAIN: work_explain(w, c); break;
    case TASK_BATCH:
        j->stepped = true;
        work_batch(w, c);
        break;
    case TASK_BATCH_EXPLAIN: work_batch(w, c); break;
    case TASK_BUDGET: api_budget(c, who, wall_us(), w->reply); break;
    case TASK_SCHEMA: api_schema(c, who, w->reply); break;
    case TASK_LEDGER: api_ledger(c, who, w->request, w->reply); break;
    case TASK_RISK: api_risk(c, who, w->request, w->reply); break;
    case TASK_HEALTH_DEEP: api_health(w->parts, c, w->reply); break;
    case TASK_ME: api_me(who, w->reply); break;
    case TASK_HISTORY: api_history(c, who, wall_us(), w->reply); break;
    case TASK_VERIFY: api_verify(w->parts->verified, c, who, w->reply); break;
    case TASK_OWNER_POLICY:
    case TASK_OWNER_ANALYSTS:
    case TASK_OWNER_DATA:
    case TASK_OWNER_HEALTH:
    case TASK_OWNER_ACT:
    case TASK_OWNER_RELOAD:
        api_owner(w->parts, c, &w->question.who, w->route.task, w->request,
                  w->reply);
        break;
    case TASK_LEARN:
    case TASK_HEALTH:
    case TASK_METRICS:
    case TASK_OPENAPI: break; /* UNREACHABLE: answered without workers */
    }
}

void
http_work_init(struct http_work *w)
{
    *w = (struct http_work){0};
    question_init(&w->question);
    w->ask = w->question.job.work;
    w->question.job.work = work_request;
    buf_init(&w->explained, NULL, BODY_ARENA);
}

/* The row of the last charge of a question or batch; 0: nothing was charged. */
static uint64_t
row_of(const struct question *q)
{
    uint64_t row = q->answer ? q->answer->receipt.seq : 0;

    for (size_t i = 0; q->batch && i < q->batch->n; i++) {
        const struct answer *a = q->batch->items[i].answer;

        if (a && !a->stored && a->receipt.seq > row)
            row = a->receipt.seq;
    }
    return row;
}

static void
log_question(const struct question *q)
{
    struct log_line l;

    log_begin(&l, "question");
    log_text(&l, "by", str_of("http"));
    log_text(&l, "who", str_of(q->who.name));
    log_text(&l, "status", str_of(custos_status_sqlstate(q->status)));
    if (!q->status)
        log_int(&l, "row", (int64_t)row_of(q));
    if (q->status)
        log_cause(&l, &q->err);
    log_end(&l, LOG_FD);
}

static void
count_answer(const struct answer *a, struct counts *counts)
{
    if (a->stored)
        COUNT_ONE(counts, answers_stored_total);
    else if (!a->explained && !a->is_public)
        COUNT_ONE(counts, answers_charged_total);
}

static bool
is_charged(const struct question *q)
{
    const struct answer *a = q->answer;

    return q->batch ? q->batch->is_charged
                    : !a->stored && !a->explained && !a->is_public;
}

void
http_work_report(const struct http_work *w, struct counts *counts)
{
    const struct question *q = &w->question;
    enum http_task task = w->route.task;

    if ((task != TASK_QUERY && task != TASK_BATCH) || q->job.stopped)
        return;
    COUNT_ONE(counts, questions_total);
    if (q->status == CUSTOS_EENGINE)
        COUNT_ONE(counts, failures_total);
    else if (q->status)
        COUNT_ONE(counts, refusals_total);
    else if (!q->batch)
        count_answer(q->answer, counts);
    for (size_t i = 0; !q->status && q->batch && i < q->batch->n; i++)
        count_answer(q->batch->items[i].answer, counts);
    if (q->status || is_charged(q))
        log_question(q);
}

void
http_work_clear(struct http_work *w)
{
    answer_free(w->question.answer);
    w->question.answer = NULL;
    ask_batch_clear(&w->batch);
    buf_clear(&w->explained);
    arena_free(w->arena);
    w->arena = NULL;
}
