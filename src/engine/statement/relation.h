/*
 * Relations as inputs of a statement, to be used after FROM.
 *
 * Names in statements:
 *
 *     unit, rank     of a row of a private relation
 *     seed           if the relation is seeded (plan/from/carry.h)
 *     column_<i>     c<i> of view.h, for a stored table; else as computed
 *     steps_<i>      g<i>, if the relation's column is stored
 *     index_<i>      k<i>, if the relation's column is stored
 *     ordinal_<i>    h<i>, of a stored table read alone
 *     key_<i>        the row's value of the plan's key i
 *     value_<i>      the value i that the row adds (struct work_values)
 *     subquery_<i>   query number i of the plan's IN (SELECT ...)
 *
 * No name chosen by a user can collide with these: a statement refers to tables and
 * columns by number, and names of a source occur only in the innermost SELECT of
 * view_select, where a column takes precedence over an alias. None of the names
 * above is a reserved word of DuckDB. (Tests: names_of_users_meet_no_alias,
 * aliases_are_no_reserved_words.)
 */
#ifndef ENGINE_RELATION_H
#define ENGINE_RELATION_H

#include "engine/handle.h"
#include "engine/statement/statement.h"
#include "plan/from/relation.h"

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
 * The rows of a relation, without a name. They have the columns that are carried
 * (plan/from/carry.h); for a private relation also the unit, and the rank, which
 * identifies a row within its unit (join-order); and the seed, if the relation is
 * seeded.
 */
const struct input *relation_input(struct builder *b, const struct relation *r);

/* What a plan reads: its relation, or its table if it has none. */
const struct input *
relation_of_plan(struct builder *b, const struct plan *plan);

/* The rows of table t, with unit and rank if it is sorted. r says which columns;
   NULL: all. */
const struct input *
relation_table(struct builder *b, const struct policy_table *t,
               const struct relation *r);

/* Adds "c2 AS column_2, g2 AS steps_2": the columns of a table that r carries;
   NULL: all. */
void relation_named(struct builder *b, const struct policy_table *t,
                    const struct relation *r, struct select *to);

/* Adds subquery_0 ... to WITH: the first n queries of IN (SELECT ...). Statements
   begin with all of them; a public part reads only the queries before it. */
void relation_queries(struct builder *b, const struct plan *plan, size_t n,
                      struct select *to);

/* A value in the type of column c; a whole number is clamped to the range of the
   column (bare-arithmetic relies on it). */
const struct term *
relation_typed(struct builder *b, const struct policy_column *c,
               const struct term *value);

/* The same for an expression. */
const struct term *
relation_computed(struct builder *b, const struct policy_column *c,
                  const struct expr *e);

/* Adds "t.column_2 AS column_5, t.steps_2 AS steps_5": column i, with its steps and
   index if stored, as column `as`. In this example `i` is 2, `as` is 5 and `of` is
   "t". */
void
relation_column(struct builder *b, const struct policy_column *c, bool stored,
                const char *of, size_t i, size_t as, struct select *to);

/* relation_input for RELATION_JOIN. */
const struct input *relation_join(struct builder *b, const struct relation *r);

/* relation_input for RELATION_UNITS. */
const struct input *relation_units(struct builder *b, const struct relation *r);

/* A query over public data, with outputs named column_0, column_1, ... Only for a
   statement that reads nothing else: b->public_only. */
struct select *public_select(struct builder *b, const struct plan *plan);

#endif
