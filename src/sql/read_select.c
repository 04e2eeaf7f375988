/*
 * The clauses of a SELECT.
 *
 * Names in GROUP BY and ORDER BY follow PostgreSQL. ORDER BY prefers outputs:
 * their names are replaced by numbers here. GROUP BY prefers columns of the
 * tables, which are not known here: its names stay as they are.
 */
#include "sql/read.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Of the element of an array; longer names of arrays are cut. */
enum { ELEMENT_NAME = 96, NAME_SHOWN = 64 };

/* -------------------------------------------------------------- targets -- */

/* Is it * or t.*? */
static bool
is_star(const pg_node *node)
{
    const PgQuery__ColumnRef *c;

    if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        return false;
    c = node->column_ref;
    return c->n_fields >= 1 && c->n_fields <= 2 &&
           c->fields[c->n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

static custos_status
star_read(struct sql_reader *r, const PgQuery__ColumnRef *c, struct target *out)
{
    const char *table = c->n_fields == 2 ? node_string(c->fields[0]) : "";
    char *copy = table ? arena_copy(r->a, str_of(table)) : NULL;
    custos_status st;

    if (r->exchanged && c->n_fields == 1)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, c->location,
                              "not part of private SQL: SELECT * over a RIGHT "
                              "JOIN" HINT
                              "write a LEFT JOIN, its sides exchanged");
    st = expr_new(r, EXPR_COLUMN, c->location, 0, &out->expr);
    if (st || !copy)
        return st ? st : fail_memory(r->err);
    out->expr->qualifier = str_of(copy);
    r->query->star = true;
    return CUSTOS_OK;
}

static custos_status
target_read(struct sql_reader *r, const pg_node *node, struct target *out)
{
    const PgQuery__ResTarget *t = node->res_target;
    custos_status st;
    char *name;

    if (node->node_case != PG_QUERY__NODE__NODE_RES_TARGET || !t->val)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not part of private SQL: this output");
    if (is_star(t->val))
        return star_read(r, t->val->column_ref, out);
    st = expr_read(r, t->val, &out->expr);
    if (st)
        return st;
    name = arena_copy(
        r->a, str_of(t->name && t->name[0] ? t->name : target_name(t->val)));
    if (!name)
        return fail_memory(r->err);
    out->name = str_of(name);
    return CUSTOS_OK;
}

/* Makes room for `more` targets, in *room. It at least doubles, so that all copying
   together is linear. */
static bool
targets_grow(struct sql_reader *r, size_t more, size_t *room)
{
    struct query *q = r->query;
    struct target *all;

    if (more <= *room - q->n_targets)
        return true;
    all = arena_take(r->a, 2 * *room + more, sizeof *all);
    if (!all)
        return false;
    memcpy(all, q->targets, q->n_targets * sizeof *all);
    q->targets = all;
    *room = 2 * *room + more;
    return true;
}

/* An array of percentiles: one target for each of them, and room for `more` after
   them. */
static custos_status
array_targets_read(struct sql_reader *r, const PgQuery__ResTarget *t,
                   size_t more, size_t *room)
{
    struct query *q = r->query;
    str name = str_of(t->name && t->name[0] ? t->name : target_name(t->val));
    struct expr **list = NULL;
    size_t n = 0;
    custos_status st;

    if (r->below > 0)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                              t->val->func_call->location,
                              "an array of percentiles belongs in the "
                              "outermost SELECT");
    st = percentiles_read(r, t->val->func_call, &list, &n);
    if (st)
        return st;
    if (!targets_grow(r, n + more, room) ||
        !(name.ptr = arena_copy(r->a, name)))
        return fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        char text[ELEMENT_NAME];
        const char *copy;

        snprintf(text, sizeof text, "%.*s[%zu]",
                 (int)(name.len < NAME_SHOWN ? name.len : NAME_SHOWN), name.ptr,
                 i + 1);
        copy = arena_copy(r->a, str_of(text));
        if (!copy)
            return fail_memory(r->err);
        q->targets[q->n_targets++] = (struct target){
            .expr = list[i], .name = str_of(copy), .array = {name, i, n}};
    }
    return CUSTOS_OK;
}

