/*
 * FROM: tables, joins, subqueries. Commas and CROSS JOIN are joins without a
 * condition; a RIGHT JOIN is a LEFT JOIN with its sides exchanged.
 *
 * PostgreSQL's tree has no position for a join: it is reported at the last JOIN
 * or comma before its right side.
 */
#include "sql/read.h"

#include "base/error.h"

static custos_status
from_new(struct sql_reader *r, enum from_kind kind, int at, struct from **out)
{
    custos_status st = node_counts(r, at);

    if (st)
        return st;
    *out = arena_take(r->a, 1, sizeof **out);
    if (!*out)
        return fail_memory(r->err);
    (*out)->kind = kind;
    (*out)->at = at < 0 ? 0 : at;
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- names -- */

static custos_status
name_copy(struct sql_reader *r, const char *name, str *out)
{
    char *copy = arena_copy(r->a, str_of(name ? name : ""));

    if (!copy)
        return fail_memory(r->err);
    *out = str_of(copy);
    return CUSTOS_OK;
}

/* Names of columns: name i is first[i] or, if `first` is shorter, rest[i]. */
static custos_status
columns_read(struct sql_reader *r, pg_node *const *first, size_t n_first,
             pg_node *const *rest, size_t n_rest, int at, str **out, size_t *n)
{
    custos_status st = CUSTOS_OK;

    *n = n_first > n_rest ? n_first : n_rest;
    *out = *n > 0 ? arena_take(r->a, *n, sizeof **out) : NULL;
    if (*n > 0 && !*out)
        return fail_memory(r->err);
    for (size_t i = 0; !st && i < *n; i++) {
        const char *name = node_string(i < n_first ? first[i] : rest[i]);

        st = name ? node_counts(r, at)
                  : custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                                   "not part of private SQL: this name of a "
                                   "column");
        if (!st)
            st = name_copy(r, name, &(*out)[i]);
    }
    return st;
}

static custos_status
alias_read(struct sql_reader *r, const PgQuery__Alias *alias,
           const struct sql_cte *cte, struct from *f)
{
    custos_status st = name_copy(r,
                                 alias ? alias->aliasname
                                 : cte ? cte->name
                                       : "",
                                 &f->alias);

    if (st)
        return st;
    return columns_read(r, alias ? alias->colnames : NULL,
                        alias ? alias->n_colnames : 0,
                        cte ? cte->node->aliascolnames : NULL,
                        cte ? cte->node->n_aliascolnames : 0, f->at,
                        &f->columns, &f->n_columns);
}

/* --------------------------------------------------------------- leaves -- */

/* A table, or a name of WITH, which hides a table of the same name. */
static custos_status
table_read(struct sql_reader *r, const PgQuery__RangeVar *t, struct from **out)
{
    const struct sql_cte *cte = NULL;
    struct query *q = NULL;
    custos_status st = CUSTOS_OK;

    if (!t->inh)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "not part of private SQL: ONLY" HINT
                              "leave it out");
    if (t->schemaname[0] && !is_public(t->schemaname))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "not part of private SQL: a schema before a "
                              "table's name" HINT "write the name alone");
    if (!t->schemaname[0])
        st = cte_read(r, t->relname, &cte, &q);
    if (!st)
        st = from_new(r, cte ? FROM_QUERY : FROM_TABLE, t->location, out);
    if (st)
        return st;
    (*out)->query = q;
    if (!cte)
        st = name_copy(r, t->relname, &(*out)->name);
    return st ? st : alias_read(r, t->alias, cte, *out);
}

static custos_status
subselect_read(struct sql_reader *r, const PgQuery__RangeSubselect *s,
               struct from **out)
{
    struct query *q = NULL;
    int at = s->subquery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT
                 ? select_at(r, s->subquery->select_stmt)
                 : 0;
    custos_status st;

    if (!s->alias)
        return fail_unnamed(at, r->err);
    st = query_read_below(r, s->subquery, &q);
    if (!st)
        st = from_new(r, FROM_QUERY, at, out);
    if (st)
        return st;
    (*out)->query = q;
    return alias_read(r, s->alias, NULL, *out);
}

/* ---------------------------------------------------------------- joins -- */

static custos_status
node_read(struct sql_reader *r, const pg_node *node, struct from **out);

