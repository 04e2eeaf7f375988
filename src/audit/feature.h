/*
 * Features: one number computed from one output. Broken mechanisms show
 * themselves in different ones: in a value, in what two values have in common,
 * in the bits of a double, in how long the output is or how long it took.
 */
#ifndef AUDIT_FEATURE_H
#define AUDIT_FEATURE_H

#include "audit/audit.h"

enum feature_kind {
    FEATURE_WHOLE,      /* the whole output, as a hash */
    FEATURE_LENGTH,     /* how many numbers */
    FEATURE_CODE,       /* error code, exit status, text */
    FEATURE_SECONDS,    /* run time */
    FEATURE_FORM,       /* how the numbers are written */
    FEATURE_DIGITS,     /* how many digits they have */
    FEATURE_LAST,       /* the last number */
    FEATURE_SUM,        /* of all numbers */
    FEATURE_SPREAD,     /* largest less smallest */
    FEATURE_VALUE,      /* number i */
    FEATURE_DIFFERENCE, /* number i less the one before: undoes running sums */
    FEATURE_SORTED,     /* the i-th smallest */
    FEATURE_LOW_BIT,    /* of number i: the exponent of its lowest set bit */
    FEATURE_EXPONENT,   /* of number i */
    FEATURE_RESIDUAL,   /* of number i: its distance to the next whole number */
};

struct feature {
    enum feature_kind kind;
    size_t at; /* i, from 0 */
};

enum { FEATURES_MAX = 10 + 6 * AUDIT_WIDTH_MAX };

/* Every feature that a target's outputs have. Returns how many. */
size_t features_of(const struct audit_target *target,
                   struct feature out[FEATURES_MAX]);

/* The feature of output i; NaN becomes -HUGE_VAL, so that values have an order. */
double feature_of(struct feature feature, const struct batch *batch, size_t i);

/* The numbers of output i in ascending order; those it does not have are
   HUGE_VAL, NaN is -HUGE_VAL. */
void feature_sort(const struct batch *batch, size_t i,
                  double sorted[AUDIT_WIDTH_MAX]);

/* Is every value a name of its own, such as a hash: no order, no ranges? */
bool feature_is_name(struct feature feature);

/* "number 3", "the run time in seconds". */
void feature_name(struct feature feature, char name[AUDIT_NAME_MAX]);

#endif
