/*
 * Casts and operators in queries of the catalog. PostgreSQL's types for object
 * names (regclass and the like) become look-ups: a quoted name becomes its
 * object number, a number becomes the name.
 */
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"

/* ---------------------------------------------------------------- types -- */

static const struct type {
    const char *name, *as;
    uint32_t oid, array;
} types[] = {
    {"bool", "bool", 16, 1000},
    {"char", "varchar", 18, 1002},
    {"name", "varchar", 19, 1003},
    {"int8", "int8", 20, 1016},
    {"int2", "int2", 21, 1005},
    {"int4", "int4", 23, 1007},
    {"text", "varchar", 25, 1009},
    {"oid", "uinteger", 26, 1028},
    {"xid", "uinteger", 28, 1011},
    {"cid", "uinteger", 29, 1012},
    {"json", "varchar", 114, 199},
    {"float4", "float8", 700, 1021},
    {"float8", "float8", 701, 1022},
    {"bpchar", "varchar", 1042, 1014},
    {"varchar", "varchar", 1043, 1015},
    {"date", "date", 1082, 1182},
    {"timestamp", "timestamp", 1114, 1115},
    {"timestamptz", "timestamp", 1184, 1185},
    {"numeric", "float8", 1700, 1231},
    {"jsonb", "varchar", 3802, 3807},
    {"sql_identifier", "varchar", 19, 1003},
    {"character_data", "varchar", 25, 1009},
    {"yes_or_no", "varchar", 25, 1009},
    {"cardinal_number", "int4", 23, 1007},
    {"anyarray", "varchar", 25, 1009},
    {"aclitem", "varchar", 25, 1009},
};

/* Types whose values name objects, with the macros that give an object's number
   and its name. Functions and the like are only known by name. */
static const struct {
    const char *name, *number, *shown;
} things[] = {
    {"regclass", "class_oid", "class_name"},
    {"regtype", "type_oid", "type_name"},
    {"regnamespace", "namespace_oid", "namespace_name"},
    {"regrole", "role_oid", "role_name"},
    {"regproc", "proc_name", "proc_name"},
    {"regprocedure", "proc_name", "proc_name"},
    {"regoper", "proc_name", "proc_name"},
    {"regoperator", "proc_name", "proc_name"},
    {"regcollation", "proc_name", "proc_name"},
    {"regconfig", "proc_name", "proc_name"},
    {"regdictionary", "proc_name", "proc_name"},
};

static const char *
type_name(const PgQuery__TypeName *t)
{
    const char *schema = t->n_names == 2 ? node_string(t->names[0]) : "";

    if (t->n_names < 1 || t->n_names > 2 || !schema ||
        (schema[0] && strcmp(schema, "pg_catalog") != 0 &&
         strcmp(schema, "information_schema") != 0))
        return NULL;
    return node_string(t->names[t->n_names - 1]);
}

