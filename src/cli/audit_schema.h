/*
 * The public facts of a policy, for the parts of the auditor that meet the
 * curator as a stranger (audit/stranger/schema.h).
 */
#ifndef CLI_AUDIT_SCHEMA_H
#define CLI_AUDIT_SCHEMA_H

#include "audit/stranger/schema.h"
#include "base/arena.h"

/*
 * Reads the policy of a store (NULL: the default one), or the file if `policy`
 * is not NULL. Everything is allocated in a. Stores of an audit are small, so
 * max_rows is lowered to what their tables need: public reply times depend on
 * it. Returns CLI_OK, or an exit code after printing why not.
 */
int audit_schema_read(arena *a, const char *store, const char *policy,
                      struct schema *out);

#endif
