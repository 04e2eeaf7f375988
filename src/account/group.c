/*
 * Removing a group of k units takes k steps from neighbour to neighbour. Each
 * step multiplies the bound on a probability by e^epsilon and adds delta, so
 * the deltas form a geometric series.
 *
 * THEOREM  group-approx
 *   (epsilon, delta)-DP for one unit is (k epsilon, delta (e^(k epsilon) - 1)
 *   / (e^epsilon - 1))-DP for k of them, and so (k epsilon,
 *   k e^((k-1) epsilon) delta)-DP.
 * SOURCE   Dwork, Roth 2014, theorem 2.2 (pure); Vadhan 2017, lemma 2.2;
 *          doc/proofs/group-approx.md
 * NEEDS    epsilon >= 0, 0 <= delta <= 1, k >= 1.
 * GIVES    k epsilon exactly, delta rounded up to at most 1.
 * FAILS    cannot.
 * TESTED   group_worked_example group_series_beats_textbook
 *          group_bounds_randomized_response
 *
 * THEOREM  group-zcdp
 *   rho-zCDP for one unit is k^2 rho-zCDP for k of them.
 * SOURCE   Bun, Steinke 2016, arXiv:1605.02065, proposition 1.9.
 * NEEDS    rho >= 0, k >= 1.
 * GIVES    k^2 rho exactly.
 * FAILS    cannot.
 * TESTED   group_zcdp_is_quadratic
 */
#include "account/group.h"

#include "account/search.h"
#include "base/error.h"
#include "base/sized.h"
#include "custos.h"
#include "num/batch.h"
#include "num/rat_round.h"

enum { BITS = 320 };

void
group_epsilon(const rat *epsilon, uint64_t size, rat *out)
{
    rat k;

    rat_init(&k);
    rat_set_u64(&k, size);
    rat_mul(out, epsilon, &k);
    rat_clear(&k);
}

void
group_rho(const rat *rho, uint64_t size, rat *out)
{
    group_epsilon(rho, size, out);
    group_epsilon(out, size, out);
}

/* out = delta times x, rounded up, at most 1. */
static void
delta_times(const ival *x, const rat *delta, rat *out)
{
    ival all;
    rat one;

    ival_init(&all, BITS);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    ival_mul_rat(&all, x, delta);
    if (!bound_up(&all, out) || rat_cmp(out, &one) > 0)
        rat_set(out, &one);
    ival_clear(&all);
    rat_clear(&one);
}

/* Exact for one unit, or if epsilon or delta is 0: out = k delta, at most 1. */
static bool
is_exact(const rat *epsilon, const rat *delta, uint64_t size, rat *out)
{
    if (size > 1 && rat_sign(epsilon) > 0 && rat_sign(delta) > 0)
        return false;
    group_epsilon(delta, size, out);
    if (rat_cmp_i64(out, 1) > 0)
        rat_set_i64(out, 1, 1);
    return true;
}

void
group_delta_up(const rat *epsilon, const rat *delta, uint64_t size, rat *out)
{
    ival x[2];
    rat all;

    if (is_exact(epsilon, delta, size, out))
        return;
    ivals_init(x, 2, BITS);
    rat_init(&all);
    group_epsilon(epsilon, size, &all);
    ival_set_rat(&x[0], &all);
    ival_expm1(&x[0], &x[0]);
    ival_set_rat(&x[1], epsilon);
    ival_expm1(&x[1], &x[1]);
    ival_div(&x[0], &x[0], &x[1]);
    delta_times(&x[0], delta, out);
    ivals_clear(x, 2);
    rat_clear(&all);
}

void
group_delta_textbook_up(const rat *epsilon, const rat *delta, uint64_t size,
                        rat *out)
{
    ival x;
    rat all;

    if (is_exact(epsilon, delta, size, out))
        return;
    ival_init(&x, BITS);
    rat_init(&all);
    group_epsilon(epsilon, size - 1, &all);
    ival_set_rat(&x, &all);
    ival_exp(&x, &x);
    rat_set_u64(&all, size);
    ival_mul_rat(&x, &x, &all);
    delta_times(&x, delta, out);
    ival_clear(&x);
    rat_clear(&all);
}

/* ------------------------------------------------- the public interface -- */

/* Rejects an empty group, and numbers too large for the results' text. */
static custos_status
check_units(const rat *x, uint64_t units, const char *name, custos_err *err)
{
    if (units == 0)
        return custos_fail(err, CUSTOS_EINVAL, "units must be at least 1");
    if (rat_sign(x) > 0 && rat_log2_floor(x) > 64)
        return custos_fail(err, CUSTOS_ERANGE, "%s must be below 2^64", name);
    return CUSTOS_OK;
}

custos_status
custos_group_approx(const char *epsilon, const char *delta, uint64_t units,
                    custos_group *out, custos_err *err)
{
    custos_group made = CUSTOS_GROUP_INIT;
    custos_status st = result_check(out, err);
    rat x[3];

    if (st)
        return st;
    rats_init(x, 3);
    st = rat_read_positive(epsilon, "epsilon", &x[0], err);
    if (!st && delta)
        st = rat_read_delta(delta, "delta", &x[1], err);
    if (!st)
        st = check_units(&x[0], units, "epsilon", err);
    if (!st) {
        group_delta_textbook_up(&x[0], &x[1], units, &x[2]);
        rat_decimal(&x[2], RAT_UP, made.delta_textbook);
        group_delta_up(&x[0], &x[1], units, &x[2]);
        rat_decimal(&x[2], RAT_UP, made.delta);
        group_epsilon(&x[0], units, &x[2]);
        rat_decimal(&x[2], RAT_UP, made.epsilon);
        made.theorem = "group-approx";
        made.source = "Vadhan 2017, lemma 2.2, summed as a geometric series: "
                      "(k eps, delta (e^(k eps) - 1)/(e^eps - 1))";
        result_write(out, &made, sizeof made);
    }
    rats_clear(x, 3);
    return st;
}

custos_status
custos_group_rho(const char *rho, uint64_t units, custos_group *out,
                 custos_err *err)
{
    custos_group made = CUSTOS_GROUP_INIT;
    custos_status st = result_check(out, err);
    rat x;

    if (st)
        return st;
    rat_init(&x);
    st = rat_read_positive(rho, "rho", &x, err);
    if (!st)
        st = check_units(&x, units, "rho", err);
    if (!st) {
        group_rho(&x, units, &x);
        rat_decimal(&x, RAT_UP, made.rho);
        made.theorem = "group-zcdp";
        made.source = "Bun, Steinke 2016, proposition 1.9: k^2 rho";
        result_write(out, &made, sizeof made);
    }
    rat_clear(&x);
    return st;
}
