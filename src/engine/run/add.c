/*
 * Exact sums of whole numbers in 128 bits. They cannot overflow: the planner has
 * proved that the largest number of rows, times the most that one row adds, fits.
 * The loop over values is compiled for 32 and for 64 bits; add_any does the other
 * types.
 */
#include "engine/run/add.h"

static inline size_t
cell_at(const struct kept *k, size_t i)
{
    return k->cell ? (size_t)k->cell[k->row[i]] : 0;
}

static inline bool
valid_at(const uint64_t *valid, uint32_t row)
{
    return !valid || (valid[row / 64] >> (row % 64) & 1);
}

/* The term that one value adds to a part. */
static inline i128
term(enum part_kind kind, i128 value, i128 centre)
{
    if (kind == PART_VALUES)
        return 1;
    value -= centre;
    return kind == PART_SQUARES ? value * value : value;
}

#define ADD_DEFINE(name, type)                                                 \
    static inline void add_##name(enum part_kind kind, i128 centre,            \
                                  const struct kept *k, const type *data,      \
                                  const uint64_t *valid, i128 *cells)          \
    {                                                                          \
        for (size_t i = 0; i < k->n; i++)                                      \
            if (valid_at(valid, k->row[i]))                                    \
                cells[cell_at(k, i)] += term(kind, data[k->row[i]], centre);   \
    }

ADD_DEFINE(i32, int32_t)
ADD_DEFINE(i64, int64_t)

#undef ADD_DEFINE

static inline void
add_any(enum part_kind kind, i128 centre, const struct kept *k,
        const struct column *value, i128 *cells)
{
    for (size_t i = 0; i < k->n; i++)
        if (!column_is_null(value, k->row[i]))
            cells[cell_at(k, i)] +=
                term(kind, column_whole(value, k->row[i]), centre);
}

static inline void
add_values(enum part_kind kind, i128 centre, const struct kept *k,
           const struct column *value, i128 *cells)
{
    if (value->type == COLUMN_I32)
        add_i32(kind, centre, k, value->data, value->valid, cells);
    else if (value->type == COLUMN_I64)
        add_i64(kind, centre, k, value->data, value->valid, cells);
    else
        add_any(kind, centre, k, value, cells);
}

/* Adds to the two numbers that a share has in every cell. */
static void
add_share(const struct part *p, const struct kept *k,
          const struct column *value, i128 *cells)
{
    for (size_t i = 0; i < k->n; i++)
        if (!column_is_null(value, k->row[i])) {
            i128 v = column_whole(value, k->row[i]);
            i128 *to = &cells[2 * cell_at(k, i)];

            to[0] += v - p->lower;
            to[1] += p->upper - v;
        }
}

void
add_part(const struct part *p, const struct kept *k, const struct column *value,
         i128 *cells)
{
    switch (p->kind) {
    case PART_ROWS:
        for (size_t i = 0; i < k->n; i++)
            cells[cell_at(k, i)]++;
        break;
    case PART_UNITS:
        for (size_t i = 0; i < k->n; i++)
            cells[cell_at(k, i)] += k->first[i];
        break;
    case PART_QUANTILES:
    case PART_DISTINCT: break; /* never planned for the fold */
    case PART_VALUES: add_values(PART_VALUES, 0, k, value, cells); break;
    case PART_SHARE: add_share(p, k, value, cells); break;
    case PART_SUM: add_values(PART_SUM, p->centre, k, value, cells); break;
    case PART_SQUARES:
        add_values(PART_SQUARES, p->centre, k, value, cells);
        break;
    }
}
