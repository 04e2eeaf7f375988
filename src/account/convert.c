/*
 * The public form of the conversions: text in, text out, one function for each
 * source currency. If there is no conversion, the result holds a reason
 * instead of a value.
 */
#include "account/convert.h"

#include "base/sized.h"
#include "account/search.h"
#include "base/error.h"
#include "num/batch.h"
#include "num/rat_round.h"

enum { BITS = 320, LEAST_LOG2 = -64, MOST_LOG2 = 40 };

/* The numbers of a conversion, read from text. */
struct exchange {
    const custos_convert_options *o;
    rat amount, delta, order, to_delta, to_order, out;
    custos_bound *bound;
};

static void
exchange_init(struct exchange *x, const custos_convert_options *o,
              custos_bound *bound)
{
    x->o = o;
    x->bound = bound;
    rat_init(&x->amount);
    rat_init(&x->delta);
    rat_init(&x->order);
    rat_init(&x->to_delta);
    rat_init(&x->to_order);
    rat_init(&x->out);
}

static void
exchange_clear(struct exchange *x)
{
    rat_clear(&x->amount);
    rat_clear(&x->delta);
    rat_clear(&x->order);
    rat_clear(&x->to_delta);
    rat_clear(&x->to_order);
    rat_clear(&x->out);
}

/* Reads a number from 2^-64 to 2^40, where every formula has enough bits. */
static custos_status
read_amount(const char *text, const char *name, rat *out, custos_err *err)
{
    custos_status st = rat_read_positive(text, name, out, err);
    long e;

    if (st)
        return st;
    e = rat_log2_floor(out);
    if (e < LEAST_LOG2 || e >= MOST_LOG2)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must lie between 2^%d and 2^%d", name,
                           (int)LEAST_LOG2, (int)MOST_LOG2);
    return CUSTOS_OK;
}

static custos_status
read_order(const char *text, const char *name, rat *out, custos_err *err)
{
    custos_status st = read_amount(text, name, out, err);
    rat least;

    if (st)
        return st;
    rat_init(&least);
    rat_set_pow2(&least, -20);
    rat_sub(&least, out, &least);
    if (rat_cmp_i64(&least, 1) < 0 || rat_log2_floor(out) >= 20)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "%s must lie between 1 + 2^-20 and 2^20", name);
    rat_clear(&least);
    return st;
}

static custos_status
exchange_read(struct exchange *x, custos_err *err)
{
    const custos_convert_options *o = x->o;
    custos_status st = read_amount(o->amount, "amount", &x->amount, err);

    if (!st && o->from == CUSTOS_IN_APPROX)
        st = rat_read_delta(o->delta, "delta", &x->delta, err);
    if (!st && o->from == CUSTOS_IN_RDP)
        st = read_order(o->order, "order", &x->order, err);
    if (!st && o->to == CUSTOS_IN_APPROX)
        st = rat_read_open_unit(o->to_delta, "to_delta", &x->to_delta, err);
    if (!st && o->to == CUSTOS_IN_RDP)
        st = read_order(o->to_order, "to_order", &x->to_order, err);
    return st;
}

/* One of the next three functions writes the result. */
static void
give_value(struct exchange *x, const char *theorem, const char *source)
{
    rat_decimal(&x->out, RAT_UP, x->bound->value);
    x->bound->theorem = theorem;
    x->bound->source = source;
}

static void
give_none(struct exchange *x, const char *reason)
{
    x->bound->reason = reason;
}

static void
give_same(struct exchange *x)
{
    rat_set(&x->out, &x->amount);
    give_value(x, "none needed", "the same promise");
}

/* r = sqrt(r), rounded up. */
static void
root_up(rat *r)
{
    ival x;

    ival_init(&x, BITS);
    ival_set_rat(&x, r);
    ival_sqrt(&x, &x);
    CUSTOS_REQUIRE(bound_up(&x, r));
    ival_clear(&x);
}

static const char KOV[] = "Kairouz, Oh, Viswanath 2015: two outcomes";
static const char CKS[] = "Canonne, Kamath, Steinke 2020, section 2.3";

static void
from_pure(struct exchange *x)
{
    switch (x->o->to) {
    case CUSTOS_IN_PURE: give_same(x); return;
    case CUSTOS_IN_APPROX:
        CUSTOS_REQUIRE(
            approx_epsilon_up(&x->amount, &x->delta, &x->to_delta, &x->out));
        give_value(x, "pure-to-all", KOV);
        return;
    case CUSTOS_IN_ZCDP:
        pure_rho_up(&x->amount, &x->out);
        give_value(x, "pure-to-all", "epsilon tanh(epsilon/2)");
        return;
    case CUSTOS_IN_RDP:
        pure_rdp_up(&x->amount, &x->to_order, &x->out);
        give_value(x, "pure-to-all", "Mironov 2017 (randomized response)");
        return;
    case CUSTOS_IN_GDP: break;
    }
    pure_mu_squared_up(&x->amount, &x->out);
    root_up(&x->out);
    give_value(x, "pure-to-all", "Dong, Roth, Su 2019: curves that touch");
}

static void
from_approx(struct exchange *x)
{
    if (rat_sign(&x->delta) == 0)
        from_pure(x);
    else if (x->o->to != CUSTOS_IN_APPROX)
        give_none(x, "a promise with a delta does not bound the loss");
    else if (approx_epsilon_up(&x->amount, &x->delta, &x->to_delta, &x->out))
        give_value(x, "pure-to-all", KOV);
    else
        give_none(x, "delta is below that of the promise");
}

/* alpha * rho */
static void
linear_curve(struct exchange *x, const rat *rho, const char *theorem,
             const char *source)
{
    rat_mul(&x->out, rho, &x->to_order);
    give_value(x, theorem, source);
}

