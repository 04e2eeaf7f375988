/*
 * Literals, which are exact, and casts. A cast of a quoted text (date
 * '2026-01-31', CAST('1.5' AS numeric)) is a literal of that type; any other
 * cast gives NULL where it is impossible.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"

static const struct type_name {
    const char *name;
    enum data_type type;
} types[] = {
    {"int2", TYPE_INT},
    {"int4", TYPE_INT},
    {"int8", TYPE_INT},
    {"float4", TYPE_REAL},
    {"float8", TYPE_REAL},
    {"numeric", TYPE_DECIMAL},
    {"text", TYPE_TEXT},
    {"varchar", TYPE_TEXT},
    {"date", TYPE_DATE},
    {"bool", TYPE_BOOL},
    {"timestamp", TYPE_TIMESTAMP},
};

const char *
node_string(const pg_node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_STRING ? node->string->sval
                                                          : NULL;
}

const char *
name_last(pg_node *const *names, size_t n)
{
    const char *first = n > 0 ? node_string(names[0]) : NULL;

    if (n == 1)
        return first;
    if (n == 2 && first && !strcmp(first, "pg_catalog"))
        return node_string(names[1]);
    return NULL;
}

bool
is_public(const char *schema)
{
    return schema && !strcmp(schema, "public");
}

bool
expr_is_whole(const struct expr *e, i128 *out)
{
    if (e->kind != EXPR_LITERAL || e->value.type != TYPE_INT)
        return false;
    *out = e->value.n;
    return true;
}

custos_status
datum_new(struct sql_reader *r, enum data_type type, const char *text, int at,
          struct expr **out)
{
    custos_status st = expr_new(r, EXPR_LITERAL, at, 0, out);
    char *copy;

    if (st)
        return st;
    copy = arena_copy(r->a, str_of(text));
    if (!copy)
        return fail_memory(r->err);
    if (!datum_read(type, str_of(copy), &(*out)->value))
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, at,
                              "'%.60s' is not a valid %s, or out of range",
                              text, data_type_name(type));
    (*out)->type = type;
    return CUSTOS_OK;
}

custos_status
text_new(struct sql_reader *r, str text, int at, struct expr **out)
{
    custos_status st = expr_new(r, EXPR_LITERAL, at, 0, out);

    if (!st) {
        (*out)->value = (struct datum){.type = TYPE_TEXT, .text = text};
        (*out)->type = TYPE_TEXT;
    }
    return st;
}

void
literal_settle(struct expr *e)
{
    if (e->value.type == TYPE_INT &&
        (e->value.n > INT64_MAX || e->value.n < INT64_MIN))
        e->type = e->value.type = TYPE_DECIMAL;
}

static custos_status
number_read(struct sql_reader *r, const char *text, int at, struct expr **out)
{
    bool whole = !strpbrk(text, ".eE");
    custos_status st =
        datum_new(r, whole ? TYPE_INT : TYPE_DECIMAL, text, at, out);

    if (!st)
        literal_settle(*out);
    return st;
}

custos_status
const_read(struct sql_reader *r, const PgQuery__AConst *c, struct expr **out)
{
    custos_status st;

    if (c->isnull)
        return expr_new(r, EXPR_LITERAL, c->location, 0, out);
    switch (c->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        st = expr_new(r, EXPR_LITERAL, c->location, 0, out);
        if (!st) {
            (*out)->value =
                (struct datum){.type = TYPE_INT, .n = c->ival->ival};
            (*out)->type = TYPE_INT;
        }
        return st;
    case PG_QUERY__A__CONST__VAL_FVAL:
        return number_read(r, c->fval->fval, c->location, out);
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        return datum_new(r, TYPE_BOOL, c->boolval->boolval ? "true" : "false",
                         c->location, out);
    case PG_QUERY__A__CONST__VAL_SVAL:
        return datum_new(r, TYPE_TEXT, c->sval->sval, c->location, out);
    default:
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, c->location,
                              "not part of private SQL: this literal");
    }
}

/* ---------------------------------------------------------------- types -- */

struct cast_type {
    enum data_type type;
    int precision, scale; /* 0: not given */
};

