/*
 * Counts that the policy states. Under change-one a table whose units are its rows
 * has as many rows as every neighbour. If the owner declares that number
 * (`exact_rows`), a count of the whole table needs no data, and a mean needs no
 * noisy count: the whole price goes into its sum.
 *
 * Sums are taken of value - centre, as for an average, and centre times the number
 * of rows is added after noise. So a sum of values far from 0 costs what their
 * range costs. That the value is never NULL decides only whether the answer is
 * right: a NULL would add 0, which lies in the range of value - centre, so that
 * the sensitivity does not rest on it.
 *
 * THEOREM  known-rows
 *   Let neighbours differ by one replaced row, and let the policy state that a
 *   table has n rows, each a unit. Over the whole table count(*) is n, a function
 *   of the policy. If x is never NULL and has centre c, sum(x) is c n plus the sum
 *   of x - c, and avg(x) is that over n. For x in [L, U] the sum of x - c moves by
 *   at most U - L.
 * SOURCE   doc/proofs/known-rows.md
 * NEEDS    no WHERE, GROUP BY, join or UNION; the import accepts the table only
 *          with n rows, none of which it drops (check_exact_rows), and the
 *          version names n among its facts.
 * GIVES    the count at no cost; part-change-one for the sum, at the whole price.
 * FAILS    cannot.
 * TESTED   known_rows_take_no_price neighbours_differ_as_the_plan_says
 *          exact_rows_are_checked known_rows_have_the_exact_value
 *          known_rows_cover
 */
#include "plan/part/known_rows.h"

#include "plan/from/from.h"

/* The stated number, if every row of the table is in the query; else 0. */
static uint64_t
rows_of_query(const struct work *w)
{
    const struct query *q = w->q;
    const struct relation *r = w->from;
    const struct policy_table *t = w->table;

    if (w->policy->adjacency != CUSTOS_CHANGE_ONE ||
        r->kind != RELATION_TABLE || !t->unit_is_row)
        return 0;
    if (q->where || w->lifted || q->n_group_by > 0 || q->n_sets > 0)
        return 0;
    return t->exact_rows;
}

bool
known_rows_of(const struct work *w, const struct expr *x)
{
    return w->known_rows > 0 && !fact_of(x)->nullable;
}

/* Does it count all rows: count(*), or a column that is never NULL? */
static bool
counts_all(const struct work *w, const struct expr *e)
{
    const struct expr *x;

    if (e->aggregate == AGG_COUNT_ROWS)
        return true;
    if (e->aggregate != AGG_COUNT)
        return false;
    x = e->args[0];
    return x->kind == EXPR_COLUMN && !w->table->columns[x->slot].nullable;
}

/* Does e read rows outside of aggregates? outputs.c rejects that, or it is
   IN (SELECT ...), which is read with the rows. An interval names an output. */
static bool
reads_rows(const struct expr *e)
{
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_IN_QUERY)
        return true;
    if (e->kind == EXPR_AGGREGATE || e->kind == EXPR_INTERVAL)
        return false;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && reads_rows(e->args[i]))
            return true;
    return false;
}

static bool
query_reads_rows(const struct query *q)
{
    bool found = q->having && reads_rows(q->having);

    for (size_t i = 0; i < q->n_targets && !found; i++)
        found = reads_rows(q->targets[i].expr);
    for (size_t i = 0; i < q->n_order_by && !found; i++)
        found = reads_rows(q->order_by[i].expr);
    return found;
}

/* Replaces the counts in e; *left: it has other aggregates. */
static void
replace_counts(struct work *w, struct expr *e, bool *left)
{
    if (e->kind == EXPR_AGGREGATE && !counts_all(w, e)) {
        *left = true;
        return;
    }
    if (e->kind == EXPR_AGGREGATE) {
        *e = (struct expr){
            .kind = EXPR_LITERAL,
            .at = e->at,
            .value = {.type = TYPE_INT, .n = (i128)w->known_rows}};
        w->plan->known_rows = w->known_rows;
    }
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            replace_counts(w, e->args[i], left);
}

/* Makes the query one of no table. Its one row needs no order, and a number in
   ORDER BY would stand for an output. */
static void
leave_table(struct work *w)
{
    w->q->from = NULL;
    w->q->n_order_by = 0;
    from_enter(w, NULL);
    w->plan->from = NULL;
    w->plan->table = NULL;
    w->plan->is_public = true;
}

bool
known_rows_make(struct work *w)
{
    struct query *q = w->q;
    bool left = false;

    w->known_rows = query_reads_rows(q) ? 0 : rows_of_query(w);
    if (w->known_rows == 0)
        return false;
    for (size_t i = 0; i < q->n_targets; i++)
        replace_counts(w, q->targets[i].expr, &left);
    if (q->having)
        replace_counts(w, q->having, &left);
    for (size_t i = 0; i < q->n_order_by; i++)
        replace_counts(w, q->order_by[i].expr, &left);
    if (left || w->plan->known_rows == 0)
        return false;
    leave_table(w);
    return true;
}
