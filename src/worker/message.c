#include "worker/message.h"

#include <string.h>

#include "base/error.h"
#include "base/pack.h"
#include "curator/cause.h"

enum { STATUS_MOST = CUSTOS_EAUTH, PARAMS_MOST = 1 << 16 };

/* --------------------------------------------------------------- asking -- */

void
message_hello_pack(const struct message_hello *h, struct buf *out)
{
    pack_text(out, h->store);
    pack_number(out, h->of.version);
    pack_number(out, h->of.policy);
    pack_text(out, h->spill);
    pack_number(out, h->memory_bytes);
    pack_number(out, h->parent);
}

static uint64_t
unpack_u64(struct unpack *u)
{
    return unpack_size(u, UINT64_MAX);
}

bool
message_hello_unpack(str bytes, struct message_hello *out)
{
    struct unpack u = unpack_of(bytes);

    out->store = unpack_text(&u);
    out->of.version = unpack_u64(&u);
    out->of.policy = unpack_u64(&u);
    out->spill = unpack_text(&u);
    out->memory_bytes = unpack_u64(&u);
    out->parent = unpack_u64(&u);
    return unpack_end(&u);
}

void
message_query_pack(const struct work *w, struct buf *out)
{
    const struct ask *ask = w->ask;

    pack_number(out, w->is_public);
    pack_number(out, w->prepare_only);
    pack_bytes(out, w->digest, sizeof w->digest);
    pack_number(out, w->receipt.seq);
    pack_bytes(out, w->receipt.hash, sizeof w->receipt.hash);
    pack_text(out, ask->who);
    pack_text(out, ask->sql);
    pack_text(out, ask->epsilon);
    pack_text(out, ask->rho);
    pack_text(out, ask->within);
    pack_number(out, ask->jointly);
    pack_number(out, ask->now);
    pack_number(out, (i128)ask->n_params);
    for (size_t i = 0; i < ask->n_params; i++)
        pack_datum(out, &ask->params[i]);
}

bool
message_query_unpack(str bytes, arena *a, struct work *out, struct ask *ask)
{
    struct unpack u = unpack_of(bytes);
    struct datum *params;

    *out = (struct work){.ask = ask, .is_public = unpack_size(&u, 1)};
    out->prepare_only = unpack_size(&u, 1);
    *ask = (struct ask){0};
    unpack_bytes(&u, out->digest, sizeof out->digest);
    out->receipt.seq = unpack_u64(&u);
    unpack_bytes(&u, out->receipt.hash, sizeof out->receipt.hash);
    ask->who = unpack_text(&u);
    ask->sql = unpack_text(&u);
    ask->epsilon = unpack_text(&u);
    ask->rho = unpack_text(&u);
    ask->within = unpack_text(&u);
    ask->jointly = unpack_size(&u, 1);
    ask->now = (int64_t)unpack_size(&u, INT64_MAX);
    ask->n_params = unpack_size(&u, PARAMS_MOST);
    params = arena_take(a, ask->n_params + 1, sizeof *params);
    for (size_t i = 0; params && i < ask->n_params; i++)
        params[i] = unpack_datum(&u);
    ask->params = params;
    return params && unpack_end(&u);
}

/* -------------------------------------------------------------- catalog -- */

void
message_catalog_pack(const struct catalog_ask *ask, enum catalog_how how,
                     struct buf *out)
{
    pack_number(out, how);
    pack_text(out, ask->who);
    pack_text(out, ask->database);
    pack_text(out, ask->sql);
    pack_number(out, (i128)ask->n_param_types);
    for (size_t i = 0; i < ask->n_param_types; i++)
        pack_number(out, ask->param_types[i]);
    pack_number(out, (i128)ask->n_params);
    for (size_t i = 0; i < ask->n_params; i++) {
        pack_number(out, ask->params[i].is_null);
        pack_text(out,
                  ask->params[i].is_null ? (str){"", 0} : ask->params[i].text);
    }
}

static struct catalog_value
unpack_value(struct unpack *u)
{
    struct catalog_value v = {.is_null = unpack_size(u, 1)};

    v.text = unpack_text(u);
    return v;
}

bool
message_catalog_unpack(str bytes, arena *a, struct catalog_ask *out,
                       enum catalog_how *how)
{
    struct unpack u = unpack_of(bytes);
    struct catalog_value *params;
    uint32_t *types;

