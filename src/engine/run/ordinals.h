/*
 * The ordinal of a value among those of its unit, in the order in which they
 * first appear: 1, 2, 3, ... An import stores it, so that a bound on groups is a
 * predicate on a column, as a bound on rows is a predicate on the rank.
 *
 * THEOREM  place-of-a-value
 *   Let the rows of a unit come in the order of rank, with values v_1, v_2,
 *   ... The ordinal of row i is the number of different values among v_1 .. v_j
 *   where j <= i is the first with v_j = v_i. It is stored positive if j = i,
 *   negative if j < i, and as 0 if i > ORDINALS_MAX. It is a function of the
 *   unit's rows up to i alone.
 * SOURCE   doc/proofs/place-equals-fold.md
 * NEEDS    every row of a table once, numbered 1, 2, ... in its order; the rows
 *          of each unit in one run.
 * GIVES    the stored number in *out.
 * FAILS    false: rows are not in order, a text is longer than a key may be,
 *          or out of memory. The import then fails.
 * TESTED   ordinals_are_those_of_the_reference ordinals_reject_a_torn_order
 */
#ifndef ENGINE_ORDINALS_H
#define ENGINE_ORDINALS_H

#include "base/base.h"
#include "plan/plan.h"

enum { ORDINALS_MAX = INT16_MAX };

/* One value of the current unit. */
struct ordinal {
    struct datum key; /* if it is a text: its bytes are at texts + text */
    uint64_t hash;
    size_t text;
};

struct ordinals {
    int64_t row, unit; /* of the last row; rows count from 1 */
    uint64_t rows;     /* of the unit so far */
    struct ordinal *known;
    size_t n, room;
    struct ordinal_slot {
        uint32_t turn; /* if not the current one, the slot is empty */
        uint32_t known;
    } * slots; /* open addressing */
    size_t n_slots, slots_room;
    uint32_t turn;
    char *texts;
    size_t text_used, text_room;
};

/* A struct that is all 0 is ready for the first row. */
void ordinals_clear(struct ordinals *p);

CUSTOS_MUST_USE bool
ordinals_next(struct ordinals *p, int64_t row, int64_t unit,
              const struct datum *key, int16_t *out);

#endif
