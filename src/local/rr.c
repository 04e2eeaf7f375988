/*
 * Randomized response: everybody randomizes their answer with a known coin, so
 * nobody needs to be trusted. All kinds follow one law: of k values the true
 * one is reported with probability p, and each other one with probability
 * q = (1 - p) / (k - 1), p > q. p is a rational, so the coins are exact and so
 * is e^epsilon = p / q.
 *
 * THEOREM  randomized-response
 *   Let a report be the true one of k values with probability p, and each other
 *   value with probability q = (1 - p) / (k - 1) < p. It is ln(p / q)-DP, and
 *   not eps-DP for any smaller eps. Two coins (heads: the truth; tails: what a
 *   second coin says) are the case k = 2, p = 3/4, and cost ln 3. A coin that
 *   keeps the truth with probability 1/2 + gamma costs
 *   ln((1/2+gamma)/(1/2-gamma)).
 * SOURCE   Warner 1965; Dwork, Roth 2014, Claim 3.5; k values: Kairouz, Oh,
 *          Viswanath 2016, arXiv:1407.1338, "randomized response".
 * NEEDS    0 < q < p < 1, rational; a truth outside 0 .. k-1 counts as the
 *          nearer end.
 * GIVES    reports with this law exactly, independent of each other;
 *          ratio = p / q exactly, ln(p / q) <= epsilon_up; for k values given
 *          epsilon: epsilon_up <= epsilon.
 * FAILS    CUSTOS_EENTROPY, from coins alone.
 * TESTED   law_randomized_response, epsilon_is_exact,
 *          kary_stays_within_epsilon, epsilon_never_passes_what_was_asked,
 *          truths_outside_are_clamped
 */
#include "local/rr.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "noise/coin.h"
#include "num/ival.h"
#include "num/rat_round.h"

enum {
    EPSILON_PLACES = 20,  /* decimals of epsilon_up */
    GAMMA_SIZE_MAX = 512, /* bits, so that exact results fit in 1024 bytes */
};

static const uint64_t k_max = (uint64_t)1 << 32;

/* *r = ln(a), rounded up to EPSILON_PLACES decimals. Needs a > 0. */
static void
log_up(rat *r, const rat *a)
{
    ival x;

    ival_init(&x, 192);
    ival_set_rat(&x, a);
    ival_log(&x, &x);
    ival_up(&x, r);
    ival_clear(&x);
    rat_places_up(r, r, EPSILON_PLACES);
}

/* Computes q, the ratio and epsilon_up from p and k. */
static void
law_complete(custos_rr *rr)
{
    rat k;

    rat_init(&k);
    rat_set_i64(&k, (int64_t)rr->k - 1, 1);
    rat_set_i64(&rr->other, 1, 1);
    rat_sub(&rr->other, &rr->other, &rr->keep);
    rat_div(&rr->other, &rr->other, &k);
    rat_div(&rr->ratio, &rr->keep, &rr->other);
    rat_clear(&k);
    log_up(&rr->epsilon_up, &rr->ratio);
}

/* p = 1/2 + gamma. */
static custos_status
keep_from_gamma(custos_rr *rr, const char *text, custos_err *err)
{
    custos_status st = rat_read_positive(text, "gamma", &rr->keep, err);
    rat half;

    if (st)
        return st;
    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    if (rat_cmp(&rr->keep, &half) >= 0)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "gamma must lie between 0 and 1/2, not \"%.60s\"",
                         text);
    else if (rat_size(&rr->keep) > GAMMA_SIZE_MAX)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "gamma must be a fraction of at most %d bits",
                         (int)GAMMA_SIZE_MAX);
    rat_add(&rr->keep, &rr->keep, &half);
    rat_clear(&half);
    return st;
}

struct kary {
    const rat *epsilon;
    uint64_t k;
};

/* e^eps / (e^eps + k - 1) = 1 / (1 + (k - 1) e^-eps). */
static void
kary_keep(const struct kary *of, ival *out)
{
    ival one;

    ival_init(&one, 256);
    ival_set_rat(out, of->epsilon);
    ival_neg(out, out);
    ival_exp(out, out);
    ival_set_i64(&one, (int64_t)of->k - 1);
    ival_mul(out, out, &one);
    ival_set_i64(&one, 1);
    ival_add(out, out, &one);
    ival_div(out, &one, out);
    ival_clear(&one);
}

