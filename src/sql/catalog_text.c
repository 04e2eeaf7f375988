/*
 * Translates a query of the catalog from the client's text to the database's.
 * See catalog_text.h.
 *
 * THEOREM  catalog-closed
 *   The small database runs nothing but SELECTs over relations of the catalog,
 *   with functions, operators and types of closed lists.
 * SOURCE   doc/proofs/catalog-closed.md
 * NEEDS    the parser's tree; the printed text of a tree parses to that tree.
 * GIVES    a text for the database, or a refusal by name.
 * FAILS    depending on the text and its parameters alone.
 * TESTED   what_is_not_listed_is_refused the_catalog_is_asked_alone
 *          names_of_with_have_a_scope nested_calls_are_bounded
 */
#include "sql/catalog_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"
#include "sql/tokens.h"

/* The nodes that such queries may contain besides those of private SQL. */
static const struct shape shapes[] = {
    {"SelectStmt",
     " distinct_clause target_list from_clause where_clause group_clause "
     "having_clause window_clause values_lists sort_clause limit_offset "
     "limit_count limit_option op all larg rarg with_clause "},
    {"WithClause", " ctes recursive location "},
    {"RangeSubselect", " lateral subquery alias "},
    {"RangeFunction", " lateral ordinality functions alias "},
    {"JoinExpr", " jointype is_natural larg rarg using_clause quals "},
    {"A_Indirection", " arg indirection "},
    {"A_Indices", " is_slice lidx uidx "},
    {"CollateClause", " arg collname location "},
    {"SQLValueFunction", " op typmod location "},
    {"FuncCall", " funcname args agg_order agg_filter over agg_star "
                 "agg_distinct funcformat location "},
    {"WindowDef", " name partition_clause order_clause frame_options "
                  "location "},
    {"SubLink", " sub_link_type oper_name testexpr subselect location "},
};

/* ---------------------------------------------------------------- names -- */

/* Outputs keep PostgreSQL's names, whatever their expressions become. */
static custos_status
name_targets(struct catalog_change *c, const PgQuery__SelectStmt *s)
{
    for (size_t i = 0; i < s->n_target_list; i++) {
        PgQuery__ResTarget *t = s->target_list[i]->res_target;
        const pg_node *val = t->val;

        if (s->target_list[i]->node_case != PG_QUERY__NODE__NODE_RES_TARGET ||
            t->name[0] || !val ||
            (val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
             val->column_ref->fields[val->column_ref->n_fields - 1]
                     ->node_case == PG_QUERY__NODE__NODE_A_STAR))
            continue;
        t->name = arena_copy(c->r->a, str_of(target_name(val)));
        if (!t->name)
            return fail_memory(c->r->err);
    }
    return CUSTOS_OK;
}

static custos_status
change_relation(struct catalog_change *c, PgQuery__RangeVar *v)
{
    bool views = !strcmp(v->schemaname, "information_schema");
    const char *schema = views ? "information_schema" : "pg_catalog";

    if (!v->schemaname[0] && cte_names_have(&c->ctes, v->relname))
        return CUSTOS_OK;
    if ((v->schemaname[0] && strcmp(v->schemaname, schema) != 0) ||
        !c->q->knows(schema, v->relname))
        return custos_fail_at(c->r->err, CUSTOS_ENAME, v->location,
                              "there is no table %.63s in the catalog",
                              v->relname);
    v->schemaname =
        arena_copy(c->r->a, str_of(views ? CATALOG_VIEWS : CATALOG_SCHEMA));
    return v->schemaname ? CUSTOS_OK : fail_memory(c->r->err);
}

/* The alias of a function in FROM, if it has no column names, also names the
   function's column. */
static custos_status
name_column(struct catalog_change *c, PgQuery__Alias *alias)
{
    pg_node **names = arena_take(c->r->a, 1, sizeof(pg_node *));
    pg_node call = PG_QUERY__NODE__INIT;
    custos_status st;

    if (!names)
        return fail_memory(c->r->err);
    st = node_be_call(c, &call, NULL, alias->aliasname, NULL, NULL);
    if (st)
        return st;
    names[0] = call.func_call->funcname[0];
    alias->colnames = names;
    alias->n_colnames = 1;
    return CUSTOS_OK;
}

