/*
 * Discovered groups: a set of key tuples, each with the number of its units, or the
 * sum of their weights, and its exact parts. Only groups that a selection has chosen leave the engine
 * (discovered.c).
 */
#ifndef ENGINE_GROUPS_H
#define ENGINE_GROUPS_H

#include "engine/statement/rows.h"
#include "mech/keys_held.h"
#include "plan/plan.h"

struct groups {
    const struct stage *stage;
    arena *texts;
    struct datum *keys; /* n_keys per group; for a public key its index */
    i128 **values;      /* by part: part_numbers() for every group */
    i128 *units;    /* by group; under the weighted rule, of their weights */
    int64_t *stamp; /* by group: the last unit with a kept row */
    uint64_t *hash; /* by group */
    size_t n, room;
    uint32_t *slots; /* open addressing: 0, or a group's number + 1 */
    size_t n_slots;  /* a power of two */
};

/* False if out of memory; call groups_clear even then. */
bool groups_init(struct groups *g, const struct stage *stage);
void groups_clear(struct groups *g);

/*
 * Sets cell[row[i]] to the group of each of n rows of a chunk, and adds groups that
 * are new. columns: one for every key. False if out of memory.
 */
bool groups_find(struct groups *g, const struct column *columns,
                 const uint32_t *row, size_t n, int32_t *cell);

/* Finds the group of a row without adding one; false if there is none. */
bool groups_has(const struct groups *g, const struct column *columns,
                size_t row, size_t *out);

/* groups_merge adds all groups of `from`; groups_pick adds n of them, in the order
   of `at`. False if out of memory. */
bool groups_merge(struct groups *g, const struct groups *from);
bool groups_pick(struct groups *g, const struct groups *from, const size_t *at,
                 size_t n);

/*
 * THEOREM  fold-bounds-groups
 *   Rows come unit by unit. Of each unit only the rows in its first `groups`
 *   groups are kept, even if they come in several chunks. What is kept of a
 *   unit depends on its own rows alone. So one unit is counted in at most
 *   `groups` groups, once in each.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    rows that fold_rows let through, of one range of units, in order.
 * GIVES    row and first reduced to the kept rows, the number of these as the
 *          result, and the units of each group counted. Under the weighted rule
 *          a unit that is counted in l groups adds custos_keys_weight(l) to
 *          each, the last unit once groups_limit_end was called.
 * FAILS    cannot.
 * TESTED   groups_fold_equals_the_reference removing_a_unit_moves_few_groups
 *          neighbours_differ_as_the_plan_says weights_equal_the_reference
 */
struct groups_limit {
    uint64_t groups; /* at most, per unit */
    int64_t unit;
    uint64_t used;
    bool weighs;
    int64_t weight[KEYS_WEIGHTED_MAX + 1]; /* by number of groups */
    uint32_t cells[KEYS_WEIGHTED_MAX];     /* of the unit, if it weighs */
};
void groups_limit_init(struct groups_limit *l, const struct cell_space *space);
size_t
groups_limit(struct groups *g, struct groups_limit *l, const int64_t *unit,
             const int32_t *cell, uint32_t *row, uint8_t *first, size_t n);
void groups_limit_end(struct groups *g, struct groups_limit *l);

#endif
