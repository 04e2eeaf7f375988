/*
 * Decodes bodies field by field. An unknown field is refused; if its name is like a
 * known one, the hint suggests that.
 */
#include "wire/http.h"

#include "base/error.h"
#include "base/nearest.h"
#include "wire/json.h"

static const char *const fields[] = {
    "sql", "epsilon", "rho", "within", "jointly", "cautious", "params",
};

static custos_status
fail_field(const struct json_value *field, const char *what, custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL, "\"%.40s\" must be %s",
                       field->name.ptr, what);
}

static custos_status
fail_unknown(const struct json_value *field, const char *whose,
             const char *const *names, size_t n, custos_err *err)
{
    const char *near = n ? nearest(field->name.ptr, names, n) : NULL;

    return custos_fail(err, CUSTOS_EINVAL,
                       "%s has no field \"%.40s\"" HINT "%s%s%s", whose,
                       field->name.ptr, near ? "did you mean \"" : "",
                       near ? near : "", near ? "\"?" : "");
}

/* Reads a body that must be an object; `like` is an example for the message. */
static custos_status
read_object(arena *a, str body, const char *like, struct json_value *out,
            custos_err *err)
{
    custos_status st = json_read(a, body, out, err);

    if (!st && out->kind != JSON_MEMBERS)
        st = custos_fail(err, CUSTOS_EINVAL, "the body must be an object: %s",
                         like);
    return st;
}

/* Takes a number or a text, such as 0.1 or "2%", as it is written. */
static custos_status
read_amount(const struct json_value *field, str *out, custos_err *err)
{
    if ((field->kind != JSON_NUMBER && field->kind != JSON_TEXT) ||
        field->text.len == 0)
        return fail_field(field, "a number or a text with one", err);
    *out = field->text;
    return CUSTOS_OK;
}

static custos_status
read_switch(const struct json_value *field, bool *out, custos_err *err)
{
    if (field->kind != JSON_TRUTH)
        return fail_field(field, "true or false", err);
    *out = field->truth;
    return CUSTOS_OK;
}

static bool
read_param(const struct json_value *item, struct datum *out)
{
    switch (item->kind) {
    case JSON_NULL_VALUE: out->type = TYPE_NULL; return true;
    case JSON_TRUTH:
        *out = (struct datum){.type = TYPE_BOOL, .n = item->truth};
        return true;
    case JSON_NUMBER:
        return datum_read(TYPE_INT, item->text, out) ||
               datum_read(TYPE_DECIMAL, item->text, out);
    case JSON_TEXT: return datum_read(TYPE_TEXT, item->text, out);
    case JSON_LIST:
    case JSON_MEMBERS: break;
    }
    return false;
}

static custos_status
read_params(arena *a, const struct json_value *field, struct http_query *out,
            custos_err *err)
{
    struct datum *params;

    if (field->kind != JSON_LIST)
        return fail_field(field, "a list", err);
    params = arena_take(a, field->n + 1, sizeof *params);
    if (!params)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < field->n; i++)
        if (!read_param(&field->items[i], &params[i]))
            return custos_fail(err, CUSTOS_EINVAL,
                               "parameter $%zu must be null, true, false, a "
                               "text, or a number of at most 36 digits",
                               i + 1);
    out->params = params;
    out->n_params = field->n;
    return CUSTOS_OK;
}

static custos_status
read_field(arena *a, const struct json_value *field, struct http_query *q,
           custos_err *err)
{
    if (str_equal(field->name, str_of("sql"))) {
        q->sql = field->text;
        return field->kind == JSON_TEXT ? CUSTOS_OK
                                        : fail_field(field, "a text", err);
    }
    if (str_equal(field->name, str_of("epsilon")))
        return read_amount(field, &q->epsilon, err);
    if (str_equal(field->name, str_of("rho")))
        return read_amount(field, &q->rho, err);
    if (str_equal(field->name, str_of("within")))
        return read_amount(field, &q->within, err);
    if (str_equal(field->name, str_of("jointly")))
        return read_switch(field, &q->jointly, err);
    if (str_equal(field->name, str_of("cautious")))
        return read_switch(field, &q->cautious, err);
    if (str_equal(field->name, str_of("params")))
        return read_params(a, field, q, err);
    return fail_unknown(field, "a query", fields, COUNT_OF(fields), err);
}

