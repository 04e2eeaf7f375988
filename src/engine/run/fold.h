/*
 * The fold: rows of a sorted table, unit by unit and rank by rank, reduced to
 * the first rows and groups of each unit. It works on arrays, which run_fold.c
 * reads from the engine.
 */
#ifndef ENGINE_FOLD_H
#define ENGINE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fold {
    /* Public facts of the plan: */
    uint64_t rows, groups; /* at most, per unit */
    size_t cells;
    bool tracked; /* fewer groups than rows are allowed, or units are
                     counted */
    /* Progress: */
    int64_t unit;
    int64_t from, last; /* the range of units */
    uint64_t rows_used, groups_used;
    bool torn;      /* the input was not in order: use no result */
    int64_t *stamp; /* by cell: the last unit with a kept row; or NULL */
};

/* Units from..last, both included; false if out of memory. */
bool fold_init(struct fold *f, uint64_t rows, uint64_t groups, size_t cells,
               bool tracked, int64_t from, int64_t last);
void fold_clear(struct fold *f);

/*
 * THEOREM  fold-bounds-units
 *   Of each unit the fold keeps the first `rows` rows in the order they come,
 *   and of these only the rows in their first `groups` different cells. Rows
 *   come sorted by unit, so the rows of a unit are one run. A run that is torn
 *   apart would be bounded twice, so everything is refused as soon as a unit id
 *   decreases or is outside the range. What is kept of a unit depends on its
 *   own rows alone. Hence one unit adds at most `rows` rows, in at most
 *   `groups` cells.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    ranges of different folds share no unit.
 * GIVES    the indices of the kept rows in kept (room for n), and their number
 *          as the result; in first[i], only if tracked, whether the i-th kept
 *          row is its unit's first in its cell. Nothing if f->torn is set.
 * FAILS    cannot; f->torn says that the input was not in order.
 * TESTED   fold_equals_the_reference fold_refuses_torn_units
 *          removing_a_unit_moves_little
 */
size_t fold_rows(struct fold *f, const int64_t *unit, const int32_t *cell,
                 size_t n, uint32_t *kept, uint8_t *first);

#endif
