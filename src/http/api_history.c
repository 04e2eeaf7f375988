/*
 * Reports how spending grew: to an analyst their own, to the owner that of the
 * store and of every analyst. Amounts are exact. If there are many charges,
 * only some of them are shown.
 */
#include <inttypes.h>

#include "base/error.h"
#include "http/api.h"
#include "wire/json.h"

enum { POINTS = 400, HISTORY_BYTES = 1 << 26 };

static custos_status
add_line(struct buf *b, struct ledger *l, str who, custos_err *err)
{
    arena *a = arena_new(NULL, HISTORY_BYTES);
    struct ledger_history h;
    custos_status st = a ? ledger_history(l, who, POINTS, a, &h, err)
                         : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st) {
        buf_printf(b, "{\"currency\":\"%s\"", h.currency);
        json_add_member(b, "who", who);
        json_add_member(b, "limit", str_of(h.limited ? h.limit : ""));
        buf_add_text(b, ",\"points\":[");
        for (size_t i = 0; i < h.n; i++) {
            buf_printf(b, "%s{\"row\":%" PRIu64 ",\"time\":", i ? ",\n" : "\n",
                       h.points[i].seq);
            json_add_moment(b, h.points[i].time);
            buf_printf(b, ",\"spent\":\"%s\"}", h.points[i].spent);
        }
        buf_add_text(b, "]}");
    }
    arena_free(a);
    return st;
}

static custos_status
add_all(struct buf *b, struct ledger *l, str who, arena *a, custos_err *err)
{
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = add_line(b, l, who, err);
    for (size_t i = 0; !who.len && !st && i < terms.n_analysts; i++) {
        buf_add_text(b, ",\n");
        st = add_line(b, l, terms.analysts[i].name, err);
    }
    return st;
}

void
api_history(struct curator *c, str who, int64_t now, struct http_reply *out)
{
    arena *a = arena_new(NULL, HISTORY_BYTES);
    struct buf *b = &out->body;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    buf_add_text(b, "{\"now\":");
    json_add_moment(b, now);
    buf_add_text(b, ",\"lines\":[");
    st = a ? add_all(b, curator_ledger(c), who, a, &err)
           : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    buf_add_text(b, "]}\n");
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
