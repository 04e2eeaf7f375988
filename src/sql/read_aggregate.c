/*
 * Aggregates, with GoogleSQL's named arguments, and Snowflake's intervals.
 */
#include "sql/read.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "sql/aggregates.h"

static custos_status
place_check(struct sql_reader *r, const char *name, int at)
{
    static const char *const clauses[] = {
        [CLAUSE_WHERE] = "in WHERE",
        [CLAUSE_GROUP_BY] = "in GROUP BY",
        [CLAUSE_AGGREGATE] = "inside an aggregate",
        [CLAUSE_ON] = "in ON",
    };

    if (r->clause == CLAUSE_TARGET || r->clause == CLAUSE_HAVING ||
        r->clause == CLAUSE_ORDER_BY)
        return CUSTOS_OK;
    return custos_fail_at(r->err, CUSTOS_ESYNTAX, at, "%.40s is not allowed %s",
                          name, clauses[r->clause]);
}

/* epsilon => 0.3: kept as written. */
static custos_status
epsilon_read(struct sql_reader *r, const PgQuery__NamedArgExpr *n,
             struct expr *e)
{
    const PgQuery__AConst *c = n->arg->node_case == PG_QUERY__NODE__NODE_A_CONST
                                   ? n->arg->a_const
                                   : NULL;
    char *copy = NULL, digits[16];
    int len;

    if (r->below > 0)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, n->location,
                              "only aggregates of the outermost SELECT have an "
                              "epsilon");
    if (e->epsilon.len)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, n->location,
                              "epsilon is given twice");
    if (c && c->val_case == PG_QUERY__A__CONST__VAL_FVAL &&
        c->fval->fval[0] != '-') {
        copy = arena_copy(r->a, str_of(c->fval->fval));
    } else if (c && c->val_case == PG_QUERY__A__CONST__VAL_IVAL &&
               c->ival->ival > 0) {
        len = snprintf(digits, sizeof digits, "%d", (int)c->ival->ival);
        copy = arena_copy(r->a, (str){digits, (size_t)len});
    } else {
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, n->location,
                              "epsilon => takes a number above 0");
    }
    if (!copy)
        return fail_memory(r->err);
    e->epsilon = str_of(copy);
    return CUSTOS_OK;
}

/* contribution_bounds_per_group => (0, 100) */
static custos_status
bounds_read(struct sql_reader *r, const PgQuery__NamedArgExpr *n,
            enum bounds bounds, struct expr *e)
{
    const PgQuery__RowExpr *row = n->arg->row_expr;
    struct expr *ends[2];
    custos_status st;

    if (e->bounds != BOUNDS_NONE)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, n->location,
                              "contribution bounds are given twice");
    if (n->arg->node_case != PG_QUERY__NODE__NODE_ROW_EXPR || row->n_args != 2)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, n->location,
                              "%s takes (lower, upper)", n->name);
    st = expr_args_read(r, row->args, 2, ends);
    if (st)
        return st;
    for (int i = 0; i < 2; i++) {
        param_expect(ends[i], TYPE_REAL, i);
        if (ends[i]->kind != EXPR_LITERAL ||
            !data_type_is_number(ends[i]->value.type))
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, ends[i]->at,
                                  "contribution bounds are numbers");
    }
    if (datum_cmp(&ends[0]->value, &ends[1]->value) > 0)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, ends[0]->at,
                              "the lower bound is above the upper one");
    e->lower = ends[0];
    e->upper = ends[1];
    e->bounds = bounds;
    return CUSTOS_OK;
}

static custos_status
named_read(struct sql_reader *r, const PgQuery__NamedArgExpr *n, struct expr *e)
{
    if (!strcmp(n->name, "epsilon"))
        return epsilon_read(r, n, e);
    if (aggregates[e->aggregate].family != FAMILY_COUNT &&
        !aggregate_is_pair(e->aggregate)) {
        if (!strcmp(n->name, "contribution_bounds_per_group"))
            return bounds_read(r, n, BOUNDS_PER_GROUP, e);
        if (!strcmp(n->name, "contribution_bounds_per_row"))
            return bounds_read(r, n, BOUNDS_PER_ROW, e);
    }
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, n->location,
                          "this aggregate has no argument named %.63s",
                          n->name);
}

/* Reads the value, if there is one; only named arguments may follow it. */
static custos_status
arguments_read(struct sql_reader *r, const PgQuery__FuncCall *f, struct expr *e)
{
    enum clause clause = r->clause;
    custos_status st = CUSTOS_OK;

    r->clause = CLAUSE_AGGREGATE;
    for (size_t i = 0; !st && i < f->n_args; i++) {
        const pg_node *arg = f->args[i];

        if (i < e->n_args)
            st = expr_read(r, arg, &e->args[i]);
        else if (arg->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)
            st = named_read(r, arg->named_arg_expr, e);
        else
            st = custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                                node_at(arg, f->location),
                                aggregate_is_pair(e->aggregate)
                                    ? "this aggregate takes two values"
                                    : "an aggregate takes one value");
    }
    r->clause = clause;
    return st;
}

