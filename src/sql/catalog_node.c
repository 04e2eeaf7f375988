/*
 * Replaces nodes of PostgreSQL's tree by new ones.
 */
#include <string.h>

#include "base/error.h"
#include "base/list_text.h"
#include "sql/catalog.h"

/* A new message of this type, in the arena. */
#define MESSAGE_NEW(c, type, init)                                             \
    ((type *)message_new((c)->r->a, &(type)init, sizeof(type)))

static void *
message_new(arena *a, const void *init, size_t size)
{
    void *m = arena_take(a, 1, size);

    if (m)
        memcpy(m, init, size);
    return m;
}

static custos_status
no_memory(struct catalog_change *c)
{
    return fail_memory(c->r->err);
}

pg_node *
node_copy(struct catalog_change *c, const pg_node *node)
{
    pg_node *copy = arena_take(c->r->a, 1, sizeof *copy);

    if (copy)
        *copy = *node;
    return copy;
}

static PgQuery__AConst *
const_new(struct catalog_change *c, pg_node *node)
{
    PgQuery__AConst *k =
        MESSAGE_NEW(c, PgQuery__AConst, PG_QUERY__A__CONST__INIT);

    if (k) {
        k->location = -1;
        node->node_case = PG_QUERY__NODE__NODE_A_CONST;
        node->a_const = k;
    }
    return k;
}

custos_status
node_be_text(struct catalog_change *c, pg_node *node, const char *text)
{
    PgQuery__String *s =
        MESSAGE_NEW(c, PgQuery__String, PG_QUERY__STRING__INIT);
    PgQuery__AConst *k = const_new(c, node);

    if (!s || !k || !(s->sval = arena_copy(c->r->a, str_of(text))))
        return no_memory(c);
    k->val_case = PG_QUERY__A__CONST__VAL_SVAL;
    k->sval = s;
    return CUSTOS_OK;
}

custos_status
node_be_whole(struct catalog_change *c, pg_node *node, int n)
{
    PgQuery__Integer *i =
        MESSAGE_NEW(c, PgQuery__Integer, PG_QUERY__INTEGER__INIT);
    PgQuery__AConst *k = const_new(c, node);

    if (!i || !k)
        return no_memory(c);
    i->ival = n;
    k->val_case = PG_QUERY__A__CONST__VAL_IVAL;
    k->ival = i;
    return CUSTOS_OK;
}

custos_status
node_be_truth(struct catalog_change *c, pg_node *node, bool truth)
{
    PgQuery__Boolean *b =
        MESSAGE_NEW(c, PgQuery__Boolean, PG_QUERY__BOOLEAN__INIT);
    PgQuery__AConst *k = const_new(c, node);

    if (!b || !k)
        return no_memory(c);
    b->boolval = truth;
    k->val_case = PG_QUERY__A__CONST__VAL_BOOLVAL;
    k->boolval = b;
    return CUSTOS_OK;
}

static pg_node *
node_new(struct catalog_change *c)
{
    return MESSAGE_NEW(c, pg_node, PG_QUERY__NODE__INIT);
}

/* A String node: names are lists of these. */
static pg_node *
name_new(struct catalog_change *c, const char *name)
{
    pg_node *node = node_new(c);
    PgQuery__String *s =
        MESSAGE_NEW(c, PgQuery__String, PG_QUERY__STRING__INIT);

    if (!node || !s || !(s->sval = arena_copy(c->r->a, str_of(name))))
        return NULL;
    node->node_case = PG_QUERY__NODE__NODE_STRING;
    node->string = s;
    return node;
}

