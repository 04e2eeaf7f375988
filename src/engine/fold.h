/*
 * The fold: rows of a sorted table, unit by unit and rank by rank, reduced to
 * the first rows and groups of each unit. It sees arrays only; where they come
 * from is run_fold.c's.
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
    bool tracked; /* groups are limited below rows, or units counted */
    /* Where it is: */
    int64_t unit;
    int64_t from, last; /* units lie in from..last */
    uint64_t rows_used, groups_used;
    bool torn;      /* the order was broken: nothing of it may be used */
    int64_t *stamp; /* by cell: the last unit that was let in; or NULL */
};

/* Units from..last, both included; false without memory. */
bool fold_init(struct fold *f, uint64_t rows, uint64_t groups, size_t cells,
               bool tracked, int64_t from, int64_t last);
void fold_clear(struct fold *f);

/*
 * THEOREM  fold-bounds-units
 *   Of each unit the fold keeps the first `rows` rows in the order they come,
 *   and of these the rows of the first `groups` cells among them. Rows come
 *   sorted by unit, so a unit is one run; a run that is torn apart would be
 *   bounded twice, so as soon as a unit id falls or lies outside the range,
 *   all is refused. What is kept of a unit depends on its own rows alone.
 *   Hence one unit adds at most `rows` rows, in at most `groups` cells.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    ranges of different folds share no unit.
 * GIVES    indices of the kept rows in kept (room for n), how many by return;
 *          first[i]: the i-th kept row is its unit's first in its cell (only
 *          where tracked). With f->torn set, nothing.
 * FAILS    cannot; f->torn says that the input was no sorted run.
 * TESTED   fold_equals_the_reference fold_refuses_torn_units
 *          removing_a_unit_moves_little
 */
size_t fold_rows(struct fold *f, const int64_t *unit, const int32_t *cell,
                 size_t n, uint32_t *kept, uint8_t *first);

#endif
