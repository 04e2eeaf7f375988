/*
 * Expressions: one case for each kind of node. Calls, operators and literals
 * have files of their own.
 *
 * A chain of ANDs or ORs (a flat list in PostgreSQL's tree) becomes a balanced
 * tree of pairs, so that walking our tree needs no deep stack.
 */
#include "sql/read.h"

#include "base/ck.h"
#include "base/base.h"
#include "base/error.h"

custos_status
node_counts(struct sql_reader *r, int at)
{
    if (++r->nodes > SQL_NODES_MAX)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                              "the query has more than %d expressions and "
                              "tables, counting those of WITH at each use",
                              SQL_NODES_MAX);
    return CUSTOS_OK;
}

custos_status
levels_down(struct sql_reader *r, size_t n, int at)
{
    r->levels += n;
    if (r->levels > r->deepest)
        r->deepest = r->levels;
    if (r->levels > SQL_LEVELS_MAX)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                              "the query nests deeper than %d levels here" HINT
                              "nest it less deeply",
                              SQL_LEVELS_MAX);
    return CUSTOS_OK;
}

custos_status
expr_new(struct sql_reader *r, enum expr_kind kind, int at, size_t n,
         struct expr **out)
{
    custos_status st = node_counts(r, at);
    struct expr *e;

    if (st)
        return st;
    e = arena_take(r->a, 1, sizeof *e);
    if (!e)
        return fail_memory(r->err);
    e->kind = kind;
    e->at = at < 0 ? 0 : at;
    e->slot = -1;
    e->n_args = n;
    e->args = arena_take(r->a, n > 0 ? n : 1, sizeof(struct expr *));
    if (!e->args)
        return fail_memory(r->err);
    *out = e;
    return CUSTOS_OK;
}

custos_status
call_new(struct sql_reader *r, enum call call, int at, size_t n,
         struct expr **out)
{
    custos_status st = expr_new(r, EXPR_CALL, at, n, out);

    if (st)
        return st;
    CUSTOS_REQUIRE(out && *out);
    (*out)->call = call;
    return CUSTOS_OK;
}

custos_status
expr_args_read(struct sql_reader *r, pg_node *const *nodes, size_t n,
               struct expr **out)
{
    for (size_t i = 0; i < n; i++) {
        custos_status st = expr_read(r, nodes[i], &out[i]);

        if (st)
            return st;
    }
    return CUSTOS_OK;
}

/* ------------------------------------------------------ AND, OR and NOT -- */

/* How many conditions a chain of ANDs (or ORs) has; collects them. */
static size_t
chain_flatten(const PgQuery__BoolExpr *b, pg_node **out)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n_args; i++) {
        pg_node *arg = b->args[i];

        if (arg->node_case == PG_QUERY__NODE__NODE_BOOL_EXPR &&
            arg->bool_expr->boolop == b->boolop)
            n += chain_flatten(arg->bool_expr, out ? out + n : NULL);
        else if (out)
            out[n++] = arg;
        else
            n++;
    }
    return n;
}

static custos_status
chain_read(struct sql_reader *r, enum call call, pg_node *const *nodes,
           size_t n, int at, struct expr **out)
{
    size_t half = n / 2;
    custos_status st;

    if (n == 1)
        return expr_read(r, nodes[0], out);
    st = call_new(r, call, at, 2, out);
    if (!st)
        st = chain_read(r, call, nodes, half, at, &(*out)->args[0]);
    if (!st)
        st = chain_read(r, call, nodes + half, n - half, at, &(*out)->args[1]);
    return st;
}

static custos_status
bool_read(struct sql_reader *r, const PgQuery__BoolExpr *b, struct expr **out)
{
    size_t n;
    pg_node **nodes;
    custos_status st;

    if (b->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR && b->n_args == 1) {
        if (b->args[0]->node_case == PG_QUERY__NODE__NODE_SUB_LINK)
            return sublink_read(r, b->args[0]->sub_link, true, out);
        st = call_new(r, CALL_NOT, b->location, 1, out);
        return st ? st : expr_args_read(r, b->args, 1, (*out)->args);
    }
    if ((b->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR &&
         b->boolop != PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR) ||
        b->n_args < 2)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, b->location,
                              "not part of private SQL: this condition");
    n = chain_flatten(b, NULL);
    nodes = arena_take(r->a, n, sizeof(void *));
    if (!nodes)
        return fail_memory(r->err);
    chain_flatten(b, nodes);
    return chain_read(
        r, b->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ? CALL_AND : CALL_OR,
        nodes, n, b->location, out);
}

/* ------------------------------------------------------------ IS tests -- */

static custos_status
test_read(struct sql_reader *r, enum call call, const pg_node *arg, int at,
          struct expr **out)
{
    custos_status st = call_new(r, call, at, 1, out);

    return st ? st : expr_read(r, arg, &(*out)->args[0]);
}

static custos_status
boolean_test_read(struct sql_reader *r, const PgQuery__BooleanTest *t,
                  struct expr **out)
{
    static const struct {
        PgQuery__BoolTestType test;
        enum call call;
    } tests[] = {
        {PG_QUERY__BOOL_TEST_TYPE__IS_TRUE, CALL_IS_TRUE},
        {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE, CALL_IS_NOT_TRUE},
        {PG_QUERY__BOOL_TEST_TYPE__IS_FALSE, CALL_IS_FALSE},
        {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE, CALL_IS_NOT_FALSE},
    };

