/*
 * From a promise to limits: how much of each currency keeps the promise,
 * rounded down. The promised delta is divided between the deltas of the
 * admitted charges (members) and the conversion.
 */
#include "account/filter.h"

#include <string.h>

#include "account/convert.h"
#include "account/cost.h"
#include "base/sized.h"
#include "account/search.h"
#include "base/error.h"
#include "num/batch.h"

enum { BITS = 320 };

/* The numbers of the options; `rest` is the delta left for the conversion. */
struct promise {
    rat epsilon, delta, members, rest;
};

static void
promise_init(struct promise *p)
{
    rat_init(&p->epsilon);
    rat_init(&p->delta);
    rat_init(&p->members);
    rat_init(&p->rest);
}

static void
promise_clear(struct promise *p)
{
    rat_clear(&p->epsilon);
    rat_clear(&p->delta);
    rat_clear(&p->members);
    rat_clear(&p->rest);
}

/* Checks that epsilon is in the range where every conversion works. */
static custos_status
check_epsilon(const rat *epsilon, custos_err *err)
{
    if (rat_log2_floor(epsilon) < -64 || rat_log2_floor(epsilon) >= 40)
        return custos_fail(err, CUSTOS_ERANGE,
                           "epsilon must lie between 2^-64 and 2^40");
    return CUSTOS_OK;
}

static custos_status
promise_read(struct promise *p, const custos_filter_options *o, custos_err *err)
{
    bool pure = o->kind == CUSTOS_FILTER_PURE;
    custos_status st = CUSTOS_OK;

    if (!o->like || o->epsilon) {
        st = rat_read_positive(o->epsilon, "epsilon", &p->epsilon, err);
        if (!st)
            st = check_epsilon(&p->epsilon, err);
    }
    if (!st && o->delta)
        st = rat_read_delta(o->delta, "delta", &p->delta, err);
    if (!st && o->member_delta)
        st = rat_read_delta(o->member_delta, "member delta", &p->members, err);
    if (st)
        return st;
    if (pure && !o->member_delta)
        rat_set(&p->members, &p->delta);
    rat_sub(&p->rest, &p->delta, &p->members);
    if (o->kind == CUSTOS_FILTER_BEST)
        rat_sub(&p->rest, &p->rest, &p->members);
    if (rat_sign(&p->rest) < 0 || (!pure && rat_sign(&p->rest) == 0))
        return custos_fail(err, CUSTOS_ERANGE,
                           "delta must be above member_delta (above twice that "
                           "for the best-of-both filter)");
    return CUSTOS_OK;
}

/* x = (sqrt(2 l + 2 epsilon) - sqrt(2 l))^2, l = ln(1/delta), rounded down. */
static void
squares_down(const rat *epsilon, const rat *delta, rat *x)
{
    ival v[3];

    ivals_init(v, 3, BITS);
    ival_set_rat(&v[0], delta);
    ival_log(&v[0], &v[0]);
    ival_neg(&v[0], &v[0]);
    ival_mul_pow2(&v[0], &v[0], 1);
    ival_set_rat(&v[1], epsilon);
    ival_mul_pow2(&v[1], &v[1], 1);
    ival_add(&v[1], &v[1], &v[0]);
    ival_sqrt(&v[1], &v[1]);
    ival_sqrt(&v[0], &v[0]);
    ival_sub(&v[1], &v[1], &v[0]);
    ival_mul(&v[1], &v[1], &v[1]);
    bound_down(&v[1], x);
    ivals_clear(v, 3);
}

/* Rounded down to units, at most the largest finite amount. */
static amount
limit_of(const rat *x)
{
    amount a = AMOUNT_INFINITE - 1;

    return amount_from_rat_down(x, AMOUNT_LOSS, &a) ? a : AMOUNT_INFINITE - 1;
}

/*
 * The order with the most room for a Gaussian, whose loss is proportional to
 * alpha: the one with the largest limit / alpha.
 */
static size_t
order_default(const struct promise *p)
{
    rat best, alpha, room;
    size_t at = 2;

    rat_init(&best);
    rat_init(&alpha);
    rat_init(&room);
    for (size_t i = 0; i < CHARGE_ORDERS; i++) {
        charge_order(i, &alpha);
        rdp_budget_down(&alpha, &p->epsilon, &p->rest, &room);
        rat_div(&room, &room, &alpha);
        if (rat_cmp(&room, &best) > 0) {
            rat_set(&best, &room);
            at = i;
        }
    }
    rat_clear(&best);
    rat_clear(&alpha);
    rat_clear(&room);
    return at;
}