static const struct type *
type_find(const char *name)
{
    for (size_t i = 0; name && i < COUNT_OF(types); i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

static custos_status
fail_type(struct catalog_change *c, const PgQuery__TypeName *t)
{
    const char *name = type_name(t);

    return custos_fail_at(c->r->err, CUSTOS_EUNSUPPORTED, t->location,
                          "type %.63s is not supported in catalog queries",
                          name ? name : "");
}

static struct catalog_param *
param_of(struct catalog_change *c, const pg_node *node)
{
    return node && node->node_case == PG_QUERY__NODE__NODE_PARAM_REF &&
                   node->param_ref->number >= 1 &&
                   (size_t)node->param_ref->number <= c->q->n_params
               ? &c->q->params[node->param_ref->number - 1]
               : NULL;
}

/* Does the column's name (oid, attrelid) say that it holds object numbers? */
static bool
is_number(const pg_node *node)
{
    static const char *const ends[] = {"oid", "relid", "typid", "namespace"};
    const PgQuery__ColumnRef *ref;
    const char *name;
    size_t len;

    if (!node || node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        return false;
    ref = node->column_ref;
    name = node_string(ref->fields[ref->n_fields - 1]);
    len = name ? strlen(name) : 0;
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (len >= strlen(ends[i]) &&
            !strcmp(name + len - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

static void
param_be(struct catalog_change *c, const pg_node *node, uint32_t type)
{
    struct catalog_param *p = param_of(c, node);

    if (p && p->type == 0)
        p->type = type;
}

void
catalog_see_param(struct catalog_change *c, const pg_node *node)
{
    const struct type *t;

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
        t = type_find(type_name(node->type_cast->type_name));
        if (t)
            param_be(c, node->type_cast->arg,
                     node->type_cast->type_name->n_array_bounds ? t->array
                                                                : t->oid);
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_EXPR)
        return;
    if (is_number(node->a_expr->lexpr))
        param_be(c, node->a_expr->rexpr, type_find("oid")->oid);
    if (is_number(node->a_expr->rexpr))
        param_be(c, node->a_expr->lexpr, type_find("oid")->oid);
}

/* Is it a vector such as indkey, which PostgreSQL prints as "1 2"? */
static bool
is_vector(const pg_node *arg)
{
    static const char *const vectors[] = {"indkey", "indoption", "indclass",
                                          "indcollation", "proargtypes"};
    const PgQuery__ColumnRef *ref;
    const char *name;

    if (arg->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        return false;
    ref = arg->column_ref;
    name = node_string(ref->fields[ref->n_fields - 1]);
    for (size_t i = 0; name && i < COUNT_OF(vectors); i++)
        if (!strcmp(vectors[i], name))
            return true;
    return false;
}

/* Changes a look-up of an object's name into one of its number, for
   x::regclass::oid. */
static pg_node *
thing_number(pg_node *node)
{
    for (size_t i = 0; i < COUNT_OF(things); i++)
        if (node_is_macro(node, things[i].shown))
            node->func_call->funcname[1]->string->sval =
                (char *)things[i].number;
    return node;
}

static custos_status
thing_change(struct catalog_change *c, pg_node *node, const char *name,
             bool *found)
{
    PgQuery__TypeCast *cast = node->type_cast;

    *found = false;
    for (size_t i = 0; i < COUNT_OF(things); i++) {
        if (strcmp(things[i].name, name) != 0)
            continue;
        *found = true;
        if (cast->type_name->n_array_bounds)
            return fail_type(c, cast->type_name);
        return node_be_call(c, node, CATALOG_SCHEMA,
                            node_quoted(cast->arg) ? things[i].number
                                                   : things[i].shown,
                            cast->arg, NULL);
    }
    return CUSTOS_OK;
}

custos_status
catalog_change_cast(struct catalog_change *c, pg_node *node)
{
    PgQuery__TypeCast *cast = node->type_cast;
    PgQuery__TypeName *t = cast->type_name;
    const char *name = type_name(t);
    const struct type *known = type_find(name);
    custos_status st = CUSTOS_OK;
    pg_node as;
    bool found;

    if (!name)
        return fail_type(c, t);
    st = thing_change(c, node, name, &found);
    if (st || found)
        return st;
    if (!known)
        return fail_type(c, t);
    if (!strcmp(name, "oid"))
        cast->arg = thing_number(cast->arg);
    if (!strcmp(known->as, "varchar") && !t->n_array_bounds &&
        is_vector(cast->arg))
        return node_be_call(c, node, CATALOG_SCHEMA, "vector_text", cast->arg,
                            NULL);
    if (t->n_array_bounds && node_quoted(cast->arg))
        st = node_be_array(c, cast->arg, node_quoted(cast->arg));
    if (!st)
        st = node_be_null(c, &as, known->as);
    if (st)
        return st;
    t->names = as.type_cast->type_name->names;
    t->n_names = 1;
    t->n_typmods = 0;
    t->typemod = -1;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------- operators -- */

static custos_status
be_not(struct catalog_change *c, pg_node *node)
{
    pg_node *inside = node_copy(c, node);

    return inside
               ? node_be_call(c, node, CATALOG_SCHEMA, "negation", inside, NULL)
               : fail_memory(c->r->err);
}

/* a ~ b finds b anywhere in a; the database's own ~ must match all of a. */
static custos_status
regexp_change(struct catalog_change *c, pg_node *node, const char *name)
{
    PgQuery__AExpr *e = node->a_expr;
    bool negated = name[0] == '!';
    bool any_case = name[strlen(name) - 1] == '*';
    custos_status st = node_be_call(c, node, CATALOG_SCHEMA,
                                    any_case ? "matches_any_case" : "matches",
                                    e->lexpr, e->rexpr);

    return st || !negated ? st : be_not(c, node);
}

static bool
is_escape(const pg_node *node)
{
    const PgQuery__FuncCall *f = node->func_call;

    return node->node_case == PG_QUERY__NODE__NODE_FUNC_CALL &&
           f->n_funcname == 2 &&
           !strcmp(node_string(f->funcname[1]), "like_escape");
}

/* In PostgreSQL's LIKE a backslash is the escape character by default. */
static custos_status
like_change(struct catalog_change *c, pg_node *node, const char *name)
{
    PgQuery__AExpr *e = node->a_expr;
    const char *macro = name[strlen(name) - 1] == '*' ? "is_ilike" : "is_like";
    bool escape = is_escape(e->rexpr);
    custos_status st =
        node_be_call(c, node, CATALOG_SCHEMA, macro, e->lexpr, e->rexpr);
    pg_node **args;

    if (!st && escape) {
        args = arena_take(c->r->a, 3, sizeof(pg_node *));
        if (!args || e->rexpr->func_call->n_args != 2)
            return fail_memory(c->r->err);
        args[0] = e->lexpr;
        args[1] = e->rexpr->func_call->args[0];
        args[2] = e->rexpr->func_call->args[1];
        node->func_call->args = args;
        node->func_call->n_args = 3;
    }
    return st || name[0] != '!' ? st : be_not(c, node);
}

/* x = ANY (list), x <> ALL (list) */
static custos_status
any_change(struct catalog_change *c, pg_node *node, const char *name)
{
    PgQuery__AExpr *e = node->a_expr;
    bool any = e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
    custos_status st = CUSTOS_OK;

    if (strcmp(name, any ? "=" : "<>") != 0)
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, e->location,
            "only = ANY and <> ALL are supported in catalog queries");
    if (node_quoted(e->rexpr))
        st = node_be_array(c, e->rexpr, node_quoted(e->rexpr));
    if (!st)
        st = node_be_call(c, node, CATALOG_SCHEMA, "is_in", e->rexpr,
                          thing_number(e->lexpr));
    return st || any ? st : be_not(c, node);
}

/* Is it a list, judging by its syntax? */
static bool
is_list(const pg_node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: return true;
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return node->sub_link->sub_link_type ==
               PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK;
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return node->type_cast->type_name->n_array_bounds > 0;
    default: return false;
    }
}

/* a || b joins two lists if a or b is one, else texts; a long text is NULL. */
static custos_status
concatenation_change(struct catalog_change *c, pg_node *node)
{
    PgQuery__AExpr *e = node->a_expr;
    bool list = is_list(e->lexpr) || is_list(e->rexpr);

    return node_be_call(c, node, CATALOG_SCHEMA, list ? "list_cat" : "text_cat",
                        e->lexpr, e->rexpr);
}

static custos_status
plain_change(struct catalog_change *c, pg_node *node, const char *name)
{
    static const char *const operators[] = {"=",  "<>", "<", "<=", ">",
                                            ">=", "+",  "-", "*",  "/",
                                            "%",  "&",  "|", "@>"};
    static const char *const likes[] = {"~~", "!~~", "~~*", "!~~*"};
    static const char *const matches[] = {"~", "!~", "~*", "!~*"};
    PgQuery__AExpr *e = node->a_expr;

    for (size_t i = 0; i < COUNT_OF(matches); i++)
        if (e->lexpr && !strcmp(matches[i], name))
            return regexp_change(c, node, name);
    for (size_t i = 0; i < COUNT_OF(likes); i++)
        if (e->lexpr && !strcmp(likes[i], name))
            return like_change(c, node, name);
    if (e->lexpr && !strcmp(name, "||"))
        return concatenation_change(c, node);
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        if (strcmp(operators[i], name) != 0)
            continue;
        if (i < 6 && e->lexpr && !node_quoted(e->rexpr) &&
            !node_quoted(e->lexpr)) {
            e->lexpr = thing_number(e->lexpr);
            e->rexpr = thing_number(e->rexpr);
        }
        return CUSTOS_OK;
    }
    return custos_fail_at(c->r->err, CUSTOS_EUNSUPPORTED, e->location,
                          "operator %.20s is not supported in catalog queries",
                          name);
}

custos_status
catalog_change_operator(struct catalog_change *c, pg_node *node)
{
    PgQuery__AExpr *e = node->a_expr;
    const char *schema = e->n_name == 2 ? node_string(e->name[0]) : "";
    const char *name =
        e->n_name > 0 ? node_string(e->name[e->n_name - 1]) : NULL;

    if (!name || !schema || e->n_name > 2 ||
        (schema[0] && strcmp(schema, "pg_catalog") != 0))
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, e->location,
            "only operators of pg_catalog are supported in catalog queries");
    e->name += e->n_name - 1;
    e->n_name = 1;
    switch (e->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP: return plain_change(c, node, name);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
        return any_change(c, node, name);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
        return like_change(c, node, name);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN: return CUSTOS_OK;
    default:
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, e->location,
            "this operator is not supported in catalog queries");
    }
}
