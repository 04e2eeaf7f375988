/*
 * Renyi composition: the curves add up at each order, and a search finds a
 * good order. Every order gives a valid bound, so the search may be short. It
 * starts at the order that is best for concentrated DP, goes on by factors of
 * two while epsilon falls, then narrows around the best; for long plans it
 * stops after the first order. The curves of very many Laplace mechanisms are
 * summed in doubles, with a margin for rounding.
 *
 * THEOREM  compose-rdp
 *   Releases with divergence loss_i of order a have divergence sum loss_i of
 *   order a together.
 * SOURCE   Mironov 2017, arXiv:1702.07476, proposition 1.
 * NEEDS    no member with a delta of its own; delta above 0.
 * GIVES    epsilon by rdp-to-approx at the best order found, rounded up.
 * FAILS    with a reason.
 * TESTED   compose_rdp_finds_the_order compose_rows_never_cross
 *          compose_rdp_of_many_is_that_of_few
 */
#include "account/compose.h"

#include <math.h>

#include "account/convert.h"
#include "account/cost.h"
#include "account/plan_pld.h"
#include "account/saddle.h"
#include "num/batch.h"
#include "num/ival_more.h"
#include "num/rat_double.h"
#include "num/rat_round.h"

enum {
    WORK = 20000,    /* curve evaluations, roughly */
    MANY = 64,       /* more Laplaces than this may be summed in doubles */
    MANY_SHARE = 24, /* an exact curve takes about this many times as long */
    STEPS_LEAST = 1,
    STEPS_MOST = 48,
    WALK_MOST = 24,
    ITERATIONS = 6,
    ORDER_BITS = 64,
    ORDER_LOG2 = 24,   /* orders from 1 + 2^-24 to 1 + 2^24 */
    EPSILON_LOG2 = 16, /* doubles sum only epsilons from 2^-15 to 2^16 */
};

struct order_search {
    const struct custos_plan *plan;
    const rat *delta;
    rat half_ratio; /* the sum of rho over unsampled Gaussians */
    bool whole;     /* only integer orders, because sampled curves are costly */
    bool many;      /* Laplace mechanisms are summed in doubles */
    unsigned left;  /* evaluations left */
    rat best;       /* the least epsilon seen */
    bool any;
};

/* Whether add_many sums this mechanism in doubles. */
static bool
is_one_of_many(const struct order_search *s, const struct mechanism *m)
{
    return s->many && m->kind == MECHANISM_LAPLACE && !mechanism_is_sampled(m);
}

/* The mechanism's epsilon, or slightly more. */
static double
epsilon_double_up(const struct mechanism *m)
{
    return nextafter(rat_double(&m->epsilon), INFINITY);
}

/*
 * Sums the unsampled Gaussians and checks whether any mechanism is sampled.
 * Returns how many curve evaluations one order takes.
 */
static size_t
search_prepare(struct order_search *s)
{
    size_t others = 0, laplaces = 0;
    rat x;

    rat_init(&x);
    for (size_t i = 0; i < s->plan->n; i++) {
        const struct mechanism *m = &s->plan->items[i];

        s->whole = s->whole || mechanism_is_sampled(m);
        if (mechanism_is_gaussian(m) && !mechanism_is_sampled(m)) {
            cost_rho_up(m, &x);
            compose_add(&s->half_ratio, &x, m->count);
        } else {
            others++;
            laplaces += m->kind == MECHANISM_LAPLACE &&
                        !mechanism_is_sampled(m) &&
                        rat_log2_floor(&m->epsilon) < EPSILON_LOG2 &&
                        rat_log2_floor(&m->epsilon) > -EPSILON_LOG2;
        }
    }
    rat_clear(&x);
    s->many = laplaces > MANY && laplaces == others;
    return s->many ? others / MANY_SHARE : others;
}

/*
 * Adds an upper bound on the divergences of order 1 + t of the Laplace
 * mechanisms that are summed in doubles. Each is rounded up, and a sum of
 * positive terms is off by less than one unit in the last place for each term.
 */
