/*
 * Estimates from randomized reports: if c of n reports name the value v, then
 * (c/n - q) / (p - q) estimates the share of people whose truth is v. Only
 * reports are used, which are public, so estimates cost no privacy.
 *
 * THEOREM  randomized-response-estimate
 *   For fixed truths, of which a share f is v, the estimate has expectation f
 *   and variance at most p(1-p) / (n (p-q)^2); for k = 2 and p = 1/2 + gamma
 *   this is 1/(16 gamma^2 n) - 1/(4n).
 * SOURCE   Dwork, Roth 2014, sec. 2.3 and 3.2; Kamath 2020, lecture 3.
 * NEEDS    reports independent, each with the law of rr; c <= n, n >= 1.
 * GIVES    the estimate and the variance bound, exact rationals; for two coins
 *          the estimate is 2 c/n - 1/2.
 * FAILS    CUSTOS_ERANGE, from public numbers.
 * TESTED   two_coins_estimate_is_two_frac_less_half,
 *          estimate_is_unbiased_exactly, variance_is_the_bound
 *
 * THEOREM  randomized-response-error
 *   With L = ln(2/beta) and V = p(1-p), let
 *   t = min(sqrt(n L / 2), L/3 + sqrt(L^2/9 + 2 n V L)). The estimate is within
 *   t / (n (p-q)) of f with probability at least 1 - beta.
 * SOURCE   Hoeffding 1963, Theorem 2; Bernstein's inequality, Boucheron,
 *          Lugosi, Massart 2013, Corollary 2.11.
 * NEEDS    as above; 0 < beta < 1. Which of the two bounds is smaller depends
 *          on public parameters alone, so no union bound is needed.
 * GIVES    this bound, rounded up.
 * FAILS    CUSTOS_EPARSE, CUSTOS_ERANGE, from public numbers.
 * TESTED   error_bar_covers, error_bar_is_the_smaller_bound
 */
#include "base/ck.h"
#include "base/error.h"
#include "base/str.h"
#include "local/rr.h"
#include "num/ival.h"
#include "num/rat_round.h"

enum {
    ERROR_BITS = 256,
    ERROR_PLACES = 18, /* decimals of an error bar */
    TEXT_MAX = 1024,
};

