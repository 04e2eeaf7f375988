/*
 * Lists: x = ANY (...) and x <> ALL (...), and no other operator. Drivers and
 * tools write these for IN and NOT IN. The list is ARRAY[...] of literals, a
 * quoted '{a,b}' or a parameter; if it has a type, its values have that type.
 * With an empty list = ANY is false and <> ALL is true, whatever x is; with
 * NULL, or a NULL in the list, both follow SQL's rules for IN.
 */
#include <string.h>

#include "base/error.h"
#include "base/list_text.h"
#include "sql/read.h"

/* The values of a list, not yet combined with x. */
struct values {
    enum data_type type; /* TYPE_NULL: no type is stated */
    struct expr **list;
    size_t n;
};

static custos_status
fail_list(struct sql_reader *r, int at)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "ANY and ALL take a list of literals: ARRAY[1, 2], "
                          "'{1,2}' or a parameter" HINT "or write IN (...)");
}

static custos_status
room_take(struct sql_reader *r, size_t n, struct values *v)
{
    v->list = arena_take(r->a, n + 1, sizeof(struct expr *));
    return v->list ? CUSTOS_OK : fail_memory(r->err);
}

static custos_status
value_add(struct sql_reader *r, struct values *v, str text, bool is_null,
          int at)
{
    struct expr **to = &v->list[v->n];
    const char *copy = arena_copy(r->a, text);
    custos_status st;

    if (!copy)
        return fail_memory(r->err);
    st = is_null                ? expr_new(r, EXPR_LITERAL, at, 0, to)
         : v->type == TYPE_NULL ? text_new(r, (str){copy, text.len}, at, to)
                                : datum_new(r, v->type, copy, at, to);
    v->n++;
    return st;
}

/* Reads '{a,b}', in which a value takes at least two bytes. */
static custos_status
text_read(struct sql_reader *r, str text, int at, struct values *v)
{
    enum list_item item = LIST_BAD;
    struct list_text list;
    custos_status st = room_take(r, text.len / 2, v);
    struct buf one;

    buf_init(&one, NULL, text.len + 1);
    if (!st && list_text_begin(text, &list))
        while (!st && ((item = list_text_next(&list, &one)) == LIST_VALUE ||
                       item == LIST_NULL))
            st = value_add(r, v, (str){buf_text(&one), one.len},
                           item == LIST_NULL, at);
    if (!st && (item != LIST_END || one.failed))
        st =
            custos_fail_at(r->err, CUSTOS_EINVAL, at,
                           "'%.*s' is not a one-dimensional list such as {a,b}",
                           text.len > 60 ? 60 : (int)text.len, text.ptr);
    buf_clear(&one);
    return st;
}

static custos_status
array_read(struct sql_reader *r, const PgQuery__AArrayExpr *a, struct values *v)
{
    custos_status st = room_take(r, a->n_elements, v);

    v->n = a->n_elements;
    if (!st)
        st = expr_args_read(r, a->elements, v->n, v->list);
    for (size_t i = 0; !st && i < v->n; i++) {
        struct expr *e = v->list[i];

        if (e->kind != EXPR_LITERAL)
            return fail_list(r, e->at);
        if (v->type == TYPE_NULL)
            continue;
        if (e->param)
            param_expect(e, v->type, 0);
        else if (e->value.type == TYPE_TEXT)
            st = datum_new(r, v->type, arena_copy(r->a, e->value.text), e->at,
                           &v->list[i]);
    }
    return st;
}

/* NULL instead of a list is read as a list that holds only NULL. */
static custos_status
null_read(struct sql_reader *r, int at, struct values *v)
{
    custos_status st = room_take(r, 1, v);

    return st ? st : value_add(r, v, (str){"", 0}, true, at);
}

static custos_status
param_list_read(struct sql_reader *r, const pg_node *node, struct values *v)
{
    struct sql_param *param;
    int at = node->param_ref->location;
    custos_status st = param_use(r, node->param_ref, SQL_PARAM_LIST, &param);

    if (st)
        return st;
    if (!param->given) {
        st = room_take(r, 1, v);
        v->n = 1;
        if (!st)
            st = param_stand(r, param, at, &v->list[0]);
        if (!st && v->type != TYPE_NULL)
            param_expect(v->list[0], v->type, 0);
        return st;
    }
    if (param->value.type == TYPE_NULL)
        return null_read(r, at, v);
    if (param->value.type != TYPE_TEXT)
        return custos_fail_at(
            r->err, CUSTOS_EINVAL, at,
            "$%zu is a single value, but ANY and ALL take a list such as {a,b}",
            param->number);
    return text_read(r, param->value.text, at, v);
}

static custos_status
values_read(struct sql_reader *r, const pg_node *node, struct values *v)
{
    const char *text = node_quoted(node);

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST &&
        v->type == TYPE_NULL) {
        custos_status st =
            list_type_read(r, node->type_cast->type_name, &v->type);

        return st ? st : values_read(r, node->type_cast->arg, v);
    }
    if (text)
        return text_read(r, str_of(text), node_at(node, 0), v);
    if (node->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR)
        return array_read(r, node->a_array_expr, v);
    if (node->node_case == PG_QUERY__NODE__NODE_PARAM_REF)
        return param_list_read(r, node, v);
    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST &&
        node->a_const->isnull)
        return null_read(r, node_at(node, 0), v);
    return fail_list(r, node_at(node, 0));
}

custos_status
list_values(struct sql_reader *r, const pg_node *node, struct expr ***out,
            size_t *n)
{
    bool typed = node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST;
    struct values v = {.type = typed ? TYPE_NULL : TYPE_REAL};
    custos_status st = values_read(r, node, &v);

    *out = v.list;
    *n = v.n;
    return st;
}

custos_status
list_read(struct sql_reader *r, const PgQuery__AExpr *e, const char *name,
          struct expr **out)
{
    bool any = e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
    struct values v = {.type = TYPE_NULL};
    struct expr *what;
    custos_status st;

    if (strcmp(name, any ? "=" : "<>") != 0)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->location,
                              "not part of private SQL: %.8s %s" HINT
                              "there are "
                              "= ANY and <> ALL of a list, which are IN and "
                              "NOT IN",
                              name, any ? "ANY" : "ALL");
    st = expr_read(r, e->lexpr, &what);
    if (!st)
        st = values_read(r, e->rexpr, &v);
    if (st)
        return st;
    if (v.n == 0)
        return datum_new(r, TYPE_BOOL, any ? "false" : "true", e->location,
                         out);
    st = expr_new(r, EXPR_IN, e->location, v.n + 1, out);
    if (st)
        return st;
    (*out)->negated = !any;
    (*out)->args[0] = what;
    memcpy((*out)->args + 1, v.list, v.n * sizeof(struct expr *));
    return CUSTOS_OK;
}
