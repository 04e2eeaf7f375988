/*
 * One question to the privacy-loss distribution of a plan, whose handle is made
 * and freed here.
 */
#ifndef TEST_PLD_OF_H
#define TEST_PLD_OF_H

#include "custos.h"

static inline custos_status
pld_epsilon_of(const custos_plan *plan, const char *delta, const char *width,
               custos_interval *out, custos_err *err)
{
    custos_pld *pld = NULL;
    custos_status st = custos_pld_new(plan, &pld, err);

    if (!st)
        st = custos_pld_epsilon(pld, delta, width, out, err);
    custos_pld_free(pld);
    return st;
}

static inline custos_status
pld_delta_of(const custos_plan *plan, const char *epsilon, const char *width,
             custos_interval *out, custos_err *err)
{
    custos_pld *pld = NULL;
    custos_status st = custos_pld_new(plan, &pld, err);

    if (!st)
        st = custos_pld_delta(pld, epsilon, width, out, err);
    custos_pld_free(pld);
    return st;
}

#endif
