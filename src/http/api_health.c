/*
 * The deep health check, for monitoring: it tries what every charged question
 * needs, the ledger and the worker processes. Nothing in the reply is derived from
 * data.
 */
#include "http/api.h"

#include "base/json.h"

/* Writes one check, with its object left open. */
static void
begin_check(struct json *j, const char *name, custos_status st,
            const custos_err *err)
{
    json_begin(j, name);
    json_add_bool(j, "ok", !st);
    json_add_text_or_null(j, "said", str_of(st ? err->said : ""));
}

void
api_health(const struct serve_parts *parts, struct curator *c,
           struct http_reply *out)
{
    struct json j;
    custos_err ledger_err = CUSTOS_ERR_INIT, worker_err = CUSTOS_ERR_INIT;
    uint64_t free_bytes = 0;
    custos_status ledger =
        ledger_check_writable(curator_ledger(c), &free_bytes, &ledger_err);
    custos_status worker =
        parts->worker_ping ? parts->worker_ping(parts->worker_ctx, &worker_err)
                           : CUSTOS_OK;

    if (ledger || worker) {
        out->status = 503;
        out->code = "EHEALTH";
    }
    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_add_text(&j, "status", str_of(ledger || worker ? "failing" : "ok"));
    json_add_text(&j, "version", str_of(custos_version()));
    begin_check(&j, "ledger", ledger, &ledger_err);
    json_add_count(&j, "free_bytes", free_bytes);
    json_end(&j);
    begin_check(&j, "worker", worker, &worker_err);
    json_end(&j);
    json_end(&j);
}
