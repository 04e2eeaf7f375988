/*
 * A charge: one transaction reads the balance, decides, and writes the new
 * balance. A request holds public facts only, and so does every refusal.
 */
#include <string.h>

#include "base/error.h"
#include "ledger/inside.h"
#include "ledger/sizes.h"
#include "ledger/tripwire.h"

static custos_status
check_request(const struct ledger_request *r, custos_err *err)
{
    const struct charge *c = r->charge;

    if (c->epsilon == 0 && c->rho == 0 && c->delta == 0 && c->delta_rho == 0)
        return custos_fail(err, CUSTOS_EINVAL, "a charge must be above zero");
    if (r->shared && !r->who.len)
        return custos_fail(
            err, CUSTOS_EINVAL,
            "only an analyst can be charged for a shared answer");
    return CUSTOS_OK;
}

custos_status
charge_check(struct ledger *l, const struct ledger_request *r, custos_err *err)
{
    custos_status st = check_request(r, err);

    if (!st)
        st = ledger_terms_now(l, err);
    if (!st && memcmp(l->terms->said.policy, r->policy, sizeof r->policy) != 0)
        st = custos_fail(err, CUSTOS_EPOLICY,
                         "the policy has changed" HINT
                         "the owner must run custos owner reload, or custos "
                         "init again if no server runs");
    return st ? st : tripwire_judge(l->db, r, err);
}

/* May the request be charged under the terms in force? */
static custos_status
judge_charge(struct ledger *l, const struct ledger_request *r,
             struct standing *s, custos_err *err)
{
    custos_status st = charge_check(l, r, err);

    if (!st)
        st = budgets_admit(l->db, l->terms, r, s, err);
    if (!st)
        st = growth_judge(l, r, 1, s->analyst, err);
    return st;
}

static custos_status
step_check(struct ledger *l, void *arg, custos_err *err)
{
    const struct ledger_request *const *r = arg;
    struct standing s;

    return judge_charge(l, *r, &s, err);
}

custos_status
ledger_check_charge(struct ledger *l, const struct ledger_request *r,
                    custos_err *err)
{
    return ledger_read(l, step_check, &r, err);
}

custos_status
step_charge(struct ledger *l, void *arg, custos_err *err)
{
    char epsilon[AMOUNT_TEXT_MAX], rho[AMOUNT_TEXT_MAX], delta[AMOUNT_TEXT_MAX],
        delta_rho[AMOUNT_TEXT_MAX];
    struct ledger_job *job = arg;
    const struct ledger_request *r = job->request;
    struct ledger_row row;
    struct standing s;
    custos_status st = judge_charge(l, r, &s, err);

    if (st)
        return st;
    memset(&row, 0, sizeof row);
    amount_write(r->charge->epsilon, AMOUNT_LOSS, epsilon);
    amount_write(r->charge->rho, AMOUNT_LOSS, rho);
    amount_write(r->charge->delta, AMOUNT_DELTA, delta);
    amount_write(r->charge->delta_rho, AMOUNT_DELTA, delta_rho);
    row.time = r->now;
    row.kind = str_of("charge");
    row.who = r->who;
    row.query = r->query;
    row.plan = r->plan;
    row.theorems = r->theorems;
    if (r->shared)
        row.words = str_of(CHAIN_SHARED);
    row.epsilon = str_of(epsilon);
    row.rho = str_of(rho);
    row.delta = str_of(delta);
    row.delta_rho = str_of(delta_rho);
    row.data_version = r->data_version;
    memcpy(row.policy, r->policy, sizeof row.policy);
    st = ledger_append(l, &row, r->charge, &s.own, err);
    if (!st)
        st = growth_count(l, r, s.analyst, err);
    if (!st)
        window_count(l->terms, s.analyst, &s.own, r->charge, r->now);
    job->receipt = row.receipt;
    return st;
}
