/*
 * Answers for programs: all digits, and the ends of error bars as separate
 * values.
 */
#include "cli/answer_data.h"

#include <stdlib.h>

#include "wire/csv.h"

enum { CELL_MAX = 1 << 16 };

bool
answer_has_bars(const struct answer *a, size_t column)
{
    for (size_t i = 0; i < a->n_rows; i++)
        if (a->cells[i * a->n_columns + column].has_bar)
            return true;
    return false;
}

/* ------------------------------------------------------------------ csv -- */

static void
csv_cell(struct out *o, const struct datum *d)
{
    struct buf b;

    buf_init(&b, NULL, CELL_MAX);
    csv_add_datum(&b, d);
    out_add(o, buf_text(&b), b.failed ? 0 : b.len);
    buf_clear(&b);
}

/* The column's name, with a suffix for an end of its error bar. */
static void
csv_name(struct out *o, str name, const char *end)
{
    struct buf whole;
    struct datum d = {.type = TYPE_TEXT};

    buf_init(&whole, NULL, CELL_MAX);
    buf_add(&whole, name.ptr, name.len);
    buf_add_text(&whole, end);
    d.text = str_of(buf_text(&whole));
    csv_cell(o, &d);
    buf_clear(&whole);
}

static void
csv_names(struct out *o, const struct answer *a, const bool *bars)
{
    for (size_t j = 0; j < a->n_columns; j++) {
        const struct answer_column *c = &a->columns[j];

        if (j)
            out_text(o, ",");
        csv_name(o, c->name, "");
        for (int high = 0; high < 2 && bars[j]; high++) {
            out_text(o, ",");
            csv_name(o, c->name, high ? "_high" : "_low");
        }
    }
    out_text(o, "\n");
}

static void
csv_row(struct out *o, const struct answer *a, const bool *bars, size_t row)
{
    for (size_t j = 0; j < a->n_columns; j++) {
        const struct answer_cell *c = &a->cells[row * a->n_columns + j];

        if (j)
            out_text(o, ",");
        csv_cell(o, &c->value);
        if (bars[j]) {
            out_text(o, ",");
            csv_cell(o, &c->low);
            out_text(o, ",");
            csv_cell(o, &c->high);
        }
    }
    out_text(o, "\n");
}

void
answer_csv(struct out *o, const struct answer *a)
{
    bool *bars = calloc(a->n_columns + 1, sizeof *bars);

    for (size_t j = 0; bars && j < a->n_columns; j++)
        bars[j] = answer_has_bars(a, j); /* once: it looks at all rows */
    if (bars)
        csv_names(o, a, bars);
    for (size_t i = 0; bars && i < a->n_rows; i++)
        csv_row(o, a, bars, i);
    free(bars);
}

/* ----------------------------------------------------------------- json -- */

static void
json_datum(struct out *o, const struct datum *d)
{
    struct buf b;

    if (d->type == TYPE_NULL) {
        out_text(o, "null");
        return;
    }
    buf_init(&b, NULL, CELL_MAX);
    datum_write(d, &b);
    if (data_type_is_number(d->type) || d->type == TYPE_BOOL)
        out_text(o, buf_text(&b));
    else
        out_json(o, buf_text(&b));
    buf_clear(&b);
}

static void
json_str(struct out *o, str text)
{
    struct buf b;

    buf_init(&b, NULL, CELL_MAX);
    buf_add(&b, text.ptr, text.len);
    out_json(o, buf_text(&b));
    buf_clear(&b);
}

static void
json_columns(struct out *o, const struct answer *a)
{
    out_text(o, "{\"columns\":[");
    for (size_t j = 0; j < a->n_columns; j++) {
        out_text(o, j ? ",{\"name\":" : "{\"name\":");
        json_str(o, a->columns[j].name);
        out_printf(o, ",\"type\":\"%s\",\"key\":%s}",
                   data_type_name(a->columns[j].type),
                   a->columns[j].is_key ? "true" : "false");
    }
    out_text(o, "],\n\"rows\":[");
}

static void
json_row(struct out *o, const struct answer *a, size_t row)
{
    out_text(o, row ? ",\n[" : "\n[");
    for (size_t j = 0; j < a->n_columns; j++) {
        const struct answer_cell *c = &a->cells[row * a->n_columns + j];

        if (j)
            out_text(o, ",");
        if (!c->has_bar) {
            json_datum(o, &c->value);
            continue;
        }
        out_text(o, "{\"value\":");
        json_datum(o, &c->value);
        out_text(o, ",\"low\":");
        json_datum(o, &c->low);
        out_text(o, ",\"high\":");
        json_datum(o, &c->high);
        out_text(o, "}");
    }
    out_text(o, "]");
}

static void
json_price(struct out *o, const struct answer *a,
           const struct ledger_remaining *remaining)
{
    char receipt[RECEIPT_TEXT_MAX];

    receipt_write(&a->receipt, receipt);
    out_text(o, ",\n\"cost\":{\"epsilon\":");
    json_str(o, a->epsilon);
    out_text(o, ",\"rho\":");
    json_str(o, a->rho);
    out_text(o, ",\"delta\":");
    json_str(o, a->delta);
    out_printf(o, "},\"stored\":%s,\"receipt\":\"%s\"",
               a->stored ? "true" : "false", receipt);
    if (remaining)
        out_printf(o, ",\"left\":{\"epsilon\":\"%s\"}", remaining->epsilon);
    out_text(o, ",\"remarks\":");
    json_str(o, a->remarks);
}

void
answer_json(struct out *o, const struct answer *a,
            const struct ledger_remaining *remaining)
{
    json_columns(o, a);
    for (size_t i = 0; i < a->n_rows; i++)
        json_row(o, a, i);
    out_text(o, "]");
    if (!a->explained && !a->is_public)
        json_price(o, a, remaining);
    out_text(o, "}\n");
}
