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
 * NEEDS    rank-of-own-rows, place-of-a-value; m <= ORDINALS_MAX.
 * GIVES    x filled with the exact numbers.
 * FAILS    CUSTOS_EENGINE, CUSTOS_ENOMEM.
 * TESTED   placed_equals_the_fold groups_fold_equals_the_reference
 *          removing_a_unit_moves_few_groups
 */
#include "base/error.h"
#include "engine/import.h"
#include "engine/key.h"
#include "engine/ordinals.h"
#include "engine/relation.h"
#include "engine/work.h"

bool
fits_ordinal(const struct engine *e, const struct plan *plan)
{
    return plan_has_bare_key(plan) && plan->rows <= ORDINALS_MAX &&
           work_adds_up(plan) && e->data->tables[plan->table->number].sorted &&
           view_has_ordinal(plan->table, (size_t)plan->keys[0].expr->slot);
}

/* Prints the rows that are kept: key_0, value_0 ..., ordinal. */
static void
print_rows(struct engine *e, const struct plan *plan,
           const struct work_values *values, struct buf *out)
{
    int slot = plan->keys[0].expr->slot;

    buf_printf(out, "SELECT t.column_%d AS key_0, t.ordinal_%d AS ordinal",
               slot, slot);
    for (size_t i = 0; i < values->n; i++) {
        buf_add_text(out, ", ");
        work_value(plan, values->of[i], out);
        buf_printf(out, " AS value_%zu", i);
    }
    buf_add_text(out, " FROM ");
    relation_of_plan(e, plan, out);
    buf_printf(out, " AS t WHERE t.rank <= %llu",
               (unsigned long long)plan->rows);
    /* Not needed if g >= m, since m rows have at most m values. Two comparisons,
       not abs(ordinal): the engine can skip blocks of rows by their least and
       largest ordinal. */
    if (plan->groups < plan->rows)
        buf_printf(out, " AND t.ordinal_%d >= -%llu AND t.ordinal_%d <= %llu",
                   slot, (unsigned long long)plan->groups, slot,
                   (unsigned long long)plan->groups);
}

/*
 * Groups by the stored column, which is fastest in the engine. Values that key_print
 * makes NULL share one ordinal, and become one group when the groups are collected.
 */
custos_status
run_ordinal(struct engine *e, const struct plan *plan, struct exact *x,
            custos_err *err)
{
    const struct expr *key = plan->keys[0].expr;
    struct work_values values;
    struct buf b;
    custos_status st = work_values(plan, &values, err);

    if (st)
        return st;
    buf_init(&b, NULL, SQL_MOST);
    buf_add_text(&b, "SELECT ");
    key_print(key->type, key->wide, "key_0", &b);
    /* No ordinal is 0 here, so this counts the positive ones; if units are in many
       groups, it is faster than FILTER (WHERE ordinal > 0). */
    work_sums(plan, &values, "count(*) - count(*) FILTER (WHERE ordinal < 0)",
              &b);
    buf_add_text(&b, " FROM (");
    print_rows(e, plan, &values, &b);
    buf_add_text(&b, ") GROUP BY key_0");
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : work_collect(plan, e->connections[0], buf_text(&b), x, err);
    buf_clear(&b);
    return st;
}