custos_status
node_be_null(struct catalog_change *c, pg_node *node, const char *type)
{
    PgQuery__TypeCast *cast =
        MESSAGE_NEW(c, PgQuery__TypeCast, PG_QUERY__TYPE_CAST__INIT);
    PgQuery__TypeName *t =
        MESSAGE_NEW(c, PgQuery__TypeName, PG_QUERY__TYPE_NAME__INIT);
    pg_node **names = arena_take(c->r->a, 1, sizeof(pg_node *));
    pg_node *null = node_new(c);
    PgQuery__AConst *k = null ? const_new(c, null) : NULL;

    if (!cast || !t || !names || !k || !(names[0] = name_new(c, type)))
        return no_memory(c);
    k->isnull = true;
    t->names = names;
    t->n_names = 1;
    t->typemod = -1;
    cast->arg = null;
    cast->type_name = t;
    node->node_case = PG_QUERY__NODE__NODE_TYPE_CAST;
    node->type_cast = cast;
    return CUSTOS_OK;
}

custos_status
node_be_call(struct catalog_change *c, pg_node *node, const char *schema,
             const char *name, pg_node *first, pg_node *second)
{
    PgQuery__FuncCall *f =
        MESSAGE_NEW(c, PgQuery__FuncCall, PG_QUERY__FUNC_CALL__INIT);
    pg_node **names = arena_take(c->r->a, 2, sizeof(pg_node *));
    pg_node **args = arena_take(c->r->a, 2, sizeof(pg_node *));

    if (!f || !names || !args)
        return no_memory(c);
    if (schema && !(names[f->n_funcname++] = name_new(c, schema)))
        return no_memory(c);
    if (!(names[f->n_funcname++] = name_new(c, name)))
        return no_memory(c);
    if (first)
        args[f->n_args++] = first;
    if (second)
        args[f->n_args++] = second;
    f->funcname = names;
    f->args = args;
    f->funcformat = PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;
    node->node_case = PG_QUERY__NODE__NODE_FUNC_CALL;
    node->func_call = f;
    return CUSTOS_OK;
}

/* Reads the values in a list's text. Each takes at least two bytes of it. */
static custos_status
items_read(struct catalog_change *c, struct list_text *l, struct buf *one,
           PgQuery__AArrayExpr *out)
{
    enum list_item item;
    custos_status st;

    while ((item = list_text_next(l, one)) == LIST_VALUE || item == LIST_NULL) {
        pg_node *node = node_new(c);
        char *text = arena_copy(c->r->a, (str){buf_text(one), one->len});

        if (!node || !text)
            return no_memory(c);
        st = item == LIST_NULL ? node_be_null(c, node, "varchar")
                               : node_be_text(c, node, text);
        if (st)
            return st;
        out->elements[out->n_elements++] = node;
    }
    if (item == LIST_END && !one->failed)
        return CUSTOS_OK;
    return custos_fail(c->r->err, CUSTOS_ESYNTAX,
                       "malformed array literal" HINT "write it as {a,b}");
}

custos_status
node_be_array(struct catalog_change *c, pg_node *node, const char *text)
{
    PgQuery__AArrayExpr *array =
        MESSAGE_NEW(c, PgQuery__AArrayExpr, PG_QUERY__A__ARRAY_EXPR__INIT);
    pg_node **items = arena_take(c->r->a, strlen(text) + 1, sizeof(pg_node *));
    struct list_text list;
    custos_status st;
    struct buf one;

    if (!array || !items)
        return no_memory(c);
    if (!list_text_begin(str_of(text), &list))
        return custos_fail(
            c->r->err, CUSTOS_ESYNTAX,
            "malformed array literal: '%.60s'" HINT "write it as {a,b}", text);
    array->elements = items;
    buf_init(&one, NULL, strlen(text) + 1);
    st = items_read(c, &list, &one, array);
    buf_clear(&one);
    node->node_case = PG_QUERY__NODE__NODE_A_ARRAY_EXPR;
    node->a_array_expr = array;
    return st;
}

bool
node_is_macro(const pg_node *node, const char *name)
{
    const char *schema, *last;

    if (!node || node->node_case != PG_QUERY__NODE__NODE_FUNC_CALL ||
        node->func_call->n_funcname != 2)
        return false;
    schema = node_string(node->func_call->funcname[0]);
    last = node_string(node->func_call->funcname[1]);
    return schema && last && !strcmp(schema, CATALOG_SCHEMA) &&
           !strcmp(last, name);
}
