/*
 * THEOREM  view-is-its-query
 *   A query that names a view has the answer and the price of the same query
 *   with the view's text, in brackets, in place of the name, asked by somebody
 *   who may use everything that text names. An analyst who may use only the
 *   view learns about the tables in it only through its outputs.
 * SOURCE   by construction: the name is replaced before any other name is
 *          looked up; a subquery in FROM shows only the names of its outputs;
 *          the owner's grants apply inside the view and nowhere else.
 * NEEDS    the view is granted, or is used in a view that is.
 * GIVES    a tree of tables, in which `trusted` marks what the owner wrote.
 * FAILS    CUSTOS_EPOLICY with one message for all mistakes within a view.
 * TESTED   a_view_is_its_query only_granted_views_are_there
 */
#include "plan/from/views.h"

#include <stdio.h>

#include "plan/work.h"

/* The most levels of views within views; the most uses of views in a query. */
enum { DEEP_MAX = 8, USES_MAX = 64 };

/* The stack of views being expanded, innermost first; NULL: the query. */
struct open {
    const struct policy_view *view;
    const struct open *around;
};

struct views {
    arena *a;
    const struct policy *p;
    const struct policy_analyst *who;
    struct effort *effort;
    struct query **read; /* by view: its parsed tree, once it was used */
    size_t uses;
    int at; /* position of the outermost view's name */
    custos_err *err;
};

static custos_status
walk_query(struct views *v, struct query *q, const struct open *in);

static custos_status
no_memory(struct views *v)
{
    return custos_fail(v->err, CUSTOS_ENOMEM, "out of memory");
}

/* ---------------------------------------------------------------- a view -- */

static custos_status
check_open(struct views *v, const struct policy_view *view,
           const struct open *in)
{
    size_t deep = 0;

    for (const struct open *o = in; o; o = o->around, deep++)
        if (o->view == view)
            return custos_fail_at(v->err, CUSTOS_EPOLICY, v->at,
                                  "view '%.*s' uses itself", SHOWN(view->name));
    if (deep >= DEEP_MAX)
        return custos_fail_at(v->err, CUSTOS_EPOLICY, v->at,
                              "views of views nest deeper than %d levels here",
                              DEEP_MAX);
    if (++v->uses > USES_MAX)
        return custos_fail_at(
            v->err, CUSTOS_EUNSUPPORTED, v->at,
            "the query uses more than %d views, counting those within views",
            USES_MAX);
    return CUSTOS_OK;
}

/* Parses the text once, and copies the tree for each use. */
static custos_status
view_read(struct views *v, const struct policy_view *view, struct query **out)
{
    struct query **read = &v->read[view - v->p->views];
    custos_status st = CUSTOS_OK;

    if (!*read) {
        st = effort_spend(v->effort, EFFORT_TEXT_BYTE * view->sql.len, v->err);
        if (!st)
            st = sql_read_subquery(v->a, view->sql, read, v->err);
    }
    if (st)
        return st;
    *out = query_copy(v->a, *read);
    return *out ? CUSTOS_OK : no_memory(v);
}

static custos_status
expand_view(struct views *v, const struct policy_view *view, struct from *f,
            const struct open *in)
{
    const struct open now = {view, in};
    custos_status st = check_open(v, view, in);

    if (!st)
        st = view_read(v, view, &f->query);
    if (st)
        return st;
    f->kind = FROM_QUERY;
    f->trusted = true;
    if (f->alias.len == 0)
        f->alias = view->name;
    f->name = str_of("");
    return walk_query(v, f->query, &now);
}

/* Replaces errors inside the view by one that reveals nothing about it. */
static custos_status
expand_outermost(struct views *v, const struct policy_view *view,
                 struct from *f)
{
    custos_status st;

