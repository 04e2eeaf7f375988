/*
 * Groups that come from the data: a set of key tuples, each with the number of its
 * units and its exact parts. Only groups that a selection has chosen leave the
 * engine (discovered.c).
 */
#ifndef ENGINE_GROUPS_H
#define ENGINE_GROUPS_H

#include "engine/duck.h"
#include "plan/plan.h"

struct groups {
    const struct plan *plan;
    arena *texts;
    struct datum *keys; /* n_keys a group; public keys: their index */
    i128 **values;      /* by part, by group */
    i128 *units;        /* by group */
    int64_t *stamp;     /* by group: the last unit that was let in */
    uint64_t *hash;     /* by group */
    size_t n, room;
    uint32_t *slots; /* open addressing: 0, or a group's number + 1 */
    size_t n_slots;  /* a power of two */
};

/* False without memory; call groups_clear also then. */
bool groups_init(struct groups *g, const struct plan *plan);
void groups_clear(struct groups *g);

/*
 * Which group each of n rows of a chunk is in, new ones added: cell[row[i]].
 * columns: one for every key. False without memory.
 */
bool groups_find(struct groups *g, const struct duck_column *columns,
                 const uint32_t *row, size_t n, int32_t *cell);

/* Is the group of a row there, and which is it? None is added. */
bool groups_has(const struct groups *g, const struct duck_column *columns,
                size_t row, size_t *out);

/* Adds all of `from`; n groups of it, in this order. False without memory. */
bool groups_merge(struct groups *g, const struct groups *from);
bool groups_pick(struct groups *g, const struct groups *from, const size_t *at,
                 size_t n);

/*
 * THEOREM  fold-bounds-groups
 *   Rows come unit by unit. Of each unit the rows of the first `groups` groups
 *   met are kept, over chunks as within one; what is kept of a unit depends on
 *   its own rows alone. So one unit is counted in at most `groups` groups,
 *   once in each.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    rows that fold_rows let through, of one range of units, in order.
 * GIVES    row and first cut to what is kept; how many by return; units of
 *          each group counted.
 * FAILS    cannot.
 * TESTED   groups_fold_equals_the_reference removing_a_unit_moves_few_groups
 *          neighbours_differ_as_the_plan_says
 */
struct groups_limit {
    uint64_t groups; /* at most, per unit */
    int64_t unit;
    uint64_t used;
};
size_t
groups_limit(struct groups *g, struct groups_limit *l, const int64_t *unit,
             const int32_t *cell, uint32_t *row, uint8_t *first, size_t n);

#endif
