/*
 * If groups are not tracked, the pass has no branches and ignores cells. Otherwise
 * a stamp for every cell says which unit last had a row kept in it, so that no set
 * of groups is ever built.
 */
#include "engine/run/fold.h"

#include <stdlib.h>

#include "base/base.h"

bool
fold_init(struct fold *f, uint64_t rows, uint64_t groups, size_t cells,
          bool tracked, int64_t from, int64_t last)
{
    *f = (struct fold){.rows = rows,
                       .groups = groups,
                       .cells = cells,
                       .tracked = tracked,
                       .unit = from - 1,
                       .from = from,
                       .last = last,
                       .rows_used = rows};
    if (tracked) {
        f->stamp = malloc(cells * sizeof *f->stamp);
        for (size_t i = 0; f->stamp && i < cells; i++)
            f->stamp[i] = from - 1;
    }
    return !tracked || f->stamp;
}

void
fold_clear(struct fold *f)
{
    free(f->stamp);
    f->stamp = NULL;
}

static size_t
fold_plain(struct fold *f, const int64_t *unit, size_t n, uint32_t *kept)
{
    int64_t at = f->unit;
    uint64_t used = f->rows_used;
    size_t k = 0;
    bool torn = false;

    for (size_t i = 0; i < n; i++) {
        bool next = unit[i] != at;

        torn |= unit[i] < at;
        at = unit[i];
        used = next ? 0 : used;
        kept[k] = (uint32_t)i;
        k += used < f->rows;
        used += used < f->rows;
    }
    f->torn |= torn || at > f->last;
    f->unit = at;
    f->rows_used = used;
    return k;
}

static size_t
fold_tracked(struct fold *f, const int64_t *unit, const int32_t *cell, size_t n,
             uint32_t *kept, uint8_t *first)
{
    int64_t at = f->unit;
    uint64_t used = f->rows_used, groups = f->groups_used;
    size_t k = 0;
    bool torn = false;

    for (size_t i = 0; i < n; i++) {
        size_t c = cell ? (size_t)cell[i] : 0;
        bool known;

        if (unit[i] != at) {
            torn |= unit[i] < at;
            at = unit[i];
            used = 0;
            groups = 0;
        }
        if (used == f->rows)
            continue;
        used++;
        known = f->stamp[c] == at;
        if (!known && groups == f->groups)
            continue;
        groups += !known;
        f->stamp[c] = at;
        kept[k] = (uint32_t)i;
        first[k] = !known;
        k++;
    }
    f->torn |= torn || at > f->last;
    f->unit = at;
    f->rows_used = used;
    f->groups_used = groups;
    return k;
}

size_t
fold_rows(struct fold *f, const int64_t *unit, const int32_t *cell, size_t n,
          uint32_t *kept, uint8_t *first)
{
    size_t k;

    /* Units rise, so the first is the smallest. */
    f->torn |= n > 0 && unit[0] < f->from;
    /* Cells are array indices: refuse one out of range before it is used. */
    for (size_t i = 0; cell && i < n; i++)
        f->torn |= (uint32_t)cell[i] >= f->cells;
    if (f->torn)
        return 0;
    k = f->tracked ? fold_tracked(f, unit, cell, n, kept, first)
                   : fold_plain(f, unit, n, kept);
    return f->torn ? 0 : k;
}
