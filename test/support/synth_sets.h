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

/* What a row of cell `from` adds to number `at` of the residual of a set. */
static inline int64_t
synth_residual_entry(const struct domain *d, struct colset s, size_t from,
                     size_t at)
{
    size_t rest = domain_cells(d, s);
    int64_t x = 1;

    COLSET_EACH(c, s)
    {
        rest /= d->size[c];
        x *= from / rest % d->size[c] == at / rest % d->size[c]
                 ? (int64_t)d->size[c] - 1
                 : -1;
    }
    return x;
}

/* The table of a set becomes its residual. */
static inline void
synth_residual(const struct domain *d, struct colset s, int64_t *x)
{
    const size_t cells = domain_cells(d, s);
    int64_t q[4096] = {0};

    for (size_t i = 0; i < cells; i++)
        for (size_t k = 0; k < cells; k++)
            q[i] += x[k] * synth_residual_entry(d, s, k, i);
    for (size_t i = 0; i < cells; i++)
        x[i] = q[i];
}

static inline uint64_t
synth_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

#endif
