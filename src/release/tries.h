/*
 * The values on which a constraint is tried, to find what it excludes: for each of
 * its columns values and the codes that they have. A code is possible if one of its
 * values is.
 *
 * All values of a column are tried where that is feasible. A column cut into ranges
 * may have too many; if the constraint does no more than compare it, it suffices to
 * try, in each of the runs between the numbers that it is compared with and the cuts,
 * as many values as there are such columns: among values in one run only their order
 * among each other can matter.
 */
#ifndef RELEASE_TRIES_H
#define RELEASE_TRIES_H

#include "plan/constraints.h"
#include "synth/schema.h"

/* The most combinations of values that one constraint is tried on. */
enum { TRIES_MAX = 1 << 20 };

struct tried {
    struct datum value;
    uint32_t code;
};

struct tries {
    struct tried *of[CONSTRAINT_COLUMNS_MAX]; /* by column of the constraint */
    size_t n[CONSTRAINT_COLUMNS_MAX];
    size_t all; /* combinations */
};

/*
 * codes[i]: the codes of column i of the constraint. In `a`; texts are borrowed. May
 * fail: CUSTOS_EOVERFLOW (too many combinations), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status tries_make(arena *a, const struct constraint *c,
                                         const struct schema_column *codes,
                                         struct tries *out, custos_err *err);

#endif