/* Writes a as text into the caller's buffer. */
static custos_status
text_put(const custos_rr *rr, const rat *a, char *text, size_t room,
         custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct buf b;

    buf_init(&b, &rr->alloc, TEXT_MAX);
    rat_write(a, &b);
    if (b.failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else if (b.len >= room)
        st = custos_fail(err, CUSTOS_EOVERFLOW,
                         "the text needs room for %zu bytes", b.len + 1);
    else
        memcpy(text, buf_text(&b), b.len + 1);
    buf_clear(&b);
    return st;
}

static custos_status
arguments_check(const custos_rr *rr, const void *out, uint64_t count,
                uint64_t n, custos_err *err)
{
    if (!rr || !out)
        return custos_fail(err, CUSTOS_EINVAL,
                           "rr and the result must not be NULL");
    if (n == 0)
        return custos_fail(err, CUSTOS_ERANGE, "n must be at least 1");
    if (count > n)
        return custos_fail(err, CUSTOS_ERANGE, "count must be at most n");
    return CUSTOS_OK;
}

custos_status
custos_rr_epsilon(const custos_rr *rr, char *text, size_t room, custos_err *err)
{
    custos_status st = arguments_check(rr, text, 0, 1, err);

    return st ? st : text_put(rr, &rr->epsilon_up, text, room, err);
}

custos_status
custos_rr_ratio(const custos_rr *rr, char *text, size_t room, custos_err *err)
{
    custos_status st = arguments_check(rr, text, 0, 1, err);

    return st ? st : text_put(rr, &rr->ratio, text, room, err);
}

/* (count/n - q) / (p - q) */
static void
estimate_share(const custos_rr *rr, uint64_t count, uint64_t n, rat *out)
{
    rat part;

    rat_init(&part);
    rat_set_i128(out, (i128)count);
    rat_set_i128(&part, (i128)n);
    rat_div(out, out, &part);
    rat_sub(out, out, &rr->other);
    rat_sub(&part, &rr->keep, &rr->other);
    rat_div(out, out, &part);
    rat_clear(&part);
}

custos_status
custos_rr_estimate(const custos_rr *rr, const uint64_t *counts, size_t k,
                   uint64_t n, char *text, size_t room, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat share;

    if (!rr || (k > 0 && (!counts || !text)))
        return custos_fail(err, CUSTOS_EINVAL,
                           "rr, counts and text must not be NULL");
    rat_init(&share);
    for (size_t i = 0; i < k && !st; i++) {
        st = arguments_check(rr, text, counts[i], n, err);
        if (st)
            break;
        estimate_share(rr, counts[i], n, &share);
        st = text_put(rr, &share, text + i * room, room, err);
    }
    rat_clear(&share);
    return st;
}

/* p(1-p): a bound on the variance of each report, since q < p and p + q <=
   1. */
static void
report_variance(const custos_rr *rr, rat *out)
{
    rat_set_i64(out, 1, 1);
    rat_sub(out, out, &rr->keep);
    rat_mul(out, out, &rr->keep);
}

custos_status
custos_rr_variance(const custos_rr *rr, uint64_t n, char *text, size_t room,
                   custos_err *err)
{
    custos_status st = arguments_check(rr, text, 0, n, err);
    rat variance, part;

    if (st)
        return st;
    rat_init(&variance);
    rat_init(&part);
    report_variance(rr, &variance);
    rat_sub(&part, &rr->keep, &rr->other);
    rat_div(&variance, &variance, &part);
    rat_div(&variance, &variance, &part);
    rat_set_i128(&part, (i128)n);
    rat_div(&variance, &variance, &part);
    st = text_put(rr, &variance, text, room, err);
    rat_clear(&part);
    rat_clear(&variance);
    return st;
}

/* sqrt(n L / 2) */
static void
hoeffding(const rat *n, const ival *log, ival *t)
{
    ival_set_rat(t, n);
    ival_mul(t, t, log);
    ival_mul_pow2(t, t, -1);
    ival_sqrt(t, t);
}

/* L/3 + sqrt(L^2/9 + 2 n V L) */
static void
bernstein(const rat *n, const rat *variance, const ival *log, ival *t)
{
    ival third, part;

    ival_init(&third, ERROR_BITS);
    ival_init(&part, ERROR_BITS);
    ival_set_i64(&part, 3);
    ival_div(&third, log, &part);
    ival_set_rat(t, n);
    ival_set_rat(&part, variance);
    ival_mul(t, t, &part);
    ival_mul(t, t, log);
    ival_mul_pow2(t, t, 1);
    ival_mul(&part, &third, &third);
    ival_add(t, t, &part);
    ival_sqrt(t, t);
    ival_add(t, t, &third);
    ival_clear(&part);
    ival_clear(&third);
}

/* The error bar of n reports, rounded up. */
static void
error_up(const custos_rr *rr, uint64_t n, const rat *beta, rat *out)
{
    ival log, t, other;
    rat people, part;

    ival_init(&log, ERROR_BITS);
    ival_init(&t, ERROR_BITS);
    ival_init(&other, ERROR_BITS);
    rat_init(&people);
    rat_init(&part);
    rat_set_i128(&people, (i128)n);
    rat_set_i64(&part, 2, 1);
    rat_div(&part, &part, beta);
    ival_set_rat(&log, &part);
    ival_log(&log, &log);
    hoeffding(&people, &log, &t);
    report_variance(rr, &part);
    bernstein(&people, &part, &log, &other);
    if (ival_certainly_less(&other, &t))
        ival_set(&t, &other);
    ival_up(&t, out);
    rat_div(out, out, &people);
    rat_sub(&part, &rr->keep, &rr->other);
    rat_div(out, out, &part);
    rat_places_up(out, out, ERROR_PLACES);
    rat_clear(&part);
    rat_clear(&people);
    ival_clear(&other);
    ival_clear(&t);
    ival_clear(&log);
}

custos_status
custos_rr_error(const custos_rr *rr, uint64_t n, const char *beta, char *text,
                size_t room, custos_err *err)
{
    custos_status st = arguments_check(rr, text, 0, n, err);
    rat miss, error;

    if (st)
        return st;
    rat_init(&miss);
    rat_init(&error);
    st = rat_read_open_unit(beta, "beta", &miss, err);
    if (!st) {
        error_up(rr, n, &miss, &error);
        st = text_put(rr, &error, text, room, err);
    }
    rat_clear(&error);
    rat_clear(&miss);
    return st;
}
