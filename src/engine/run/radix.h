/*
 * Sorts numbers by some of their bits, keeping the order of those that agree in them.
 * The number of steps depends on n and `bits` alone.
 */
#ifndef ENGINE_RUN_RADIX_H
#define ENGINE_RUN_RADIX_H

#include <stddef.h>

#include "base/base.h"

/* By the bits from `low` on. `room` has n numbers, and keeps copies of them. */
void radix_sort(u128 *x, size_t n, unsigned low, unsigned bits, u128 *room);

#endif
