/*
 * Answers as JSON and CSV.
 */
#include "http/api.h"

#include "base/error.h"
#include "curator/describe.h"
#include "wire/csv.h"
#include "wire/json.h"

/* ------------------------------------------------------------------ json -- */

static void
json_cell(struct buf *b, const struct answer_cell *c)
{
    buf_add_text(b, "{\"value\":");
    json_add_datum(b, &c->value);
    if (c->has_bar) {
        buf_add_text(b, ",\"low\":");
        json_add_datum(b, &c->low);
        buf_add_text(b, ",\"high\":");
        json_add_datum(b, &c->high);
    }
    buf_add_text(b, "}");
}

static void
json_columns(struct buf *b, const struct answer *a)
{
    buf_add_text(b, "\"columns\":[");
    for (size_t j = 0; j < a->n_columns; j++) {
        buf_add_text(b, j ? ",{\"name\":" : "{\"name\":");
        json_add_text(b, a->columns[j].name);
        buf_printf(b, ",\"type\":\"%s\",\"key\":%s}",
                   data_type_name(a->columns[j].type),
                   a->columns[j].is_key ? "true" : "false");
    }
    buf_add_text(b, "]");
}

static void
json_rows(struct buf *b, const struct answer *a)
{
    buf_add_text(b, ",\n\"rows\":[");
    for (size_t i = 0; i < a->n_rows; i++) {
        buf_add_text(b, i ? ",\n[" : "\n[");
        for (size_t j = 0; j < a->n_columns; j++) {
            if (j)
                buf_add_text(b, ",");
            json_cell(b, &a->cells[i * a->n_columns + j]);
        }
        buf_add_text(b, "]");
    }
    buf_add_text(b, "]");
}

/* Writes the lines of a text as a JSON list. */
static void
json_lines(struct buf *b, str text)
{
    buf_add_text(b, "[");
    for (size_t i = 0, from = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '\n')
            continue;
        if (i > from) {
            if (from)
                buf_add_text(b, ",");
            json_add_text(b, (str){text.ptr + from, i - from});
        }
        from = i + 1;
    }
    buf_add_text(b, "]");
}

static void
json_cost(struct buf *b, const struct answer *a)
{
    const str parts[] = {a->epsilon, a->rho, a->delta};
    static const char *const names[] = {"epsilon", "rho", "delta"};

    buf_add_text(b, "\"cost\":{");
    for (int i = 0; i < 3; i++) {
        buf_printf(b, "%s\"%s\":", i ? "," : "", names[i]);
        json_add_text(b, parts[i].len ? parts[i] : str_of("0"));
    }
    buf_add_text(b, "},\"remarks\":");
    json_lines(b, a->remarks);
}

static void
json_left(struct buf *b, const struct question *q)
{
    if (q->has_remaining)
        buf_printf(b, ",\"remaining\":{\"epsilon\":\"%s\"}",
                   q->remaining.epsilon);
    else
        buf_add_text(b, ",\"remaining\":null");
}

static void
json_answer(struct buf *b, const struct question *q)
{
    const struct answer *a = q->answer;
    bool paid = !a->explained && !a->is_public;
    char receipt[RECEIPT_TEXT_MAX];

    buf_add_text(b, "{");
    json_columns(b, a);
    json_rows(b, a);
    buf_printf(b, ",\n\"kind\":\"%s\",\"stored\":%s,\"confidence\":\"0.95\",",
               a->explained   ? "plan"
               : a->is_public ? "public"
                              : "private",
               a->stored ? "true" : "false");
    json_cost(b, a);
    json_left(b, q);
    receipt_write(&a->receipt, receipt);
    if (paid)
        buf_printf(b, ",\"receipt\":\"%s\"}\n", receipt);
    else
        buf_add_text(b, ",\"receipt\":null}\n");
}

/* --------------------------------------------------------------- explain -- */

static void
explained_columns(struct buf *b, const struct description *d)
{
    for (size_t j = 0; j < d->n_columns; j++) {
        const struct description_column *c = &d->columns[j];

        buf_add_text(b, j ? ",{\"name\":" : "{\"name\":");
        json_add_text(b, c->name);
        buf_printf(b, ",\"type\":\"%s\",\"key\":%s,\"within\":",
                   data_type_name(c->type), c->is_key ? "true" : "false");
        json_add_datum(b, &c->within);
        buf_add_text(b, "}");
    }
}

/* If the answer is stored, asking again is free and leaves the budget as it
   is. */
static void
json_forecast(struct buf *b, const struct question *q)
{
    const struct forecast *f = &q->answer->forecast;

    if (q->has_remaining && f->can_pay)
        buf_printf(b, ",\"after\":{\"epsilon\":\"%s\"}",
                   f->stored ? q->remaining.epsilon : f->after.epsilon);
    else
        buf_add_text(b, ",\"after\":null");
    buf_printf(
        b, ",\"stored\":%s,\"reply_seconds\":", f->stored ? "true" : "false");
    if (f->reply_us)
        buf_printf(b, "%lld.%06lld", (long long)(f->reply_us / 1000000),
                   (long long)(f->reply_us % 1000000));
    else
        buf_add_text(b, "null");
}

void
api_explained(const struct question *q, struct curator *c, str sql, arena *a,
              struct http_reply *out)
{
    const struct answer *answer = q->answer;
    struct buf *b = &out->body;
    struct description d;
    struct ask ask = q->ask;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    ask.sql = sql;
    st = curator_describe(c, &ask, a, &d, &err);
    if (st) {
        http_refuse(out, &err, sql);
        return;
    }
    buf_add_text(b, "{\"columns\":[");
    explained_columns(b, &d);
    buf_add_text(b, "],\n\"plan\":[");
    for (size_t i = 0; i < answer->n_rows; i++) {
        buf_add_text(b, i ? ",\n" : "");
        json_add_datum(b, &answer->cells[i * answer->n_columns].value);
    }
    buf_add_text(b, "],\n");
    json_cost(b, answer);
    json_left(b, q);
    json_forecast(b, q);
    buf_add_text(b, "}\n");
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
        json_answer(&out->body, q);
    }
    if (out->body.failed) {
        (void)custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
        http_refuse(out, &err, str_of(""));
    }
}
