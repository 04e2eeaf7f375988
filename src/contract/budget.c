/*
 * Budgets, and what is spent and remaining. Amounts are exact decimals, as text.
 */
#include "contract/inside.h"

static void
add_balance(struct json *j, const char *name, const struct ledger_balance *l)
{
    const custos_filter_facts *f = &l->facts;

    if (!l->limited) {
        json_add_null(j, name);
        return;
    }
    json_begin(j, name);
    json_add_text(j, "epsilon", str_of(f->epsilon));
    json_add_text(j, "delta", str_of(f->delta));
    json_add_text(j, "currency", str_of(f->currency));
    json_add_text(j, "spent", str_of(f->spent));
    json_add_text(j, "limit", str_of(f->limit));
    json_add_text(j, "query_delta_spent", str_of(f->member_delta_spent));
    json_add_text(j, "query_delta_limit", str_of(f->member_delta_limit));
    json_add_text(j, "left_epsilon", str_of(l->left_epsilon));
    json_add_count(j, "charges", l->charges);
    json_add_text(j, "theorem", str_of(f->theorem));
    json_end(j);
}

/* The sums of all charges, in each currency. */
static void
add_spent(struct json *j, const struct ledger_spent *s)
{
    json_begin(j, "spent");
    json_add_text(j, "epsilon", str_of(s->epsilon));
    json_add_text(j, "rho", str_of(s->rho));
    json_add_text(j, "delta", str_of(s->delta));
    json_add_text(j, "delta_rho", str_of(s->delta_rho));
    json_end(j);
}

custos_status
contract_analyst_budget(struct json *j, const char *name, struct ledger *l,
                        const struct ledger_analyst *a, int64_t now,
                        custos_err *err)
{
    struct ledger_remaining remaining;
    struct ledger_balance own, window;
    struct ledger_spent spent;
    custos_status st = ledger_balance(l, a->name, &own, err);

    if (!st)
        st = ledger_window(l, a->name, now, &window, err);
    if (!st)
        st = ledger_spent(l, a->name, &spent, err);
    if (!st)
        st = ledger_remaining(l, a->name, now, NULL, &remaining, err);
    if (st)
        return st;
    json_begin(j, name);
    json_add_text(j, "name", a->name);
    json_add_count(j, "charges", own.charges);
    json_add_text(j, "left_epsilon", str_of(own.left_epsilon));
    contract_remaining(j, "remaining", &remaining);
    add_balance(j, "own", &own);
    add_balance(j, "window", &window);
    if (window.limited)
        json_add_count(j, "window_days", a->window_days);
    else
        json_add_null(j, "window_days");
    add_spent(j, &spent);
    json_end(j);
    return CUSTOS_OK;
}

/* Adds all analysts, or the one that `who` names. */
static custos_status
add_analysts(struct json *j, struct ledger *l, const struct ledger_terms *t,
             str who, int64_t now, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    bool found = !who.len;

    json_begin_list(j, "analysts");
    for (size_t i = 0; i < t->n_analysts && !st; i++) {
        if (who.len && !str_equal(t->analysts[i].name, who))
            continue;
        found = true;
        st = contract_analyst_budget(j, NULL, l, &t->analysts[i], now, err);
    }
    json_end(j);
    return st || found ? st : ledger_fail_analyst(who, err);
}

static custos_status
add_common(struct json *j, struct ledger *l, custos_err *err)
{
    struct ledger_balance common;
    struct ledger_spent spent;
    custos_status st = ledger_balance(l, str_of(""), &common, err);

    if (!st)
        st = ledger_spent(l, str_of(""), &spent, err);
    if (st)
        return st;
    add_balance(j, "common", &common);
    add_spent(j, &spent);
    return CUSTOS_OK;
}

custos_status
contract_budget(struct json *j, struct ledger *l, str who,
                enum contract_reader reader, int64_t now, arena *a,
                custos_err *err)
{
    struct ledger_terms terms;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (st)
        return st;
    if (reader == READER_OWNER) {
        st = add_common(j, l, err);
    } else {
        json_add_null(j, "common");
        json_add_null(j, "spent");
    }
    return st ? st : add_analysts(j, l, &terms, who, now, err);
}
