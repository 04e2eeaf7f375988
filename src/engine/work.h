/*
 * A plan as engine text, in pieces: which cell a row is in, which whole
 * numbers it adds, which rows count. All ways of bounding combine these
 * pieces. Columns are those of relation.h, after the alias t.
 */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "engine/groups.h"
#include "engine/open.h"

enum { WORK_VALUES_MAX = 256, WORK_CHUNK_MOST = 2048 };

/* What is added up: i128 for every part and cell, part by part; or, where
   groups come from the data, the set of them. */
struct exact {
    size_t cells, n_parts;
    i128 *values;
    struct groups *groups; /* borrowed; NULL: cells are known */
};

/* May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status exact_init(struct exact *x,
                                         const struct plan *plan,
                                         custos_err *err);
void exact_clear(struct exact *x);

/*
 * The values that parts need, each once: parts of one value on one grid share
 * it. of[i]: which value part i adds; none for rows and units.
 */
enum { WORK_NO_VALUE = -1 };
struct work_values {
    const struct part *of[WORK_VALUES_MAX]; /* one part that has it */
    size_t n;
    int part[WORK_VALUES_MAX]; /* by part */
};
CUSTOS_MUST_USE custos_status work_values(const struct plan *plan,
                                          struct work_values *out,
                                          custos_err *err);

/* A value in whole steps, clamped into the part's limits; or NULL. */
void
work_value(const struct plan *plan, const struct part *part, struct buf *out);

/* The index of key k, from 0; NULL for what is none of its values. */
void work_key(const struct plan *plan, size_t k, struct buf *out);

/* Values of key k, the null group included. */
size_t work_key_size(const struct key *k);

/* " AND (...)" for WHERE and for keys without a null group. */
void work_conditions(const struct plan *plan, struct buf *out);

/* "CAST('-12' AS HUGEINT)" */
void work_whole(i128 n, struct buf *out);

/* Fills x as the plan says. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status work_fill(struct engine *e,
                                        const struct plan *plan,
                                        struct exact *x, custos_err *err);

/* Are all parts sums over rows? Distinct values and quantiles are not. */
bool work_adds_up(const struct plan *plan);

/* Can run_ordinal do what run_fold does? Depends on plan and format alone. */
bool fits_ordinal(const struct engine *e, const struct plan *plan);

/* How each way of bounding fills x. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status run_sql(struct engine *e, const struct plan *plan,
                                      struct exact *x, custos_err *err);
CUSTOS_MUST_USE custos_status run_fold(struct engine *e,
                                       const struct plan *plan, struct exact *x,
                                       custos_err *err);
CUSTOS_MUST_USE custos_status run_ordinal(struct engine *e,
                                          const struct plan *plan,
                                          struct exact *x, custos_err *err);
CUSTOS_MUST_USE custos_status run_general(struct engine *e,
                                          const struct plan *plan,
                                          struct exact *x, custos_err *err);

/*
 * Prints two columns for every part, over value_0 ...; units: how units are
 * counted. work_collect adds rows of key indices and these columns to x.
 */
void work_sums(const struct plan *plan, const struct work_values *values,
               const char *units, struct buf *out);
CUSTOS_MUST_USE custos_status work_collect(const struct plan *plan,
                                           struct duck_connection *c,
                                           const char *sql, struct exact *x,
                                           custos_err *err);

/* SELECT of the rows that count: key_0 ..., value_0 ... By predicate and by
   windows. */
void sql_bounded(struct engine *e, const struct plan *plan,
                 const struct work_values *values, struct buf *out);
void general_bounded(struct engine *e, const struct plan *plan,
                     const struct work_values *values, struct buf *out);

/*
 * engine_quantiles of the groups `among`, identified by their number there, in any
 * order; rows of other groups are skipped. NULL: of all cells, in order.
 */
CUSTOS_MUST_USE custos_status quantiles_collect(
    struct engine *e, const struct plan *plan, size_t part,
    const struct groups *among, engine_take take, void *ctx, custos_err *err);

/* Which cell a row of the result is for, its keys first; false: none. */
bool work_cell(const struct plan *plan, const struct duck_column *columns,
               size_t row, size_t *out);

#endif
