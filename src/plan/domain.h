/*
 * The public domain of an expression: every value it can take.
 */
#ifndef PLAN_DOMAIN_H
#define PLAN_DOMAIN_H

#include "plan/fact.h"
#include "policy/policy.h"

enum domain_found {
    DOMAIN_FOUND,
    DOMAIN_NONE,  /* no finite domain is known */
    DOMAIN_LARGE, /* more than `room` values */
    DOMAIN_NO_MEMORY,
};

struct domain {
    arena *a;
    const struct policy_table *table;
    struct datum *values; /* room of them; ascending, each once, when found */
    size_t n, room;
    bool null; /* NULL is among them */
};

/* e is typed; a, table, values and room are set, the rest is zero. */
enum domain_found domain_find(struct domain *d, const struct expr *e);

#endif
