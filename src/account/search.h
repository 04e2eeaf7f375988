/*
 * Halving: the least (or largest) number for which a fact holds, where the
 * fact is certified at each number tried. What is returned is always a number
 * for which it held, so the search cannot cost privacy, only tightness.
 */
#ifndef ACCOUNT_SEARCH_H
#define ACCOUNT_SEARCH_H

#include <stdbool.h>

#include "num/ival.h"

typedef bool search_fact(const void *of, const rat *x);

/* Where to look: between 2^low and 2^high, to `bits` bits. */
struct search_range {
    long low, high;
    unsigned bits;
};

/* The least x found with the fact, which holds for large ones; or false. */
bool search_least(search_fact *holds, const void *of, struct search_range in,
                  rat *x);

/* The largest x found with the fact, which holds for small ones; or false. */
bool
search_most(search_fact *holds, const void *of, struct search_range in, rat *x);

/*
 * The upper end of an interval, or 0 when none of it is above 0, as a rational
 * of modest size: 128 bits and not below 2^-1400, so that it can be written
 * down and added. False when it is past 2^1300 or infinite.
 */
bool bound_up(const ival *x, rat *out);

/* The lower end; 0 when it is below 2^-1400. */
void bound_down(const ival *x, rat *out);

#endif
