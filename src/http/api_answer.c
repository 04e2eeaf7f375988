/*
 * Answers, and batches of answers, as JSON and CSV.
 */
#include "http/api.h"

#include "base/csv.h"
#include "base/error.h"
#include "contract/contract.h"

static const struct ledger_remaining *
remaining_of(const struct question *q)
{
    return q->has_remaining ? &q->remaining : NULL;
}

void
api_explained(const struct question *q, struct curator *c, str sql, arena *a,
              struct http_reply *out)
{
    struct description d;
    struct ask ask = q->ask;
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;

    ask.sql = sql;
    if (curator_describe(c, &ask, a, &d, &err)) {
        http_refuse(out, &err, sql);
        return;
    }
    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    contract_plan(&j, q->answer, &d, remaining_of(q));
    json_end(&j);
}

/* ------------------------------------------------------------------- csv -- */

static bool
has_bars(const struct answer *a, size_t column)
{
    for (size_t i = 0; i < a->n_rows; i++)
        if (a->cells[i * a->n_columns + column].has_bar)
            return true;
    return false;
}

static void
csv_name(struct buf *b, str name, const char *end)
{
    struct buf text;

    buf_init(&text, NULL, HTTP_REPLY_MAX);
    buf_add(&text, name.ptr, name.len);
    buf_add_text(&text, end);
    csv_add_text(b, str_of(buf_text(&text)));
    b->failed = b->failed || text.failed;
    buf_clear(&text);
}

static void
csv_column(struct buf *b, const struct answer *a, size_t j, bool bars)
{
    if (j)
        buf_add_text(b, ",");
    csv_name(b, a->columns[j].name, "");
    if (bars) {
        buf_add_text(b, ",");
        csv_name(b, a->columns[j].name, "_low");
        buf_add_text(b, ",");
        csv_name(b, a->columns[j].name, "_high");
    }
}

static void
csv_cell(struct buf *b, const struct answer_cell *c, size_t j, bool bars)
{
    if (j)
        buf_add_text(b, ",");
    csv_add_datum(b, &c->value);
    if (bars) {
        buf_add_text(b, ",");
        csv_add_datum(b, &c->low);
        buf_add_text(b, ",");
        csv_add_datum(b, &c->high);
    }
}

static void
csv_answer(struct buf *b, const struct answer *a)
{
    bool *bars = arena_take(a->arena, a->n_columns + 1, sizeof *bars);

    if (!bars) {
        b->failed = true;
        return;
    }
    for (size_t j = 0; j < a->n_columns; j++) {
        bars[j] = has_bars(a, j); /* computed once, since it scans all rows */
        csv_column(b, a, j, bars[j]);
    }
    buf_add_text(b, "\r\n");
    for (size_t i = 0; i < a->n_rows; i++) {
        for (size_t j = 0; j < a->n_columns; j++)
            csv_cell(b, &a->cells[i * a->n_columns + j], j, bars[j]);
        buf_add_text(b, "\r\n");
    }
}

/* CSV holds only rows, so cost, remaining budget and receipt go into
   headers. */
static void
csv_headers(struct http_reply *out, const struct question *q)
{
    const struct answer *a = q->answer;
    char receipt[RECEIPT_TEXT_MAX];

    http_header(out, "Custos-Stored", "%s", a->stored ? "true" : "false");
    if (q->has_remaining)
        http_header(out, "Custos-Remaining-Epsilon", "%s",
                    q->remaining.epsilon);
    if (a->explained || a->is_public)
        return;
    receipt_write(&a->receipt, receipt);
    http_header(out, "Custos-Epsilon", "%.*s", (int)a->epsilon.len,
                a->epsilon.ptr);
    if (answer_is_in_rho(a))
        http_header(out, "Custos-Rho", "%.*s", (int)a->rho.len, a->rho.ptr);
    http_header(out, "Custos-Receipt", "%s", receipt);
}

/* ------------------------------------------------------------------ both -- */

void
api_answer(const struct question *q, enum http_form form,
           struct http_reply *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct json j;

    if (q->lost) {
        http_fault(out, HTTP_FAULT_TOKEN);
        return;
    }
    if (q->status) {
        http_refuse(out, &q->err, q->ask.sql);
        return;
    }
    if (form == FORM_CSV) {
        out->type = "text/csv; charset=utf-8; header=present";
        csv_headers(out, q);
        csv_answer(&out->body, q->answer);
    } else {
        json_init(&j, &out->body, JSON_LINES);
        json_begin(&j, NULL);
        contract_answer(&j, q->answer, remaining_of(q));
        json_end(&j);
    }
    if (out->body.failed) {
        (void)custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
        http_refuse(out, &err, str_of(""));
    }
}

/* --------------------------------------------------------------- batches -- */

void
api_name_query(size_t at, custos_err *err)
{
    custos_err named = *err;

    if (at == SIZE_MAX)
        return;
    (void)custos_fail(&named, err->code, "query %zu: %s" HINT "%s", at + 1,
                      err->said, err->hint);
    named.at = err->at;
    *err = named;
}

static void
refuse_batch(struct question *q, struct http_reply *out)
{
    const struct ask_batch *b = q->batch;
    bool one = b && b->at < b->n;

    if (one)
        api_name_query(b->at, &q->err);
    http_refuse(out, &q->err, one ? b->items[b->at].sql : str_of(""));
}

static void
end_batch(struct json *j, struct http_reply *out)
{
    custos_err err = CUSTOS_ERR_INIT;

    json_end(j);
    if (!out->body.failed)
        return;
    (void)custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    http_refuse(out, &err, str_of(""));
}

void
api_batch(struct question *q, struct http_reply *out)
{
    struct json j;

    if (q->status) {
        refuse_batch(q, out);
        return;
    }
    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    contract_batch(&j, q->batch, remaining_of(q));
    end_batch(&j, out);
}

void
api_batch_explained(struct question *q, struct curator *c, arena *a,
                    struct http_reply *out)
{
    struct ask_batch *b = q->batch;
    struct description *d = arena_take(a, b->n, sizeof *d);
    struct json j;

    q->status =
        d ? CUSTOS_OK : custos_fail(&q->err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < b->n && !q->status; i++) {
        const struct ask_item *item = &b->items[i];
        struct ask ask = q->ask;

        ask.sql = item->sql;
        ask.epsilon = item->epsilon;
        ask.rho = item->rho;
        ask.within = item->within;
        ask.jointly = item->jointly;
        b->at = i;
        q->status = curator_describe(c, &ask, a, &d[i], &q->err);
    }
    if (q->status) {
        refuse_batch(q, out);
        return;
    }
    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    contract_batch_plan(&j, b, d, remaining_of(q));
    end_batch(&j, out);
}