static void
add_many(const struct order_search *s, const rat *t, rat *sum)
{
    const double order = nextafter(rat_double(t), INFINITY);
    double all = 0;
    rat x;

    for (size_t i = 0; i < s->plan->n; i++)
        if (is_one_of_many(s, &s->plan->items[i]))
            all +=
                (double)s->plan->items[i].count *
                saddle_laplace_up(epsilon_double_up(&s->plan->items[i]), order);
    rat_init(&x);
    all *= 1 + 0x1p-52 * (double)(s->plan->n + 8);
    bound_exact(nextafter(all / rat_double(t), INFINITY), &x);
    rat_add(sum, sum, &x);
    rat_clear(&x);
}

/* Computes epsilon at order 1 + t; true if it is the best so far. */
static bool
order_try(struct order_search *s, const rat *t)
{
    rat alpha, sum, x;
    bool better;

    s->left -= s->left > 0;
    rat_init(&alpha);
    rat_init(&sum);
    rat_init(&x);
    rat_set_i64(&alpha, 1, 1);
    rat_add(&alpha, &alpha, t);
    rat_mul(&sum, &alpha, &s->half_ratio);
    for (size_t i = 0; i < s->plan->n; i++) {
        const struct mechanism *m = &s->plan->items[i];

        if ((mechanism_is_gaussian(m) && !mechanism_is_sampled(m)) ||
            is_one_of_many(s, m))
            continue;
        CUSTOS_REQUIRE(cost_rdp_up(m, &alpha, &x));
        compose_add(&sum, &x, m->count);
    }
    if (s->many)
        add_many(s, t, &sum);
    better = rdp_epsilon_up(&alpha, &sum, s->delta, &x) &&
             (!s->any || rat_cmp(&x, &s->best) < 0);
    if (better) {
        rat_set(&s->best, &x);
        s->any = true;
    }
    rat_clear(&alpha);
    rat_clear(&sum);
    rat_clear(&x);
    return better;
}

/* r = t 2^e, rounded up to an integer if s->whole. */
static void
scale_order(const struct order_search *s, const rat *t, long e, rat *r)
{
    rat x;

    rat_init(&x);
    rat_set_pow2(&x, e);
    rat_mul(r, t, &x);
    if (s->whole)
        rat_ceil(r, r);
    rat_clear(&x);
}

/* Multiplies t by 2^way as long as epsilon falls; true if t has moved. */
static bool
walk_order(struct order_search *s, rat *t, long way)
{
    bool moved = false;
    rat next;

    rat_init(&next);
    for (int i = 0; i < WALK_MOST && s->left > 0; i++) {
        scale_order(s, t, way, &next);
        if (rat_cmp(&next, t) == 0 || !order_try(s, &next))
            break;
        rat_set(t, &next);
        moved = true;
    }
    rat_clear(&next);
    return moved;
}

/* r = t + (end - t) 3/8. If orders must be integers, the step is at least 1. */
static void
part_way(const struct order_search *s, const rat *t, const rat *end, rat *r)
{
    bool up = rat_cmp(end, t) > 0;
    rat part;

    rat_init(&part);
    rat_set_i64(&part, 3, 8);
    rat_sub(r, end, t);
    rat_mul(r, r, &part);
    rat_add(r, r, t);
    if (s->whole) {
        rat_set_i64(&part, up ? 1 : -1, 1);
        rat_add(&part, &part, t);
        if (up)
            rat_floor(r, r);
        else
            rat_ceil(r, r);
        if (rat_cmp(r, t) == 0 && rat_cmp(&part, end) != 0 &&
            rat_cmp(t, end) != 0)
            rat_set(r, &part);
    }
    rat_clear(&part);
}

