/*
 * What PostgreSQL calls an output column that has no alias. A name from a
 * column or a function takes precedence over one from a type or a CASE.
 */
#include "base/base.h"
#include "sql/read.h"

enum weight { WEIGHT_NONE, WEIGHT_TYPE, WEIGHT_NAME };

static enum weight figure_name(const pg_node *node, const char **out);

static enum weight
last_of(pg_node *const *names, size_t n, enum weight weight, const char **out)
{
    const char *name = n > 0 ? node_string(names[n - 1]) : NULL;

    if (!name)
        return WEIGHT_NONE;
    *out = name;
    return weight;
}

/* The name of the inner node if it takes precedence, else `otherwise`. */
static enum weight
inside_or(const pg_node *inside, const char *otherwise, const char **out)
{
    if (inside && figure_name(inside, out) == WEIGHT_NAME)
        return WEIGHT_NAME;
    *out = otherwise;
    return WEIGHT_TYPE;
}

/* "exists", "array", or the name of the subquery's only output. */
static enum weight
subquery_name(const PgQuery__SubLink *s, const char **out)
{
    const PgQuery__SelectStmt *q =
        s->subselect &&
                s->subselect->node_case == PG_QUERY__NODE__NODE_SELECT_STMT
            ? s->subselect->select_stmt
            : NULL;
    const PgQuery__ResTarget *t;

    if (s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK ||
        s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK) {
        *out = s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK
                   ? "exists"
                   : "array";
        return WEIGHT_NAME;
    }
    if (s->sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK || !q ||
        q->n_target_list != 1 ||
        q->target_list[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
        return WEIGHT_NONE;
    t = q->target_list[0]->res_target;
    if (t->name[0]) {
        *out = t->name;
        return WEIGHT_NAME;
    }
    return t->val ? figure_name(t->val, out) : WEIGHT_NONE;
}

/* current_user and the like; CURRENT_DATE and other times are not supported. */
static enum weight
value_function(PgQuery__SQLValueFunctionOp op, const char **out)
{
    static const char *const names[] = {
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE] = "current_role",
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER] = "current_user",
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER] = "user",
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER] = "session_user",
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG] =
            "current_catalog",
        [PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA] =
            "current_schema",
    };

    if ((size_t)op >= COUNT_OF(names) || !names[op])
        return WEIGHT_NONE;
    *out = names[op];
    return WEIGHT_NAME;
}

static enum weight
figure_name(const pg_node *node, const char **out)
{
    const char *type = "?column?";

    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return last_of(node->column_ref->fields, node->column_ref->n_fields,
                       WEIGHT_NAME, out);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return last_of(node->func_call->funcname, node->func_call->n_funcname,
                       WEIGHT_NAME, out);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        last_of(node->type_cast->type_name->names,
                node->type_cast->type_name->n_names, WEIGHT_TYPE, &type);
        return inside_or(node->type_cast->arg, type, out);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return inside_or(node->case_expr->defresult, "case", out);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: *out = "grouping"; break;
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: *out = "coalesce"; break;
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        *out = node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_LEAST
                   ? "least"
                   : "greatest";
        break;
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return subquery_name(node->sub_link, out);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
        return value_function(node->sqlvalue_function->op, out);
    case PG_QUERY__NODE__NODE_A_EXPR:
        if (node->a_expr->kind != PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF)
            return WEIGHT_NONE;
        *out = "nullif";
        break;
    default: return WEIGHT_NONE;
    }
    return WEIGHT_NAME;
}

const char *
target_name(const pg_node *node)
{
    const char *name = "?column?";

    figure_name(node, &name);
    return name;
}
