/*
 * Explains what a privacy promise means: one given in the request, or that of
 * all answers so far to the analyst who asks (for the owner: to all analysts
 * together).
 */
#include "http/api.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"

custos_status
api_number(const struct http_request *r, const char *name,
           char out[DIGITS_GIVEN_MAX], custos_err *err)
{
    str value = http_argument(r, name);

    if (!value.len || value.len >= DIGITS_GIVEN_MAX ||
        memchr(value.ptr, 0, value.len))
        return custos_fail(err, CUSTOS_EPARSE,
                           "%s must be a number such as 0.5 or 1e-6", name);
    memcpy(out, value.ptr, value.len);
    out[value.len] = 0;
    return CUSTOS_OK;
}

/* A promise, and the texts that show it. */
struct promise {
    custos_risk *risk;
    char epsilon[RISK_TEXT_MAX], delta[RISK_TEXT_MAX];
    enum risk_of of;
};

static custos_status
promise_given(const struct http_request *r, struct promise *p, custos_err *err)
{
    char epsilon[DIGITS_GIVEN_MAX], delta[DIGITS_GIVEN_MAX];
    bool has_delta = r->n_arguments > 1; /* epsilon and delta */
    custos_status st = api_number(r, "epsilon", epsilon, err);

    if (!st && has_delta)
        st = api_number(r, "delta", delta, err);
    p->of = RISK_OF_PROMISE;
    return st ? st
              : risk_of_promise(epsilon, has_delta ? delta : NULL, &p->risk,
                                p->epsilon, p->delta, err);
}

static custos_status
promise_spent(struct curator *c, str who, struct promise *p, custos_err *err)
{
    struct ledger_spent sums;
    char at[DIGITS_GIVEN_MAX];
    struct risk_spent spent = {sums.epsilon, sums.rho, sums.delta,
                               sums.delta_rho, at};
    str delta = curator_policy(c)->budget.delta;
    custos_status st = ledger_spent(curator_ledger(c), who, &sums, err);

    if (st)
        return st;
    snprintf(at, sizeof at, "%.*s", (int)delta.len, delta.ptr);
    p->of = sums.charges ? RISK_OF_ANSWERS : RISK_OF_NOTHING;
    return risk_of_spent(&spent, &p->risk, p->epsilon, p->delta, err);
}

void
api_risk(struct curator *c, str who, const struct http_request *r,
         struct http_reply *out)
{
    struct promise p = {0};
    struct risk_told t = {
        .epsilon = p.epsilon,
        .delta = p.delta,
        .own = who.len > 0,
    };
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = curator_refresh(c, &err);

    if (!st)
        st = r->n_arguments ? promise_given(r, &p, &err)
                            : promise_spent(c, who, &p, &err);
    t.of = p.of;
    if (!st) {
        t.adjacency = curator_policy(c)->adjacency;
        st = risk_report(p.risk, &t, &err);
    }
    if (!st) {
        json_init(&j, &out->body, JSON_LINES);
        json_begin(&j, NULL);
        contract_risk(&j, &t);
        json_end(&j);
    } else {
        http_refuse(out, &err, str_of(""));
    }
    custos_risk_free(p.risk);
}
