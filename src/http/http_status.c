#include "http/http_status.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/json.h"
#include "curator/tripwire.h"
#include "http/api.h"
#include "http/openapi.h"
#include "serve/reply_clock.h"

void
http_status_count(struct http_status *s, const struct http_reply *reply)
{
    size_t i = 0;

    if (reply->status >= 0 && (size_t)reply->status < COUNT_OF(s->replies))
        s->replies[reply->status]++;
    if (!reply->code)
        return;
    while (i < HTTP_CODES_MAX && s->errors[i].code &&
           strcmp(s->errors[i].code, reply->code) != 0)
        i++;
    if (i < HTTP_CODES_MAX) {
        s->errors[i].code = reply->code;
        s->errors[i].n++;
    }
}

/* --------------------------------------------------------------- metrics -- */

static void
add_head(struct buf *b, const char *name, const char *kind, const char *words)
{
    buf_printf(b, "# HELP custos_%s %s\n# TYPE custos_%s %s\n", name, words,
               name, kind);
}

static void
add_number(struct buf *b, const char *name, const char *kind, const char *words,
           uint64_t value)
{
    add_head(b, name, kind, words);
    buf_printf(b, "custos_%s %" PRIu64 "\n", name, value);
}

static void
add_counts(struct buf *b, struct counts *counts)
{
#define ADD(name, words)                                                       \
    add_number(b, #name, "counter", words,                                     \
               atomic_load_explicit(&counts->name, memory_order_relaxed));
    COUNTS_LIST(ADD)
#undef ADD
}

/* Counters that stay 0 as long as all is well. */
static void
add_trips(struct buf *b, const struct curator *c)
{
    struct curator_trips t;

    curator_trips(c, &t);
    add_number(b, "tripwire_failures_total", "counter",
               "charged questions that failed; each is a bug and suspends an "
               "analyst",
               t.failures);
    add_number(b, "tripwire_overruns_total", "counter",
               "charged questions that were ended because their time was up",
               t.overruns);
    add_number(b, "questions_delayed_total", "counter",
               "charged questions that were ended before they began, since "
               "others took longer than planned",
               t.delayed);
    add_number(b, "machine_stalls_milliseconds_total", "counter",
               "time in which the machine did not run the server, which reply "
               "times do not count",
               (uint64_t)reply_clock_lost_us() / 1000);
    add_number(b, "tripwire_refusals_total", "counter",
               "questions refused because of a suspension", t.refusals);
    add_number(b, "ledger_room_refusals_total", "counter",
               "questions refused: the analyst's rows take all the room in the "
               "ledger that the policy gives",
               t.no_room);
}

/* What the ledger records, including failures before this server began. If the
   ledger cannot be read, these numbers are left out, not reported as 0. */
static void
add_suspended(struct buf *b, struct curator *c)
{
    uint64_t failures;
    bool all;
    custos_err quiet = CUSTOS_ERR_INIT;

    if (tripwire_now(c, &failures, &all, &quiet))
        return;
    add_number(b, "failures_since_resume", "gauge",
               "charged queries that failed since the last custos owner resume",
               failures);
    add_number(b, "all_suspended", "gauge",
               "1 if no private query is answered until the owner resumes",
               all);
}

static void
add_shares(struct buf *b, struct shares *all)
{
    if (!all)
        return;
    add_number(b, "message_bytes", "gauge",
               "requests and replies of analysts on their way",
               shares_bytes(all, SHARE_MESSAGES));
    add_number(b, "prepared_bytes", "gauge",
               "prepared statements and cursors of analysts",
               shares_bytes(all, SHARE_PREPARED));
}

static void
add_metrics(struct buf *b, const struct http_status *s,
            const struct serve_parts *parts, int64_t now_us)
{
    size_t waiting, running;

    workers_count(parts->workers, &waiting, &running);
    add_head(b, "build_info", "gauge", "the version of custos");
    buf_printf(b, "custos_build_info{version=\"%s\"} 1\n", custos_version());
    add_number(b, "uptime_seconds", "gauge", "since the server started",
               (uint64_t)(now_us - parts->started_us) / 1000000);
    add_number(b, "questions_waiting", "gauge", "questions not yet begun",
               waiting);
    add_number(b, "questions_running", "gauge",
               "questions that run or wait for the time of their reply",
               running);
    add_shares(b, parts->shares);
    add_counts(b, parts->counts);
    if (parts->receipts)
        add_number(b, "receipts_lag_rows", "gauge",
                   "rows of the ledger not yet exported",
                   receipts_lag(parts->receipts));
    add_trips(b, parts->curator);
    if (s->curator)
        add_suspended(b, s->curator);
    add_head(b, "http_replies_total", "counter", "replies by HTTP status");
    for (size_t i = 0; i < COUNT_OF(s->replies); i++)
        if (s->replies[i])
            buf_printf(
                b, "custos_http_replies_total{status=\"%zu\"} %" PRIu64 "\n", i,
                s->replies[i]);
    add_head(b, "http_errors_total", "counter", "refusals by their code");
    for (size_t i = 0; i < HTTP_CODES_MAX && s->errors[i].code; i++)
        buf_printf(b, "custos_http_errors_total{code=\"%s\"} %" PRIu64 "\n",
                   s->errors[i].code, s->errors[i].n);
}

/*
 * A toy answer is the only thing that this thread computes for clients without a
 * token. The rate is limited for all of them together, so that it takes little of
 * the thread's time.
 */
static void
toy_answer(struct http_status *s, const struct http_request *r, int64_t now_us,
           struct http_reply *out)
{
    if (s->toys_us < now_us)
        s->toys_us = now_us;
    if (s->toys_us - now_us > TOYS_AHEAD_US) {
        http_header(out, "Retry-After", "1");
        http_fault(out, HTTP_FAULT_BUSY);
        return;
    }
    s->toys_us += TOYS_EVERY_US;
    api_learn(r, out);
}

bool
http_status_answer(struct http_status *s, enum http_task task,
                   const struct http_request *r,
                   const struct serve_parts *parts, int64_t now_us,
                   struct http_reply *out)
{
    struct json j;

    switch (task) {
    case TASK_HEALTH:
        json_init(&j, &out->body, JSON_ONE_LINE);
        json_begin(&j, NULL);
        json_add_text(&j, "status", str_of("ok"));
        json_add_text(&j, "version", str_of(custos_version()));
        json_end(&j);
        return true;
    case TASK_METRICS:
        out->type = "text/plain; version=0.0.4; charset=utf-8";
        add_metrics(&out->body, s, parts, now_us);
        return true;
    case TASK_OPENAPI:
        buf_add(&out->body, (const char *)openapi_json, openapi_json_len);
        return true;
    case TASK_LEARN: toy_answer(s, r, now_us, out); return true;
    default: return false;
    }
}
