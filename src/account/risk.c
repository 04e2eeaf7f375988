/*
 * What promises mean for people: error rates of tests, an attacker's beliefs,
 * expected utility, numbers of people exposed. All numbers are certified
 * intervals, rounded to the cautious side.
 */
#include "account/risk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/batch.h"
#include "num/rat_round.h"

enum {
    BITS = 256,
    PROMISES_MAX = 4096,
    EPSILON_LOG2 = 10, /* an epsilon above 2^10 promises nothing */
};

/* ------------------------------------------------------------- promises -- */

static void
promise_clear(struct promise *p)
{
    rat_clear(&p->epsilon);
    rat_clear(&p->delta);
    ival_clear(&p->factor);
}

/* On failure, nothing remains to be freed. */
static custos_status
promise_read(struct promise *p, const char *epsilon, const char *delta,
             custos_err *err)
{
    custos_status st;

    rat_init(&p->epsilon);
    rat_init(&p->delta);
    ival_init(&p->factor, BITS);
    st = rat_read(epsilon, "epsilon", &p->epsilon, err);
    if (!st && delta)
        st = rat_read_delta(delta, "delta", &p->delta, err);
    if (!st && (rat_sign(&p->epsilon) < 0 ||
                rat_cmp_i64(&p->epsilon, 1 << EPSILON_LOG2) > 0))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon must lie between 0 and %d, not %.40s",
                         1 << EPSILON_LOG2, epsilon);
    if (st) {
        promise_clear(p);
        return st;
    }
    ival_set_rat(&p->factor, &p->epsilon);
    ival_exp(&p->factor, &p->factor);
    return st;
}

static custos_status
grow_promises(custos_risk *r, custos_err *err)
{
    size_t room = r->room ? 2 * r->room : 4;
    struct promise *now;

    if (r->n < r->room)
        return CUSTOS_OK;
    if (room > PROMISES_MAX)
        return custos_fail(err, CUSTOS_EINVAL, "a risk has at most %d promises",
                           (int)PROMISES_MAX);
    now = alloc_take(&r->alloc, room, sizeof *now);
    if (!now)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (r->n > 0)
        memcpy(now, r->promises, r->n * sizeof *now);
    alloc_give(&r->alloc, r->promises, r->room, sizeof *now);
    r->promises = now;
    r->room = room;
    return CUSTOS_OK;
}

custos_status
custos_risk_add(custos_risk *risk, const char *epsilon, const char *delta,
                custos_err *err)
{
    custos_status st;

    if (!risk || !epsilon)
        return custos_fail(err, CUSTOS_EINVAL, "epsilon must be given");
    st = grow_promises(risk, err);
    if (!st)
        st = promise_read(&risk->promises[risk->n], epsilon, delta, err);
    if (!st)
        risk->n++;
    return st;
}

