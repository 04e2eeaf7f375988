/*
 * What is known of an expression's value in every row, from public facts
 * alone: declared ranges, types, literals. Ranges keep arithmetic total
 * (nothing overflows) and bound what sums need bounds for.
 *
 * A range is not what privacy rests on: expressions cannot fail whatever their
 * values are (total-expressions), and the values of a part are clamped once
 * more, into the part's own limits. It is true all the same, of what the engine
 * computes: for doubles the ends are doubles, rounded outwards (range_real.c).
 */
#ifndef PLAN_FACT_H
#define PLAN_FACT_H

#include "num/rat.h"
#include "sql/tree.h"

enum known {
    KNOWN_NOTHING,  /* lower and upper mean nothing */
    KNOWN_TYPE,     /* the limits of the type: enough against overflow */
    KNOWN_DECLARED, /* from ranges that the owner or the query states */
};

struct fact {
    bool nullable;
    enum known known;
    bool floor, ceiling; /* where not both ends are declared: lower, or
                                 upper, alone is. No NaN is below a ceiling */
    rat lower, upper;    /* dates in days, timestamps in microseconds */
    bool proven; /* TYPE_INT: it lies in this range by construction, whatever is
                    believed of ranges (bare.c) */
    i128 proven_low, proven_high;
    int scale;                /* TYPE_DECIMAL: digits after the point */
    const struct expr *loose; /* where a range was lost; NULL: nowhere */
    struct fact *next;        /* all of a plan, for plan_free */
};

/* Of an expression that was typed. */
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
