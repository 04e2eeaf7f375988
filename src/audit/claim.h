/*
 * In which unit a claim is made, and what a bound says in it.
 */
#ifndef AUDIT_CLAIM_H
#define AUDIT_CLAIM_H

#include "audit/audit.h"
#include "audit/bound.h"

enum claim_unit { CLAIM_EPSILON, CLAIM_MU, CLAIM_RHO };

enum claim_unit claim_unit(const struct claim *claim);

/* "epsilon", "mu" or "rho". */
const char *claim_unit_name(const struct claim *claim);

/* What is claimed, in its unit. */
double claim_amount(const struct claim *claim);

/* What a bound, or a finding, refutes in that unit. */
double claim_refuted(const struct claim *claim, const struct bound *bound);
double claim_found(const struct finding *finding);

#endif
