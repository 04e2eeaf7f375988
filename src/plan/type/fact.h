/*
 * What is known about an expression's value in every row, from public facts
 * alone: declared ranges, types, literals. Ranges say how wide arithmetic must
 * be, and bound the values that are summed.
 *
 * Privacy does not rest on ranges: no expression can fail, whatever its values
 * (total-expressions), and the values of a part are clamped once more, to the
 * part's own limits. Ranges are nevertheless true of what the engine computes:
 * the ends of doubles are doubles, rounded outwards (range_real.c).
 */
#ifndef PLAN_FACT_H
#define PLAN_FACT_H

#include "num/rat.h"
#include "sql/tree.h"

enum known {
    KNOWN_NOTHING,  /* lower and upper mean nothing */
    KNOWN_TYPE,     /* the limits of the type: enough to exclude overflow */
    KNOWN_DECLARED, /* from ranges that the owner or the query states */
};

struct fact {
    bool nullable;
    enum known known;
    bool floor, ceiling; /* only the lower, or only the upper, end is declared.
                            A value with a ceiling is never NaN */
    rat lower, upper;    /* dates in days, timestamps in microseconds */
    bool proven; /* TYPE_INT: it is in the range below by construction, even
                    if other ranges are wrong (bare.c) */
    i128 proven_low, proven_high;
    size_t nodes;             /* of the expression, computed columns inlined */
    int scale;                /* TYPE_DECIMAL: digits after the point */
    const struct expr *loose; /* where a range was lost; NULL: nowhere */
    struct fact *next;        /* the list of the plan's facts, for plan_free */
};

/* The fact of an expression that has been typed. */
static inline struct fact *
fact_of(const struct expr *e)
{
    return e->fact;
}

/* Is the end declared? */
static inline bool
fact_has_floor(const struct fact *f)
{
    return f->known == KNOWN_DECLARED || f->floor;
}

static inline bool
fact_has_ceiling(const struct fact *f)
{
    return f->known == KNOWN_DECLARED || f->ceiling;
}

void facts_clear(struct fact *first);

#endif
