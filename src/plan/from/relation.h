/*
 * Relations: the items of FROM, with names bound and a proven bound on rows
 * per unit.
 *
 * THEOREM  unit-local
 *   Call a relation unit-local when its rows are the disjoint union over units
 *   u of f(rows of u, public data). Tables are unit-local. These are unit-local
 *   if the relations that they are made from are: a selection, a projection, a
 *   join with public data, a join of two of them whose condition equates their
 *   units (inner, or LEFT), UNION ALL, and aggregation grouped by the unit,
 *   with or without other keys.
 *   Removing one unit removes its rows and leaves all others as they are.
 * SOURCE   doc/proofs/unit-local.md
 * NEEDS    unit-of-a-row; the engine writes a.u = b.u into every join of two
 *          private relations, whatever the query says.
 * GIVES    neighbours differ in the rows of one unit. If only the first
 *          as->rows_per_unit rows of each unit are kept, in an order that is a
 *          function of the unit's own rows (join-order), neighbours differ in
 *          at most that many rows.
 * FAILS    any other relation is refused: CUSTOS_EUNSUPPORTED.
 * TESTED   every_join_equals_the_reference removing_a_unit_moves_little
 *
 * THEOREM  join-order
 *   Every row of a private relation has a whole number r, different from that
 *   of any other row of its unit, which is a function of the unit's own rows
 *   and public data; so at most m rows of each unit have r <= m. Tables:
 *   rank-of-own-rows. Joins, with a, b the sides and M_a, M_b the most rows
 *   that one unit has in them:
 *     each row of a meets at most one of b    a.r (with sides exchanged: b.r)
 *     each row of b meets at most one of a,
 *     and LEFT keeps rows of a by themselves  M_a + b.r for pairs; a.r for rows
 *                                             of a alone; a cut to a.r <= M_a
 *     on the unit alone                       (a.r - 1) M_b + b.r, both cut
 *                                             to r <= M before
 *     a public side that may meet many        numbered anew, in the order of a
 *                                             hash of the pair, ties by a.r and
 *                                             the columns of the public side
 *                                             that are read above; cut to
 *                                             r <= M before and after
 *   UNION ALL: r plus the sum of M over all earlier branches; each branch is
 *   first cut to r <= M.
 *   Grouped by unit: 1; by unit and more: the least r of the group.
 * SOURCE   doc/proofs/join-order.md
 * NEEDS    columns called unique here are so in the store: the import checks
 *          every column that another references, and public tables that were
 *          imported are counted (plan_known). No two public texts that are
 *          read above share the first 128 bits of their salted SHA-256.
 * GIVES    as->rows_per_unit.
 * FAILS    cannot.
 * TESTED   every_join_equals_the_reference removing_a_unit_moves_little
 *          doubled_keys_are_refused rows_are_cut_between_joins
 *          numbers_do_not_move_when_a_unit_goes
 *          what_occurs_once_multiplies_no_rows
 */
#ifndef PLAN_RELATION_H
#define PLAN_RELATION_H

#include "policy/policy.h"
#include "sql/tree.h"

enum relation_kind {
    RELATION_TABLE,  /* `as` is the policy's own table */
    RELATION_FILTER, /* rows of left that pass `on`; `as` is left's */
    RELATION_EXTEND, /* rows of left; `exprs` are further columns after its */
    RELATION_JOIN,   /* pairs of left and right: columns of both */
    RELATION_UNION,  /* rows of all branches */
    RELATION_UNITS,  /* rows of left grouped by unit and keys; `exprs` are
                        n_keys keys, then aggregates */
    RELATION_PUBLIC, /* the outputs of `plan`, over public data alone */
};

/* How the sides of a join meet. */
enum meeting {
    MEET_PUBLIC, /* both are public */
    MEET_LEFT,   /* a row of left meets at most one of right */
    MEET_RIGHT,  /* a row of right meets at most one of left */
    MEET_EITHER, /* as MEET_RIGHT, and rows of left that meet none are kept */
    MEET_UNIT,   /* two private sides: pairs of one unit */
    MEET_MANY,   /* one side is public, and a row of the other side may meet
                    many of its rows */
};

/* What is known of a column besides its type and range. */
struct relation_column {
    const struct policy_column *is; /* of a table; NULL: computed */
    bool stored;  /* as the table has it; so what the table stores with the
                     value (grid steps, the index among declared values:
                     engine/import/view.h) can be read as well */
    bool unique;  /* no two rows have the same value; NULLs do not count */
    bool outer;   /* NULL where a LEFT JOIN found nothing */
    size_t nodes; /* of its expression, columns inlined; 0: stored column */
    /*
     * How the value identifies the unit of its row. If this points to the
     * policy, the value is the unit itself. If it points to a unique column of
     * a table, the row of that table with this value has the same unit. NULL:
     * the value does not identify the unit.
     */
    const void *names;
};

/* What a name of the query stands for. */
struct relation_name {
    str table, name;
    size_t slot;
    bool hidden; /* by USING: only table.name reaches it */
};

struct relation {
    enum relation_kind kind;
    str shown; /* the view's name, if it is a view; empty: as->name */
    const struct policy_table *as; /* columns, unit, rows and groups per unit */
    struct policy_table *own;      /* `as`, writable while it is made; NULL:
                                      `as` belongs to another relation */
    struct relation_column *columns; /* by column of `as` */
    struct relation_name *names;     /* granted ones, in the order of * */
    size_t n_names;
    bool renumbered; /* the number r of a row (join-order) may exceed
                        rows_per_unit: whatever reads this relation in FROM cuts
                        it to r <= rows_per_unit first */
    bool raced;      /* the table declares no rows_per_unit: as->rows_per_unit
                        is the bound being tried or selected
                        (bound_selection.h), or the query states it */
    bool *carried;   /* by column: does anything above, nearer to the plan's
                        own expressions, read it? NULL: all may be read */
    bool seeded;     /* the seed of its rows is read above (carry.h) */
    struct relation *left, *right;
    struct expr *on; /* typed; NULL: none */
    bool outer;
    enum meeting meeting;
    struct expr **exprs;
    size_t n_exprs, n_keys;
    struct part *values;        /* by aggregate: the whole numbers it adds */
    struct relation **branches; /* RELATION_UNION */
    size_t
        *slots; /* [i * n_columns + j]: which column of branch i is column j */
    size_t n_branches;
    struct plan *plan;
};

/* Does this column identify the unit of its row, in every row? */
static inline bool
relation_is_unit(const struct relation *r, size_t slot,
                 const struct policy *policy)
{
    return r->columns[slot].names == policy && !r->columns[slot].outer;
}

/* Does anything above read this column? */
static inline bool
relation_carries(const struct relation *r, size_t slot)
{
    return !r->carried || r->carried[slot];
}

/* The name shown to the analyst. */
static inline str
relation_shown(const struct relation *r)
{
    return r->shown.len ? r->shown : r->as->name;
}

#endif