static custos_status
limit_one_order(struct filter *f, const struct promise *p, const char *order,
                custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat alpha, room;

    rat_init(&alpha);
    rat_init(&room);
    f->order = order ? 0 : order_default(p);
    if (order)
        st = rat_read_positive(order, "order", &alpha, err);
    if (!st && order && !charge_order_find(&alpha, &f->order))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "order must be one of 5/4, 3/2, 2, 3, 4, 6, 8, 12, "
                         "16, 24, 32, 48, 64, 128, 256, 512");
    if (!st) {
        charge_order(f->order, &alpha);
        rdp_budget_down(&alpha, &p->epsilon, &p->rest, &room);
        f->limit[0] = limit_of(&room);
    }
    rat_clear(&alpha);
    rat_clear(&room);
    return st;
}

/*
 * Sets the limits at all orders from a mechanism's curve; epsilon follows from
 * these limits.
 */
static custos_status
limit_like(struct filter *f, struct promise *p, const char *like,
           custos_err *err)
{
    struct mechanism m;
    struct charge c;
    custos_status st;
    rat alpha, loss, epsilon;

    mechanism_init(&m);
    rat_init(&alpha);
    rat_init(&loss);
    rat_init(&epsilon);
    st = mechanism_read(like, CUSTOS_ADD_REMOVE, &m, err);
    if (!st && rat_sign(&m.delta) > 0)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "a mechanism with a delta has no Renyi curve");
    if (st)
        goto out;
    charge_of_mechanism(&m, &c);
    f->order = CHARGE_ORDERS;
    for (size_t i = 0; i < CHARGE_ORDERS; i++) {
        f->limit[i] = c.loss[i] == AMOUNT_INFINITE ? c.loss[i] - 1 : c.loss[i];
        amount_to_rat(f->limit[i], AMOUNT_LOSS, &loss);
        charge_order(i, &alpha);
        if (rdp_epsilon_up(&alpha, &loss, &p->rest, &epsilon) &&
            (i == 0 || rat_cmp(&epsilon, &p->epsilon) < 0))
            rat_set(&p->epsilon, &epsilon);
    }
out:
    mechanism_clear(&m);
    rat_clear(&alpha);
    rat_clear(&loss);
    rat_clear(&epsilon);
    return st;
}

static custos_status
limit_rdp(struct filter *f, struct promise *p, const custos_filter_options *o,
          custos_err *err)
{
    if (rat_sign(&p->members) > 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a Renyi filter takes no member_delta");
    if (o->like && (o->epsilon || o->order))
        return custos_fail(err, CUSTOS_EINVAL,
                           "a filter with `like` takes neither epsilon nor "
                           "order");
    return o->like ? limit_like(f, p, o->like, err)
                   : limit_one_order(f, p, o->order, err);
}

static custos_status
limits_set(struct filter *f, struct promise *p, const custos_filter_options *o,
           custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat x;

    rat_init(&x);
    f->limit[0] = limit_of(&p->epsilon);
    if (o->kind == CUSTOS_FILTER_RDP) {
        st = limit_rdp(f, p, o, err);
    } else if (o->kind == CUSTOS_FILTER_APPROX) {
        squares_down(&p->epsilon, &p->rest, &x);
        f->limit[0] = limit_of(&x);
    } else if (o->kind == CUSTOS_FILTER_GDP) {
        gdp_budget_down(&p->epsilon, &p->rest, &x);
        f->limit[0] = limit_of(&x);
    } else if (o->kind != CUSTOS_FILTER_PURE) {
        zcdp_budget_down(&p->epsilon, &p->rest, &x);
        f->limit[o->kind == CUSTOS_FILTER_BEST] = limit_of(&x);
    }
    rat_clear(&x);
    return st;
}

custos_status
filter_init(struct filter *f, const custos_filter_options *options,
            custos_err *err)
{
    custos_filter_options o;
    struct filter made;
    struct promise p;
    custos_status st;

    if (!options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    if (o.kind == 0)
        o.kind = CUSTOS_FILTER_BEST;
    if (o.kind < CUSTOS_FILTER_BEST || o.kind > CUSTOS_FILTER_GDP)
        return custos_fail(err, CUSTOS_EINVAL, "unknown kind of filter");
    if (o.kind != CUSTOS_FILTER_RDP && (o.order || o.like))
        return custos_fail(err, CUSTOS_EINVAL,
                           "only a Renyi filter takes an order or a curve");
    memset(&made, 0, sizeof made);
    promise_init(&p);
    made.kind = o.kind;
    st = promise_read(&p, &o, err);
    if (!st)
        st = limits_set(&made, &p, &o, err);
    if (!st) {
        made.epsilon = amount_from_rat_up(&p.epsilon, AMOUNT_LOSS);
        made.delta = amount_from_rat_up(&p.delta, AMOUNT_DELTA);
        CUSTOS_REQUIRE(
            amount_from_rat_down(&p.members, AMOUNT_DELTA, &made.delta_limit));
        *f = made;
    }
    promise_clear(&p);
    return st;
}
