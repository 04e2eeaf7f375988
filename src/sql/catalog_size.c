/*
 * How long the statement becomes in the small database. It copies the argument of a
 * macro to every place where the macro's text uses it, NULLIF and CASE with an
 * argument in the same way, a query of WITH to every place that names it, and for *
 * it has every column of FROM. So nested calls, queries and stars may grow
 * exponentially, and no limit of time or memory holds while the database binds
 * them. A statement that would grow too much is refused.
 */
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"

enum {
    COPIES_MOST = 7, /* of one argument, by any macro */
    SIZE_MAX_NODES = 100000,
    COLUMNS_MOST = 100, /* of a relation of the catalog, or of a function */
};

/* Macros that use each argument once (engine/duckdb/catalog_macros.sql). */
static const char *const once[] = {
    "brief",       "tiny",          "text_cat", "list_cat",
    "quote_ident", "quote_literal", "is_like",  "is_ilike",
    "is_in",       "negation",      "matches",  "matches_any_case",
    "vector_text",
};

static double
copies_of_call(const PgQuery__FuncCall *f)
{
    const char *schema = f->n_funcname == 2 ? node_string(f->funcname[0]) : "";
    const char *name = node_string(f->funcname[f->n_funcname - 1]);

    if (!schema || strcmp(schema, CATALOG_SCHEMA) != 0)
        return 1;
    for (size_t i = 0; i < COUNT_OF(once); i++)
        if (!strcmp(name, once[i]))
            return 1;
    return COPIES_MOST;
}

/* How often the database copies what is inside the message. */
static double
copies_of(const pg_message *m)
{
    const PgQuery__CaseExpr *c = (const PgQuery__CaseExpr *)m;
    const PgQuery__AExpr *e = (const PgQuery__AExpr *)m;

    if (m->descriptor == &pg_query__func_call__descriptor)
        return copies_of_call((const PgQuery__FuncCall *)m);
    if (m->descriptor == &pg_query__case_expr__descriptor)
        return c->arg && c->n_args > 1 ? (double)c->n_args : 1;
    if (m->descriptor == &pg_query__a__expr__descriptor)
        return e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? 2 : 1;
    return 1;
}

/* What a query, or an item of FROM, becomes. */
struct extent {
    double size, columns;
};

/* The queries of WITH in scope, the last one first. */
struct with_query {
    const char *name;
    struct extent extent;
    const struct with_query *before;
};

/* What the walk carries along. */
struct walk {
    arena *a;
    const struct with_query *with;
    bool failed; /* without memory */
};

static struct extent
extent_of_select(struct walk *w, const PgQuery__SelectStmt *s);

static double
size_of(struct walk *w, const pg_message *m)
{
    double inside = 0;

    if (m->descriptor == &pg_query__select_stmt__descriptor)
        return extent_of_select(w, (const PgQuery__SelectStmt *)m).size;
    for (struct insides in = insides_of(m); insides_next(&in);)
        inside += size_of(w, in.at);
    return 1 + copies_of(m) * inside;
}

static struct extent
extent_of_table(const struct walk *w, const PgQuery__RangeVar *v)
{
    const struct with_query *q = v->schemaname[0] ? NULL : w->with;

    while (q && strcmp(q->name, v->relname) != 0)
        q = q->before;
    return q ? q->extent : (struct extent){1, COLUMNS_MOST};
}

static struct extent
extent_of_item(struct walk *w, const pg_node *node)
{
    const PgQuery__JoinExpr *j;
    struct extent e = {0, COLUMNS_MOST}, left, right;

    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return extent_of_table(w, node->range_var);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        if (node->range_subselect->subquery->node_case ==
            PG_QUERY__NODE__NODE_SELECT_STMT)
            return extent_of_select(
                w, node->range_subselect->subquery->select_stmt);
        break;
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        j = node->join_expr;
        left = extent_of_item(w, j->larg);
        right = extent_of_item(w, j->rarg);
        e.size = left.size + right.size +
                 (j->quals ? size_of(w, &j->quals->base) : 0);
        e.columns = left.columns + right.columns;
        return e;
    default: break;
    }
    e.size = size_of(w, &node->base);
    return e;
}

static bool
is_star(const pg_node *target)
{
    const PgQuery__ColumnRef *c;

    if (target->node_case != PG_QUERY__NODE__NODE_RES_TARGET ||
        !target->res_target->val ||
        target->res_target->val->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        return false;
    c = target->res_target->val->column_ref;
    return c->n_fields > 0 &&
           c->fields[c->n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

/* Is this one of the pieces that extent_of_select looks at by itself? */
static bool
is_own_piece(const PgQuery__SelectStmt *s, const pg_message *m)
{
    bool own = (s->with_clause && m == &s->with_clause->base) ||
               (s->larg && (m == &s->larg->base || m == &s->rarg->base));

    for (size_t i = 0; i < s->n_from_clause; i++)
        own = own || m == &s->from_clause[i]->base;
    return own;
}

/* Adds the queries of WITH to the scope; each sees those before it. */
static void
open_with(struct walk *w, const PgQuery__WithClause *with)
{
    for (size_t i = 0; i < with->n_ctes; i++) {
        const PgQuery__CommonTableExpr *c = with->ctes[i]->common_table_expr;
        struct with_query *q = arena_take(w->a, 1, sizeof *q);

        if (!q) {
            w->failed = true;
            return;
        }
        *q = (struct with_query){.name = c->ctename, .before = w->with};
        if (c->ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
            q->extent = extent_of_select(w, c->ctequery->select_stmt);
        else
            q->extent = extent_of_item(w, c->ctequery);
        w->with = q;
    }
}

/* A column counts as a node. */
static struct extent
extent_of_select(struct walk *w, const PgQuery__SelectStmt *s)
{
    const struct with_query *outer = w->with;
    struct extent from = {0, 0}, all = {1, 0};

    if (s->with_clause)
        open_with(w, s->with_clause);
    for (size_t i = 0; i < s->n_from_clause; i++) {
        struct extent e = extent_of_item(w, s->from_clause[i]);

        from.size += e.size;
        from.columns += e.columns;
    }
    for (struct insides in = insides_of(&s->base); insides_next(&in);)
        if (!is_own_piece(s, in.at))
            all.size += size_of(w, in.at);
    for (size_t i = 0; i < s->n_target_list; i++)
        all.columns += is_star(s->target_list[i]) ? from.columns : 1;
    if (s->larg) { /* of a union */
        from = extent_of_select(w, s->larg);
        from.size += extent_of_select(w, s->rarg).size;
        all.columns = from.columns;
    }
    w->with = outer;
    all.size += from.size + all.columns;
    return all;
}

custos_status
catalog_check_size(arena *a, const pg_message *tree, custos_err *err)
{
    struct walk w = {.a = a};
    double size = size_of(&w, tree);

    if (w.failed)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (size <= SIZE_MAX_NODES)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "the catalog query is too long: its functions, CASE "
                       "expressions, queries of WITH or stars are nested too "
                       "deeply" HINT "nest fewer of them");
}
