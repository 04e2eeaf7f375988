/*
 * Optimal composition of k releases that are all (eps, delta)-DP, exactly. The
 * worst case is k randomized responses. The probability that l of them give
 * the less likely answer is b_l under one neighbour and c_l under the other;
 * b_l/c_l falls with l.
 *
 * THEOREM  compose-optimal
 *   k adaptive releases that are (eps, d)-DP each are (E, delta)-DP together
 *   if and only if for all i, A_i - e^E B_i <= 1 - (1-delta)/(1-d)^k, where
 *   A_i, B_i are the sums over l < i of C(k,l) e^((k-l) eps)/(1+e^eps)^k and
 *   C(k,l) e^(l eps)/(1+e^eps)^k.
 * SOURCE   Kairouz, Oh, Viswanath 2015, arXiv:1311.0776, theorem 3.3; solved
 *          for E at a given delta in doc/proofs/compose-optimal.md
 * NEEDS    k <= 10^5, all releases with the same eps and d.
 * GIVES    the least E, rounded up: ln of the largest (A_i - delta')/B_i, where
 *          delta' = 1 - (1-delta)/(1-d)^k.
 * FAILS    with a reason.
 * TESTED   compose_optimal_against_brute_force compose_optimal_is_the_formula
 *          compose_rows_never_cross
 */
#include "account/compose.h"

#include "account/cost.h"
#include "account/search.h"
#include "base/ck.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum { BITS = 256, RELEASES_MAX = 100000 };

/* k releases that all have the same epsilon and delta. */
struct alike {
    rat epsilon, delta;
    uint64_t k;
};

static const char *
find_alike(const struct custos_plan *plan, struct alike *a)
{
    const char *reason = NULL;
    rat e, d;

    rat_init(&e);
    rat_init(&d);
    a->k = 0;
    for (size_t i = 0; i < plan->n && !reason; i++) {
        const struct mechanism *m = &plan->items[i];

        cost_delta(m, &d);
        if (!cost_epsilon_up(m, &e))
            reason = "a Gaussian has no epsilon without a delta";
        else if (i > 0 && (rat_cmp(&e, &a->epsilon) || rat_cmp(&d, &a->delta)))
            reason = "not all releases have the same epsilon and delta";
        else if (!ck_add_u64(a->k, m->count, &a->k) || a->k > RELEASES_MAX)
            reason = "there are more than 100000 releases";
        rat_set(&a->epsilon, &e);
        rat_set(&a->delta, &d);
    }
    rat_clear(&e);
    rat_clear(&d);
    return reason;
}

/* r = 1 - (1-delta)/(1-d)^k: the part of delta that the responses may use. */
static void
delta_left(ival *r, const struct alike *a, const rat *delta)
{
    ival x;
    rat one, q;

    ival_init(&x, ival_bits(r));
    rat_init(&one);
    rat_init(&q);
    rat_set_i64(&one, 1, 1);
    rat_sub(&q, &one, delta);
    ival_set_rat(r, &q);
    rat_set_i64(&q, -1, 1);
    rat_mul(&q, &q, &a->delta);
    ival_set_rat(&x, &q);
    ival_log1p(&x, &x);
    rat_set_u64(&q, a->k);
    ival_mul_rat(&x, &x, &q);
    ival_exp(&x, &x);
    ival_div(r, r, &x);
    ival_neg(r, r);
    ival_add_rat(r, r, &one);
    ival_clear(&x);
    rat_clear(&one);
    rat_clear(&q);
}

/* The intervals that advance_terms updates for each l. */
enum {
    TERM_B,
    TERM_C,
    SUM_A,
    SUM_B,
    UP,
    DOWN,
    LEFT,
    RATIO,
    BEST,
    SCRATCH,
    ALL
};

