/*
 * Bisection: the least (or largest) number for which a fact holds. The fact is
 * certified at each number tried, and the number returned is one for which it
 * held, so an imprecise search costs tightness, never privacy.
 */
#ifndef ACCOUNT_SEARCH_H
#define ACCOUNT_SEARCH_H

#include <stdbool.h>

#include "num/ival.h"

typedef bool search_fact(const void *of, const rat *x);

/* The range to search: between 2^low and 2^high, to `bits` bits. */
struct search_range {
    long low, high;
    unsigned bits;
};

/*
 * For a fact that holds for large x: the least x found for which it holds.
 * False if there is none.
 */
bool search_least(search_fact *holds, const void *of, struct search_range in,
                  rat *x);

/*
 * For a fact that holds for small x: the largest x found for which it holds.
 * False if there is none.
 */
bool
search_most(search_fact *holds, const void *of, struct search_range in, rat *x);

/*
 * The upper end of an interval, or 0 if it is not above 0, as a rational of
 * moderate size: 128 bits and not below 2^-1400, so that it can be written and
 * added. False if it is above 2^1300 or infinite.
 */
bool bound_up(const ival *x, rat *out);

/* The lower end; 0 when it is below 2^-1400. */
void bound_down(const ival *x, rat *out);

#endif
