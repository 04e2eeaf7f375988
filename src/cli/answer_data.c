/*
 * Answers for programs: all digits, and the ends of error bars as separate
 * values.
 */
#include "cli/answer_data.h"

#include <stdlib.h>

#include "base/csv.h"
#include "cli/document.h"
#include "contract/contract.h"

enum { CELL_MAX = 1 << 16 };

bool
answer_has_bars(const struct answer *a, size_t column)
{
    for (size_t i = 0; i < a->n_rows; i++)
        if (a->cells[i * a->n_columns + column].has_bar)
            return true;
    return false;
}

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

void
answer_json(struct out *o, const struct answer *a,
            const struct ledger_remaining *remaining)
{
    struct document d;

    document_begin(&d, o);
    contract_answer(&d.json, a, remaining);
    document_end(&d);
}

void
plan_json(struct out *o, const struct answer *a,
          const struct description *described,
          const struct ledger_remaining *remaining)
{
    struct document d;

    document_begin(&d, o);
    contract_plan(&d.json, a, described, remaining);
    document_end(&d);
}
