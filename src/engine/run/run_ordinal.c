/*
 * The bounding of the fold as a predicate. If the only key is a stored column whose
 * ordinals the import wrote, and there is no WHERE, one aggregate query of the engine
 * does what the fold does.
 *
 * THEOREM  place-equals-fold
 *   Let every row have a key and pass WHERE. Then the rows with rank <= m and
 *   |ordinal| <= g are the rows that fold-bound keeps: the first m rows of each
 *   unit, except those whose value is not among the first g values in these m
 *   rows.
 *   For each unit and value that are kept, exactly one kept row has
 *   ordinal > 0. So sums over these rows are those of the fold, and the rows
 *   with ordinal > 0 count its units.
 * SOURCE   doc/proofs/place-equals-fold.md
 * NEEDS    rank-of-own-rows, place-of-a-value; m <= ORDINALS_MAX; units without
 *          weights, as a row does not say how many values its unit has.
 * GIVES    x filled with the exact numbers.
 * FAILS    CUSTOS_EENGINE, CUSTOS_ENOMEM.
 * TESTED   placed_equals_the_fold groups_fold_equals_the_reference
 *          removing_a_unit_moves_few_groups
 */
#include "base/error.h"
#include "engine/run/key.h"
#include "engine/run/ordinals.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

bool
fits_ordinal(const struct engine *e, const struct stage *stage)
{
    return plan_has_bare_key(stage->plan, stage->space) &&
           stage->space->per_group == 0 && stage->plan->rows <= ORDINALS_MAX &&
           work_adds_up(stage) &&
           e->tables[stage->plan->table->number].sorted &&
           view_has_ordinal(stage->plan->table,
                            (size_t)stage->space->keys[0].expr->slot);
}

/* The rows that are kept: key_0, ordinal, value_0 ... */
static struct select *
rows_kept(struct builder *b, const struct stage *stage,
          const struct work_values *values)
{
    int slot = stage->space->keys[0].expr->slot;
    struct select *s =
        select_new(b, input_as(b, relation_of_plan(b, stage->plan), "t"));
    const struct term *ordinal = term_name(b, "t", "ordinal_%d", slot);

    select_add(b, s, term_name(b, "t", "column_%d", slot), "key_0");
    select_add(b, s, ordinal, "ordinal");
    for (size_t i = 0; i < values->n; i++)
        select_add(b, s, work_value(b, stage->plan, values->of[i]), "value_%zu",
                   i);
    select_where(b, s,
                 term_binary(b, term_name(b, "t", "rank"), TERM_AT_MOST,
                             term_number(b, stage->plan->rows)));
    /* Not needed if g >= m, since m rows have at most m values. Two comparisons,
       not abs(ordinal): the engine can skip blocks of rows by their least and
       largest ordinal. */
    if (stage->space->groups < stage->plan->rows) {
        select_where(b, s,
                     term_binary(b, ordinal, TERM_AT_LEAST,
                                 term_number(b, -(i128)stage->space->groups)));
        select_where(b, s,
                     term_binary(b, ordinal, TERM_AT_MOST,
                                 term_number(b, stage->space->groups)));
    }
    return s;
}

/*
 * Groups by the stored column, which is fastest in the engine. Values that key_term
 * makes NULL share one ordinal, and become one group when the groups are collected.
 */
custos_status
run_ordinal(struct engine *e, const struct stage *stage, struct exact *x,
            custos_err *err)
{
    const struct expr *key = stage->space->keys[0].expr;
    struct work_values values;
    struct builder b;
    struct select *s;
    const struct term *stored, *again, *units;
    custos_status st = work_values(stage, &values, err);

    if (st)
        return st;
    builder_init(&b, e);
    stored = term_name(&b, NULL, "key_0");
    again = term_filtered(&b, TERM_COUNT, NULL,
                          term_binary(&b, term_name(&b, NULL, "ordinal"),
                                      TERM_LESS, term_number(&b, 0)));
    s = select_new(&b, input_select(&b, rows_kept(&b, stage, &values)));
    select_add_bare(&b, s, key_term(&b, key->type, key->wide, stored));
    /* No ordinal is 0 here, so this counts the positive ones; if units are in many
       groups, it is faster than to count those with ordinal > 0. */
    units = term_binary(&b, term_aggregate(&b, TERM_COUNT, NULL), TERM_MINUS,
                        again);
    work_sums(&b, stage, &values, units, units, s);
    select_group(&b, s, stored);
    st = work_collect(&b, stage, s, x, err);
    builder_clear(&b);
    return st;
}
