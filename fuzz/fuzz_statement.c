/*
 * The SQL text of a session: it must be split into statements that lie within
 * it. The parameters of questions are found and set; a question about the
 * catalog must be rewritten for the database that holds it, or rejected.
 */
#include "sql/statement.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curator/catalog_tables.h"
#include "sql/catalog_text.h"
#include "sql/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ARENA_MAX = 1 << 26, PARAMS_MOST = 20 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
check_error(custos_status st, const custos_err *err)
{
    require(err->code == st && err->said[0]);
    require(memchr(err->said, '\0', sizeof err->said) != NULL);
}

/* A question about the catalog, with a text for every parameter. */
static void
ask_catalog(arena *a, str sql)
{
    struct catalog_param params[PARAMS_MOST];
    struct catalog_question q = {
        .text = sql, .knows = catalog_knows, .params = params};
    const char *out = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = catalog_params(a, sql, &q.n_params, &err);

    if (!st && q.n_params > PARAMS_MOST)
        return;
    for (size_t i = 0; i < PARAMS_MOST; i++)
        params[i] = (struct catalog_param){
            .given = true, .is_null = i % 3 == 2, .text = {"{1,\"a'b\"}", 9}};
    if (!st)
        st = catalog_write(a, &q, &out, &err);
    if (st)
        check_error(st, &err);
    else
        require(out && out[0]);
}

/* A question with open parameters, and with numbers for all of them. */
static void
ask_private(arena *a, str sql)
{
    static const struct datum five = {.type = TYPE_INT, .n = 5};
    struct datum values[PARAMS_MOST];
    struct sql_params params;
    struct query *q;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    if (sql_params_find(a, sql, 0, &params, &err) || params.n > PARAMS_MOST ||
        sql_read_with(a, sql, &params, &q, &err))
        return;
    for (size_t i = 0; i < PARAMS_MOST; i++)
        values[i] = five;
    require(!sql_params_give(&params, values, PARAMS_MOST, &err));
    buf_init(&b, NULL, 1 << 22);
    require(!sql_fill(a, sql, &params, &b, &err));
    if (!sql_read_with(a, sql, &params, &q, &err))
        sql_print(q, &b);
    buf_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    str text = {(const char *)data, len};
    struct statement *all = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;
    custos_status st;

    require(a != NULL);
    st = statements_read(a, text, &all, &n, &err);
    if (st && st != CUSTOS_ENOMEM) {
        check_error(st, &err);
        require(err.at < 0 || (size_t)err.at <= len);
    }
    for (size_t i = 0; i < n && !st; i++) {
        const struct statement *s = &all[i];
        str sql = {text.ptr + s->at, (size_t)s->len};

        require(s->at >= 0 && s->len > 0 && (size_t)(s->at + s->len) <= len);
        require(s->query_len >= 0 &&
                s->query_at + s->query_len <= s->at + s->len);
        if (s->kind == STATEMENT_CATALOG)
            ask_catalog(a, sql);
        else if (s->kind == STATEMENT_SELECT || s->kind == STATEMENT_EXPLAIN)
            ask_private(a, sql);
        else
            require(statement_refuse(s, &err) == CUSTOS_EUNSUPPORTED);
    }
    arena_free(a);
    return 0;
}