/* Sets p to a multiple of 2^-64, rounded down from the p that epsilon gives. */
static custos_status
keep_from_epsilon(custos_rr *rr, const char *text, custos_err *err)
{
    custos_status st;
    struct kary of;
    rat epsilon, unit;
    uint64_t steps;
    ival p;

    rat_init(&epsilon);
    rat_init(&unit);
    ival_init(&p, 256);
    st = rat_read_positive(text, "epsilon", &epsilon, err);
    if (st)
        goto out;
    of = (struct kary){&epsilon, rr->k};
    kary_keep(&of, &p);
    ival_down(&p, &rr->keep);
    rat_set_pow2(&unit, 64);
    rat_mul(&rr->keep, &rr->keep, &unit);
    CUSTOS_REQUIRE(rat_floor_u64(&rr->keep, &steps)); /* p, rounded down, is
                                                         below 1 */
    rat_set_i128(&rr->keep, (i128)steps);
    rat_div(&rr->keep, &rr->keep, &unit);
    rat_set_i64(&unit, 1, rr->k);
    if (rat_cmp(&rr->keep, &unit) <= 0) {
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon is too small for a report to say anything");
        goto out;
    }
    law_complete(rr);
    if (rat_cmp(&rr->epsilon_up, &epsilon) > 0)
        rat_set(&rr->epsilon_up, &epsilon);
out:
    ival_clear(&p);
    rat_clear(&unit);
    rat_clear(&epsilon);
    return st;
}

static custos_status
law_read(custos_rr *rr, const custos_rr_options *o, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    switch (o->kind) {
    case CUSTOS_RR_TWO_COINS:
        rat_set_i64(&rr->keep, 3, 4);
        law_complete(rr);
        return st;
    case CUSTOS_RR_GAMMA:
        st = keep_from_gamma(rr, o->gamma, err);
        if (!st)
            law_complete(rr);
        return st;
    case CUSTOS_RR_KARY:
        if (o->values < 2 || o->values > k_max)
            return custos_fail(err, CUSTOS_ERANGE,
                               "values must lie between 2 and 2^32");
        rr->k = o->values;
        return keep_from_epsilon(rr, o->epsilon, err);
    default:
        return custos_fail(err, CUSTOS_EINVAL,
                           "unknown kind of randomized response");
    }
}

custos_status
custos_rr_new(const custos_alloc *alloc, const custos_rr_options *options,
              custos_rr **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_rr_options o;
    custos_status st;
    custos_rr *rr;

    if (!out || !options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set, and out must "
                           "not be NULL");
    rr = alloc_take(&hooks, 1, sizeof *rr);
    if (!rr)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    rr->alloc = hooks;
    rr->k = 2;
    rat_init(&rr->keep);
    rat_init(&rr->other);
    rat_init(&rr->ratio);
    rat_init(&rr->epsilon_up);
    st = law_read(rr, &o, err);
    if (st)
        custos_rr_free(rr);
    else
        *out = rr;
    return st;
}

void
custos_rr_free(custos_rr *rr)
{
    custos_alloc hooks;

    if (!rr)
        return;
    rat_clear(&rr->epsilon_up);
    rat_clear(&rr->ratio);
    rat_clear(&rr->other);
    rat_clear(&rr->keep);
    hooks = rr->alloc;
    alloc_give(&hooks, rr, 1, sizeof *rr);
}

/* Makes one report. Always flips the coin and rolls the die; no branch depends
   on them. */
static custos_status
randomize_one(const custos_rr *rr, custos_rng *rng, i128 truth, int64_t *out)
{
    int64_t mine = (int64_t)clamp_i128(truth, 0, (i128)rr->k - 1);
    int64_t other, mask;
    uint64_t roll;
    bool keep;
    custos_status st = coin_flip(rng, &rr->keep, &keep);

    if (!st)
        st = die_roll(rng, rr->k - 1, &roll);
    if (st)
        return st;
    other = (int64_t)roll + ((int64_t)roll >= mine);
    mask = -(int64_t)keep;
    *out = (mine & mask) | (other & ~mask);
    return CUSTOS_OK;
}

custos_status
custos_rr_answer(const custos_rr *rr, custos_rng *rng, custos_sealed *truths,
                 size_t n, int64_t *reports, custos_err *err)
{
    i128 *values;
    custos_status st;

    if (!rr || !rng || !truths || !reports)
        return custos_fail(err, CUSTOS_EINVAL,
                           "rr, rng, truths and reports must not be NULL");
    st = sealed_open(truths, SEALED_INTS, n, &values, err);
    if (st)
        return st;
    for (size_t i = 0; i < n && !st; i++)
        st = randomize_one(rr, rng, values[i], &reports[i]);
    sealed_wipe(truths);
    if (st) {
        memset(reports, 0, n * sizeof *reports);
        return custos_fail(err, st, "%s", custos_status_words(st));
    }
    return CUSTOS_OK;
}
