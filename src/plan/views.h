/*
 * Views: a name that the policy gives to a query becomes that query. It is the
 * owner's text: the owner's grants hold inside it, and outside only its outputs
 * are visible.
 */
#ifndef PLAN_VIEWS_H
#define PLAN_VIEWS_H

#include "plan/effort.h"
#include "policy/policy.h"
#include "sql/tree.h"

/*
 * Every view in q that is granted to who becomes a FROM_QUERY, `trusted`; all
 * positions in it are those of its name. One that is not granted stays a name
 * of no table. May fail: CUSTOS_EPOLICY (one sentence, whatever is wrong with
 * the view), CUSTOS_EUNSUPPORTED, CUSTOS_ENOMEM (also without steps; effort may
 * be NULL).
 */
CUSTOS_MUST_USE custos_status views_expand(arena *a, const struct policy *p,
                                           const struct policy_analyst *who,
                                           struct effort *effort,
                                           struct query *q, custos_err *err);

/*
 * For the owner: checks that every view of p can be read, and uses existing
 * tables and views but not itself. The first that fails: CUSTOS_EPOLICY with
 * its line; `path` names the file. Also CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status views_check(arena *a, const struct policy *p,
                                          const char *path, custos_err *err);

#endif