/* Reads the members of an object; `where` has them. */
static custos_status
read_query(arena *a, const struct json_value *v, const char *where,
           struct http_query *out, custos_err *err)
{
    struct http_query q = {0};
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < v->n; i++)
        st = read_field(a, &v->items[i], &q, err);
    if (st)
        return st;
    if (q.sql.len == 0)
        return custos_fail(err, CUSTOS_EINVAL, "%s has no \"sql\" with a query",
                           where);
    if (q.jointly && q.within.len == 0)
        return custos_fail(err, CUSTOS_EINVAL, "\"jointly\" needs \"within\"");
    *out = q;
    return CUSTOS_OK;
}

custos_status
http_query_read(arena *a, str body, struct http_query *out, custos_err *err)
{
    struct json_value v;
    custos_status st = read_object(a, body, "{\"sql\": \"...\"}", &v, err);

    return st ? st : read_query(a, &v, "the body", out, err);
}

/* --------------------------------------------------------------- batches -- */

static custos_status
read_queries(arena *a, const struct json_value *field, struct http_batch *out,
             size_t *at, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (field->kind != JSON_LIST)
        return fail_field(field, "a list of queries", err);
    out->queries = arena_take(a, field->n + 1, sizeof *out->queries);
    if (!out->queries)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    out->n = field->n;
    for (size_t i = 0; i < field->n && !st; i++) {
        const struct json_value *item = &field->items[i];

        *at = i;
        if (item->kind != JSON_MEMBERS)
            return custos_fail(err, CUSTOS_EINVAL,
                               "it must be an object: {\"sql\": \"...\"}");
        st = read_query(a, item, "it", &out->queries[i], err);
        if (!st && out->queries[i].cautious)
            st = custos_fail(err, CUSTOS_EINVAL,
                             "\"cautious\" is for the batch as a whole");
    }
    *at = st ? *at : SIZE_MAX;
    return st;
}

custos_status
http_batch_read(arena *a, str body, struct http_batch *out, size_t *at,
                custos_err *err)
{
    static const char *const names[] = {"queries", "cautious"};
    struct http_batch b = {0};
    struct json_value v;
    custos_status st =
        read_object(a, body, "{\"queries\": [{\"sql\": \"...\"}]}", &v, err);

    *at = SIZE_MAX;
    for (size_t i = 0; !st && i < v.n; i++) {
        const struct json_value *field = &v.items[i];

        if (str_equal(field->name, str_of("queries")))
            st = read_queries(a, field, &b, at, err);
        else if (str_equal(field->name, str_of("cautious")))
            st = read_switch(field, &b.cautious, err);
        else
            st = fail_unknown(field, "a batch", names, COUNT_OF(names), err);
    }
    if (!st && b.n == 0)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "the body has no \"queries\" with at least one query");
    if (!st)
        *out = b;
    return st;
}

/* ------------------------------------------------------- acts of the owner -- */

static custos_status
read_kind(const struct json_value *field, enum http_act_kind *out,
          custos_err *err)
{
    static const char *const kinds[] = {"add", "rotate", "revoke"};

    for (size_t i = 0; field->kind == JSON_TEXT && i < COUNT_OF(kinds); i++)
        if (str_equal(field->text, str_of(kinds[i]))) {
            *out = (enum http_act_kind)i;
            return CUSTOS_OK;
        }
    return fail_field(field, "\"add\", \"rotate\" or \"revoke\"", err);
}

custos_status
http_act_read(arena *a, str body, struct http_act *out, custos_err *err)
{
    static const char *const names[] = {"act", "name"};
    struct http_act act = {0};
    struct json_value v;
    bool said = false;
    custos_status st =
        read_object(a, body, "{\"act\": \"add\", \"name\": \"...\"}", &v, err);

    for (size_t i = 0; !st && i < v.n; i++) {
        const struct json_value *field = &v.items[i];

        if (str_equal(field->name, str_of("act"))) {
            said = true;
            st = read_kind(field, &act.kind, err);
        } else if (str_equal(field->name, str_of("name"))) {
            act.name = field->text;
            if (field->kind != JSON_TEXT)
                st = fail_field(field, "a text", err);
        } else {
            st = fail_unknown(field, "an act", names, COUNT_OF(names), err);
        }
    }
    if (!st && (!said || !act.name.len))
        st = custos_fail(err, CUSTOS_EINVAL,
                         "the body must have an \"act\" and the \"name\" of an "
                         "analyst");
    if (!st)
        *out = act;
    return st;
}

custos_status
http_nothing_read(arena *a, str body, custos_err *err)
{
    struct json_value v;
    custos_status st = read_object(a, body, "{}", &v, err);

    if (!st && v.n)
        st = fail_unknown(&v.items[0], "this act", NULL, 0, err);
    return st;
}
