/*
 * From the lowest digit up: each pass counts the digits, and then puts every number
 * behind those with the same digit.
 */
#include "engine/run/radix.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

void
radix_sort(u128 *x, size_t n, unsigned low, unsigned bits, u128 *room)
{
    for (unsigned done = 0; done < bits; done += DIGIT_BITS) {
        unsigned left = bits - done < DIGIT_BITS ? bits - done : DIGIT_BITS;
        unsigned shift = low + done, mask = (1U << left) - 1;
        size_t at[DIGITS] = {0}, sum = 0;

        for (size_t i = 0; i < n; i++)
            at[(unsigned)(x[i] >> shift) & mask]++;
        for (size_t d = 0; d < DIGITS; d++) {
            size_t count = at[d];

            at[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            room[at[(unsigned)(x[i] >> shift) & mask]++] = x[i];
        memcpy(x, room, n * sizeof *x);
        explicit_bzero(at, sizeof at);
    }
}
