/*
 * What the rows of aggregates.def say about reading and writing an aggregate,
 * and what it is computed from. The planner, the printers and the curator read
 * further columns of the same rows.
 */
#ifndef SQL_AGGREGATES_H
#define SQL_AGGREGATES_H

#include "sql/tree.h"

enum aggregate_family {
    FAMILY_COUNT,
    FAMILY_SUM,
    FAMILY_MEAN,     /* of a sum and a count */
    FAMILY_VARIANCE, /* of a sum, a count and a sum of squares */
    FAMILY_PAIR,     /* of counts, sums, squares and products of two values */
    FAMILY_QUANTILE,
    FAMILY_RUNNING, /* of one count, over the groups in order */
};

enum { AGGREGATE_NAMES_MAX = 2 };

struct aggregate_row {
    const char *names[AGGREGATE_NAMES_MAX + 1]; /* ended by NULL */
    const char *opening; /* of its canonical text, up to its value */
    enum aggregate_family family;
    struct datum rank; /* of a quantile, unless the query states it */
    bool ranked;       /* it does */
    bool between;      /* a quantile that may lie between two numbers */
    bool sample, root; /* of a variance: divided by n - 1; its square root.
                          Also of a covariance: divided by n - 1 */
};

extern const struct aggregate_row aggregates[N_AGGREGATES];

/* The aggregate that is read by this name; false: none is. */
bool aggregate_find(const char *name, enum aggregate *out);

/* Has it two values? They are args[0] and args[1]. */
static inline bool
aggregate_is_pair(enum aggregate a)
{
    return aggregates[a].family == FAMILY_PAIR;
}

static inline bool
aggregate_is_quantile(enum aggregate a)
{
    return aggregates[a].family == FAMILY_QUANTILE;
}

#endif
