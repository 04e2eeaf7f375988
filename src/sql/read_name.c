/*
 * What PostgreSQL calls an output column that has no alias. A name from a
 * column or a function counts more than one from a type or a CASE.
 */
#include "base/base.h"
#include "sql/read.h"

enum weight { WEIGHT_NONE, WEIGHT_TYPE, WEIGHT_NAME };

static enum weight figure(const pg_node *node, const char **out);

static enum weight
last_of(pg_node *const *names, size_t n, enum weight weight, const char **out)
{
    const char *name = n > 0 ? node_string(names[n - 1]) : NULL;

    if (!name)
        return WEIGHT_NONE;
    *out = name;
    return weight;
}

/* The name of what is inside when it counts, else one from outside. */
static enum weight
inside_or(const pg_node *inside, const char *otherwise, const char **out)
{
    if (inside && figure(inside, out) == WEIGHT_NAME)
        return WEIGHT_NAME;
    *out = otherwise;
    return WEIGHT_TYPE;
}

/* current_user and the like; a time is none of ours. */
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
figure(const pg_node *node, const char **out)
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
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: *out = "coalesce"; break;
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        *out = node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_LEAST
                   ? "least"
                   : "greatest";
        break;
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

    figure(node, &name);
    return name;
}
