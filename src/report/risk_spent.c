/*
 * Converts what was spent so far to promises.
 *
 * THEOREM  risk-of-spending
 *   Let E, r, D and C be fixed before the run. A run whose charges never add up
 *   to more than E in epsilon, r in rho, D in the deltas up to which epsilon
 *   holds and C in those up to which rho holds keeps (E, D)-DP, and (e, d + C)-DP
 *   for every (e, d) that r-zCDP implies; so every bound on tests that follows
 *   from any of these holds for all its answers together.
 * SOURCE   doc/proofs/risk-of-spending.md, by filter-basic and filter-zcdp.
 * NEEDS    the sums of all charges; each holds for one unit.
 * GIVES    promises, with epsilon and delta rounded up, that a budget of
 *          exactly these sums would have kept. Sums without a bound give no
 *          promise; a promise with an epsilon of 2^10 or more says nothing.
 * FAILS    CUSTOS_ENOMEM; also if a text is not an amount.
 * TESTED   risk_of_spending_is_an_upper_bound risk_of_nothing_is_a_coin
 *          risk_of_spending_is_never_less_than_its_parts
 */
#include "report/risk.h"

#include <string.h>

#include "account/convert.h"
#include "base/base.h"
#include "base/error.h"
#include "num/batch.h"
#include "num/rat_round.h"

/* The largest epsilon that custos_risk_add accepts; it implies nothing. */
enum { EPSILON_MOST = 1 << 10 };
static const char NOTHING[] = "1024";

/* The points at which the curve of rho is evaluated: deltas and epsilons. */
static const char *const deltas[] = {"1e-12", "1e-9", "1e-7", "1e-6",
                                     "1e-5",  "1e-4", "1e-3", "1e-2"};
static const char *const epsilons[] = {"0",   "0.05", "0.1", "0.2", "0.4",
                                       "0.7", "1",    "1.5", "2",   "3",
                                       "4",   "6",    "8"};

/* Adds a promise to *risk, and creates *risk for the first one. Skips a promise
   that says nothing: its delta is nearly 1, or its epsilon EPSILON_MOST or
   more. */
static custos_status
promise_add(custos_risk **risk, const rat *epsilon, const rat *delta,
            custos_err *err)
{
    char e[RAT_DECIMAL_MAX], d[RAT_DECIMAL_MAX];
    bool none;
    rat most;

    rat_init(&most);
    rat_set_i64(&most, 999, 1000);
    none = rat_cmp(delta, &most) > 0 || rat_cmp_i64(epsilon, EPSILON_MOST) >= 0;
    rat_clear(&most);
    if (none)
        return CUSTOS_OK;
    rat_decimal(epsilon, RAT_UP, e);
    rat_decimal(delta, RAT_UP, d);
    return *risk ? custos_risk_add(*risk, e, d, err)
                 : custos_risk_new(NULL, e, d, risk, err);
}

/* Reads a sum; *bounded is false for "infinity". */
static custos_status
sum_read(const char *text, const char *name, bool *bounded, rat *out,
         custos_err *err)
{
    *bounded = strcmp(text, "infinity") != 0;
    return *bounded ? rat_read(text, name, out, err) : CUSTOS_OK;
}

struct sums {
    rat epsilon, rho, delta, delta_rho;
    bool has_epsilon, has_rho;
};

static custos_status
sums_read(struct sums *s, const struct risk_spent *spent, custos_err *err)
{
    bool has_delta = false, has_delta_rho = false;
    custos_status st =
        sum_read(spent->epsilon, "epsilon", &s->has_epsilon, &s->epsilon, err);

    if (!st)
        st = sum_read(spent->rho, "rho", &s->has_rho, &s->rho, err);
    if (!st)
        st = sum_read(spent->delta, "delta", &has_delta, &s->delta, err);
    if (!st)
        st = sum_read(spent->delta_rho, "delta", &has_delta_rho, &s->delta_rho,
                      err);
    s->has_epsilon = s->has_epsilon && has_delta;
    s->has_rho = s->has_rho && has_delta_rho && rat_sign(&s->rho) > 0;
    return st;
}

/* The tighter of two promises: that of rho, converted at the delta `at`, or
   that of epsilon; false if neither sum has a bound. */
static bool
best_promise(const struct sums *s, const rat *at, rat *epsilon, rat *delta)
{
    bool by_rho = s->has_rho && rat_sign(at) > 0 &&
                  zcdp_epsilon_up(&s->rho, at, epsilon) &&
                  (!s->has_epsilon || rat_cmp(epsilon, &s->epsilon) < 0);

    if (by_rho) {
        rat_add(delta, &s->delta_rho, at);
    } else {
        rat_set(delta, &s->delta);
        rat_set(epsilon, &s->epsilon);
    }
    return by_rho || s->has_epsilon;
}

/* Adds all points of the curve of rho, and the promise of epsilon. */
static custos_status
curve_add(const struct sums *s, custos_risk **risk, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat x[2];

    rats_init(x, 2);
    for (size_t i = 0; i < COUNT_OF(deltas) && s->has_rho && !st; i++) {
        st = rat_read(deltas[i], "delta", &x[1], err);
        if (st || !zcdp_epsilon_up(&s->rho, &x[1], &x[0]))
            continue;
        rat_add(&x[1], &x[1], &s->delta_rho);
        st = promise_add(risk, &x[0], &x[1], err);
    }
    for (size_t i = 0; i < COUNT_OF(epsilons) && s->has_rho && !st; i++) {
        st = rat_read(epsilons[i], "epsilon", &x[0], err);
        if (st)
            continue;
        zcdp_delta_up(&s->rho, &x[0], &x[1]);
        rat_add(&x[1], &x[1], &s->delta_rho);
        st = promise_add(risk, &x[0], &x[1], err);
    }
    if (!st && s->has_epsilon)
        st = promise_add(risk, &s->epsilon, &s->delta, err);
    rats_clear(x, 2);
    return st;
}

custos_status
risk_of_spent(const struct risk_spent *spent, custos_risk **out,
              char epsilon[RISK_TEXT_MAX], char delta[RISK_TEXT_MAX],
              custos_err *err)
{
    custos_risk *risk = NULL;
    custos_status st;
    struct sums s = {0};
    rat x[3];

    rats_init(x, 3);
    rat_init(&s.epsilon);
    rat_init(&s.rho);
    rat_init(&s.delta);
    rat_init(&s.delta_rho);
    st = sums_read(&s, spent, err);
    if (!st)
        st = rat_read(spent->at, "delta", &x[2], err);
    memcpy(epsilon, "infinity", sizeof "infinity");
    memcpy(delta, "1", sizeof "1");
    if (!st && best_promise(&s, &x[2], &x[0], &x[1])) {
        rat_decimal(&x[0], RAT_UP, epsilon);
        rat_decimal(&x[1], RAT_UP, delta);
        st = promise_add(&risk, &x[0], &x[1], err);
    }
    /* Bounds on beliefs come from the first promise: the one shown, or this
       one, which implies nothing. */
    if (!st && !risk)
        st = custos_risk_new(NULL, NOTHING, NULL, &risk, err);
    if (!st)
        st = curve_add(&s, &risk, err);
    rat_clear(&s.epsilon);
    rat_clear(&s.rho);
    rat_clear(&s.delta);
    rat_clear(&s.delta_rho);
    rats_clear(x, 3);
    if (st)
        custos_risk_free(risk);
    else
        *out = risk;
    return st;
}
