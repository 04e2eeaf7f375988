/*
 * Composition theorems for plans: the epsilon of the complete plan at a delta,
 * rounded up. Each function returns NULL, or the reason why it does not apply;
 * epsilon is then unspecified.
 *
 * They accept only a plan. The charges that a filter has admitted are not a
 * plan: these theorems need parameters fixed in advance.
 */
#ifndef ACCOUNT_COMPOSE_H
#define ACCOUNT_COMPOSE_H

#include "account/plan.h"
#include "num/rat.h"

/* Needs 0 <= delta < 1 and a plan that is not empty. */
typedef const char *
compose_theorem(const struct custos_plan *plan, const rat *delta, rat *epsilon);

compose_theorem compose_basic;
compose_theorem compose_parallel;
compose_theorem compose_parallel_change;
compose_theorem compose_advanced;
compose_theorem compose_optimal;
compose_theorem compose_zcdp;
compose_theorem compose_rdp;
compose_theorem compose_gdp;

/* sum += x count; a sum with many digits is rounded up. */
void compose_add(rat *sum, const rat *x, uint64_t count);

/*
 * rest = delta minus the deltas of the plan's mechanisms (its members); false
 * if that is negative.
 */
bool compose_rest(const struct custos_plan *plan, const rat *delta, rat *rest);

#endif