static custos_status
fail_value(struct sql_reader *r, const PgQuery__FuncCall *f, const char *name,
           const char *how)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                          "%s %.*s" HINT "%s", name, hint_before(how), how,
                          hint_after(how));
}

/* ------------------------------------------------------------ quantiles -- */

enum { RANK_DIGITS = 9, PERCENTILES_MAX = 64 };

/* Adds the rank after the value, which the aggregate already has. */
static custos_status
rank_add(struct sql_reader *r, struct expr *e, struct datum rank)
{
    struct expr **args = arena_take(r->a, 2, sizeof(struct expr *));
    custos_status st;

    if (!args)
        return fail_memory(r->err);
    args[0] = e->args[0];
    st = expr_new(r, EXPR_LITERAL, e->at, 0, &args[1]);
    if (st)
        return st;
    while (rank.scale > 0 && rank.n % 10 == 0) {
        rank.n /= 10;
        rank.scale--;
    }
    rank.type = rank.scale > 0 ? TYPE_DECIMAL : TYPE_INT;
    args[1]->value = rank;
    args[1]->type = rank.type;
    e->args = args;
    e->n_args = 2;
    return CUSTOS_OK;
}

/* A rank is a number from 0 to 1. */
static custos_status
rank_of(struct sql_reader *r, struct expr *e, const char *name,
        struct datum *out)
{
    static const struct datum zero = {.type = TYPE_INT},
                              one = {.type = TYPE_INT, .n = 1};

    param_expect(e, TYPE_REAL, 0);
    *out = e->value;
    if (e->kind != EXPR_LITERAL || !data_type_is_number(e->value.type) ||
        datum_cmp(&e->value, &zero) < 0 || datum_cmp(&e->value, &one) > 0 ||
        e->value.scale > RANK_DIGITS)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->at,
                              "%s takes one number from 0 to 1, with at most "
                              "%d digits, such as 0.5",
                              name, (int)RANK_DIGITS);
    return CUSTOS_OK;
}

static custos_status
percentile_fail(struct sql_reader *r, const PgQuery__FuncCall *f,
                const char *name)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                          "%s is written %s(0.5) WITHIN GROUP (ORDER BY x): "
                          "one rank, one value, in rising order",
                          name, name);
}

/* percentile_cont(p) WITHIN GROUP (ORDER BY x); of_list: its rank, one of those of a
   list, or NULL. */
static custos_status
percentile_read(struct sql_reader *r, const PgQuery__FuncCall *f,
                const char *name, enum aggregate kind, struct expr *of_list,
                struct expr **out)
{
    const PgQuery__SortBy *by =
        f->n_agg_order == 1 && f->agg_within_group &&
                f->agg_order[0]->node_case == PG_QUERY__NODE__NODE_SORT_BY
            ? f->agg_order[0]->sort_by
            : NULL;
    enum clause clause = r->clause;
    struct datum rank = {.n = 0};
    custos_status st = CUSTOS_OK;

    if (!by || f->n_args == 0 || f->agg_distinct || f->agg_star ||
        f->args[0]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR ||
        by->sortby_dir > PG_QUERY__SORT_BY_DIR__SORTBY_ASC ||
        by->sortby_nulls > PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT)
        return percentile_fail(r, f, name);
    if (!of_list && f->args[0]->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                              "an array of percentiles must be an output by "
                              "itself");
    if (!of_list)
        st = expr_read(r, f->args[0], &of_list);
    if (!st)
        st = rank_of(r, of_list, name, &rank);
    if (!st)
        st = expr_new(r, EXPR_AGGREGATE, f->location, 1, out);
    if (st)
        return st;
    (*out)->aggregate = kind;
    r->clause = CLAUSE_AGGREGATE;
    st = expr_read(r, by->node, &(*out)->args[0]);
    r->clause = clause;
    for (size_t i = 1; i < f->n_args && !st; i++)
        st = f->args[i]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR
                 ? named_read(r, f->args[i]->named_arg_expr, *out)
                 : percentile_fail(r, f, name);
    return st ? st : rank_add(r, *out, rank);
}

static custos_status
kind_read(struct sql_reader *r, const PgQuery__FuncCall *f, const char *name,
          enum aggregate kind, struct expr **out)
{
    bool named = f->n_args == 0 ||
                 f->args[0]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR;
    custos_status st = place_check(r, name, f->location);

