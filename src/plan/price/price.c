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

/* The cap that the policy sets for one query, in epsilon or in rho. */
struct cap {
    const char *name, *key;
    str most;
};

static custos_status
check_cap(struct work *w, const rat *price, const struct cap *by, int at)
{
    custos_status st;
    rat cap;

    rat_init(&cap);
    st = read_price(w, by->most, -1, by->key, &cap);
    if (!st && rat_cmp(price, &cap) > 0)
        st = custos_fail_at(w->err, CUSTOS_EDENIED, at,
                            "one query may cost %s %s of at most %.*s, the "
                            "policy's cap",
                            *by->name == 'e' ? "an" : "a", by->name,
                            SHOWN(by->most));
    rat_clear(&cap);
    return st;
}

static custos_status
check_epsilon(struct work *w, int at)
{
    const struct cap cap = {"epsilon", "max_epsilon", w->policy->max_epsilon};

    return check_cap(w, &w->plan->epsilon, &cap, at);
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

/* A price as it is asked for: in the query's own text, or outside it
   (options). */
struct asked {
    const char *name;
    str inside, outside;
    int at; /* of the one inside, or -1 */
};

static bool
is_asked(const struct asked *a)
{
    return a->inside.len > 0 || a->outside.len > 0;
}

static custos_status
read_asked(struct work *w, const struct asked *a, rat *price)
{
    custos_status st = CUSTOS_OK;
    rat other;

    rat_init(&other);
    if (a->inside.len > 0)
        st = read_price(w, a->inside, a->at, a->name, price);
    if (!st && a->outside.len > 0)
        st = read_price(w, a->outside, -1, a->name, &other);
    if (!st && a->outside.len > 0 && a->inside.len > 0 &&
        rat_cmp(&other, price) != 0)
        st = custos_fail_at(w->err, CUSTOS_EINVAL, a->at,
                            "%s is asked for twice, as %.*s and %.*s", a->name,
                            SHOWN(a->inside), SHOWN(a->outside));
    if (!st && a->inside.len == 0 && a->outside.len > 0)
        rat_set(price, &other);
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

    all = all && !p->space.selection;
    if (all && (!asked || cmp <= 0)) {
        rat_set(&p->epsilon, shares); /* the unused rest is not charged */
        return check_epsilon(w, at);
    }
    if (cmp > 0 || (!all && cmp == 0))
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, at,
            "the epsilons of single aggregates leave nothing for %s" HINT
            "raise the epsilon of the query",
            p->space.selection ? "choosing the groups" : "the others");
    return check_epsilon(w, at);
}

static custos_status
price_in_epsilon(struct work *w, const struct asked *epsilon)
{
    bool asked = is_asked(epsilon), all = false;
    rat *price = &w->plan->epsilon, shares;
    custos_status st;

    rat_init(&shares);
    st = asked
             ? read_asked(w, epsilon, price)
             : read_price(w, w->policy->default_epsilon, -1, "epsilon", price);
    if (!st)
        st = read_shares(w, &shares, &all);
    if (!st && w->options->within.len > 0)
        st = check_within(w, &shares, asked);
    else if (!st)
        st = settle_price(w, &shares, all, asked, epsilon->at);
    rat_set(&w->own, &shares);
    rat_clear(&shares);
    return st;
}

static custos_status
price_in_rho(struct work *w, const struct asked *rho)
{
    const struct cap cap = {"rho", "max_rho", w->policy->max_rho};
    custos_status st;

    if (cap.most.len == 0)
        return custos_fail_at(w->err, CUSTOS_EDENIED, rho->at,
                              "the policy does not allow prices in rho" HINT
                              "ask for a price in epsilon");
    w->plan->in_rho = true;
    st = read_asked(w, rho, &w->plan->rho);
    if (!st)
        st = check_cap(w, &w->plan->rho, &cap, rho->at);
    return st ? st : rho_check(w);
}

custos_status
price_make(struct work *w)
{
    const struct query_options *o = &w->q->options;
    const struct asked epsilon = {"epsilon", o->epsilon, w->options->epsilon,
                                  o->epsilon.len > 0 ? o->epsilon_at : -1};
    const struct asked rho = {"rho", o->rho, w->options->rho,
                              o->rho.len > 0 ? o->rho_at : -1};

    if (!is_asked(&rho))
        return price_in_epsilon(w, &epsilon);
    if (is_asked(&epsilon))
        return custos_fail_at(w->err, CUSTOS_EINVAL,
                              rho.at >= 0 ? rho.at : epsilon.at,
                              "ask for a price in epsilon or in rho, not in "
                              "both");
    return price_in_rho(w, &rho);
}
