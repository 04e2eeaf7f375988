/*
 * The public domain of an expression: every value it can take.
 */
#ifndef PLAN_DOMAIN_H
#define PLAN_DOMAIN_H

#include "evaluate/effort.h"
#include "plan/type/fact.h"
#include "policy/policy.h"

enum domain_result {
    DOMAIN_FOUND,
    DOMAIN_NONE,      /* no finite domain is known */
    DOMAIN_LARGE,     /* more than `room` values */
    DOMAIN_NO_MEMORY, /* or no steps remain */
};

struct domain {
    arena *a;
    struct effort *effort;
    const struct policy_table *table;
    size_t room;          /* the most values, counting duplicates */
    struct datum *values; /* n of them; sorted and distinct in the end */
    size_t n;
    size_t capacity; /* of values */
    bool null;       /* NULL is among them */
};

/* Before the call e is typed, and d has only a, effort, table and room set. */
enum domain_result domain_find(struct domain *d, const struct expr *e);

/* Is e a call of date_trunc? */
bool domain_is_period(const struct expr *e);

#endif
