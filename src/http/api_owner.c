/*
 * What the owner reads by HTTP: the policy in force, the analysts and their
 * credentials, the data, the health of the server. Changes are in api_act.c.
 */
#include "http/api_owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "curator/owner.h"
#include "http/api.h"
#include "serve/clock.h"
#include "serve/owner_reply.h"
#include "wire/json.h"

enum { OWNER_ARENA = 1 << 26 };

/* Adds the member `since`: when row `seq` of the chain was written, or null if
   there is no such row. */
static custos_status
add_since(struct buf *b, struct ledger *l, uint64_t seq, arena *a,
          custos_err *err)
{
    struct ledger_row *rows = NULL;
    size_t n = 1;
    custos_status st = CUSTOS_OK;

    buf_add_text(b, ",\"since\":");
    if (seq)
        st = ledger_rows(l, seq, str_of(""), str_of(""), a, &rows, &n, err);
    if (!st && rows && n && rows->seq == seq)
        json_add_moment(b, rows->time);
    else
        buf_add_text(b, "null");
    return st;
}

/* ---------------------------------------------------------------- policy -- */

static custos_status
add_sentences(struct buf *b, const struct policy *p, arena *a, custos_err *err)
{
    struct policy_remark *remarks = NULL;
    size_t n = 0;
    custos_status st = policy_check(a, p, &remarks, &n, err);

    buf_add_text(b, ",\"sentences\":[");
    for (size_t i = 0; !st && i <= n; i++) {
        struct buf said;

        buf_init(&said, NULL, OWNER_REPLY_MAX);
        if (i < n)
            policy_remark_write(&remarks[i], &said);
        else {
            buf_add_text(&said, "The policy ");
            policy_summary_write(p, remarks, n, &said);
        }
        buf_add_text(b, i ? ",\n" : "\n");
        json_add_text(b, (str){buf_text(&said), said.len});
        buf_clear(&said);
    }
    buf_add_text(b, "]");
    return st;
}

custos_status
api_owner_policy(const struct api_call *call, struct http_reply *out,
                 custos_err *err)
{
    struct buf *b = &out->body;
    const struct policy *p = curator_policy(call->c);
    struct ledger *l = curator_ledger(call->c);
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, call->a, &terms, err);
    bool same;

    if (st)
        return st;
    same = !memcmp(terms.policy, p->id, sizeof p->id);
    buf_add_text(b, "{\"text\":");
    json_add_text(b, p->text);
    buf_add_text(b, ",\"hash\":");
    json_add_hex(b, p->id, sizeof p->id);
    buf_printf(b, ",\"waiting\":%s", same ? "false" : "true");
    st = add_since(b, l, same ? terms.seq : 0, call->a, err);
    if (!st)
        st = add_sentences(b, p, call->a, err);
    buf_add_text(b, "}\n");
    return st;
}

/* -------------------------------------------------------------- analysts -- */

static custos_status
add_budget(struct buf *b, struct ledger *l, const struct ledger_terms *t,
           str name, int64_t now, custos_err *err)
{
    buf_add_text(b, ",\"budget\":");
    for (size_t i = 0; i < t->n_analysts; i++)
        if (str_equal(t->analysts[i].name, name))
            return api_add_analyst(b, l, &t->analysts[i], now, err);
    buf_add_text(b, "null");
    return CUSTOS_OK;
}

static void
add_moment(struct buf *b, int64_t expires)
{
    if (expires)
        json_add_moment(b, expires);
    else
        buf_add_text(b, "null");
}

/* When the password expires, and when each token does, newest token first. */
static void
add_expiry(struct buf *b, const struct credential_info *d)
{
    buf_add_text(b, ",\"password_expires\":");
    add_moment(b, d->expires);
    buf_add_text(b, ",\"tokens\":[");
    for (size_t i = 0; i < d->n_tokens; i++) {
        buf_add_text(b, i ? ",{\"expires\":" : "{\"expires\":");
        add_moment(b, d->tokens[i].expires);
        buf_add_text(b, "}");
    }
    buf_add_text(b, "]");
}

static void
add_why_not(struct buf *b, bool acts)
{
    const char *text = http_fault_said(HTTP_FAULT_ACT);
    char said[256] = "";

    if (!acts)
        snprintf(said, sizeof said, "%.*s; %s", hint_before(text), text,
                 hint_after(text));
    json_add_member(b, "why_not", str_of(said));
}

custos_status
api_owner_analysts(const struct api_call *call, struct http_reply *out,
                   custos_err *err)
{
    struct buf *b = &out->body;
    struct ledger *l = curator_ledger(call->c);
    struct credential_info *credentials = NULL;
    struct ledger_terms terms;
    size_t n = 0;
    custos_status st = ledger_terms_get(l, call->a, &terms, err);

    if (!st)
        st = credential_list(l, call->a, &credentials, &n, err);
    buf_add_text(b, "{\"analysts\":[");
    for (size_t i = 0; !st && i < n; i++) {
        buf_add_text(b, i ? ",\n{\"name\":" : "\n{\"name\":");
        json_add_text(b, credentials[i].name);
        buf_printf(b, ",\"password\":%s,\"token\":%s",
                   credentials[i].password ? "true" : "false",
                   credentials[i].token ? "true" : "false");
        add_expiry(b, &credentials[i]);
        st = add_since(b, l, credentials[i].seq, call->a, err);
        if (!st)
            st = add_budget(b, l, &terms, credentials[i].name, wall_us(), err);
        buf_add_text(b, "}");
    }
    buf_printf(b, "],\n\"acts\":%s", call->parts->acts ? "true" : "false");
    add_why_not(b, call->parts->acts);
    buf_add_text(b, "}\n");
    return st;
}

