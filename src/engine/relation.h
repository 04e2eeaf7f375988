/*
 * Relations as engine text: what stands after FROM.
 *
 * Names in statements:
 *
 *     unit, rank     of a row of a private relation
 *     seed           where the relation is seeded (plan/carry.h)
 *     column_<i>     c<i> of view.h, for a stored table; else as computed
 *     steps_<i>      g<i>, where the relation's column is stored
 *     index_<i>      k<i>, the same
 *     ordinal_<i>    h<i>, of a stored table read alone
 *     key_<i>        the plan's key i of a row, value_<i> what it adds
 *     subquery_<i>   of IN (SELECT ...)
 *
 * No name of a user can collide with these: a statement calls tables and
 * columns by number, and names of a source stand in the innermost SELECT of
 * view_select alone, where a column takes precedence over an alias. None of them
 * is a reserved word of DuckDB. (names_of_users_meet_no_alias,
 * aliases_are_no_reserved_words.)
 */
#ifndef ENGINE_RELATION_H
#define ENGINE_RELATION_H

#include "engine/open.h"
#include "plan/relation.h"

static inline bool
relation_is_private(const struct relation *r)
{
    return !r->as->is_public;
}

/* How many rows of one unit the relation can have. */
static inline unsigned long long
relation_rows(const struct relation *r)
{
    return (unsigned long long)r->as->rows_per_unit;
}

/*
 * A name or a bracketed SELECT, without alias: the columns that are carried; of
 * private relations also unit and rank, which tells the unit's rows apart
 * (join-order), and, where it is seeded, the seed.
 */
void
relation_print(struct engine *e, const struct relation *r, struct buf *out);

/* What a plan reads: its relation, or its table where it has none. */
void
relation_of_plan(struct engine *e, const struct plan *plan, struct buf *out);

/* The rows of table t alone, with unit and rank where it is sorted. r: which
   columns; NULL: all. */
void relation_table(const struct engine *e, const struct policy_table *t,
                    const struct relation *r, struct buf *out);

/* ", c2 AS column_2, g2 AS steps_2": these columns of a stored table. */
void relation_named(const struct engine *e, const struct policy_table *t,
                    const struct relation *r, struct buf *out);

/* "WITH subquery_0 AS (...), ..." for IN (SELECT ...): before every statement. The first
   n alone, for what is read before the others. */
void relation_queries(struct engine *e, const struct plan *plan, size_t n,
                      struct buf *out);

/* A value as column_<i>, in the type that the column has; a whole number clamped into
   the range it has (bare-arithmetic relies on it). */
void relation_typed(const struct policy_column *c, const char *value,
                    struct buf *out);

/* An expression as column_<i>. */
void relation_computed(const struct policy_column *c, const struct expr *e,
                       struct buf *out);

/* ", t.column_2 AS column_5, t.steps_2 AS steps_5": all of column i, after "t."
   here, as column 5. */
void relation_column(const struct policy_column *c, bool stored,
                     const char *before, size_t i, size_t as, struct buf *out);

/* RELATION_JOIN. */
void relation_join(struct engine *e, const struct relation *r, struct buf *out);

/* RELATION_UNITS. */
void
relation_units(struct engine *e, const struct relation *r, struct buf *out);

/* A query over public data, its outputs called column_0, column_1, ... Only for a statement
   that reads nothing else: e->public_only. */
void public_print(struct engine *e, const struct plan *plan, struct buf *out);

#endif