    v->at = f->at;
    st = expand_view(v, view, f, NULL);
    if (!st || st == CUSTOS_ENOMEM ||
        (st == CUSTOS_EUNSUPPORTED && v->uses > USES_MAX))
        return st;
    return custos_fail_at(
        v->err, CUSTOS_EPOLICY, f->at,
        "view %.*s cannot be used" HINT
        "ask the owner to run custos policy check, which says why",
        SHOWN(view->name));
}

/* ----------------------------------------------------------------- walks -- */

static custos_status
walk_expr(struct views *v, struct expr *e, const struct open *in)
{
    custos_status st = CUSTOS_OK;

    if (!e)
        return CUSTOS_OK;
    if (in) {
        e->at = v->at;
        e->trusted = true;
    }
    for (size_t i = 0; i < e->n_args && !st; i++)
        st = walk_expr(v, e->args[i], in);
    if (!st)
        st = walk_expr(v, e->lower, in);
    if (!st)
        st = walk_expr(v, e->upper, in);
    return st || !e->query ? st : walk_query(v, e->query, in);
}

static custos_status
walk_table(struct views *v, struct from *f, const struct open *in)
{
    const struct policy_view *view = policy_view_find(v->p, f->name);

    if (view && in)
        return expand_view(v, view, f, in);
    if (view && policy_grants_view(v->p, v->who, view))
        return expand_outermost(v, view, f);
    if (in && !policy_table_find(v->p, f->name))
        return custos_fail_at(v->err, CUSTOS_EPOLICY, v->at,
                              "there is no table or view %.*s", SHOWN(f->name));
    return CUSTOS_OK; /* from.c reports unknown tables */
}

static custos_status
walk_from(struct views *v, struct from *f, const struct open *in)
{
    custos_status st;

    if (in)
        f->at = v->at;
    switch (f->kind) {
    case FROM_TABLE: return walk_table(v, f, in);
    case FROM_QUERY: return walk_query(v, f->query, in);
    case FROM_JOIN: break;
    }
    st = walk_from(v, f->left, in);
    if (!st)
        st = walk_from(v, f->right, in);
    return st ? st : walk_expr(v, f->on, in);
}

static custos_status
walk_query(struct views *v, struct query *q, const struct open *in)
{
    custos_status st = q->from ? walk_from(v, q->from, in) : CUSTOS_OK;

    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = walk_expr(v, q->targets[i].expr, in);
    if (!st)
        st = walk_expr(v, q->where, in);
    for (size_t i = 0; i < q->n_group_by && !st; i++)
        st = walk_expr(v, q->group_by[i], in);
    if (!st)
        st = walk_expr(v, q->having, in);
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = walk_expr(v, q->order_by[i].expr, in);
    return st || !q->union_all ? st : walk_query(v, q->union_all, in);
}

custos_status
views_expand(arena *a, const struct policy *p, const struct policy_analyst *who,
             struct effort *effort, struct query *q, custos_err *err)
{
    struct views v = {.a = a, .p = p, .who = who, .effort = effort, .err = err};

    if (p->n_views == 0)
        return CUSTOS_OK;
    v.read = arena_take(a, p->n_views, sizeof(struct query *));
    return v.read ? walk_query(&v, q, NULL) : no_memory(&v);
}

/* ------------------------------------------------------- for the owner -- */

custos_status
views_check(arena *a, const struct policy *p, const char *path, custos_err *err)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct policy_view *view = &p->views[i];
        custos_err said = CUSTOS_ERR_INIT;
        struct views v = {.a = a, .p = p, .err = &said};
        struct from *f = arena_take(a, 1, sizeof *f);
        custos_status st;

        v.read = arena_take(a, p->n_views, sizeof(struct query *));
        st = f && v.read ? expand_view(&v, view, f, NULL) : no_memory(&v);

        if (st == CUSTOS_ENOMEM)
            return custos_fail(err, st, "out of memory");
        if (st)
            return custos_fail(err, CUSTOS_EPOLICY,
                               "%.200s, line %d: view '%.*s': %s" HINT "%s",
                               path, view->line, SHOWN(view->name), said.said,
                               said.hint);
    }
    return CUSTOS_OK;
}
