/*
 * What the owner reads by HTTP: the policy in force, the analysts and their
 * credentials, the data, the health of the server. Changes are in api_act.c.
 */
#include "http/api_owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"
#include "curator/owner.h"
#include "http/api.h"
#include "serve/clock.h"
#include "serve/owner_reply.h"

enum { OWNER_ARENA = 1 << 26 };

/* ---------------------------------------------------------------- policy -- */

static custos_status
add_sentences(struct json *j, const struct policy *p, arena *a, custos_err *err)
{
    struct policy_remark *remarks = NULL;
    size_t n = 0;
    custos_status st = policy_check(a, p, &remarks, &n, err);

    json_begin_list(j, "sentences");
    for (size_t i = 0; !st && i <= n; i++) {
        struct buf said;

        buf_init(&said, NULL, OWNER_REPLY_MAX);
        if (i < n)
            policy_remark_write(&remarks[i], &said);
        else {
            buf_add_text(&said, "The policy ");
            policy_summary_write(p, remarks, n, &said);
        }
        json_add_text(j, NULL, (str){buf_text(&said), said.len});
        buf_clear(&said);
    }
    json_end(j);
    return st;
}

custos_status
api_owner_policy(const struct api_call *call, struct http_reply *out,
                 custos_err *err)
{
    const struct policy *p = curator_policy(call->c);
    struct ledger *l = curator_ledger(call->c);
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, call->a, &terms, err);
    struct json j;
    bool same;

    if (st)
        return st;
    same = !memcmp(terms.policy, p->id, sizeof p->id);
    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_add_text(&j, "text", p->text);
    json_add_hex(&j, "hash", p->id, sizeof p->id);
    json_add_bool(&j, "waiting", !same);
    st = contract_since(&j, l, same ? terms.seq : 0, call->a, err);
    if (!st)
        st = add_sentences(&j, p, call->a, err);
    json_end(&j);
    return st;
}

/* -------------------------------------------------------------- analysts -- */

static void
add_why_not(struct json *j, bool acts)
{
    const char *text = http_fault_said(HTTP_FAULT_ACT);
    char said[256] = "";

    if (!acts)
        snprintf(said, sizeof said, "%.*s; %s", hint_before(text), text,
                 hint_after(text));
    json_add_text_or_null(j, "why_not", str_of(said));
}

custos_status
api_owner_analysts(const struct api_call *call, struct http_reply *out,
                   custos_err *err)
{
    struct ledger *l = curator_ledger(call->c);
    struct json j;
    custos_status st;

    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    st = contract_analysts(&j, l, wall_us(), call->a, err);
    if (st)
        return st;
    json_add_bool(&j, "acts", call->parts->acts);
    add_why_not(&j, call->parts->acts);
    json_end(&j);
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------ data -- */

static void
add_tables(struct json *j, const struct policy *p)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        json_begin(j, NULL);
        json_add_text(j, "name", t->name);
        json_add_bool(j, "public", t->is_public);
        json_add_bool(j, "attached", t->attached);
        json_end(j);
    }
}

custos_status
api_owner_data(const struct api_call *call, struct http_reply *out,
               custos_err *err)
{
    uint64_t here = curator_version(call->c);
    struct store_version *versions = NULL;
    size_t n = 0;
    struct json j;
    custos_status st = curator_versions(call->c, call->a, &versions, &n, err);

    if (st)
        return st;
    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    json_begin_list(&j, "versions");
    for (size_t i = 0; i < n; i++) {
        bool in_force = versions[i].number == here;

        json_begin(&j, NULL);
        json_add_count(&j, "version", versions[i].number);
        json_add_moment(&j, "time", versions[i].time);
        json_add_bool(&j, "in_force", in_force);
        json_begin_list(&j, "tables");
        if (in_force)
            add_tables(&j, curator_policy(call->c));
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- health -- */

custos_status
api_owner_ask(const struct api_call *call, const char *line,
              struct json_value *reply, custos_err *err)
{
    str text;
    custos_status st =
        owner_ask(curator_path(call->c), str_of(line), call->a, &text, err);

    return st ? st : owner_reply_read(call->a, text, reply, err);
}

/* Copies the server's status, with the number of running jobs less one: this
   request is not counted. */
static void
add_others(struct json *j, const struct json_value *status)
{
    for (size_t i = 0; i < status->n; i++) {
        const struct json_value *v = &status->items[i];
        uint64_t running = strtoull(v->text.ptr ? v->text.ptr : "", NULL, 10);

        if (str_equal(v->name, str_of("running")))
            json_add_count(j, "running", running ? running - 1 : 0);
        else if (!str_equal(v->name, str_of("ok")))
            json_add_value(j, v->name.ptr, v);
    }
}

custos_status
api_owner_health(const struct api_call *call, struct http_reply *out,
                 custos_err *err)
{
    struct counts *counts = call->parts->counts;
    int64_t up_us = steady_us() - call->parts->started_us;
    struct json_value status;
    struct receipt head;
    struct json j;
    custos_status st = api_owner_ask(call, "status", &status, err);

    if (!st)
        st = ledger_head(curator_ledger(call->c), &head, err);
    if (st)
        return st;
    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_add_int(&j, "uptime_seconds", up_us / 1000000);
    json_add_count(&j, "ledger_rows", head.seq);
    json_add_int(&j, "ledger_format", LEDGER_FORMAT);
    json_add_int(&j, "store_format", STORE_FORMAT);
#define ADD(name, words)                                                       \
    json_add_count(&j, #name,                                                  \
                   atomic_load_explicit(&counts->name, memory_order_relaxed));
    COUNTS_LIST(ADD)
#undef ADD
    add_others(&j, &status);
    json_end(&j);
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
