/* Columns, sets of them, and the numbers of cells of their tables. */
#include "synth/domain.h"

#include "base/ck.h"

#define CELLS_LIMIT ((uint64_t)1 << 48)

struct colset
colset_pick(struct colset s, size_t bits)
{
    struct colset part = {{0, 0}};

    COLSET_EACH(c, s)
    {
        if (bits & 1)
            part = colset_or(part, colset_of(c));
        bits >>= 1;
    }
    return part;
}

size_t
domain_cells(const struct domain *d, struct colset s)
{
    uint64_t cells = 1;

    COLSET_EACH(c, s)
    if (!ck_mul_u64(cells, d->size[c], &cells) || cells >= CELLS_LIMIT)
        return SIZE_MAX;
    return (size_t)cells;
}

struct colset
domain_all(const struct domain *d)
{
    struct colset all = {{0, 0}};

    for (size_t c = 0; c < d->n; c++)
        all = colset_or(all, colset_of(c));
    return all;
}