/* b_0 = (e^eps/(1+e^eps))^k, c_0 = (1/(1+e^eps))^k. */
static void
start_terms(ival *x, const struct alike *a)
{
    rat k, q;

    rat_init(&k);
    rat_init(&q);
    rat_set_u64(&k, a->k);
    ival_set_rat(&x[UP], &a->epsilon);
    ival_neg(&x[DOWN], &x[UP]);
    ival_exp(&x[UP], &x[UP]);
    ival_exp(&x[DOWN], &x[DOWN]);
    ival_log1p(&x[TERM_B], &x[DOWN]);
    rat_set_i64(&q, -1, 1);
    rat_mul(&q, &q, &k);
    ival_mul_rat(&x[TERM_B], &x[TERM_B], &q);
    ival_exp(&x[TERM_B], &x[TERM_B]);
    ival_log1p(&x[TERM_C], &x[UP]);
    ival_mul_rat(&x[TERM_C], &x[TERM_C], &q);
    ival_exp(&x[TERM_C], &x[TERM_C]);
    rat_mul(&q, &k, &a->epsilon);
    ival_set_rat(&x[RATIO], &q);
    ival_exp(&x[RATIO], &x[RATIO]); /* b_0/c_0 */
    rat_clear(&k);
    rat_clear(&q);
}

/* Adds term l to the sums, then moves the terms to l + 1. */
static void
advance_terms(ival *x, const struct alike *a, uint64_t l)
{
    rat step;

    ival_add(&x[SUM_A], &x[SUM_A], &x[TERM_B]);
    ival_add(&x[SUM_B], &x[SUM_B], &x[TERM_C]);
    if (l == a->k)
        return;
    rat_init(&step);
    rat_set_i64(&step, (int64_t)(a->k - l), l + 1);
    ival_set_rat(&x[SCRATCH], &step);
    ival_mul(&x[TERM_B], &x[TERM_B], &x[SCRATCH]);
    ival_mul(&x[TERM_B], &x[TERM_B], &x[DOWN]);
    ival_mul(&x[TERM_C], &x[TERM_C], &x[SCRATCH]);
    ival_mul(&x[TERM_C], &x[TERM_C], &x[UP]);
    ival_mul(&x[RATIO], &x[RATIO], &x[DOWN]);
    ival_mul(&x[RATIO], &x[RATIO], &x[DOWN]);
    rat_clear(&step);
}

/*
 * BEST = the largest (A_i - left)/B_i, or 1. Once b_l/c_l is below BEST, no
 * later i gives more: (u + b)/(v + c) lies between u/v and b/c.
 */
static void
largest_ratio(ival *x, const struct alike *a)
{
    ival_set_i64(&x[BEST], 1);
    for (uint64_t l = 0; l <= a->k; l++) {
        if (ival_certainly_less(&x[RATIO], &x[BEST]))
            break;
        advance_terms(x, a, l);
        ival_sub(&x[SCRATCH], &x[SUM_A], &x[LEFT]);
        ival_div(&x[SCRATCH], &x[SCRATCH], &x[SUM_B]);
        ival_max(&x[BEST], &x[BEST], &x[SCRATCH]);
    }
}

const char *
compose_optimal(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason;
    struct alike a;
    rat zero, rest, basic;
    bool fits;
    ival x[ALL];

    rat_init(&a.epsilon);
    rat_init(&a.delta);
    rat_init(&zero);
    rat_init(&rest);
    rat_init(&basic);
    ivals_init(x, ALL, BITS);
    reason = find_alike(plan, &a);
    if (!reason) {
        delta_left(&x[LEFT], &a, delta);
        /* if the sum of the members' deltas fits, LEFT is at least 0 */
        fits = compose_rest(plan, delta, &rest) ||
               ival_certainly_above_rat(&x[LEFT], &zero);
        if (!fits)
            reason = "the mechanisms' own deltas add up to more than delta";
    }
    if (!reason) {
        start_terms(x, &a);
        largest_ratio(x, &a);
        ival_log(&x[BEST], &x[BEST]);
        compose_add(&basic, &a.epsilon, a.k);
        if (!bound_up(&x[BEST], epsilon) || rat_cmp(epsilon, &basic) > 0)
            rat_set(epsilon, &basic);
    }
    rat_clear(&a.epsilon);
    rat_clear(&a.delta);
    rat_clear(&zero);
    rat_clear(&rest);
    rat_clear(&basic);
    ivals_clear(x, ALL);
    return reason;
}
