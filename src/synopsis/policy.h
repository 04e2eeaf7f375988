/*
 * The table of a synopsis as the curator's policy has it: public, with the schema's
 * columns. So a question to a synopsis is read, typed and refused as any other.
 */
#ifndef SYNOPSIS_POLICY_H
#define SYNOPSIS_POLICY_H

#include "policy/policy.h"
#include "synopsis/synopsis.h"

/* The name of the table's file, which is empty but for its head. */
#define SYNOPSIS_SOURCE "table.csv"

/* The analyst that the policy names. */
#define SYNOPSIS_READER "public"

/* The text of the policy. */
void synopsis_policy_write(const struct synopsis *s, struct buf *out);

/* May fail: CUSTOS_EPOLICY (a name that no table or column can have),
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status synopsis_policy(arena *a,
                                              const struct synopsis *s,
                                              struct policy **out,
                                              custos_err *err);

#endif
