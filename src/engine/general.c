/*
 * General bounding, by window functions of the engine, where neither a predicate
 * nor the fold can bound: attached tables, some joins and queries with IN (SELECT
 * ...), some quantiles and distinct counts. It keeps exactly what the fold keeps:
 * the rows of a unit that pass WHERE and have a key are numbered in the order of
 * their hash or rank, and its groups in the order of their first rows.
 *
 * THEOREM  general-equals-fold
 *   Of each unit the first `rows` rows by hash are kept, and of these the rows
 *   of its first `groups` cells. fold-bounds-units keeps the same rows of the
 *   imported table, since hash and rank have the same order.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    rank-of-own-rows, unit-of-a-row.
 * GIVES    x filled with the exact numbers.
 * FAILS    CUSTOS_EENGINE.
 * TESTED   general_equals_the_fold attached_equals_imported
 */
#include "base/error.h"
#include "engine/import.h"
#include "engine/relation.h"
#include "engine/work.h"

/* Prints the relation in parentheses; its column row_order gives the order of the
   rows. */
static void
print_rows(struct engine *e, const struct plan *plan, struct buf *out)
{
    const struct policy_table *t = plan->table;
    bool stored = !plan->from || plan->from->kind == RELATION_TABLE;

    if (!stored || e->data->tables[t->number].sorted) {
        buf_add_text(out, "(SELECT *, rank AS row_order FROM ");
        relation_of_plan(e, plan, out);
        buf_add_text(out, ")");
        return;
    }
    buf_add_text(out, "(SELECT unit_value AS unit, ");
    view_rank(t, UNIT_PATH_TEXT, out);
    buf_add_text(out, " AS row_order");
    relation_named(e, t, plan->from, out);
    buf_add_text(out, " FROM ");
    unit_path_from(plan->policy, t->number, e->data->tables[t->number].from,
                   out);
    buf_add_text(out, ")");
}

static void
print_keys(const struct plan *plan, const char *before, struct buf *out)
{
    for (size_t i = 0; i < plan->n_keys; i++)
        buf_printf(out, "%skey_%zu", i ? ", " : before, i);
}

/* Prints the numbered rows of each unit: unit, key_0 ..., value_0 ..., row_no. */
static void
print_numbered(struct engine *e, const struct plan *plan,
               const struct work_values *values, struct buf *out)
{
    buf_add_text(out, "SELECT t.unit");
    for (size_t i = 0; i < plan->n_keys; i++) {
        buf_add_text(out, ", ");
        work_key(plan, i, out);
        buf_printf(out, " AS key_%zu", i);
    }
    for (size_t i = 0; i < values->n; i++) {
        buf_add_text(out, ", ");
        work_value(plan, values->of[i], out);
        buf_printf(out, " AS value_%zu", i);
    }
    buf_add_text(out, ", row_number() OVER (PARTITION BY t.unit ORDER BY "
                      "t.row_order) AS row_no FROM ");
    print_rows(e, plan, out);
    buf_add_text(out, " AS t WHERE true");
    work_conditions(plan, out);
}

/* Is the number of groups limited, or are units counted? */
static bool
is_tracked(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_parts; i++)
        if (plan->parts[i].kind == PART_UNITS)
            return true;
    if (plan->selection)
        return true;
    return plan->groups < plan->rows && plan->groups < plan->cells;
}

/* If is_tracked, there is also first_row_no: the row_no of the unit's first row in
   the group. */
void
general_bounded(struct engine *e, const struct plan *plan,
                const struct work_values *values, struct buf *out)
{
    bool tracked = is_tracked(plan);

    if (tracked) {
        buf_add_text(out, "SELECT * FROM (SELECT *, dense_rank() OVER "
                          "(PARTITION BY unit ORDER BY first_row_no) AS "
                          "group_no FROM (SELECT *, min(row_no) OVER "
                          "(PARTITION BY unit");
        print_keys(plan, ", ", out);
        buf_add_text(out, ") AS first_row_no FROM (");
    } else {
        buf_add_text(out, "SELECT * FROM (");
    }
    print_numbered(e, plan, values, out);
    buf_printf(out, ") WHERE row_no <= %llu", (unsigned long long)plan->rows);
    if (tracked)
        buf_printf(out, ")) WHERE group_no <= %llu",
                   (unsigned long long)plan->groups);
}

custos_status
run_general(struct engine *e, const struct plan *plan, struct exact *x,
            custos_err *err)
{
    struct work_values values;
    struct buf b;
    custos_status st = work_values(plan, &values, err);

    if (st)
        return st;
    buf_init(&b, NULL, SQL_MOST);
    relation_queries(e, plan, plan->n_queries, &b);
    print_keys(plan, "SELECT ", &b);
    if (plan->n_keys == 0)
        buf_add_text(&b, "SELECT 0");
    work_sums(plan, &values, "count(*) FILTER (WHERE row_no = first_row_no)",
              &b);
    buf_add_text(&b, " FROM (");
    general_bounded(e, plan, &values, &b);
    buf_add_text(&b, ")");
    print_keys(plan, " GROUP BY ", &b);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : work_collect(plan, e->connections[0], buf_text(&b), x, err);
    buf_clear(&b);
    return st;
}
