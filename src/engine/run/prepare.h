/*
 * Public parts of private plans: computed before any private table is read.
 *
 * THEOREM  public-first
 *   In a statement that reads a private table, every expression is total
 *   (total-expressions), and there is no aggregate over public rows and no
 *   public file. Such parts were computed before, by statements that read
 *   only public tables, into temporary tables that the private statement
 *   reads.
 * SOURCE   doc/proofs/public-first.md
 * NEEDS    relation_input gives a public part only if b->public_only is set,
 *          else the table that it was computed into; public_select makes terms
 *          of kind TERM_PUBLIC for public parts alone.
 * GIVES    whether a public part fails is a function of public data, decided
 *          above the charge. The private facts that the engine uses for
 *          planning (the least and greatest value of a column, whether a side
 *          of a join is empty) decide how much of a statement runs, but never
 *          whether it fails.
 * FAILS    CUSTOS_EINVAL, above the charge.
 * TESTED   public_parts_fail_above_the_charge no_query_tells_by_failing
 *          a_private_statement_has_no_public_part
 *          parts_are_tried_before_the_charge
 *
 * A part is identified by its text, which is the same in all plans of a bound
 * selection. The tables are the handle's own: no other handle sees them.
 */
#ifndef ENGINE_PREPARE_H
#define ENGINE_PREPARE_H

#include "engine/statement/relation.h"

/* Is r a public part: a query over public rows, or a public table that must be
   decoded? */
static inline bool
prepare_is_part(const struct relation *r)
{
    return r->kind == RELATION_PUBLIC ||
           (r->kind == RELATION_TABLE && r->as->is_public &&
            !r->as->facts.steps_stored);
}

/* The table that part r was computed into; sets b->failed if there is none. */
const struct input *prepare_input(struct builder *b, const struct relation *r);

#endif