/* ------------------------------------------------------------------ data -- */

static void
add_tables(struct buf *b, const struct policy *p)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        buf_add_text(b, i ? ",{\"name\":" : "{\"name\":");
        json_add_text(b, t->name);
        buf_printf(b, ",\"public\":%s,\"attached\":%s}",
                   t->is_public ? "true" : "false",
                   t->attached ? "true" : "false");
    }
}

custos_status
api_owner_data(const struct api_call *call, struct http_reply *out,
               custos_err *err)
{
    struct buf *b = &out->body;
    uint64_t here = curator_version(call->c);
    struct store_version *versions = NULL;
    size_t n = 0;
    custos_status st = curator_versions(call->c, call->a, &versions, &n, err);

    buf_add_text(b, "{\"versions\":[");
    for (size_t i = 0; !st && i < n; i++) {
        bool in_force = versions[i].number == here;

        buf_printf(b, "%s{\"version\":%" PRIu64 ",\"in_force\":%s,\"time\":",
                   i ? ",\n" : "\n", versions[i].number,
                   in_force ? "true" : "false");
        json_add_moment(b, versions[i].time);
        buf_add_text(b, ",\"tables\":[");
        if (in_force)
            add_tables(b, curator_policy(call->c));
        buf_add_text(b, "]}");
    }
    buf_add_text(b, "]}\n");
    return st;
}

/* ---------------------------------------------------------------- health -- */

custos_status
api_owner_ask(const struct api_call *call, const char *line, str *rest,
              custos_err *err)
{
    str reply;
    custos_status st =
        owner_ask(curator_path(call->c), str_of(line), call->a, &reply, err);

    return st ? st : owner_reply_read(call->a, reply, rest, err);
}

/* Copies the server's status, with the number of running jobs less one: this
   request is not counted. */
static void
add_others(struct buf *b, str status)
{
    static const char name[] = "\"running\":";
    const char *at = memmem(status.ptr, status.len, name, sizeof name - 1);
    size_t before = at ? (size_t)(at - status.ptr) + sizeof name - 1 : 0;
    size_t end = before;
    uint64_t running = 0;

    for (; at && end < status.len && status.ptr[end] >= '0' &&
           status.ptr[end] <= '9';
         end++)
        running = running * 10 + (uint64_t)(status.ptr[end] - '0');
    buf_add(b, status.ptr, before);
    if (at)
        buf_printf(b, "%" PRIu64, running ? running - 1 : 0);
    buf_add(b, status.ptr + end, status.len - end);
}

custos_status
api_owner_health(const struct api_call *call, struct http_reply *out,
                 custos_err *err)
{
    struct buf *b = &out->body;
    struct counts *counts = call->parts->counts;
    struct receipt head;
    str rest;
    custos_status st = api_owner_ask(call, "status", &rest, err);

    if (!st)
        st = ledger_head(curator_ledger(call->c), &head, err);
    if (st)
        return st;
    buf_printf(b,
               "{\"uptime_seconds\":%" PRId64 ",\"ledger_rows\":%" PRIu64
               ",\"ledger_format\":%d,\"store_format\":%d",
               (steady_us() - call->parts->started_us) / 1000000, head.seq,
               (int)LEDGER_FORMAT, (int)STORE_FORMAT);
#define ADD(name, words)                                                       \
    buf_printf(b, ",\"" #name "\":%" PRIu64,                                   \
               atomic_load_explicit(&counts->name, memory_order_relaxed));
    COUNTS_LIST(ADD)
#undef ADD
    add_others(b, rest); /* `,"version":...}` and a newline */
    return CUSTOS_OK;
}

/* -------------------------------------------------------------- dispatch -- */

static custos_status
write_answer(const struct api_call *call, enum http_task task,
             struct http_reply *out, custos_err *err)
{
    switch (task) {
    case TASK_OWNER_POLICY: return api_owner_policy(call, out, err);
    case TASK_OWNER_ANALYSTS: return api_owner_analysts(call, out, err);
    case TASK_OWNER_DATA: return api_owner_data(call, out, err);
    case TASK_OWNER_HEALTH: return api_owner_health(call, out, err);
    case TASK_OWNER_ACT: return api_owner_act(call, out, err);
    default: return api_owner_reload(call, out, err);
    }
}

/* The body may arrive long after the head, so the token is checked again. */
void
api_owner(const struct serve_parts *parts, struct curator *c,
          const struct credential *who, enum http_task task,
          const struct http_request *r, struct http_reply *out)
{
    struct api_call call = {
        .parts = parts,
        .c = c,
        .request = r,
        .a = arena_new(NULL, OWNER_ARENA),
    };
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = call.a
                           ? curator_refresh(c, &err)
                           : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    bool lost = false;

    if (!st) {
        st = credential_holds(c, who, &err);
        lost = st == CUSTOS_EDENIED;
    }
    if (!st)
        st = write_answer(&call, task, out, &err);
    if (lost)
        http_fault(out, HTTP_FAULT_TOKEN);
    else if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(call.a);
}