static custos_status
targets_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    size_t room = s->n_target_list;
    custos_status st = CUSTOS_OK;

    if (s->n_target_list == 0)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, 0,
                              "SELECT has no output columns");
    r->clause = CLAUSE_TARGET;
    q->targets = arena_take(r->a, room, sizeof *q->targets);
    q->columns = arena_take(r->a, room, sizeof *q->columns);
    if (!q->targets || !q->columns)
        return fail_memory(r->err);
    q->n_targets = 0;
    q->n_columns = s->n_target_list;
    for (size_t i = 0; !st && i < s->n_target_list; i++) {
        const pg_node *node = s->target_list[i];

        q->columns[i] = q->n_targets;
        if (node->node_case == PG_QUERY__NODE__NODE_RES_TARGET &&
            node->res_target->val && is_percentiles(node->res_target->val))
            st = array_targets_read(r, node->res_target,
                                    s->n_target_list - i - 1, &room);
        else
            st = target_read(r, node, &q->targets[q->n_targets++]);
    }
    return st;
}

/* ---------------------------------------------------------------- names -- */

/* A name of one part; NULL when the node is something else. */
static const char *
bare_name(const pg_node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
                   node->column_ref->n_fields == 1
               ? node_string(node->column_ref->fields[0])
               : NULL;
}

/*
 * Which output the node refers to, by its number or its name; 0: none, it is an
 * expression.
 */
static custos_status
output_find(struct sql_reader *r, const pg_node *node, const char *clause,
            size_t *out)
{
    const struct query *q = r->query;
    const char *name = bare_name(node);
    int at = node_at(node, 0);

    *out = 0;
    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST) {
        const PgQuery__AConst *c = node->a_const;

        if (q->star)
            return custos_fail_at(
                r->err, CUSTOS_EUNSUPPORTED, at,
                "%s: with * in SELECT, outputs cannot be given by number" HINT
                "write the name",
                clause);
        if (c->val_case != PG_QUERY__A__CONST__VAL_IVAL || c->ival->ival < 1 ||
            (size_t)c->ival->ival > q->n_columns)
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, at,
                                  "%s: there is no output column of this "
                                  "number",
                                  clause);
        *out = q->columns[c->ival->ival - 1] + 1;
        if (q->targets[*out - 1].array.n)
            return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                                  "%s: this output is an array", clause);
        return CUSTOS_OK;
    }
    for (size_t i = 0; name && i < q->n_targets; i++) {
        if (!str_equal(q->targets[i].name, str_of(name)))
            continue;
        if (*out)
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, at,
                                  "%s: two output columns have this name" HINT
                                  "write its number",
                                  clause);
        *out = i + 1;
    }
    return CUSTOS_OK;
}

/* Reads an expression, but refuses a literal, which would look like the number
   of an output column. */
static custos_status
variable_read(struct sql_reader *r, const pg_node *node, const char *clause,
              struct expr **out)
{
    custos_status st = expr_read(r, node, out);

    if (!st && (*out)->kind == EXPR_LITERAL)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, (*out)->at,
                              "%s a constant does nothing" HINT "leave it out",
                              clause);
    return st;
}

custos_status
group_key_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
               const pg_node *node, struct expr **out)
{
    custos_status st = CUSTOS_OK;
    size_t k = 0;

    if (!bare_name(node))
        st = output_find(r, node, "GROUP BY", &k);
    if (k > 0)
        node = s->target_list[node->a_const->ival->ival - 1]->res_target->val;
    return st ? st : variable_read(r, node, "GROUP BY", out);
}

