/*
 * Asks an engine by a statement tree, through its table of calls.
 */
#include "engine/statement/ask.h"

#include "base/error.h"
#include "engine/handle.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
ask_rows(const struct builder *b, size_t lane, const struct select *s,
         struct result **out, custos_err *err)
{
    return b->failed ? no_memory(err)
                     : b->engine->ops->ask(b->engine, lane, s, out, err);
}

custos_status
ask_whole(const struct builder *b, const struct select *s, i128 *out,
          custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *r = NULL;
    size_t n = 0;
    custos_status st = ask_rows(b, 0, s, &r, err);

    if (st)
        return st;
    st = result_next(r, &n, columns, err);
    if (!st && (n != 1 || result_width(r) != 1))
        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
    if (!st)
        *out =
            column_is_null(&columns[0], 0) ? 0 : column_whole(&columns[0], 0);
    /* Read to the end: an open result would keep its transaction open. */
    if (!st)
        st = result_next(r, &n, columns, err);
    result_free(r);
    return st;
}

custos_status
ask_keep(const struct builder *b, size_t number, const struct select *s,
         custos_err *err)
{
    return b->failed ? no_memory(err)
                     : b->engine->ops->keep(b->engine, number, s, err);
}