/* Narrows the interval from t/2 to 2t around the best order. */
static void
narrow_order(struct order_search *s, rat *t)
{
    rat ends[2], next;
    bool done = false;

    rats_init(ends, 2);
    rat_init(&next);
    scale_order(s, t, -1, &ends[0]);
    scale_order(s, t, 1, &ends[1]);
    while (s->left > 0 && !done) {
        done = true;
        for (int side = 0; side < 2 && s->left > 0; side++) {
            part_way(s, t, &ends[side], &next);
            if (rat_cmp(&next, t) == 0)
                continue;
            done = false;
            if (order_try(s, &next)) {
                rat_set(&ends[1 - side], t);
                rat_set(t, &next);
            } else {
                rat_set(&ends[side], &next);
            }
        }
    }
    rats_clear(ends, 2);
    rat_clear(&next);
}

/* Clamps t to 2^-24 .. 2^24. */
static void
clamp_order(rat *t)
{
    rat x;

    rat_init(&x);
    rat_set_pow2(&x, -ORDER_LOG2);
    if (rat_cmp(t, &x) < 0)
        rat_set(t, &x);
    rat_set_pow2(&x, ORDER_LOG2);
    if (rat_cmp(t, &x) > 0)
        rat_set(t, &x);
    rat_clear(&x);
}

/*
 * The t that is best for zCDP: rho t^2 = ln(1/delta) - ln(1+t), by iteration.
 */
static void
first_order(const struct order_search *s, rat *t)
{
    ival v, l;
    rat x, rho;
    double many = 0;

    rat_init(&x);
    rat_init(&rho);
    ival_init(&v, ORDER_BITS);
    ival_init(&l, ORDER_BITS);
    for (size_t i = 0; i < s->plan->n; i++) {
        const struct mechanism *m = &s->plan->items[i];

        if (is_one_of_many(s, m)) {
            many += (double)m->count * pow(epsilon_double_up(m), 2) / 2;
            continue;
        }
        cost_rho_up(m, &x);
        compose_add(&rho, &x, m->count);
    }
    bound_exact(many, &x);
    rat_add(&rho, &rho, &x);
    ival_set_rat(&l, s->delta);
    ival_log(&l, &l);
    rat_set_i64(t, 0, 1);
    for (int i = 0; i < ITERATIONS; i++) {
        ival_set_rat(&v, t);
        ival_log1p(&v, &v);
        ival_add(&v, &v, &l);
        ival_neg(&v, &v);
        if (!ival_is_positive(&v))
            break;
        ival_up(&v, &x);
        rat_div(&x, &x, &rho);
        ival_set_rat(&v, &x);
        ival_sqrt(&v, &v);
        ival_up(&v, t);
        clamp_order(t);
    }
    clamp_order(t);
    scale_order(s, t, 0, t);
    ival_clear(&v);
    ival_clear(&l);
    rat_clear(&x);
    rat_clear(&rho);
}

const char *
compose_rdp(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    struct order_search s = {.plan = plan, .delta = delta};
    size_t others;
    rat t;

    for (size_t i = 0; i < plan->n; i++)
        if (rat_sign(&plan->items[i].delta) > 0)
            return "a mechanism with a delta of its own has no Renyi curve";
    if (rat_sign(delta) == 0)
        return "this theorem needs a delta above 0";
    rat_init(&s.half_ratio);
    rat_init(&s.best);
    rat_init(&t);
    others = search_prepare(&s);
    s.left = (unsigned)(WORK / (others + 1));
    s.left = s.left < STEPS_LEAST ? STEPS_LEAST : s.left;
    s.left = s.left > STEPS_MOST ? STEPS_MOST : s.left;
    first_order(&s, &t);
    order_try(&s, &t);
    if (!walk_order(&s, &t, 1))
        walk_order(&s, &t, -1);
    narrow_order(&s, &t);
    rat_set(epsilon, &s.best);
    rat_clear(&t);
    rat_clear(&s.half_ratio);
    rat_clear(&s.best);
    return s.any ? NULL : "epsilon is too large to be written";
}
