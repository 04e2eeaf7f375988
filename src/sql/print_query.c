/*
 * The canonical text of a tree: queries. A name of WITH is written as its
 * query, wherever it was used; commas are written as CROSS JOIN.
 */
#include "sql/print.h"

#include <inttypes.h>

#include "sql/tree.h"

static void print_from(const struct from *f, struct buf *out);

static void
print_options(const struct query_options *o, struct buf *out)
{
    const struct {
        const char *name;
        str value;
    } all[] = {
        {"epsilon", o->epsilon},
        {"rho", o->rho},
        {"delta", o->delta},
        {"max_groups_contributed", o->max_groups_contributed},
        {"max_rows_contributed", o->max_rows_contributed},
        {"max_rows_contributed_per_group", o->max_rows_per_group},
        {"min_privacy_units_per_group", o->min_units},
        {"bars", o->bars.len ? str_of("simultaneous") : o->bars},
        {"quantile_bar", o->quantile_bar.len ? str_of("off") : o->quantile_bar},
        {"table_error",
         o->table_error.len ? str_of("largest") : o->table_error},
    };
    bool any = false;

    if (!o->given)
        return;
    buf_add_text(out, " WITH DIFFERENTIAL_PRIVACY");
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (!all[i].value.len)
            continue;
        buf_printf(out, "%s%s = ", any ? ", " : " OPTIONS(", all[i].name);
        print_str(all[i].value, out);
        any = true;
    }
    if (any)
        buf_add_text(out, ")");
}

static void
print_targets(const struct query *q, struct buf *out)
{
    for (size_t i = 0; i < q->n_targets; i++) {
        const struct expr *e = q->targets[i].expr;

        buf_add_text(out, i > 0 ? ", " : " ");
        sql_print_expr(e, out);
        if (e->kind == EXPR_COLUMN && e->name.len == 0)
            continue;
        buf_add_text(out, " AS ");
        print_name(q->targets[i].name, out);
    }
}

static void
print_order(const struct query *q, struct buf *out)
{
    for (size_t i = 0; i < q->n_order_by; i++) {
        const struct order *o = &q->order_by[i];

        buf_add_text(out, i > 0 ? ", " : " ORDER BY ");
        sql_print_expr(o->expr, out);
        buf_add_text(out, o->descending ? " DESC" : " ASC");
        buf_add_text(out, o->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

/* ----------------------------------------------------------------- FROM -- */

static void
print_names(const str *names, size_t n, struct buf *out)
{
    buf_add_text(out, " (");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_add_text(out, ", ");
        print_name(names[i], out);
    }
    buf_add_text(out, ")");
}

/* Joins associate to the left; a join on the right side gets parentheses. */
static void
print_join(const struct from *f, struct buf *out)
{
    bool inside = f->right->kind == FROM_JOIN;

    print_from(f->left, out);
    buf_add_text(out, f->outer              ? " LEFT JOIN "
                      : f->on || f->n_using ? " JOIN "
                                            : " CROSS JOIN ");
    buf_add_text(out, inside ? "(" : "");
    print_from(f->right, out);
    buf_add_text(out, inside ? ")" : "");
    if (f->on) {
        buf_add_text(out, " ON ");
        sql_print_expr(f->on, out);
    }
    if (f->n_using) {
        buf_add_text(out, " USING");
        print_names(f->using, f->n_using, out);
    }
}

static void
print_from(const struct from *f, struct buf *out)
{
    if (f->kind == FROM_JOIN) {
        print_join(f, out);
        return;
    }
    if (f->kind == FROM_QUERY) {
        buf_add_text(out, "(");
        sql_print(f->query, out);
        buf_add_text(out, ")");
    } else {
        print_name(f->name, out);
    }
    if (f->alias.len) {
        buf_add_text(out, " AS ");
        print_name(f->alias, out);
    }
    if (f->n_columns)
        print_names(f->columns, f->n_columns, out);
}

/* --------------------------------------------------------------- queries -- */

/* The keys of one set. */
static void
print_set(const struct query *q, uint32_t bits, struct buf *out)
{
    const char *before = "";

    for (size_t i = 0; i < q->n_group_by; i++)
        if (bits >> i & 1) {
            buf_add_text(out, before);
            sql_print_expr(q->group_by[i], out);
            before = ", ";
        }
}

static void
print_groups(const struct query *q, struct buf *out)
{
    for (size_t i = 0; i < q->n_group_by && q->n_sets == 0; i++) {
        buf_add_text(out, i > 0 ? ", " : " GROUP BY ");
        sql_print_expr(q->group_by[i], out);
    }
    for (size_t i = 0; i < q->n_sets; i++) {
        buf_add_text(out, i > 0 ? ", (" : " GROUP BY GROUPING SETS ((");
        print_set(q, q->sets[i], out);
        buf_add_text(out, ")");
    }
    buf_add_text(out, q->n_sets > 0 ? ")" : "");
}

static void
print_one(const struct query *q, struct buf *out)
{
    buf_add_text(out, q->explain ? "EXPLAIN SELECT" : "SELECT");
    print_options(&q->options, out);
    if (q->distinct)
        buf_add_text(out, " DISTINCT");
    print_targets(q, out);
    if (q->from) {
        buf_add_text(out, " FROM ");
        print_from(q->from, out);
    }
    if (q->where) {
        buf_add_text(out, " WHERE ");
        sql_print_expr(q->where, out);
    }
    print_groups(q, out);
    if (q->having) {
        buf_add_text(out, " HAVING ");
        sql_print_expr(q->having, out);
    }
    print_order(q, out);
    if (q->has_limit)
        buf_printf(out, " LIMIT %" PRIu64, q->limit);
    if (q->offset)
        buf_printf(out, " OFFSET %" PRIu64, q->offset);
}

void
sql_print(const struct query *q, struct buf *out)
{
    print_one(q, out);
    for (q = q->union_all; q; q = q->union_all) {
        buf_add_text(out, " UNION ALL ");
        print_one(q, out);
    }
}
