/*
 * A plan as pieces of a statement: which cell a row is in, which whole
 * numbers it adds, which rows count. All ways of bounding combine these
 * pieces. Columns have the names of relation.h, of the input t.
 */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "engine/run/groups.h"
#include "engine/handle.h"
#include "engine/statement/statement.h"

enum { WORK_VALUES_MAX = 256, WORK_CHUNK_MOST = ROWS_CHUNK_MAX };

/* The exact sums: part_numbers() i128 for every part and cell, part by part; or, for
   discovered groups, the set of groups. */
struct exact {
    const struct stage *stage;
    size_t cells, n; /* n: of values */
    i128 *values;
    struct groups *groups; /* borrowed; NULL: public groups */
};

/* May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status exact_init(struct exact *x,
                                         const struct stage *stage,
                                         custos_err *err);
void exact_clear(struct exact *x);

/* The numbers of a part: those of cell 0, of cell 1 ... */
i128 *exact_part(const struct exact *x, size_t part);

/*
 * The values that parts need, each once: parts with the same value on the same grid
 * share it. part[i]: which value part i adds; WORK_NO_VALUE for rows and units.
 */
enum { WORK_NO_VALUE = -1 };
struct work_values {
    const struct part *of[WORK_VALUES_MAX]; /* by value: a part that adds it */
    size_t n;
    int part[WORK_VALUES_MAX]; /* by part */
};
CUSTOS_MUST_USE custos_status work_values(const struct stage *stage,
                                          struct work_values *out,
                                          custos_err *err);

/* A value in whole steps, clamped to the part's limits; or NULL. */
const struct term *
work_value(struct builder *b, const struct plan *plan, const struct part *part);

/* The index of key k, from 0; NULL if it is not one of the key's values. For a key
   from the data, the value itself. */
const struct term *
work_key(struct builder *b, const struct stage *stage, size_t k);

/* The number of values of key k, including the null group. */
size_t work_key_size(const struct key *k);

/* Adds WHERE, and that keys without a null group are there. */
void
work_conditions(struct builder *b, const struct stage *stage, struct terms *to);

/* Adds key_0 ..., value_0 ... */
void work_columns(struct builder *b, const struct stage *stage,
                  const struct work_values *values, struct select *to);

/* Fills x as the stage says. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status work_fill(struct engine *e,
                                        const struct stage *stage,
                                        struct exact *x, custos_err *err);

/* Are all parts sums over rows? Distinct values and quantiles are not. */
bool work_adds_up(const struct stage *stage);

/* Can run_ordinal do what run_fold does? Depends only on the stage and on how the
   table is stored. */
bool fits_ordinal(const struct engine *e, const struct stage *stage);

/* Fill x, each by one way of bounding. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status run_sql(struct engine *e,
                                      const struct stage *stage,
                                      struct exact *x, custos_err *err);
CUSTOS_MUST_USE custos_status run_fold(struct engine *e,
                                       const struct stage *stage,
                                       struct exact *x, custos_err *err);
CUSTOS_MUST_USE custos_status run_ordinal(struct engine *e,
                                          const struct stage *stage,
                                          struct exact *x, custos_err *err);
CUSTOS_MUST_USE custos_status run_general(struct engine *e,
                                          const struct stage *stage,
                                          struct exact *x, custos_err *err);

/*
 * work_sums adds two columns for every part, computed from value_0 ..., and for
 * discovered groups a last one, by which they are chosen: `units` counts units, and
 * `weights` adds up their weights or, without weights, is the same.
 * work_collect runs a select whose rows have the keys and these columns, and adds
 * them to x.
 */
void work_sums(struct builder *b, const struct stage *stage,
               const struct work_values *values, const struct term *units,
               const struct term *weights, struct select *to);
CUSTOS_MUST_USE custos_status work_collect(struct builder *b,
                                           const struct stage *stage,
                                           const struct select *s,
                                           struct exact *x, custos_err *err);

/* The rows that are kept: key_0 ..., value_0 ... sql_bounded bounds by a predicate,
   general_bounded by windows. */
struct select *sql_bounded(struct builder *b, const struct stage *stage,
                           const struct work_values *values);
struct select *general_bounded(struct builder *b, const struct stage *stage,
                               const struct work_values *values);

/* What a plan reads that general_bounded bounds: with the unit, and with the column
   row_order, which gives the order of the rows. */
const struct input *general_rows(struct builder *b, const struct plan *plan);

/*
 * engine_quantiles for the groups in `among`, identified by their number there, in
 * any order; rows of other groups are skipped. If among is NULL, for all cells, in
 * order.
 */
CUSTOS_MUST_USE custos_status quantiles_collect(
    struct engine *e, const struct stage *stage, size_t part,
    const struct groups *among, engine_take take, void *ctx, custos_err *err);

/* Finds the cell of a result row, whose first columns are its keys; false: none. */
bool work_cell(const struct stage *stage, const struct column *columns,
               size_t row, size_t *out);

#endif
