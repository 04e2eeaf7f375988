/*
 * Running counts: sum(count(*)) OVER (PARTITION BY a ORDER BY k). The only window
 * function of private SQL: it adds up the counts of groups, which a mechanism of
 * its own releases. Any other window function is a function of single rows.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"
#include "sql/aggregates.h"

/* PostgreSQL's bits of a frame (parsenodes.h). */
enum {
    FRAME_UNITS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10, /* RANGE, ROWS, GROUPS */
    FRAME_FROM_FIRST = 0x20,
    FRAME_TO_CURRENT = 0x400,
};

static custos_status
fail_window(struct sql_reader *r, int at, const char *said)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "not part of private SQL: %.*s" HINT "%s",
                          hint_before(said), said, hint_after(said));
}

static bool
is_call_of(const PgQuery__FuncCall *f, const char *word)
{
    const char *name = name_last(f->funcname, f->n_funcname);

    return name && !strcmp(name, word) && !f->agg_distinct &&
           f->n_agg_order == 0 && !f->agg_within_group;
}

/* Is it sum(count(*))? */
static bool
is_sum_of_counts(const PgQuery__FuncCall *f)
{
    const PgQuery__FuncCall *inner;

    if (!is_call_of(f, "sum") || f->agg_star || f->n_args != 1 ||
        f->args[0]->node_case != PG_QUERY__NODE__NODE_FUNC_CALL)
        return false;
    inner = f->args[0]->func_call;
    return is_call_of(inner, "count") && inner->agg_star && !inner->over;
}

static custos_status
order_check(struct sql_reader *r, const PgQuery__WindowDef *w)
{
    const int all = FRAME_UNITS | FRAME_FROM_FIRST | FRAME_TO_CURRENT;
    const PgQuery__SortBy *by;

    if ((w->frame_options & ~all) || !(w->frame_options & FRAME_FROM_FIRST) ||
        !(w->frame_options & FRAME_TO_CURRENT))
        return fail_window(r, w->location,
                           "a window that does not begin with the first group "
                           "and end with the current one" HINT
                           "leave the frame out; a range of groups is the "
                           "difference of two running counts");
    if (w->n_order_clause == 0)
        return CUSTOS_OK;
    if (w->n_order_clause > 1)
        return fail_window(r, w->location,
                           "a running count over several keys" HINT
                           "write ORDER BY with one key, and PARTITION BY with "
                           "the others");
    by = w->order_clause[0]->sort_by;
    if (w->order_clause[0]->node_case != PG_QUERY__NODE__NODE_SORT_BY ||
        by->sortby_dir > PG_QUERY__SORT_BY_DIR__SORTBY_ASC ||
        by->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST)
        return fail_window(r, w->location,
                           "a running count that is not in ascending order" HINT
                           "subtract it from sum(count(*)) OVER ()");
    return CUSTOS_OK;
}

static custos_status
key_read(struct sql_reader *r, const pg_node *node, struct expr **out)
{
    custos_status st = expr_read(r, node, out);

    if (!st && (*out)->kind == EXPR_LITERAL)
        st = fail_window(r, (*out)->at,
                         "a constant in OVER" HINT "write a key of GROUP BY");
    return st;
}

custos_status
window_read(struct sql_reader *r, const PgQuery__FuncCall *f, struct expr **out)
{
    const PgQuery__WindowDef *w = f->over;
    enum clause clause = r->clause;
    custos_status st;
    size_t n = 0;

    if (!is_sum_of_counts(f))
        return fail_window(r, f->location,
                           "a window function (OVER), whose value for one row "
                           "depends on other people's" HINT
                           "write GROUP BY; running counts of groups are "
                           "sum(count(*)) OVER (ORDER BY k)");
    if (r->below > 0 || (clause != CLAUSE_TARGET && clause != CLAUSE_ORDER_BY))
        return fail_window(r, f->location,
                           "a running count in this place" HINT
                           "it belongs in the outermost SELECT");
    st = order_check(r, w);
    if (!st)
        st = expr_new(r, EXPR_AGGREGATE, f->location,
                      w->n_order_clause + w->n_partition_clause, out);
    if (st)
        return st;
    (*out)->aggregate = w->n_order_clause ? AGG_RUNNING_ROWS : AGG_TOTAL_ROWS;
    r->clause = CLAUSE_AGGREGATE;
    if (w->n_order_clause)
        st = key_read(r, w->order_clause[0]->sort_by->node, &(*out)->args[n++]);
    for (size_t i = 0; i < w->n_partition_clause && !st; i++)
        st = key_read(r, w->partition_clause[i], &(*out)->args[n++]);
    r->clause = clause;
    return st;
}
