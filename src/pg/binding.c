/*
 * The values of a Bind message, converted to what a portal holds.
 */
#include "base/error.h"
#include "pg/session_inside.h"
#include "wire/pg_text.h"

enum { VALUE_BYTES = 1 << 26 };

/* Parameters that are bound as text: those of catalog queries, and lists in any
   query. */
static custos_status
bind_text(struct portal *p, size_t i, const struct pg_bytes *bytes,
          enum pg_format format, struct catalog_value *out, custos_err *err)
{
    custos_status st;
    struct buf b;

    out->is_null = bytes->is_null;
    if (bytes->is_null)
        return CUSTOS_OK;
    buf_init(&b, NULL, VALUE_BYTES);
    st = pg_text_read(bytes, p->of->params[i], format, (int)i + 1, &b, err);
    out->text = (str){buf_text(&b), b.len};
    if (!st && (b.failed || !str_keep(p->a, &out->text)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    buf_clear(&b);
    return st;
}

static custos_status
bind_value(struct portal *p, size_t i, const struct pg_bytes *bytes,
           enum pg_format format, custos_err *err)
{
    struct datum *d = &p->params[i];
    struct catalog_value list;
    custos_status st;

    if (p->texts)
        return bind_text(p, i, bytes, format, &p->texts[i], err);
    if (pg_array_element(p->of->params[i])) {
        st = bind_text(p, i, bytes, format, &list, err);
        if (st)
            return st;
        *d = (struct datum){.type = TYPE_NULL};
        if (!list.is_null)
            *d = (struct datum){.type = TYPE_TEXT, .text = list.text};
        return CUSTOS_OK;
    }
    st = pg_value_read(bytes, p->of->params[i], format, (int)i + 1, d, err);
    if (!st && d->type == TYPE_TEXT && !str_keep(p->a, &d->text))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

custos_status
portal_bind_values(struct portal *p, const struct pg_bind *m, custos_err *err)
{
    struct pg_list values = m->values;
    custos_status st = CUSTOS_OK;
    enum pg_format *formats;
    struct pg_bytes bytes;

    p->params = arena_take(p->a, m->values.n + 1, sizeof *p->params);
    formats = arena_take(p->a, m->results.n + 1, sizeof *formats);
    if (p->of->statement.kind == STATEMENT_CATALOG)
        p->texts = arena_take(p->a, m->values.n + 1, sizeof *p->texts);
    if (!p->params || !formats ||
        (p->of->statement.kind == STATEMENT_CATALOG && !p->texts))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < m->results.n; i++)
        formats[i] = pg_format_at(&m->results, i);
    p->formats = (struct formats){formats, m->results.n};
    for (size_t i = 0; !st && pg_value_next(&values, &bytes); i++)
        st = bind_value(p, i, &bytes, pg_format_at(&m->formats, i), err);
    return st;
}
