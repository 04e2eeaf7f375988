#include "release/price.h"

#include "account/convert.h"
#include "base/error.h"
#include "synth/price.h"

/* Sets what remains once rho, down to whole units, and the promise are known. */
static custos_status
finish(const rat *epsilon, const rat *delta, const rat *rho, bool in_rho,
       struct release_price *out, custos_err *err)
{
    rat exact, zero;

    if (!amount_from_rat_down(rho, AMOUNT_LOSS, &out->rho) ||
        out->rho >= PRICE_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "this price is so large that it promises nothing");
    if (out->rho == 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "this price is too small for a single measurement");
    amount_write(out->rho, AMOUNT_LOSS, out->rho_text);
    rat_init(&exact);
    rat_init(&zero);
    amount_to_rat(out->rho, AMOUNT_LOSS, &exact);
    if (in_rho)
        charge_of_amounts(NULL, &exact, &zero, NULL, &out->charge);
    else
        charge_of_amounts(epsilon, &exact, delta, &zero, &out->charge);
    rat_clear(&exact);
    rat_clear(&zero);
    return CUSTOS_OK;
}

static custos_status
make_of_rho(str rho, struct release_price *out, custos_err *err)
{
    custos_status st;
    rat x;

    rat_init(&x);
    st = rat_read_positive(rho.ptr, "rho", &x, err);
    if (!st)
        st = finish(NULL, NULL, &x, true, out, err);
    memcpy(out->epsilon, "infinity", sizeof "infinity");
    memcpy(out->delta, "0", sizeof "0");
    rat_clear(&x);
    return st;
}

static custos_status
make_of_epsilon(str epsilon, str delta, struct release_price *out,
                custos_err *err)
{
    rat e, d, rho;
    custos_status st;

    rat_init(&e);
    rat_init(&d);
    rat_init(&rho);
    st = rat_read_positive(epsilon.ptr, "epsilon", &e, err);
    if (!st)
        st = rat_read_open_unit(delta.ptr, "delta", &d, err);
    if (!st && (!rat_write_into(&e, out->epsilon, sizeof out->epsilon) ||
                !rat_write_into(&d, out->delta, sizeof out->delta)))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon and delta have too many digits");
    if (!st) {
        zcdp_budget_down(&e, &d, &rho);
        st = finish(&e, &d, &rho, false, out, err);
    }
    rat_clear(&e);
    rat_clear(&d);
    rat_clear(&rho);
    return st;
}

custos_status
release_price_make(str epsilon, str delta, str rho, struct release_price *out,
                   custos_err *err)
{
    if ((epsilon.len > 0) == (rho.len > 0))
        return custos_fail(err, CUSTOS_EINVAL,
                           "a release has one price" HINT
                           "give --epsilon and --delta, or --rho");
    if (rho.len > 0 && delta.len > 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a price in rho has no delta" HINT
                           "leave out --delta, or give --epsilon");
    if (epsilon.len > 0 && delta.len == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a release priced in epsilon needs a delta" HINT
                           "give --delta, for example 1e-9, or --rho instead");
    return rho.len > 0 ? make_of_rho(rho, out, err)
                       : make_of_epsilon(epsilon, delta, out, err);
}

/* --------------------------------------------------------- by the policy -- */

/* The policy's text, which policy_read has checked. */
static void
read_limit(str text, rat *out)
{
    CUSTOS_REQUIRE(!rat_read(text.ptr, "limit", out, NULL));
}

static amount
least_of(str text)
{
    amount least;
    rat x;

    rat_init(&x);
    read_limit(text, &x);
    least = amount_from_rat_up(&x, AMOUNT_LOSS);
    rat_clear(&x);
    return least;
}

static custos_status
check_least(const char *name, amount price, str least, custos_err *err)
{
    char text[AMOUNT_TEXT_MAX];

    if (price >= least_of(least))
        return CUSTOS_OK;
    amount_write(price, AMOUNT_LOSS, text);
    return custos_fail(err, CUSTOS_EDENIED,
                       "this release would cost %s %s, and the policy's least "
                       "price is %.*s" HINT "give a larger price",
                       name, text, (int)least.len, least.ptr);
}

custos_status
release_price_check(struct release_price *p, const struct policy *policy,
                    custos_err *err)
{
    const amount least = least_of(policy->min_rho);

    if (p->charge.epsilon == AMOUNT_INFINITE)
        return check_least("rho", p->charge.rho, policy->min_rho, err);
    p->charge.rho = p->charge.rho > least ? p->charge.rho : least;
    return check_least("epsilon", p->charge.epsilon, policy->min_epsilon, err);
}
