/*
 * Small things for tests of synth/: sets of columns by letters, cells of rows, and
 * fixed numbers that look random.
 */
#ifndef TEST_SYNTH_SETS_H
#define TEST_SYNTH_SETS_H

#include "synth/domain.h"

/* "ac": columns 0 and 2. */
static inline struct colset
synth_set(const char *columns)
{
    struct colset s = {{0, 0}};

    for (; *columns; columns++)
        s = colset_or(s, colset_of((size_t)(*columns - 'a')));
    return s;
}

/* Where a row is in the marginal of s; row[c] is its code in column c. */
static inline size_t
synth_cell(const struct domain *d, struct colset s, const uint32_t *row)
{
    size_t cell = 0;

    COLSET_EACH(c, s)
    cell = cell * d->size[c] + row[c];
    return cell;
}

static inline uint64_t
synth_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

#endif