    for (size_t i = 0; i < COUNT_OF(tests); i++)
        if (t->booltesttype == tests[i].test)
            return test_read(r, tests[i].call, t->arg, t->location, out);
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                          "not part of private SQL: IS UNKNOWN" HINT
                          "write IS NULL");
}

static custos_status
null_test_read(struct sql_reader *r, const PgQuery__NullTest *t,
               struct expr **out)
{
    bool is_null = t->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;

    if (!is_null && t->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "not part of private SQL: this test of NULL");
    return test_read(r, is_null ? CALL_IS_NULL : CALL_IS_NOT_NULL, t->arg,
                     t->location, out);
}

/* ---------------------------------------------------------------- CASE -- */

/* Reads `CASE x WHEN v` as `CASE WHEN x = v`; x is read again for every v. */
static custos_status
when_read(struct sql_reader *r, const PgQuery__CaseExpr *c,
          const PgQuery__CaseWhen *w, struct expr **when, struct expr **then)
{
    custos_status st;

    if (!c->arg) {
        st = expr_read(r, w->expr, when);
    } else {
        st = call_new(r, CALL_EQ, w->location, 2, when);
        if (!st)
            st = expr_read(r, c->arg, &(*when)->args[0]);
        if (!st)
            st = expr_read(r, w->expr, &(*when)->args[1]);
    }
    return st ? st : expr_read(r, w->result, then);
}

static custos_status
case_read(struct sql_reader *r, const PgQuery__CaseExpr *c, struct expr **out)
{
    size_t n = 2 * c->n_args + 1;
    custos_status st = expr_new(r, EXPR_CASE, c->location, n, out);

    for (size_t i = 0; !st && i < c->n_args; i++) {
        if (c->args[i]->node_case != PG_QUERY__NODE__NODE_CASE_WHEN)
            return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, c->location,
                                  "not part of private SQL: this CASE");
        st = when_read(r, c, c->args[i]->case_when, &(*out)->args[2 * i],
                       &(*out)->args[2 * i + 1]);
    }
    if (!st && c->defresult)
        st = expr_read(r, c->defresult, &(*out)->args[n - 1]);
    return st;
}

/* -------------------------------------------------------------- columns -- */

static custos_status
column_read(struct sql_reader *r, const PgQuery__ColumnRef *c,
            struct expr **out)
{
    size_t n = c->n_fields;
    const char *name = node_string(c->fields[n - 1]);
    const char *before = n > 1 ? node_string(c->fields[n - 2]) : NULL;
    char *copy, *qualifier;
    custos_status st;

    if (n == 3 && is_public(node_string(c->fields[0])))
        n = 2;
    if (!name || n > 2 || (n > 1 && !before))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, c->location,
                              "not part of private SQL: %s" HINT "%s",
                              name ? "a name of more than two parts"
                                   : "* as a value",
                              name ? "" : "name a column");
    st = expr_new(r, EXPR_COLUMN, c->location, 0, out);
    if (st)
        return st;
    copy = arena_copy(r->a, str_of(name));
    qualifier = arena_copy(r->a, str_of(before ? before : ""));
    if (!copy || !qualifier)
        return fail_memory(r->err);
    (*out)->name = str_of(copy);
    (*out)->qualifier = str_of(qualifier);
    return CUSTOS_OK;
}

static custos_status
min_max_read(struct sql_reader *r, const PgQuery__MinMaxExpr *m,
             struct expr **out)
{
    bool least = m->op == PG_QUERY__MIN_MAX_OP__IS_LEAST;
    custos_status st = call_new(r, least ? CALL_LEAST : CALL_GREATEST,
                                m->location, m->n_args, out);

    return st ? st : expr_args_read(r, m->args, m->n_args, (*out)->args);
}

static custos_status
node_read(struct sql_reader *r, const pg_node *node, struct expr **out)
{
    custos_status st;

    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return column_read(r, node->column_ref, out);
    case PG_QUERY__NODE__NODE_A_CONST: return const_read(r, node->a_const, out);
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return param_read(r, node->param_ref, out);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return cast_read(r, node->type_cast, out);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return operator_read(r, node->a_expr, out);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return call_read(r, node->func_call, out);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return bool_read(r, node->bool_expr, out);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return null_test_read(r, node->null_test, out);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return boolean_test_read(r, node->boolean_test, out);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return case_read(r, node->case_expr, out);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return min_max_read(r, node->min_max_expr, out);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        st = call_new(r, CALL_COALESCE, node->coalesce_expr->location,
                      node->coalesce_expr->n_args, out);
        if (st)
            return st;
        CUSTOS_REQUIRE(out && *out);
        return expr_args_read(r, node->coalesce_expr->args,
                              node->coalesce_expr->n_args, (*out)->args);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
        return grouping_read(r, node->grouping_func, out);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return sublink_read(r, node->sub_link, false, out);
    case PG_QUERY__NODE__NODE_ROW_EXPR:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not part of private SQL: a row of values" HINT
                              "compare the columns one by one");
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not part of private SQL: an array" HINT
                              "write its values one by one");
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "this function takes no named arguments");
    default:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not part of private SQL: this expression");
    }
}

custos_status
expr_read(struct sql_reader *r, const pg_node *node, struct expr **out)
{
    custos_status st = levels_down(r, 1, node_at(node, 0));

    if (!st)
        st = node_read(r, node, out);
    r->levels--;
    return st;
}
