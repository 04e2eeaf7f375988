/*
 * Writes a policy of an older format in the current one.
 */
#ifndef POLICY_MIGRATE_H
#define POLICY_MIGRATE_H

#include "policy/policy.h"

/*
 * Appends to out the policy in format POLICY_FORMAT: the same bytes, comments
 * included, but for the number of the format. Fails like policy_read; a failure
 * of out shows only in out->failed.
 */
CUSTOS_MUST_USE custos_status policy_migrate(arena *a, str text,
                                             const char *path, struct buf *out,
                                             custos_err *err);

#endif
