/*
 * Composition theorems for plans: the epsilon of the whole plan at a delta,
 * rounded up. Each returns NULL, or why it does not apply; epsilon is then
 * unspecified.
 *
 * They take a plan and nothing else. What a filter has admitted is not a plan:
 * these theorems need parameters fixed in advance.
 */
#ifndef ACCOUNT_COMPOSE_H
#define ACCOUNT_COMPOSE_H

#include "account/plan.h"
#include "num/rat.h"

/* 0 <= delta < 1; the plan is not empty. */
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

/* sum += x count, rounded up when it grows long. */
void compose_add(rat *sum, const rat *x, uint64_t count);

/* rest = delta minus the members' own deltas; false when that is below 0. */
bool compose_rest(const struct custos_plan *plan, const rat *delta, rat *rest);

#endif