static void
from_zcdp(struct exchange *x)
{
    switch (x->o->to) {
    case CUSTOS_IN_ZCDP: give_same(x); return;
    case CUSTOS_IN_APPROX:
        CUSTOS_REQUIRE(zcdp_epsilon_up(&x->amount, &x->to_delta, &x->out));
        give_value(x, "rdp-to-approx", CKS);
        return;
    case CUSTOS_IN_RDP:
        linear_curve(x, &x->amount, "cost-zcdp", "Bun, Steinke 2016");
        return;
    case CUSTOS_IN_PURE: give_none(x, "zCDP does not bound the loss"); return;
    case CUSTOS_IN_GDP: break;
    }
    give_none(x, "moments do not bound the trade-off curve by a Gaussian's");
}

static void
from_rdp(struct exchange *x)
{
    if (x->o->to == CUSTOS_IN_APPROX) {
        CUSTOS_REQUIRE(
            rdp_epsilon_up(&x->order, &x->amount, &x->to_delta, &x->out));
        give_value(x, "rdp-to-approx", CKS);
    } else if (x->o->to != CUSTOS_IN_RDP ||
               rat_cmp(&x->to_order, &x->order) > 0) {
        give_none(x, "a bound at one order does not bound higher orders");
    } else {
        rat_set(&x->out, &x->amount);
        give_value(x, "rdp-to-approx", "the divergence rises with the order");
    }
}

static void
from_gdp(struct exchange *x)
{
    rat square, half;

    rat_init(&square);
    rat_init(&half);
    rat_mul(&square, &x->amount, &x->amount);
    rat_set_i64(&half, 1, 2);
    rat_mul(&half, &half, &square);
    switch (x->o->to) {
    case CUSTOS_IN_GDP: give_same(x); break;
    case CUSTOS_IN_APPROX:
        CUSTOS_REQUIRE(gdp_epsilon_up(&square, &x->to_delta, &x->out));
        give_value(x, "gdp-to-approx", "Dong, Roth, Su 2019, corollary 2.13");
        break;
    case CUSTOS_IN_ZCDP:
        rat_set(&x->out, &half);
        give_value(x, "cost-zcdp",
                   "Bun, Steinke 2016, proposition 1.6: mu^2/2");
        break;
    case CUSTOS_IN_RDP:
        linear_curve(x, &half, "cost-zcdp", "Mironov 2017 (Gaussian noise)");
        break;
    case CUSTOS_IN_PURE:
        give_none(x, "Gaussian DP does not bound the loss");
        break;
    }
    rat_clear(&square);
    rat_clear(&half);
}

custos_status
custos_convert(const custos_convert_options *options, custos_bound *out,
               custos_err *err)
{
    static void (*const from[])(struct exchange *) = {
        NULL, from_pure, from_approx, from_zcdp, from_rdp, from_gdp};
    custos_convert_options o;
    custos_bound made = CUSTOS_BOUND_INIT;
    struct exchange x;
    custos_status st;

    if (!options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    st = result_check(out, err);
    if (st)
        return st;
    if (o.from < CUSTOS_IN_PURE || o.from > CUSTOS_IN_GDP ||
        o.to < CUSTOS_IN_PURE || o.to > CUSTOS_IN_GDP)
        return custos_fail(err, CUSTOS_EINVAL, "unknown currency");
    exchange_init(&x, &o, &made);
    st = exchange_read(&x, err);
    if (!st) {
        from[o.from](&x);
        result_write(out, &made, sizeof made);
    }
    exchange_clear(&x);
    return st;
}

/*
 * out = the largest amount of a currency that keeps the promise (in[0], in[1]).
 * For Gaussian DP it is mu: the root of the square that gdp_budget_down gives.
 */
static void
find_budget(custos_currency to, const rat in[3], rat *out)
{
    ival x;

    if (to == CUSTOS_IN_ZCDP) {
        zcdp_budget_down(&in[0], &in[1], out);
    } else if (to == CUSTOS_IN_RDP) {
        rdp_budget_down(&in[2], &in[0], &in[1], out);
    } else {
        gdp_budget_down(&in[0], &in[1], out);
        ival_init(&x, BITS);
        ival_set_rat(&x, out);
        ival_sqrt(&x, &x);
        bound_down(&x, out);
        ival_clear(&x);
    }
}

custos_status
custos_convert_budget(const char *epsilon, const char *delta,
                      custos_currency to, const char *order, custos_bound *out,
                      custos_err *err)
{
    custos_bound made = CUSTOS_BOUND_INIT;
    custos_status st = result_check(out, err);
    rat x[4];

    if (st)
        return st;
    if (to != CUSTOS_IN_ZCDP && to != CUSTOS_IN_RDP && to != CUSTOS_IN_GDP)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a budget is in zCDP, Renyi DP or Gaussian DP");
    rats_init(x, 4);
    st = read_amount(epsilon, "epsilon", &x[0], err);
    if (!st)
        st = rat_read_open_unit(delta, "delta", &x[1], err);
    if (!st && to == CUSTOS_IN_RDP)
        st = read_order(order, "order", &x[2], err);
    if (!st) {
        find_budget(to, x, &x[3]);
        rat_decimal(&x[3], RAT_DOWN, made.value);
        made.theorem = to == CUSTOS_IN_GDP ? "gdp-to-approx" : "rdp-to-approx";
        made.source =
            to == CUSTOS_IN_GDP ? "Dong, Roth, Su 2019, corollary 2.13" : CKS;
        result_write(out, &made, sizeof made);
    }
    rats_clear(x, 4);
    return st;
}