/* The position at which f begins in the text. */
static int
from_begin(const struct from *f)
{
    int left, right;

    if (f->kind != FROM_JOIN)
        return f->at;
    left = from_begin(f->left);
    right = from_begin(f->right);
    return left < right ? left : right;
}

static custos_status
pair_new(struct sql_reader *r, struct from *left, struct from *right,
         struct from **out)
{
    static const char *const words[] = {"join", ",", NULL};
    int at = word_before(r, from_begin(right), words);
    custos_status st = from_new(r, FROM_JOIN, at, out);

    if (st)
        return st;
    (*out)->left = left;
    (*out)->right = right;
    return CUSTOS_OK;
}

static custos_status
condition_read(struct sql_reader *r, const PgQuery__JoinExpr *j, struct from *f)
{
    enum clause clause = r->clause;
    custos_status st = columns_read(r, j->using_clause, j->n_using_clause, NULL,
                                    0, f->at, &f->using, &f->n_using);

    if (!st && j->quals) {
        r->clause = CLAUSE_ON;
        st = expr_read(r, j->quals, &f->on);
        r->clause = clause;
    }
    return st;
}

static custos_status
join_read(struct sql_reader *r, const PgQuery__JoinExpr *j, struct from **out)
{
    struct from *left = NULL, *right = NULL, *f;
    custos_status st = node_read(r, j->larg, &left);

    if (!st)
        st = node_read(r, j->rarg, &right);
    if (!st)
        st = pair_new(r, left, right, out);
    if (st)
        return st;
    f = *out;
    switch (j->jointype) {
    case PG_QUERY__JOIN_TYPE__JOIN_INNER: break;
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT: f->outer = true; break;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
        f->outer = true;
        f->left = right;
        f->right = left;
        r->exchanged = true;
        break;
    default:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->at,
                              "not part of private SQL: FULL JOIN" HINT
                              "write a "
                              "LEFT JOIN from the side whose rows you need");
    }
    return condition_read(r, j, f);
}

static custos_status
kind_read(struct sql_reader *r, const pg_node *node, struct from **out)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return table_read(r, node->range_var, out);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        return subselect_read(r, node->range_subselect, out);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        return join_read(r, node->join_expr, out);
    default:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "FROM takes tables, joins and subqueries");
    }
}

static custos_status
node_read(struct sql_reader *r, const pg_node *node, struct from **out)
{
    custos_status st = levels_down(r, 1, node_at(node, 0));

    if (!st)
        st = kind_read(r, node, out);
    r->levels--;
    return st;
}

/* ------------------------------------------------------------ one name -- */

static str
leaf_name(const struct from *f)
{
    return f->alias.len ? f->alias : f->name;
}

/* Refuses another leaf of `in` that has the name of f. */
static custos_status
twin_check(struct sql_reader *r, const struct from *in, const struct from *f)
{
    custos_status st;

    if (in->kind == FROM_JOIN) {
        st = twin_check(r, in->left, f);
        return st ? st : twin_check(r, in->right, f);
    }
    if (in == f || !str_equal(leaf_name(in), leaf_name(f)))
        return CUSTOS_OK;
    return custos_fail_at(r->err, CUSTOS_ESYNTAX,
                          f->at > in->at ? f->at : in->at,
                          "two tables in FROM are called \"%.63s\"" HINT
                          "give one of them another name with AS",
                          leaf_name(f).ptr);
}

static custos_status
twins_check(struct sql_reader *r, const struct from *all, const struct from *f)
{
    custos_status st;

    if (f->kind != FROM_JOIN)
        return twin_check(r, all, f);
    st = twins_check(r, all, f->left);
    return st ? st : twins_check(r, all, f->right);
}

custos_status
from_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    size_t n = s->n_from_clause;
    struct from *all = NULL, *one = NULL;
    custos_status st;

    r->exchanged = false;
    if (n == 0)
        return CUSTOS_OK;
    st = levels_down(r, n, node_at(s->from_clause[0], 0));
    for (size_t i = 0; !st && i < n; i++) {
        st = node_read(r, s->from_clause[i], &one);
        if (st)
            break;
        if (all)
            st = pair_new(r, all, one, &all);
        else
            all = one;
    }
    r->levels -= n;
    if (!st)
        st = twins_check(r, all, all);
    r->query->from = all;
    return st;
}
