/*
 * The schema as an analyst may see it: what the policy grants, public facts
 * only.
 */
#ifndef CLI_SCHEMA_PRINT_H
#define CLI_SCHEMA_PRINT_H

#include "cli/out.h"
#include "policy/policy.h"

/* name "": all tables in a line each; else the columns of one. */
void schema_print(struct out *o, const struct policy *p,
                  const struct policy_analyst *who, const char *name);

#endif
