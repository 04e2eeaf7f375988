#include "engine/ask.h"

#include "base/error.h"
#include "engine/duck_print.h"
#include "engine/import.h"
#include "engine/open.h"

/* The text of a statement; the caller clears it even after a failure. */
static custos_status
print(const struct builder *b, const struct select *s, struct buf *out,
      custos_err *err)
{
    buf_init(out, NULL, SQL_MOST);
    if (!b->failed)
        duck_print_select(s, b->engine->data->tables, out);
    return b->failed || out->failed
               ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
               : CUSTOS_OK;
}

custos_status
ask_rows(const struct builder *b, size_t connection, const struct select *s,
         struct result **out, custos_err *err)
{
    struct buf text;
    custos_status st = print(b, s, &text, err);

    if (!st)
        st = duck_ask(b->engine->connections[connection], buf_text(&text), out,
                      err);
    buf_clear(&text);
    return st;
}

custos_status
ask_whole(const struct builder *b, const struct select *s, i128 *out,
          custos_err *err)
{
    struct buf text;
    custos_status st = print(b, s, &text, err);

    if (!st)
        st = duck_ask_whole(b->engine->connections[0], buf_text(&text), out,
                            err);
    buf_clear(&text);
    return st;
}

custos_status
ask_table(const struct builder *b, const char *name, const struct select *s,
          custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    if (!b->failed)
        duck_print_table(DUCK_TABLE_TEMPORARY, name, s, b->engine->data->tables,
                         &text);
    st = b->failed || text.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : duck_do(b->engine->connections[0], buf_text(&text), err);
    buf_clear(&text);
    return st;
}

custos_status
ask_drop(struct engine *e, const char *name, custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    duck_print_drop(DUCK_TABLE_TEMPORARY, name, &text);
    st = text.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                     : duck_do(e->connections[0], buf_text(&text), err);
    buf_clear(&text);
    return st;
}