    *out = (struct catalog_ask){0};
    *how = (enum catalog_how)unpack_size(&u, CATALOG_RUN);
    out->who = unpack_text(&u);
    out->database = unpack_text(&u);
    out->sql = unpack_text(&u);
    out->n_param_types = unpack_size(&u, PARAMS_MOST);
    types = arena_take(a, out->n_param_types + 1, sizeof *types);
    for (size_t i = 0; types && i < out->n_param_types; i++)
        types[i] = (uint32_t)unpack_size(&u, UINT32_MAX);
    out->n_params = unpack_size(&u, PARAMS_MOST);
    params = arena_take(a, out->n_params + 1, sizeof *params);
    for (size_t i = 0; params && i < out->n_params; i++)
        params[i] = unpack_value(&u);
    out->param_types = types;
    out->params = params;
    return types && params && unpack_end(&u);
}

void
message_rows_pack(const struct catalog_rows *rows, struct buf *out)
{
    pack_number(out, (i128)rows->n_columns);
    for (size_t i = 0; i < rows->n_columns; i++) {
        pack_text(out, rows->columns[i].name);
        pack_number(out, rows->columns[i].oid);
    }
    pack_number(out, (i128)rows->n_params);
    for (size_t i = 0; i < rows->n_params; i++)
        pack_number(out, rows->params[i]);
    pack_number(out, (i128)rows->n_rows);
    for (size_t i = 0; i < rows->n_rows * rows->n_columns; i++) {
        pack_number(out, rows->cells[i].is_null);
        pack_text(out,
                  rows->cells[i].is_null ? (str){"", 0} : rows->cells[i].text);
    }
}

bool
message_rows_unpack(str bytes, arena *a, struct catalog_rows *out)
{
    struct unpack u = unpack_of(bytes);
    struct catalog_rows r = {.n_columns = unpack_size(&u, bytes.len)};

    r.columns = arena_take(a, r.n_columns + 1, sizeof *r.columns);
    for (size_t i = 0; r.columns && i < r.n_columns; i++) {
        r.columns[i].name = unpack_text(&u);
        r.columns[i].oid = (uint32_t)unpack_size(&u, UINT32_MAX);
    }
    r.n_params = unpack_size(&u, PARAMS_MOST);
    r.params = arena_take(a, r.n_params + 1, sizeof *r.params);
    for (size_t i = 0; r.params && i < r.n_params; i++)
        r.params[i] = (uint32_t)unpack_size(&u, UINT32_MAX);
    r.n_rows = unpack_size(&u, bytes.len);
    /* Every cell takes at least one byte, so the bytes bound the number of rows. */
    if (u.failed || !r.columns || !r.params || (r.n_rows && !r.n_columns) ||
        r.n_rows > bytes.len / (r.n_columns + 1))
        return false;
    r.cells = arena_take(a, r.n_rows * r.n_columns + 1, sizeof *r.cells);
    for (size_t i = 0; r.cells && i < r.n_rows * r.n_columns; i++)
        r.cells[i] = unpack_value(&u);
    *out = r;
    return r.cells && unpack_end(&u);
}

/* -------------------------------------------------------------- failing -- */

void
message_failed_pack(custos_status st, const custos_err *err, struct buf *out)
{
    pack_number(out, st);
    pack_number(out, err->at);
    pack_text(out, str_of(err->said));
    pack_text(out, str_of(err->hint));
    pack_number(out, (i128)cause_find(err));
}

bool
message_failed_unpack(str bytes, custos_status *st, custos_err *err)
{
    struct unpack u = unpack_of(bytes);
    size_t status = unpack_size(&u, STATUS_MOST);
    i128 at = unpack_number(&u);
    str said = unpack_text(&u), hint = unpack_text(&u);
    size_t cause = unpack_size(&u, CAUSE_OTHER);

    if (!unpack_end(&u) || status == CUSTOS_OK ||
        said.len >= sizeof err->said || hint.len >= sizeof err->hint ||
        at < -1 || at > MESSAGE_MAX_ASKED)
        return false;
    *st = (custos_status)status;
    custos_fail(err, *st, "%.*s" HINT "%.*s", (int)said.len, said.ptr,
                (int)hint.len, hint.ptr);
    err->at = (int)at;
    custos_note(err, "%s", cause_note(cause));
    return true;
}