custos_status
custos_risk_new(const custos_alloc *alloc, const char *epsilon,
                const char *delta, custos_risk **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_status st;
    custos_risk *r;

    if (!out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    r = alloc_take(&hooks, 1, sizeof *r);
    if (!r)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *r = (custos_risk){.alloc = hooks};
    st = custos_risk_add(r, epsilon, delta, err);
    if (st)
        custos_risk_free(r);
    else
        *out = r;
    return st;
}

void
custos_risk_free(custos_risk *risk)
{
    custos_alloc hooks;

    if (!risk)
        return;
    hooks = risk->alloc;
    for (size_t i = 0; i < risk->n; i++)
        promise_clear(&risk->promises[i]);
    alloc_give(&hooks, risk->promises, risk->room, sizeof *risk->promises);
    alloc_give(&hooks, risk, 1, sizeof *risk);
}

/* -------------------------------------------------------------- numbers -- */

/* Writes one end of a finite interval in [0, most] as text. */
static void
write_end(const ival *x, enum rat_direction direction, int64_t most,
          char text[CUSTOS_NUMBER_MAX])
{
    rat r;

    rat_init(&r);
    if (direction == RAT_UP)
        ival_up(x, &r);
    else
        ival_down(x, &r);
    if (rat_sign(&r) < 0)
        rat_set_i64(&r, 0, 1);
    if (rat_cmp_i64(&r, most) > 0)
        rat_set_i64(&r, most, 1);
    rat_decimal(&r, direction, text);
    rat_clear(&r);
}

/*
 * THEOREM  tradeoff-of-promises
 *   A test of P against Q with false positive rate a has a false negative rate
 *   of at least max(0, 1 - delta - e^eps a, e^-eps (1 - delta - a)), for every
 *   promise (eps, delta) that holds for P and Q in both orders.
 * SOURCE   Wasserman, Zhou 2010, Theorem 2.4; Kairouz, Oh, Viswanath 2015,
 *          arXiv:1311.0776, section 2.
 * NEEDS    0 <= a <= 1.
 * GIVES    the largest of these bounds, rounded down.
 * FAILS    cannot.
 * TESTED   risk_tradeoff_of_known_promises, risk_tradeoff_is_attained
 */
static void
fnr_down(const custos_risk *r, const rat *fpr, rat *best)
{
    ival a, b, one;
    rat got;

    ival_init(&a, BITS);
    ival_init(&b, BITS);
    ival_init(&one, BITS);
    rat_init(&got);
    rat_set_i64(best, 0, 1);
    for (size_t i = 0; i < r->n; i++) {
        const struct promise *p = &r->promises[i];

        rat_set_i64(&got, 1, 1);
        rat_sub(&got, &got, &p->delta);
        ival_set_rat(&one, &got); /* 1 - delta */
        ival_set_rat(&a, fpr);
        ival_mul(&b, &p->factor, &a);
        ival_sub(&b, &one, &b);
        ival_down(&b, &got);
        if (rat_cmp(&got, best) > 0)
            rat_set(best, &got);
        ival_sub(&b, &one, &a);
        ival_div(&b, &b, &p->factor);
        ival_down(&b, &got);
        if (rat_cmp(&got, best) > 0)
            rat_set(best, &got);
    }
    rat_clear(&got);
    ival_clear(&a);
    ival_clear(&b);
    ival_clear(&one);
}

custos_status
custos_risk_fnr(const custos_risk *risk, const char *const *fpr, size_t n,
                char (*fnr)[CUSTOS_NUMBER_MAX], custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat x[2];

    if (!risk || (n > 0 && (!fpr || !fnr)))
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    rats_init(x, 2);
    for (size_t i = 0; i < n && !st; i++) {
        st = rat_read(fpr[i], "fpr", &x[0], err);
        if (!st && (rat_sign(&x[0]) < 0 || rat_cmp_i64(&x[0], 1) > 0))
            st = custos_fail(err, CUSTOS_ERANGE,
                             "fpr must lie between 0 and 1, not %.40s", fpr[i]);
        if (!st) {
            fnr_down(risk, &x[0], &x[1]);
            rat_decimal(&x[1], RAT_DOWN, fnr[i]);
        }
    }
    rats_clear(x, 2);
    return st;
}

/*
 * THEOREM  advantage-of-promises
 *   P(S) - Q(S) <= (e^eps - 1 + 2 delta) / (e^eps + 1) for every S. Call that
 *   bound b: anyone who guesses which of two equally likely inputs was used is
 *   right with probability at most (1 + b) / 2.
 * SOURCE   Kairouz, Oh, Viswanath 2015, arXiv:1311.0776, section 2 (the
 *          point of the trade-off curve where both errors are equal).
 * NEEDS    the promise holds in both orders.
 * GIVES    the least over the promises, rounded up; at most 1.
 * FAILS    cannot.
 * TESTED   risk_advantage_of_known_promises
 */
static void
advantage_up(const custos_risk *r, rat *best)
{
    ival x, y, one;
    rat got;

    ival_init(&x, BITS);
    ival_init(&y, BITS);
    ival_init(&one, BITS);
    ival_set_i64(&one, 1);
    rat_init(&got);
    rat_set_i64(best, 1, 1);
    for (size_t i = 0; i < r->n; i++) {
        const struct promise *p = &r->promises[i];

        ival_set_rat(&x, &p->delta);
        ival_mul_pow2(&x, &x, 1);
        ival_set_rat(&y, &p->epsilon);
        ival_expm1(&y, &y);
        ival_add(&x, &x, &y);
        ival_add(&y, &p->factor, &one);
        ival_div(&x, &x, &y);
        ival_up(&x, &got);
        if (rat_cmp(&got, best) < 0)
            rat_set(best, &got);
    }
    rat_clear(&got);
    ival_clear(&x);
    ival_clear(&y);
    ival_clear(&one);
}

/*
 * THEOREM  posterior-of-promise
 *   Let `prior` be the belief that one of two neighbours was the input, and
 *   f = e^eps. After any output the belief is at most
 *   prior f / (1 - prior + prior f) and at least
 *   prior / (prior + (1 - prior) f), except with probability delta, by a coin
 *   that does not depend on the input.
 * SOURCE   Bayes' rule on the definition; the coin: Kairouz, Oh, Viswanath
 *          2015, arXiv:1311.0776, whose dominating mechanism reveals all with
 *          probability delta and is otherwise eps-DP.
 * NEEDS    0 < prior < 1.
 * GIVES    the upper bound rounded up, the lower one down.
 * FAILS    cannot.
 * TESTED   risk_posterior_of_known_promises
 */
static void
posterior_write(const struct promise *p, const rat *prior,
                custos_risk_facts *out)
{
    ival have, rest, x, y;
    rat r;

    ival_init(&have, BITS);
    ival_init(&rest, BITS);
    ival_init(&x, BITS);
    ival_init(&y, BITS);
    rat_init(&r);
    ival_set_rat(&have, prior);
    rat_set_i64(&r, 1, 1);
    rat_sub(&r, &r, prior);
    ival_set_rat(&rest, &r);
    ival_mul(&x, &have, &p->factor);
    ival_add(&y, &x, &rest);
    ival_div(&x, &x, &y);
    write_end(&x, RAT_UP, 1, out->posterior_most);
    ival_mul(&y, &rest, &p->factor);
    ival_add(&y, &y, &have);
    ival_div(&x, &have, &y);
    write_end(&x, RAT_DOWN, 1, out->posterior_least);
    rat_clear(&r);
    ival_clear(&have);
    ival_clear(&rest);
    ival_clear(&x);
    ival_clear(&y);
}

/*
 * THEOREM  posterior-shift
 *   Whatever an attacker's prior, the belief after the output is within 2 eps
 *   (in statistical distance) of the belief that the same output would give if
 *   it came from the data without this person. And the expectation of any
 *   utility >= 0 is at most e^eps times what it would be without this person.
 * SOURCE   Vadhan 2017, section 1 (what an attacker may learn); Dwork, Roth
 *          2014, section 2.3.1.
 * NEEDS    eps-DP; for delta > 0 the coin of posterior-of-promise.
 * GIVES    min(1, 2 eps) and e^eps, rounded up.
 * FAILS    cannot.
 * TESTED   risk_posterior_of_known_promises
 */
static void
shift_write(const struct promise *p, custos_risk_facts *out)
{
    rat r, two;

    rat_init(&r);
    rat_init(&two);
    rat_set_i64(&two, 2, 1);
    rat_mul(&r, &p->epsilon, &two);
    if (rat_cmp_i64(&r, 1) > 0)
        rat_set_i64(&r, 1, 1);
    rat_decimal(&r, RAT_UP, out->posterior_shift);
    rat_clear(&r);
    rat_clear(&two);
    if (rat_sign(&p->epsilon) == 0) {
        memcpy(out->utility_factor, "1", sizeof "1");
        return;
    }
    rat_init(&r);
    ival_up(&p->factor, &r);
    if (rat_log2_floor(&r) < 1328)
        rat_decimal(&r, RAT_UP, out->utility_factor);
    else
        memcpy(out->utility_factor, "infinity", sizeof "infinity");
    rat_clear(&r);
}

/*
 * THEOREM  name-and-shame
 *   The mechanism that publishes each of n rows with probability delta, and
 *   nothing else, is (0, delta)-DP, and exposes n delta people on average.
 * SOURCE   Kamath 2020, lecture 5 ("name and shame"); Dwork, Roth 2014,
 *          section 2.3 (delta below 1/n).
 * NEEDS    n >= 1.
 * GIVES    n delta, exact or rounded up, and whether it is at least 1.
 * FAILS    CUSTOS_ERANGE if n is not an integer of at least 1.
 * TESTED   risk_counts_the_exposed
 */
static custos_status
exposed_write(const struct promise *p, const char *people,
              custos_risk_facts *out, custos_err *err)
{
    custos_status st;
    rat n;

    out->exposed[0] = '\0';
    out->delta_too_large = 0;
    if (!people)
        return CUSTOS_OK;
    rat_init(&n);
    st = rat_read_positive(people, "n", &n, err);
    if (!st && (!rat_is_whole(&n) || rat_log2_floor(&n) > 63))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "n must be a whole number below 2^64, not %.40s",
                         people);
    if (!st) {
        rat_mul(&n, &n, &p->delta);
        out->delta_too_large = rat_cmp_i64(&n, 1) >= 0;
        rat_decimal(&n, RAT_UP, out->exposed);
    }
    rat_clear(&n);
    return st;
}

custos_status
custos_risk_report(const custos_risk *risk, const char *prior,
                   const char *people, custos_risk_facts *out, custos_err *err)
{
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;
    custos_status st = result_check(out, err);
    rat x[2];

    if (st)
        return st;
    if (!risk)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    rats_init(x, 2);
    st = rat_read_open_unit(prior ? prior : "1/2", "prior", &x[0], err);
    if (!st)
        st = exposed_write(&risk->promises[0], people, &facts, err);
    if (!st) {
        posterior_write(&risk->promises[0], &x[0], &facts);
        shift_write(&risk->promises[0], &facts);
        advantage_up(risk, &x[0]);
        rat_decimal(&x[0], RAT_UP, facts.advantage);
        rat_set_i64(&x[1], 1, 1);
        rat_add(&x[0], &x[0], &x[1]);
        rat_set_i64(&x[1], 1, 2);
        rat_mul(&x[0], &x[0], &x[1]);
        rat_decimal(&x[0], RAT_UP, facts.guess);
        result_write(out, &facts, sizeof facts);
    }
    rats_clear(x, 2);
    return st;
}
