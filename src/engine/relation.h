/*
 * Relations as engine text: what stands after FROM.
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

/* Of a unit, at most. */
static inline unsigned long long
relation_rows(const struct relation *r)
{
    return (unsigned long long)r->as->rows_per_unit;
}

/*
 * A name or a bracketed SELECT, without alias. Columns are c<i>, g<i>, k<i> as
 * view.h says (the last two where the relation's column is stored), of those
 * that are carried; of private relations also u, the unit, r, which tells its
 * rows apart (join-order), and, where it is seeded, the seed (plan/carry.h).
 */
void
relation_print(struct engine *e, const struct relation *r, struct buf *out);

/* What a plan reads: its relation, or its table where it has none. */
void
relation_of_plan(struct engine *e, const struct plan *plan, struct buf *out);

/* "WITH q0 AS (...), ..." for IN (SELECT ...): before every statement. The first
   n alone, for what is read before the others. */
void relation_queries(struct engine *e, const struct plan *plan, size_t n,
                      struct buf *out);

/* A value as c<i>, in the type that the column has; a whole number clamped into
   the range it has (bare-arithmetic relies on it). */
void relation_typed(const struct policy_column *c, const char *value,
                    struct buf *out);

/* An expression as c<i>. */
void relation_computed(const struct policy_column *c, const struct expr *e,
                       struct buf *out);

/* ", t.c2 AS c5, t.g2 AS g5": all of column i, after "t." here, as column 5. */
void relation_column(const struct policy_column *c, bool stored,
                     const char *before, size_t i, size_t as, struct buf *out);

/* RELATION_JOIN. */
void relation_join(struct engine *e, const struct relation *r, struct buf *out);

/* RELATION_UNITS. */
void
relation_units(struct engine *e, const struct relation *r, struct buf *out);

/* A query over public data, its outputs called c0, c1, ... Only for a statement
   that reads nothing else: e->public_only. */
void public_print(struct engine *e, const struct plan *plan, struct buf *out);

#endif
