/*
 * Operators between, before or around values, by PostgreSQL's kinds of A_Expr.
 * The list is closed: no regular expressions, no operators of other types.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"
#include "sql/functions.h"
#include "sql/text_limits.h"

static custos_status
fail_operator(struct sql_reader *r, const char *name, int at)
{
    if (name && strchr("~!@#&|^?", name[0]) && strchr(name, '~'))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                              "operator %.20s is not part of private SQL" HINT
                              "write LIKE instead of a regular expression",
                              name);
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "operator %.20s is not part of private SQL",
                          name ? name : "");
}

static custos_status
two_read(struct sql_reader *r, enum call call, const PgQuery__AExpr *e,
         struct expr **out)
{
    custos_status st = call_new(r, call, e->location, 2, out);

    if (!st)
        st = expr_read(r, e->lexpr, &(*out)->args[0]);
    return st ? st : expr_read(r, e->rexpr, &(*out)->args[1]);
}

/* -x. The parser has already negated plain literals; a literal that comes from
   a cast or a parameter is negated here. */
static custos_status
negative_read(struct sql_reader *r, const PgQuery__AExpr *e, struct expr **out)
{
    struct expr *arg;
    custos_status st = expr_read(r, e->rexpr, &arg);

    if (st)
        return st;
    if (arg->kind == EXPR_LITERAL && data_type_is_number(arg->value.type)) {
        arg->value.n = -arg->value.n;
        literal_settle(arg);
        *out = arg;
        return CUSTOS_OK;
    }
    st = call_new(r, CALL_NEG, e->location, 1, out);
    if (!st)
        (*out)->args[0] = arg;
    return st;
}

static custos_status
plain_read(struct sql_reader *r, const PgQuery__AExpr *e, const char *name,
           struct expr **out)
{
    enum call call;

    if (!e->lexpr) {
        if (e->rexpr && !strcmp(name, "-"))
            return negative_read(r, e, out);
        if (e->rexpr && !strcmp(name, "+"))
            return expr_read(r, e->rexpr, out);
        return fail_operator(r, name, e->location);
    }
    if (e->rexpr && function_written(FORM_INFIX, name, NULL, &call))
        return two_read(r, call, e, out);
    return fail_operator(r, name, e->location);
}

static custos_status
in_read(struct sql_reader *r, const PgQuery__AExpr *e, const char *name,
        struct expr **out)
{
    const PgQuery__List *list;
    custos_status st;

    if (!e->rexpr || e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST ||
        (strcmp(name, "=") != 0 && strcmp(name, "<>") != 0))
        return fail_operator(r, "IN", e->location);
    list = e->rexpr->list;
    st = expr_new(r, EXPR_IN, e->location, list->n_items + 1, out);
    if (!st)
        st = expr_read(r, e->lexpr, &(*out)->args[0]);
    if (!st)
        st = expr_args_read(r, list->items, list->n_items, (*out)->args + 1);
    if (st)
        return st;
    (*out)->negated = name[0] == '<';
    for (size_t i = 1; i <= list->n_items; i++)
        if ((*out)->args[i]->kind != EXPR_LITERAL)
            return custos_fail_at(
                r->err, CUSTOS_EUNSUPPORTED, (*out)->args[i]->at,
                "IN takes literals only" HINT "write = and OR");
    return CUSTOS_OK;
}

/* False if the pattern ends with an escape character, which would fail on some
   texts and not on others. */
static bool
pattern_is_whole(str pattern)
{
    size_t slashes = 0;

    while (slashes < pattern.len &&
           pattern.ptr[pattern.len - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2 == 0;
}

/* Refuses a pattern that is too long for our matcher (engine/like.h). */
static custos_status
check_length(struct sql_reader *r, enum call call, const struct expr *pattern)
{
    bool lowers = call == CALL_ILIKE || call == CALL_NOT_ILIKE;
    int most = lowers ? LIKE_PATTERN_MAX / TEXT_CASE_GROWTH : LIKE_PATTERN_MAX;

    if (pattern->value.text.len <= (size_t)most)
        return CUSTOS_OK;
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, pattern->at,
                          "a pattern of %s has at most %d bytes",
                          lowers ? "ILIKE" : "LIKE", most);
}

static custos_status
like_read(struct sql_reader *r, const PgQuery__AExpr *e, const char *name,
          struct expr **out)
{
    static const struct {
        const char *name;
        enum call call;
    } likes[] = {
        {"~~", CALL_LIKE},
        {"!~~", CALL_NOT_LIKE},
        {"~~*", CALL_ILIKE},
        {"!~~*", CALL_NOT_ILIKE},
    };
    struct expr *pattern;
    custos_status st;

    if (e->rexpr->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->location,
                              "LIKE takes a literal pattern, without ESCAPE");
    for (size_t i = 0; i < COUNT_OF(likes); i++) {
        if (strcmp(likes[i].name, name) != 0)
            continue;
        st = two_read(r, likes[i].call, e, out);
        if (st)
            return st;
        pattern = (*out)->args[1];
        param_expect(pattern, TYPE_TEXT, 0);
        if (pattern->kind != EXPR_LITERAL || pattern->value.type != TYPE_TEXT)
            return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, pattern->at,
                                  "LIKE takes a literal pattern");
        if (!pattern_is_whole(pattern->value.text))
            return custos_fail_at(
                r->err, CUSTOS_ESYNTAX, pattern->at,
                "a LIKE pattern cannot end with its escape character" HINT
                "write \\\\ for a backslash");
        return check_length(r, likes[i].call, pattern);
    }
    return fail_operator(r, name, e->location);
}

static custos_status
between_read(struct sql_reader *r, const PgQuery__AExpr *e, enum call call,
             struct expr **out)
{
    custos_status st;

    if (e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST ||
        e->rexpr->list->n_items != 2)
        return fail_operator(r, "BETWEEN", e->location);
    st = call_new(r, call, e->location, 3, out);
    if (!st)
        st = expr_read(r, e->lexpr, &(*out)->args[0]);
    return st ? st
              : expr_args_read(r, e->rexpr->list->items, 2, (*out)->args + 1);
}

custos_status
operator_read(struct sql_reader *r, const PgQuery__AExpr *e, struct expr **out)
{
    const char *name = e->n_name == 1 ? node_string(e->name[0]) : NULL;

    if (!name)
        return fail_operator(r, "OPERATOR(...)", e->location);
    if (e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP)
        return plain_read(r, e, name, out);
    if (!e->lexpr || !e->rexpr)
        return fail_operator(r, name, e->location);
    switch (e->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
        return two_read(r, CALL_IS_DISTINCT, e, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return two_read(r, CALL_IS_NOT_DISTINCT, e, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
        return two_read(r, CALL_NULLIF, e, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN: return in_read(r, e, name, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
        return like_read(r, e, name, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        return between_read(r, e, CALL_BETWEEN, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return between_read(r, e, CALL_NOT_BETWEEN, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
        return fail_operator(r, "BETWEEN SYMMETRIC", e->location);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
        return fail_operator(r, "SIMILAR TO", e->location);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
        return list_read(r, e, name, out);
    default: return fail_operator(r, name, e->location);
    }
}
