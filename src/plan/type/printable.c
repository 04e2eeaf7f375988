/*
 * Every expression that the engine will compute over private rows is printed
 * once here, above the charge, and the text is thrown away. So if the printer
 * refuses a tree, for example one with a function that sql/total.c does not
 * list, the planner refuses the query, and nothing fails after the charge.
 */
#include "plan/work.h"
#include "sql/duckdb.h"

static custos_status
check_expr(struct work *w, const struct expr *e)
{
    custos_status st = e ? duckdb_check_expr(e) : CUSTOS_OK;

    if (st == CUSTOS_EUNSUPPORTED)
        return custos_fail_at(w->err, st, e->at,
                              "not supported over private rows: %s" HINT
                              "write it with other functions",
                              work_text(w, e));
    return st ? work_no_memory(w) : CUSTOS_OK;
}

/* Checks what a relation computes itself: its condition, its columns, and for
   aggregates per unit their keys and arguments. */
static custos_status
check_own(struct work *w, const struct relation *r)
{
    custos_status st = check_expr(w, r->on);

    for (size_t i = 0; i < r->n_exprs && !st; i++) {
        const struct expr *e = r->exprs[i];

        if (e->kind != EXPR_AGGREGATE)
            st = check_expr(w, e);
        else if (e->n_args > 0)
            st = check_expr(w, e->args[0]);
    }
    for (size_t i = 0; r->values && i < r->n_exprs - r->n_keys && !st; i++)
        st = check_expr(w, r->values[i].of);
    return st;
}

/* Skips public queries (RELATION_PUBLIC): they run above the charge. */
static custos_status
check_relation(struct work *w, const struct relation *r)
{
    custos_status st = check_own(w, r);

    if (!st && r->left)
        st = check_relation(w, r->left);
    if (!st && r->right)
        st = check_relation(w, r->right);
    for (size_t i = 0; i < r->n_branches && !st; i++)
        st = check_relation(w, r->branches[i]);
    return st;
}

custos_status
printable_check(struct work *w)
{
    const struct plan *p = w->plan;
    custos_status st = check_expr(w, p->where);

    for (size_t i = 0; i < p->n_stages && !st; i++) {
        const struct cell_space *s = p->stages[i].space;

        for (size_t k = 0; k < s->n_keys && !st; k++)
            st = check_expr(w, s->keys[k].expr);
    }
    for (size_t i = 0; i < p->n_parts && !st; i++)
        st = check_expr(w, p->parts[i].of);
    if (!st && p->from)
        st = check_relation(w, p->from);
    for (size_t i = 0; i < p->n_queries && !st; i++)
        st = check_relation(w, p->queries[i]);
    return st;
}
