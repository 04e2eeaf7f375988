/*
 * Adds up the rows that the fold kept, in one pass for each part.
 */
#ifndef ENGINE_ADD_H
#define ENGINE_ADD_H

#include "engine/statement/rows.h"
#include "plan/plan.h"

struct kept {
    size_t n;
    const uint32_t *row;
    const uint8_t *first;
    const int32_t *cell; /* by row of the chunk; NULL: all in cell 0 */
};

/* Adds the kept rows to part p's cells; value is NULL for PART_ROWS and
   PART_UNITS. */
void add_part(const struct part *p, const struct kept *k,
              const struct column *value, i128 *cells);

#endif
