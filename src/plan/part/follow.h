/*
 * A plan that selects one of several plans from the data, and then runs that one.
 * All that can follow are made before anything is charged, so that none of them
 * can fail to be made afterwards.
 */
#ifndef PLAN_FOLLOW_H
#define PLAN_FOLLOW_H

#include "plan/plan.h"

/*
 * The plan with the one stage `stage`, whose `next` is set. Its public facts are
 * those of the last plan that may follow; its theorems are those given and those
 * of all these plans. NULL without memory.
 */
struct plan *follow_new(arena *a, const struct stage *stage,
                        const char *const *theorems, size_t n_theorems);

/* What the plans that may follow are made from. */
struct follow_query {
    arena *a;
    struct query *q;
    const struct policy *p;
    const struct plan_options *options;
};

/* Makes plan i; fails as plan_make does. */
typedef custos_status (*follow_one)(const struct follow_query *f, size_t i,
                                    struct plan **out, custos_err *err);

/*
 * Makes plans *n, *n + 1, ... until there are `most`, or no plan is possible for
 * the next (because a sum is too wide, for example). Where this ends is public.
 * May fail: CUSTOS_ENOMEM; then the plans made so far are the caller's, too.
 */
CUSTOS_MUST_USE custos_status follow_plans_make(const struct follow_query *f,
                                                follow_one make, size_t most,
                                                struct plan **plans, size_t *n,
                                                custos_err *err);
void follow_plans_free(struct plan **plans, size_t *n);

#endif
