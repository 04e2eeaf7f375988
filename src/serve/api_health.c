/*
 * Deep health, for who watches the server: done by a worker, like a question,
 * it says whether one would be answered. Nothing in it is derived from data.
 */
#include <inttypes.h>

#include "serve/api.h"
#include "serve/clock.h"
#include "wire/json.h"

enum { PING_US = 10000000 };

/* One check as {"ok": ..., "said": ...}, without the last brace. */
static void
add_check(struct buf *b, const char *name, custos_status st,
          const custos_err *err)
{
    buf_printf(b, ",\n\"%s\":{\"ok\":%s", name, st ? "false" : "true");
    json_add_member(b, "said", str_of(st ? err->said : ""));
}

/* Does a worker process of each lane answer? Without a pool there is none. */
static custos_status
ask_workers(const struct serve_parts *parts, const struct curator *c,
            custos_err *err)
{
    const struct work_snapshot of = curator_snapshot(c);
    int64_t until = steady_us() + PING_US;
    custos_status st = CUSTOS_OK;

    for (int lane = 0; lane < POOL_LANES && parts->pool && !st; lane++)
        st = remote_ping(parts->pool, (enum pool_lane)lane, &of, until, err);
    return st;
}

void
api_health(const struct serve_parts *parts, struct curator *c,
           struct http_reply *out)
{
    struct buf *b = &out->body;
    custos_err ledger_err = {.at = -1}, worker_err = {.at = -1};
    uint64_t free_bytes = 0;
    custos_status ledger =
        ledger_ready(curator_ledger(c), &free_bytes, &ledger_err);
    custos_status worker = ask_workers(parts, c, &worker_err);

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