static custos_status
fail_type(struct sql_reader *r, const PgQuery__TypeName *t, const char *name)
{
    return custos_fail_at(
        r->err, CUSTOS_EUNSUPPORTED, t->location,
        "type %.63s is not part of private SQL" HINT "there are integer, "
        "numeric(p, s), double precision, text, date, timestamp and boolean",
        name ? name : "");
}

/* numeric(p) and numeric(p, s); other types take no numbers. */
static custos_status
typmods_read(struct sql_reader *r, const PgQuery__TypeName *t,
             struct cast_type *out)
{
    int v[2] = {0, 0};

    if (t->n_typmods == 0)
        return CUSTOS_OK;
    if (out->type != TYPE_DECIMAL || t->n_typmods > 2)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "only numeric takes a size: numeric(p, s)");
    for (size_t i = 0; i < t->n_typmods; i++) {
        const pg_node *m = t->typmods[i];

        if (m->node_case != PG_QUERY__NODE__NODE_A_CONST ||
            m->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL)
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, t->location,
                                  "numeric(p, s) takes whole numbers");
        v[i] = m->a_const->ival->ival;
    }
    if (v[0] < 1 || v[0] > 38 || v[1] < 0 || v[1] > v[0])
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "numeric(p, s) needs 1 <= p <= 38 and "
                              "0 <= s <= p");
    out->precision = v[0];
    out->scale = v[1];
    return CUSTOS_OK;
}

static custos_status
type_read(struct sql_reader *r, const PgQuery__TypeName *t,
          struct cast_type *out)
{
    const char *name = name_last(t->names, t->n_names);

    if (t->typemod != -1)
        return fail_type(r, t, name);
    if (t->n_array_bounds)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "not part of private SQL: an array, except as "
                              "the list of = ANY or <> ALL");
    for (size_t i = 0; name && i < COUNT_OF(types); i++)
        if (!strcmp(types[i].name, name)) {
            *out = (struct cast_type){.type = types[i].type};
            return typmods_read(r, t, out);
        }
    return fail_type(r, t, name);
}

custos_status
list_type_read(struct sql_reader *r, const PgQuery__TypeName *t,
               enum data_type *out)
{
    PgQuery__TypeName of = *t;
    struct cast_type type = {TYPE_NULL, 0, 0};
    custos_status st;

    if (t->n_array_bounds != 1)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->location,
                              "the list of ANY and ALL has one dimension, such "
                              "as integer[]");
    of.n_array_bounds = 0;
    st = type_read(r, &of, &type);
    *out = type.type;
    return st;
}

const char *
node_quoted(const pg_node *node)
{
    return node && node->node_case == PG_QUERY__NODE__NODE_A_CONST &&
                   node->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL
               ? node->a_const->sval->sval
               : NULL;
}

custos_status
cast_read(struct sql_reader *r, const PgQuery__TypeCast *c, struct expr **out)
{
    const char *text = node_quoted(c->arg);
    struct cast_type type = {TYPE_NULL, 0, 0};
    struct expr *arg;
    custos_status st = type_read(r, c->type_name, &type);

    if (st)
        return st;
    st = text
             ? datum_new(r, type.type, text, node_at(c->arg, c->location), &arg)
             : expr_read(r, c->arg, &arg);
    if (st)
        return st;
    if (c->arg->node_case == PG_QUERY__NODE__NODE_PARAM_REF) {
        param_expect(arg, type.type, 0);
        if (arg->value.type == type.type && !type.precision) {
            *out = arg;
            return CUSTOS_OK;
        }
    }
    if (text && !type.precision) {
        literal_settle(arg);
        if (arg->value.type != type.type)
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, arg->at,
                                  "'%.60s' is not a 64-bit whole number", text);
        *out = arg;
        return CUSTOS_OK;
    }
    if (type.type == TYPE_DECIMAL && !type.precision)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                              c->type_name->location,
                              "numeric needs its digits here, such as "
                              "numeric(18, 2)");
    st = expr_new(r, EXPR_CAST, c->location, 1, out);
    if (st)
        return st;
    (*out)->args[0] = arg;
    (*out)->cast_to = type.type;
    (*out)->cast_precision = type.precision;
    (*out)->cast_scale = type.scale;
    return CUSTOS_OK;
}
