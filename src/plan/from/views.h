/*
 * Views: a name that the policy gives to a query is replaced by that query. The
 * text of a view is the owner's: inside it the owner's grants apply, and
 * outside only its outputs are visible.
 */
#ifndef PLAN_VIEWS_H
#define PLAN_VIEWS_H

#include "evaluate/effort.h"
#include "policy/policy.h"
#include "sql/tree.h"

/*
 * Replaces every view in q that is granted to `who` by a FROM_QUERY, `trusted`;
 * all positions in it are that of the view's name. A view that is not granted
 * is left alone, as a name that no table has. May fail: CUSTOS_EPOLICY (one
 * message, whatever is wrong with the view), CUSTOS_EUNSUPPORTED, CUSTOS_ENOMEM
 * (also without steps; effort may be NULL).
 */
CUSTOS_MUST_USE custos_status views_expand(arena *a, const struct policy *p,
                                           const struct policy_analyst *who,
                                           struct effort *effort,
                                           struct query *q, custos_err *err);

/*
 * For the owner: checks that every view of p can be read, uses only existing
 * tables and views, and does not use itself. Reports the first that fails:
 * CUSTOS_EPOLICY with its line; `path` names the file. Also CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status views_check(arena *a, const struct policy *p,
                                          const char *path, custos_err *err);

#endif
