/*
 * The columns of aggregates.def for reading and writing, and the checks that
 * every row has the columns that every aggregate needs.
 */
#include "sql/aggregates.h"

#include <assert.h>
#include <string.h>

const struct aggregate_row aggregates[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define CALLED(...) .names = {__VA_ARGS__},
#define TEXT(text) .opening = text,
#define FAMILY(id) .family = FAMILY_##id,
#define RANK(number, digits) .rank = {.n = number, .scale = digits},
#define RANKED() .ranked = true,
#define BETWEEN() .between = true,
#define SAMPLE() .sample = true,
#define ROOT() .root = true,
#include "sql/aggregates.def"
};

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one TEXT");
#define TEXT(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one FAMILY");
#define FAMILY(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one DUCKDB");
#define DUCKDB(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one TYPES");
#define TYPES(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one PARTS");
#define PARTS(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one WEIGHT");
#define WEIGHT(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one VALUE");
#define VALUE(...) +1
#include "sql/aggregates.def"

#define ROW(id, ...)                                                           \
    static_assert(0 __VA_ARGS__ >= 1, #id " needs a DOC, or an ALSO");
#define DOC(...) +1
#define ALSO(...) +1
#include "sql/aggregates.def"

bool
aggregate_find(const char *name, enum aggregate *out)
{
    for (size_t i = 0; i < N_AGGREGATES; i++)
        for (const char *const *n = aggregates[i].names; *n; n++)
            if (!strcmp(*n, name)) {
                *out = (enum aggregate)i;
                return true;
            }
    return false;
}
