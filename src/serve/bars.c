#include "serve/bars.h"

#include <stdio.h>
#include <string.h>

#include "base/ck.h"

enum { BARS_BYTES = 1 << 14, DIGITS = 6 };

/* The distance from a cell's value to the farther end of its error bar. False:
   the cell has no bar, or its value is not a number. The ends may have another
   scale than the value. */
static bool
half_of(const struct answer_cell *cell, double *out)
{
    const struct datum *all[] = {&cell->low, &cell->value, &cell->high};
    double at[3];

    if (!cell->has_bar || !data_type_is_number(cell->value.type))
        return false;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        double x = (double)all[i]->n;

        for (int k = 0; k < all[i]->scale; k++)
            x /= 10;
        at[i] = x;
    }
    *out = at[2] - at[1] > at[1] - at[0] ? at[2] - at[1] : at[1] - at[0];
    return true;
}

/* Rounds up: an error bar must not shrink. */
static void
add_up(struct buf *b, double half)
{
    char text[64];

    snprintf(text, sizeof text, "%.*g", DIGITS, half);
    if (strtod(text, NULL) < half)
        snprintf(text, sizeof text, "%.*g", DIGITS, half * 1.00001);
    buf_printf(b, "±%s", text);
}

static void
line_of(const struct answer *answer, size_t column, struct buf *b)
{
    double least = 0, most = 0, half;
    size_t n = 0;

    for (size_t row = 0; row < answer->n_rows; row++) {
        if (!half_of(&answer->cells[row * answer->n_columns + column], &half))
            continue;
        least = !n || half < least ? half : least;
        most = !n || half > most ? half : most;
        n++;
    }
    if (!n)
        return;
    buf_printf(b, "%s%.*s: within ", b->len ? "\n" : "",
               (int)answer->columns[column].name.len,
               answer->columns[column].name.ptr);
    add_up(b, least);
    if (most > least) {
        buf_add_text(b, " to ");
        add_up(b, most);
    }
    buf_add_text(b, " (95 %)");
}

/* Adds the lines of a text, each with `mark` before it. */
static void
add_lines(struct buf *b, str text, const char *mark)
{
    for (size_t from = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '\n')
            continue;
        if (i > from)
            buf_printf(b, "%s%s%.*s", b->len ? "\n" : "", mark, (int)(i - from),
                       text.ptr + from);
        from = i + 1;
    }
}

str
bars_write(arena *a, const struct answer *answer)
{
    char receipt[RECEIPT_TEXT_MAX];
    struct buf b;
    str out = {"", 0};

    buf_init(&b, NULL, BARS_BYTES);
    for (size_t i = 0; i < answer->n_columns; i++)
        line_of(answer, i, &b);
    add_lines(&b, answer->warnings, "warning: ");
    add_lines(&b, answer->expected, "expected of ");
    add_lines(&b, answer->remarks, "");
    if (!answer->is_public) {
        receipt_write(&answer->receipt, receipt);
        buf_printf(&b, "%sreceipt %s", b.len ? "\n" : "", receipt);
    }
    if (!b.failed && b.len) {
        out.ptr = arena_copy(a, (str){b.ptr, b.len});
        out.len = out.ptr ? b.len : 0;
    }
    buf_clear(&b);
    return out;
}

void
cost_write(const struct question *q, char text[COST_MAX])
{
    const struct answer *a = q->answer;
    bool in_rho = answer_is_in_rho(a);
    str price = in_rho ? a->rho : a->epsilon;
    size_t len;

    if (a->stored)
        snprintf(text, COST_MAX, "answered before: free");
    else
        snprintf(text, COST_MAX, "cost %s %.*s%s%.*s",
                 in_rho ? "rho" : "epsilon", (int)price.len, price.ptr,
                 str_equal(a->delta, str_of("0")) ? "" : ", delta ",
                 str_equal(a->delta, str_of("0")) ? 0 : (int)a->delta.len,
                 a->delta.ptr);
    len = strlen(text);
    if (!a->stored && q->remaining.in_rho && !in_rho) {
        snprintf(text + len, COST_MAX - len,
                 " (rho %.*s, in which the budget counts)", (int)a->rho.len,
                 a->rho.ptr);
        len = strlen(text);
    }
    if (q->has_remaining)
        snprintf(text + len, COST_MAX - len, "; epsilon %s left",
                 q->remaining.epsilon);
}