    if (st)
        return st;
    if (aggregates[kind].ranked)
        return percentile_read(r, f, name, kind, NULL, out);
    if (f->agg_distinct && (kind != AGG_COUNT || named))
        return fail_value(r, f, name,
                          "(DISTINCT ...) is not part of private SQL" HINT
                          "there "
                          "is count(DISTINCT x)");
    if (kind == AGG_COUNT && named && (f->agg_star || f->n_args > 0))
        kind = AGG_COUNT_ROWS;
    else if (named || f->agg_star)
        return fail_value(r, f, name, "needs a value, such as a column");
    else if (f->agg_distinct)
        kind = AGG_COUNT_DISTINCT;
    if (aggregate_is_pair(kind) &&
        (f->n_args < 2 ||
         f->args[1]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR))
        return fail_value(r, f, name, "takes two values: y and x");
    st = expr_new(r, EXPR_AGGREGATE, f->location,
                  named                     ? 0
                  : aggregate_is_pair(kind) ? 2
                                            : 1,
                  out);
    if (st)
        return st;
    (*out)->aggregate = kind;
    st = arguments_read(r, f, *out);
    if (st || !aggregate_is_quantile(kind))
        return st;
    return rank_add(r, *out, aggregates[kind].rank);
}

bool
is_percentiles(const pg_node *node)
{
    const PgQuery__FuncCall *f = node->func_call;
    enum aggregate kind;
    const pg_node *list;
    const char *name;

    if (node->node_case != PG_QUERY__NODE__NODE_FUNC_CALL || f->n_args == 0)
        return false;
    name = name_last(f->funcname, f->n_funcname);
    if (!name || !aggregate_find(name, &kind) || !aggregates[kind].ranked)
        return false;
    list = f->args[0];
    if (list->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
        return list->type_cast->type_name->n_array_bounds > 0;
    return list->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR ||
           (node_quoted(list) && node_quoted(list)[0] == '{');
}

custos_status
percentiles_read(struct sql_reader *r, const PgQuery__FuncCall *f,
                 struct expr ***out, size_t *n)
{
    const char *name = name_last(f->funcname, f->n_funcname);
    enum aggregate kind = AGG_PERCENTILE_CONT;
    struct expr **ranks = NULL;
    custos_status st = place_check(r, name, f->location);

    CUSTOS_REQUIRE(aggregate_find(name, &kind));
    if (!st && f->over)
        return percentile_fail(r, f, name);
    if (!st)
        st = list_values(r, f->args[0], &ranks, n);
    if (!st && (*n == 0 || *n > PERCENTILES_MAX))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                              "%s takes an array of 1 to %d ranks", name,
                              (int)PERCENTILES_MAX);
    for (size_t i = 0; i < *n && !st; i++)
        st = percentile_read(r, f, name, kind, ranks[i], &ranks[i]);
    *out = ranks;
    return st;
}

/* DP_INTERVAL_LOW(c): c is the name of an output column. */
static custos_status
interval_read(struct sql_reader *r, const PgQuery__FuncCall *f,
              const char *name, struct expr **out)
{
    custos_status st = place_check(r, name, f->location);

    if (st)
        return st;
    if (r->below > 0)
        return fail_value(r, f, name, "belongs in the outermost SELECT");
    if (f->n_args != 1 || f->agg_star || f->agg_distinct ||
        f->args[0]->node_case != PG_QUERY__NODE__NODE_COLUMN_REF ||
        f->args[0]->column_ref->n_fields != 1)
        return fail_value(r, f, name,
                          "takes the name of an output column, such as c of "
                          "count(*) AS c");
    st = expr_new(r, EXPR_INTERVAL, f->location, 1, out);
    if (st)
        return st;
    (*out)->high = !strcmp(name, "dp_interval_high");
    return expr_read(r, f->args[0], &(*out)->args[0]);
}

custos_status
aggregate_read(struct sql_reader *r, const PgQuery__FuncCall *f, bool *found,
               struct expr **out)
{
    const char *name = name_last(f->funcname, f->n_funcname);
    enum aggregate kind;

    *found = true;
    if ((f->n_agg_order > 0 || f->agg_within_group) &&
        (!name || strncmp(name, "percentile_", 11) != 0))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                              "not part of private SQL: %s",
                              f->agg_within_group
                                  ? "WITHIN GROUP, except with percentile_cont "
                                    "and percentile_disc"
                                  : "ORDER BY inside an aggregate");
    if (name && f->n_funcname == 1 &&
        (!strcmp(name, "dp_interval_low") || !strcmp(name, "dp_interval_high")))
        return interval_read(r, f, name, out);
    if (name && aggregate_find(name, &kind))
        return kind_read(r, f, name, kind, out);
    *found = false;
    return CUSTOS_OK;
}
