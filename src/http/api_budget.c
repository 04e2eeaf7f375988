/*
 * Reports budgets, and what is spent and remaining: to an analyst their own, to
 * the owner those of the store and of every analyst. Amounts are exact
 * decimals, as text.
 */
#include "http/api.h"

#include <inttypes.h>

#include "base/error.h"
#include "wire/json.h"

enum { TERMS_BYTES = 1 << 26 };

static void
add_balance(struct buf *b, const struct ledger_balance *l)
{
    const custos_filter_facts *f = &l->facts;

    if (!l->limited) {
        buf_add_text(b, "null");
        return;
    }
    buf_printf(b,
               "{\"epsilon\":\"%s\",\"delta\":\"%s\",\"currency\":\"%s\","
               "\"spent\":\"%s\",\"limit\":\"%s\",\"query_delta_spent\":\"%s\","
               "\"query_delta_limit\":\"%s\",\"left_epsilon\":\"%s\","
               "\"charges\":%" PRIu64 ",\"theorem\":\"%s\"}",
               f->epsilon, f->delta, f->currency, f->spent, f->limit,
               f->member_delta_spent, f->member_delta_limit, l->left_epsilon,
               l->charges, f->theorem);
}

/* The sums of all charges, in each currency. */
static void
add_spent(struct buf *b, const struct ledger_spent *s)
{
    buf_printf(
        b, ",\"spent\":{\"epsilon\":\"%s\",\"rho\":\"%s\",\"delta\":\"%s\"}",
        s->epsilon, s->rho, s->delta);
}

custos_status
api_add_analyst(struct buf *b, struct ledger *l, const struct ledger_analyst *a,
                int64_t now, custos_err *err)
{
    struct ledger_balance own, window;
    struct ledger_spent spent;
    custos_status st = ledger_balance(l, a->name, &own, err);

    if (!st)
        st = ledger_window(l, a->name, now, &window, err);
    if (!st)
        st = ledger_spent(l, a->name, &spent, err);
    if (st)
        return st;
    buf_add_text(b, "{\"name\":");
    json_add_text(b, a->name);
    buf_printf(b, ",\"charges\":%" PRIu64 ",\"left_epsilon\":\"%s\",\"own\":",
               own.charges, own.left_epsilon);
    add_balance(b, &own);
    buf_add_text(b, ",\"window\":");
    add_balance(b, &window);
    if (window.limited)
        buf_printf(b, ",\"window_days\":%" PRIu32, a->window_days);
    else
        buf_add_text(b, ",\"window_days\":null");
    add_spent(b, &spent);
    buf_add_text(b, "}");
    return CUSTOS_OK;
}

/* Adds the analyst who asks; for the owner, all analysts. */
static custos_status
add_analysts(struct buf *b, struct ledger *l, const struct ledger_terms *t,
             str who, int64_t now, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    size_t told = 0;

    for (size_t i = 0; i < t->n_analysts && !st; i++) {
        if (who.len && !str_equal(t->analysts[i].name, who))
            continue;
        buf_add_text(b, told++ ? ",\n" : "");
        st = api_add_analyst(b, l, &t->analysts[i], now, err);
    }
    if (!st && who.len && !told)
        st = ledger_fail_analyst(who, err);
    return st;
}

static custos_status
add_all(struct buf *b, struct ledger *l, str who, int64_t now, arena *a,
        custos_err *err)
{
    struct ledger_balance common;
    struct ledger_spent spent;
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st && !who.len)
        st = ledger_balance(l, who, &common, err);
    if (!st && !who.len)
        st = ledger_spent(l, who, &spent, err);
    if (st)
        return st;
    buf_add_text(b, "{\"common\":");
    if (who.len) {
        buf_add_text(b, "null,\"spent\":null");
    } else {
        add_balance(b, &common);
        add_spent(b, &spent);
    }
    buf_add_text(b, ",\n\"analysts\":[");
    st = add_analysts(b, l, &terms, who, now, err);
    buf_add_text(b, "]}\n");
    return st;
}

void
api_budget(struct curator *c, str who, int64_t now, struct http_reply *out)
{
    arena *a = arena_new(NULL, TERMS_BYTES);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st =
        a ? add_all(&out->body, curator_ledger(c), who, now, a, &err)
          : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");

    if (!st && out->body.failed)
        st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
