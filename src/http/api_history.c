/*
 * Reports how spending grew: to an analyst their own, to the owner that of the
 * store and of every analyst. Amounts are exact. If there are many charges,
 * only some of them are shown.
 */
#include "base/error.h"
#include "base/json.h"
#include "http/api.h"

enum { POINTS = 400, HISTORY_BYTES = 1 << 26 };

static custos_status
add_line(struct json *j, struct ledger *l, str who, custos_err *err)
{
    arena *a = arena_new(NULL, HISTORY_BYTES);
    struct ledger_history h;
    custos_status st = a ? ledger_history(l, who, POINTS, a, &h, err)
                         : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st) {
        json_begin(j, NULL);
        json_add_text_or_null(j, "who", who);
        json_add_text(j, "currency", str_of(h.currency));
        json_add_text_or_null(j, "limit", str_of(h.limited ? h.limit : ""));
        json_begin_list(j, "points");
        for (size_t i = 0; i < h.n; i++) {
            json_begin(j, NULL);
            json_add_count(j, "row", h.points[i].seq);
            json_add_moment(j, "time", h.points[i].time);
            json_add_text(j, "spent", str_of(h.points[i].spent));
            json_end(j);
        }
        json_end(j);
        json_end(j);
    }
    arena_free(a);
    return st;
}

static custos_status
add_all(struct json *j, struct ledger *l, str who, arena *a, custos_err *err)
{
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = add_line(j, l, who, err);
    for (size_t i = 0; !who.len && !st && i < terms.n_analysts; i++)
        st = add_line(j, l, terms.analysts[i].name, err);
    return st;
}

void
api_history(struct curator *c, str who, int64_t now, struct http_reply *out)
{
    arena *a = arena_new(NULL, HISTORY_BYTES);
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    json_add_moment(&j, "now", now);
    json_begin_list(&j, "lines");
    st = a ? add_all(&j, curator_ledger(c), who, a, &err)
           : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    json_end(&j);
    json_end(&j);
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