/* pg_get_keywords() and the like in FROM become relations of that name. */
static custos_status
change_function(struct catalog_change *c, pg_node *node)
{
    static const PgQuery__RangeVar none = PG_QUERY__RANGE_VAR__INIT;
    const PgQuery__RangeFunction *f = node->range_function;
    const pg_node *call = f->n_functions == 1 && f->functions[0]->node_case ==
                                                     PG_QUERY__NODE__NODE_LIST
                              ? f->functions[0]->list->items[0]
                              : NULL;
    const char *name =
        call && call->node_case == PG_QUERY__NODE__NODE_FUNC_CALL
            ? name_last(call->func_call->funcname, call->func_call->n_funcname)
            : NULL;
    PgQuery__RangeVar *v;

    if (!name || !c->q->knows("pg_catalog", name))
        return f->alias && f->alias->n_colnames == 0 && !f->ordinality
                   ? name_column(c, f->alias)
                   : CUSTOS_OK;
    v = arena_take(c->r->a, 1, sizeof *v);
    if (!v)
        return fail_memory(c->r->err);
    *v = none;
    v->relname = arena_copy(c->r->a, str_of(name));
    v->inh = true;
    v->relpersistence = (char *)"p";
    v->alias = f->alias;
    node->node_case = PG_QUERY__NODE__NODE_RANGE_VAR;
    node->range_var = v;
    return v->relname ? CUSTOS_OK : fail_memory(c->r->err);
}

/* The object number of the catalog table that an alias in FROM refers to. */
static int
class_of(const pg_message *m, const char *alias)
{
    static const struct {
        const char *name;
        int oid;
    } classes[] = {
        {"pg_class", 1259},     {"pg_type", 1247},       {"pg_proc", 1255},
        {"pg_namespace", 2615}, {"pg_constraint", 2606}, {"pg_database", 1262},
    };
    const PgQuery__RangeVar *v = (const PgQuery__RangeVar *)m;
    int oid = 0;

    if (m->descriptor == &pg_query__range_var__descriptor &&
        !strcmp(v->alias ? v->alias->aliasname : v->relname, alias))
        for (size_t i = 0; i < COUNT_OF(classes); i++)
            if (!strcmp(classes[i].name, v->relname))
                return classes[i].oid;
    for (struct insides in = insides_of(m); !oid && insides_next(&in);)
        oid = class_of(in.at, alias);
    return oid;
}

/* Does a SELECT read from something, or have clauses that see its outputs? */
static bool
has_columns(const pg_message *m)
{
    const PgQuery__SelectStmt *s = (const PgQuery__SelectStmt *)m;
    bool found = m->descriptor == &pg_query__select_stmt__descriptor &&
                 s->n_from_clause + s->n_sort_clause + s->n_group_clause > 0;

    for (struct insides in = insides_of(m); !found && insides_next(&in);)
        found = has_columns(in.at);
    return found;
}

static custos_status
change_column(struct catalog_change *c, pg_node *node)
{
    PgQuery__ColumnRef *ref = node->column_ref;
    const char *last = node_string(ref->fields[ref->n_fields - 1]);
    const char *alias = ref->n_fields == 2 ? node_string(ref->fields[0]) : NULL;

    if (ref->n_fields == 3) { /* pg_catalog.pg_class.oid */
        ref->fields++;
        ref->n_fields--;
    }
    if (!last)
        return CUSTOS_OK;
    if (!c->has_columns)
        return custos_fail_at(c->r->err, CUSTOS_ENAME, ref->location,
                              "there is no column %.63s without FROM", last);
    if (!strcmp(last, "tableoid"))
        return node_be_whole(c, node, alias ? class_of(c->tree, alias) : 0);
    if (!strcmp(last, "xmin") || !strcmp(last, "ctid"))
        return node_be_null(c, node, "varchar");
    return CUSTOS_OK;
}

/* ------------------------------------------------------------- the rest -- */

static custos_status
change_param(struct catalog_change *c, pg_node *node)
{
    int number = node->param_ref->number, at = node->param_ref->location;
    const struct catalog_param *p;
    char *text;

    if (number < 1 || (size_t)number > c->q->n_params)
        return custos_fail_at(c->r->err, CUSTOS_EINVAL, at,
                              "there is no value for $%d", number);
    p = &c->q->params[number - 1];
    if (!p->given || p->is_null)
        return node_be_null(c, node, "varchar");
    text = arena_copy(c->r->a, p->text);
    if (!text)
        return fail_memory(c->r->err);
    if (strspn(text, "0123456789") == p->text.len && p->text.len > 0 &&
        p->text.len < 10 &&
        (p->type == 20 || p->type == 21 || p->type == 23 || p->type == 26))
        return node_be_whole(c, node, (int)strtol(text, NULL, 10));
    return node_be_text(c, node, text);
}