static custos_status
order_read(struct sql_reader *r, const PgQuery__SortBy *s, struct order *out)
{
    custos_status st;
    size_t k;

    out->descending = s->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    /* PostgreSQL sorts NULL as the largest value. */
    out->nulls_first =
        s->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST ||
        (out->descending &&
         s->sortby_nulls != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST);
    st = output_find(r, s->node, "ORDER BY", &k);
    if (st || k == 0)
        return st ? st : variable_read(r, s->node, "ORDER BY", &out->expr);
    st =
        expr_new(r, EXPR_LITERAL, node_at(s->node, s->location), 0, &out->expr);
    if (!st) {
        out->expr->type = TYPE_INT;
        out->expr->value = (struct datum){.type = TYPE_INT, .n = (i128)k};
    }
    return st;
}

static custos_status
order_by_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    custos_status st = CUSTOS_OK;

    if (r->below > 0) /* the rows of a subquery have no order */
        return CUSTOS_OK;
    q->n_order_by = s->n_sort_clause;
    q->order_by = q->n_order_by
                      ? arena_take(r->a, q->n_order_by, sizeof *q->order_by)
                      : NULL;
    if (q->n_order_by && !q->order_by)
        return fail_memory(r->err);
    r->clause = CLAUSE_ORDER_BY;
    for (size_t i = 0; !st && i < q->n_order_by; i++) {
        const pg_node *node = s->sort_clause[i];

        if (node->node_case != PG_QUERY__NODE__NODE_SORT_BY ||
            node->sort_by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
            return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                                  "not part of private SQL: this ORDER BY");
        st = order_read(r, node->sort_by, &q->order_by[i]);
    }
    return st;
}

/* ------------------------------------------------------ LIMIT and OFFSET -- */

/* NULL and LIMIT ALL mean no limit. */
static custos_status
limit_read(struct sql_reader *r, const pg_node *node, bool *given,
           uint64_t *out)
{
    struct expr *e;
    custos_status st;
    i128 n;

    if (!node)
        return CUSTOS_OK;
    st = expr_read(r, node, &e);
    if (st)
        return st;
    param_expect(e, TYPE_INT, 0);
    if (e->kind == EXPR_LITERAL && e->value.type == TYPE_NULL)
        return CUSTOS_OK;
    if (!expr_is_whole(e, &n) || n < 0)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->at,
                              "LIMIT and OFFSET take a whole number");
    *given = true;
    *out = (uint64_t)n;
    return CUSTOS_OK;
}

static custos_status
limits_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    bool has_offset;
    custos_status st;

    if (s->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                              node_at(s->limit_count, 0),
                              "not part of private SQL: WITH TIES");
    st = limit_read(r, s->limit_count, &q->has_limit, &q->limit);
    return st ? st : limit_read(r, s->limit_offset, &has_offset, &q->offset);
}

/* -------------------------------------------------------------- clauses -- */

static custos_status
clause_read(struct sql_reader *r, const pg_node *node, enum clause clause,
            struct expr **out)
{
    r->clause = clause;
    return node ? expr_read(r, node, out) : CUSTOS_OK;
}

static custos_status
distinct_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    if (s->n_distinct_clause == 0)
        return CUSTOS_OK;
    if (s->n_distinct_clause > 1 ||
        s->distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET)
        return custos_fail_at(
            r->err, CUSTOS_EUNSUPPORTED, node_at(s->distinct_clause[0], 0),
            "not part of private SQL: DISTINCT ON" HINT "write "
            "GROUP BY with an aggregate");
    r->query->distinct = true;
    return CUSTOS_OK;
}

custos_status
select_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    custos_status st = from_read(r, s);

    if (!st)
        st = distinct_read(r, s);
    if (!st)
        st = targets_read(r, s);
    if (!st)
        st = clause_read(r, s->where_clause, CLAUSE_WHERE, &q->where);
    if (!st)
        st = groups_read(r, s);
    if (!st)
        st = clause_read(r, s->having_clause, CLAUSE_HAVING, &q->having);
    if (!st)
        st = order_by_read(r, s);
    if (!st)
        st = limits_read(r, s);
    return st ? st : query_check(r);
}
