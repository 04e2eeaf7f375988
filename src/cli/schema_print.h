/*
 * Prints the tables and columns that the policy grants to an analyst. It shows
 * public facts only.
 */
#ifndef CLI_SCHEMA_PRINT_H
#define CLI_SCHEMA_PRINT_H

#include "cli/out.h"
#include "policy/policy.h"

/* Prints the columns of the table; if name is "", all tables, one per line. */
void schema_print(struct out *o, const struct policy *p,
                  const struct policy_analyst *who, const char *name);

#endif
