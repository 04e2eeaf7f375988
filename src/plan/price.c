/*
 * The price: what the analyst asks for, within what the policy allows. Prices
 * are exact rationals; zero, negative numbers, NaN and infinity are refused.
 */
#include "plan/work.h"

static custos_status
read_price(struct work *w, str text, int at, const char *name, rat *r)
{
    const char *copy = arena_copy(w->a, text);
    custos_status st;

    if (!copy)
        return work_no_memory(w);
    st = rat_read_positive(copy, name, r, w->err);
    if (st && w->err)
        w->err->at = at;
    return st;
}

custos_status
price_check(struct work *w, const rat *epsilon, int at)
{
    custos_status st;
    rat cap;

    rat_init(&cap);
    st = read_price(w, w->policy->max_epsilon, -1, "max_epsilon", &cap);
    if (!st && rat_cmp(epsilon, &cap) > 0)
        st = custos_fail_at(w->err, CUSTOS_EDENIED, at,
                            "one query may cost an epsilon of at most %.*s, "
                            "the policy's cap",
                            SHOWN(w->policy->max_epsilon));
    rat_clear(&cap);
    return st;
}

/* Delta: the policy's delta for one query, or less if the query says so. */
custos_status
price_delta(struct work *w)
{
    const struct query_options *o = &w->q->options;
    const char *most = arena_copy(w->a, w->policy->query_delta);
    const char *asked = arena_copy(w->a, o->delta);
    custos_status st;
    rat delta;

    if (!most || !asked)
        return work_no_memory(w);
    st = rat_read_delta(most, "delta", &w->delta, w->err);
    if (st || o->delta.len == 0)
        return st;
    rat_init(&delta);
    st = rat_read_delta(asked, "delta", &delta, w->err);
    if (st && w->err)
        w->err->at = o->delta_at;
    if (!st && rat_cmp(&delta, &w->delta) > 0)
        st = custos_fail_at(w->err, CUSTOS_EDENIED, o->delta_at,
                            "one query may use a delta of at most %.*s, the "
                            "policy's cap",
                            SHOWN(w->policy->query_delta));
    if (!st)
        rat_set(&w->delta, &delta);
    rat_clear(&delta);
    return st;
}

/* The epsilon asked for the query: in its own text, or outside it (options). */
static custos_status
read_asked(struct work *w, rat *epsilon, int *at, bool *asked)
{
    const struct query_options *o = &w->q->options;
    str outside = w->options->epsilon;
    custos_status st = CUSTOS_OK;
    rat other;

    *at = o->epsilon.len > 0 ? o->epsilon_at : -1;
    *asked = o->epsilon.len > 0 || outside.len > 0;
    rat_init(&other);
    if (o->epsilon.len > 0)
        st = read_price(w, o->epsilon, *at, "epsilon", epsilon);
    if (!st && outside.len > 0)
        st = read_price(w, outside, -1, "epsilon", &other);
    if (!st && outside.len > 0 && o->epsilon.len > 0 &&
        rat_cmp(&other, epsilon) != 0)
        st = custos_fail_at(w->err, CUSTOS_EINVAL, *at,
                            "epsilon is asked for twice, as %.*s and %.*s",
                            SHOWN(o->epsilon), SHOWN(outside));
    if (!st && o->epsilon.len == 0 && outside.len > 0)
        rat_set(epsilon, &other);
    if (!st && !*asked)
        st = read_price(w, w->policy->default_epsilon, -1, "epsilon", epsilon);
    rat_clear(&other);
    return st;
}

/* Sets the shares of aggregates that state an epsilon, and their sum. */
static custos_status
read_shares(struct work *w, rat *sum, bool *all)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    *all = true;
    w->shares = arena_take(w->a, p->n_aggregates, sizeof *w->shares);
    if (!w->shares)
        return work_no_memory(w);
    for (size_t i = 0; i < p->n_aggregates; i++)
        rat_init(&w->shares[i]);
    w->n_shares = p->n_aggregates;
    for (size_t i = 0; i < p->n_aggregates && !st; i++) {
        const struct expr *e = p->aggregates[i].expr;

        if (e->epsilon.len == 0) {
            *all = false;
            continue;
        }
        st = read_price(w, e->epsilon, e->at, "epsilon", &w->shares[i]);
        if (!st)
            rat_add(sum, sum, &w->shares[i]);
    }
    return st;
}

static custos_status
check_within(struct work *w, const rat *shares, bool asked)
{
    if (asked || rat_sign(shares) > 0)
        return custos_fail(w->err, CUSTOS_EINVAL,
                           "ask by epsilon or by accuracy, not by both");
    return CUSTOS_OK;
}

/* The price of the query, from the price asked and what aggregates state. */
static custos_status
settle_price(struct work *w, const rat *shares, bool all, bool asked, int at)
{
    struct plan *p = w->plan;
    int cmp = rat_cmp(shares, &p->epsilon);

    all = all && !p->selection;
    if (all && (!asked || cmp <= 0)) {
        rat_set(&p->epsilon, shares); /* the unused rest is not charged */
        return price_check(w, &p->epsilon, at);
    }
    if (cmp > 0 || (!all && cmp == 0))
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, at,
            "the epsilons of single aggregates leave nothing for %s" HINT
            "raise the epsilon of the query",
            p->selection ? "choosing the groups" : "the others");
    return price_check(w, &p->epsilon, at);
}

custos_status
price_make(struct work *w)
{
    bool asked = false, all = false;
    custos_status st;
    rat shares;
    int at = -1;

    rat_init(&shares);
    st = read_asked(w, &w->plan->epsilon, &at, &asked);
    if (!st)
        st = read_shares(w, &shares, &all);
    if (!st && w->options->within.len > 0)
        st = check_within(w, &shares, asked);
    else if (!st)
        st = settle_price(w, &shares, all, asked, at);
    rat_set(&w->own, &shares);
    rat_clear(&shares);
    return st;
}