/* current_user and the like, which are not calls in the tree. */
static custos_status
change_value(struct catalog_change *c, pg_node *node)
{
    switch (node->sqlvalue_function->op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
        return node_be_call(c, node, CATALOG_SCHEMA, "current_user", NULL,
                            NULL);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG:
        return node_be_call(c, node, CATALOG_SCHEMA, "current_database", NULL,
                            NULL);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA:
        return node_be_call(c, node, CATALOG_SCHEMA, "current_schema", NULL,
                            NULL);
    default:
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, node->sqlvalue_function->location,
            "dates and times are not supported in catalog queries");
    }
}

static custos_status
change_node(struct catalog_change *c, pg_node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return change_relation(c, node->range_var);
    case PG_QUERY__NODE__NODE_COLUMN_REF: return change_column(c, node);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
        *node = *node->collate_clause->arg;
        return CUSTOS_OK;
    case PG_QUERY__NODE__NODE_PARAM_REF: return change_param(c, node);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: return change_value(c, node);
    case PG_QUERY__NODE__NODE_FUNC_CALL: return catalog_change_call(c, node);
    case PG_QUERY__NODE__NODE_TYPE_CAST: return catalog_change_cast(c, node);
    case PG_QUERY__NODE__NODE_A_EXPR: return catalog_change_operator(c, node);
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
        return custos_fail_at(c->r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not supported in catalog queries");
    default: return CUSTOS_OK;
    }
}

/* What must be done to a node before its leaves are changed. */
static custos_status
see_node(struct catalog_change *c, pg_node *node)
{
    catalog_see_param(c, node);
    if (node->node_case == PG_QUERY__NODE__NODE_RANGE_FUNCTION)
        return change_function(c, node);
    return CUSTOS_OK;
}

/* Rewrites the tree in the database's dialect, leaves first. */
static custos_status
change_all(void *ctx, pg_message *m)
{
    struct catalog_change *c = ctx;
    const ProtobufCMessageDescriptor *d = m->descriptor;
    bool is_node = d == &pg_query__node__descriptor;
    custos_status st = CUSTOS_OK;

    if (is_node)
        st = see_node(c, (pg_node *)m);
    else if (d == &pg_query__select_stmt__descriptor)
        st = name_targets(c, (PgQuery__SelectStmt *)m);
    if (!st)
        st = cte_walk(&c->ctes, m, change_all, c);
    return st || !is_node ? st : change_node(c, (pg_node *)m);
}

static custos_status
statement_write(struct catalog_change *c, PgQuery__ParseResult *tree,
                const char **out)
{
    custos_status st;

    if (tree->n_stmts != 1 ||
        tree->stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return custos_fail(c->r->err, CUSTOS_EUNSUPPORTED,
                           "a catalog query must be a single SELECT");
    st = closed_check(c->r, tree);
    if (!st)
        st = change_all(c, &tree->base);
    if (!st)
        st = catalog_check_size(c->r->a, &tree->base, c->r->err);
    return st ? st : pg_deparse(c->r->a, tree, out, c->r->err);
}

custos_status
catalog_write(arena *a, const struct catalog_question *q, const char **out,
              custos_err *err)
{
    struct sql_reader r = {
        .a = a, .err = err, .more = shapes, .n_more = COUNT_OF(shapes)};
    struct catalog_change c = {.r = &r, .q = q};
    PgQuery__ParseResult *tree = NULL;
    struct sql_token *tokens = NULL;
    custos_status st = text_check(q->text, err);
    char *sql;

    if (st)
        return st;
    sql = arena_copy(a, q->text);
    if (!sql)
        return fail_memory(err);
    st = pg_scan(a, sql, &tokens, &r.n_tokens, err);
    if (!st)
        st = tokens_check(tokens, r.n_tokens, err);
    if (!st)
        st = pg_parse_into(a, sql, &tree, err);
    if (st)
        return st;
    r.sql = sql;
    r.tokens = tokens;
    c.tree = &tree->base;
    c.has_columns = has_columns(c.tree);
    st = cte_names_take(a, c.tree, &c.ctes, err);
    return st ? st : statement_write(&c, tree, out);
}

custos_status
catalog_params(arena *a, str text, size_t *n, custos_err *err)
{
    struct sql_params params;
    custos_status st = sql_params_find(a, text, 0, &params, err);

    if (!st)
        *n = params.n;
    return st;
}
