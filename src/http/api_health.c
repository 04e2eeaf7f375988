/*
 * The deep health check, for monitoring: it tries what every charged question
 * needs, the ledger and the worker processes. Nothing in the reply is derived from
 * data.
 */
#include <inttypes.h>

#include "http/api.h"
#include "wire/json.h"

/* Writes one check as {"ok": ..., "said": ...}, without the closing brace. */
static void
add_check(struct buf *b, const char *name, custos_status st,
          const custos_err *err)
{
    buf_printf(b, ",\n\"%s\":{\"ok\":%s", name, st ? "false" : "true");
    json_add_member(b, "said", str_of(st ? err->said : ""));
}

void
api_health(const struct serve_parts *parts, struct curator *c,
           struct http_reply *out)
{
    struct buf *b = &out->body;
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
    buf_printf(b, "{\"status\":\"%s\",\"version\":\"%s\"",
               ledger || worker ? "failing" : "ok", custos_version());
    add_check(b, "ledger", ledger, &ledger_err);
    buf_printf(b, ",\"free_bytes\":%" PRIu64 "}", free_bytes);
    add_check(b, "worker", worker, &worker_err);
    buf_add_text(b, "}}\n");
}
