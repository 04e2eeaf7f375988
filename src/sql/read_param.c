/*
 * Parameters, $1 ... $n. A parameter with a value is read as that literal and
 * nothing else: the value is never part of the query's text, so it cannot
 * become a name, a column number or a piece of syntax. A parameter without a
 * value is read as a stand-in of its type.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sql/print.h"
#include "sql/read.h"

/* ----------------------------------------------------------- in the tree -- */

static struct sql_param *
param_find(const struct sql_reader *r, int number)
{
    return r->params && number >= 1 && (size_t)number <= r->params->n
               ? &r->params->list[number - 1]
               : NULL;
}

/* Some value of the type, for a parameter that has no value. */
static struct datum
stand_in(enum data_type type, int n)
{
    struct datum d = {.type = type, .n = n};

    if (type == TYPE_TEXT)
        d = (struct datum){.type = type, .text = {"", 0}};
    return d;
}

custos_status
param_use(struct sql_reader *r, const PgQuery__ParamRef *p,
          enum sql_param_use use, struct sql_param **out)
{
    struct sql_param *param = param_find(r, p->number);

    if (!r->params)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, p->location,
                              "not part of private SQL: a parameter" HINT
                              "write "
                              "the value");
    if (!param)
        return custos_fail_at(r->err, CUSTOS_EINVAL, p->location,
                              "there is no value for $%d", p->number);
    if (param->use != SQL_PARAM_UNUSED && param->use != use)
        return custos_fail_at(r->err, CUSTOS_EINVAL, p->location,
                              "$%d is a list, for = ANY and <> ALL, or one "
                              "value; it cannot be both",
                              p->number);
    param->use = use;
    *out = param;
    return CUSTOS_OK;
}

custos_status
param_stand(struct sql_reader *r, struct sql_param *param, int at,
            struct expr **out)
{
    custos_status st = expr_new(r, EXPR_LITERAL, at, 0, out);

    if (st)
        return st;
    (*out)->param = param;
    (*out)->value = param->given ? param->value : stand_in(param->type, 0);
    (*out)->type = (*out)->value.type;
    if (param->given)
        literal_settle(*out);
    return CUSTOS_OK;
}

custos_status
param_read(struct sql_reader *r, const PgQuery__ParamRef *p, struct expr **out)
{
    struct sql_param *param;
    custos_status st = param_use(r, p, SQL_PARAM_VALUE, &param);

    return st ? st : param_stand(r, param, p->location, out);
}

void
param_expect(struct expr *e, enum data_type type, int otherwise)
{
    struct sql_param *param = e->kind == EXPR_LITERAL ? e->param : NULL;
    struct datum d;

    if (!param)
        return;
    if (!param->given) {
        if (param->type == TYPE_NULL)
            param->type = type;
        e->value = stand_in(param->type, otherwise);
    } else if (e->value.type == TYPE_TEXT && type != TYPE_TEXT &&
               datum_read(type, e->value.text, &d)) {
        e->value = d;
        literal_settle(e);
    }
    e->type = e->value.type;
}

const char *
param_text(struct sql_reader *r, const pg_node *node, const char *otherwise)
{
    struct sql_param *param;

    if (node_quoted(node))
        return node_quoted(node);
    if (node->node_case != PG_QUERY__NODE__NODE_PARAM_REF)
        return NULL;
    param = param_find(r, node->param_ref->number);
    if (!param)
        return NULL;
    if (param->given)
        return param->value.type == TYPE_TEXT
                   ? arena_copy(r->a, param->value.text)
                   : NULL;
    if (param->type == TYPE_NULL)
        param->type = TYPE_TEXT;
    return otherwise;
}

/* ---------------------------------------------------------- of the text -- */

/* The number of a token $n, at most SQL_PARAMS_MAX + 1; 0: it is another
   token. */
static size_t
token_number(const char *sql, const struct sql_token *t)
{
    size_t number = 0;

    if (t->kind != PG_QUERY__TOKEN__PARAM)
        return 0;
    for (int i = t->at + 1; i < t->end; i++) {
        number = number * 10 + (size_t)(sql[i] - '0');
        if (number > SQL_PARAMS_MAX)
            return SQL_PARAMS_MAX + 1;
    }
    return number;
}

static custos_status
tokens_of(arena *a, str text, char **sql, struct sql_token **tokens, size_t *n,
          custos_err *err)
{
    custos_status st = text_check(text, err);

    if (st)
        return st;
    *sql = arena_copy(a, text);
    return *sql ? pg_scan(a, *sql, tokens, n, err) : fail_memory(err);
}

custos_status
sql_params_find(arena *a, str text, size_t least, struct sql_params *out,
                custos_err *err)
{
    size_t most = least, n = 0, at = 0;
    struct sql_token *tokens;
    char *sql;
    custos_status st = tokens_of(a, text, &sql, &tokens, &n, err);

    for (size_t i = 0; i < n && !st; i++)
        if (token_number(sql, &tokens[i]) > most) {
            most = token_number(sql, &tokens[i]);
            at = (size_t)tokens[i].at;
        }
    if (!st && most > SQL_PARAMS_MAX)
        st =
            custos_fail_at(err, CUSTOS_EUNSUPPORTED, (int)at,
                           "a query has at most %d parameters", SQL_PARAMS_MAX);
    if (st)
        return st;
    out->n = most;
    out->list = arena_take(a, most + 1, sizeof *out->list);
    if (!out->list)
        return fail_memory(err);
    for (size_t i = 0; i < most; i++)
        out->list[i].number = i + 1;
    return CUSTOS_OK;
}

custos_status
sql_params_give(struct sql_params *params, const struct datum *values, size_t n,
                custos_err *err)
{
    size_t bytes = 0;
    custos_status st = CUSTOS_OK;

    if (n < params->n)
        return custos_fail(
            err, CUSTOS_EINVAL,
            "the query has %zu parameters, but %zu values are given", params->n,
            n);
    for (size_t i = 0; i < params->n && !st; i++) {
        params->list[i].given = true;
        params->list[i].value = values[i];
        params->list[i].type = values[i].type;
        if (values[i].type != TYPE_TEXT)
            continue;
        bytes += values[i].text.len;
        st = text_check(values[i].text, err);
        if (!st && bytes > SQL_TEXT_MAX)
            st = custos_fail(
                err, CUSTOS_EOVERFLOW,
                "the values of parameters have more than %d bytes in total",
                SQL_TEXT_MAX);
        else if (st)
            st = custos_fail(err, st, "the value of $%zu %s", i + 1,
                             st == CUSTOS_ESYNTAX ? "is not UTF-8 text"
                                                  : "is too long");
    }
    return st;
}

custos_status
sql_fill(arena *a, str text, const struct sql_params *params, struct buf *out,
         custos_err *err)
{
    struct sql_token *tokens;
    size_t n = 0, number;
    int done = 0;
    char *sql;
    custos_status st = tokens_of(a, text, &sql, &tokens, &n, err);

    for (size_t i = 0; i < n && !st; i++) {
        number = token_number(sql, &tokens[i]);
        if (number == 0 || number > params->n ||
            !params->list[number - 1].given)
            continue;
        buf_add(out, sql + done, (size_t)(tokens[i].at - done));
        print_literal(&params->list[number - 1].value, out);
        done = tokens[i].end;
    }
    if (!st)
        buf_add_text(out, sql + done);
    return st ? st : out->failed ? fail_memory(err) : CUSTOS_OK;
}
