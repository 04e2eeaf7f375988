/*
 * A function of a shared object as a target: custos_audit_run, which
 * include/custos_audit.h describes. One call is one output, and is timed.
 */
#ifndef AUDIT_PROGRAM_OBJECT_H
#define AUDIT_PROGRAM_OBJECT_H

#include "audit/audit.h"

enum object_time { OBJECT_TIME_SEEN, OBJECT_TIME_IGNORED };

struct object;

/*
 * Loads the file and calls its function on both sides of the first and the last
 * pair, to learn how many numbers it writes. Fails with CUSTOS_EINVAL if it cannot
 * be loaded or has no such function; with CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status object_new(const char *path,
                                         enum object_time time,
                                         const struct pair *pairs,
                                         size_t n_pairs, struct object **out,
                                         custos_err *err);
void object_free(struct object *object);

/* Owned by object. */
const struct audit_target *object_target(const struct object *object);

#endif
