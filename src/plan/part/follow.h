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

#endif
