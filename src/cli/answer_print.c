/*
 * Answers for people: tables and bars. A number has as many digits as its error
 * bar makes meaningful.
 */
#include "cli/answer_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "cli/answer_data.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/paint.h"
#include "evaluate/evaluate.h"
#include "cli/number.h"
#include "report/digits.h"

enum {
    CELL_MAX = 1 << 16,
    DIGITS_SHOWN = 6,
    BAR_UNITS = 1 << 30, /* the longest bar is scaled to this */
    BAR_COLUMNS = 40,
};

int
answer_format_read(const char *name, enum answer_format *out)
{
    static const char *const names[] = {"table", "bars", "csv", "json"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i])) {
            *out = (enum answer_format)i;
            return CLI_OK;
        }
    return fail_usage("there is no format %.40s" HINT
                      "the formats are table, bars, csv and json",
                      name);
}

/* ---------------------------------------------------------------- table -- */

/* Characters, not bytes, of UTF-8. */
static int
columns_of(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* How many decimals show two significant digits of an error bar. */
static int
decimals_for(double half)
{
    int d = half > 0 ? 1 - (int)floor(log10(half)) : 0;

    return d < 0 ? 0 : d > 12 ? 12 : d;
}

/* Adds a number with its integer digits in groups of three. */
static void
group_digits(const char *text, struct buf *out)
{
    size_t minus = *text == '-', whole = strcspn(text + minus, ".e");

    buf_add(out, text, minus);
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            buf_add(out, ",", 1);
        buf_add(out, &text[minus + i], 1);
    }
    buf_add_text(out, text + minus + whole);
}

static void
number_text(const struct datum *d, int decimals, struct buf *out)
{
    struct buf exact;
    char text[64];

    if (d->type != TYPE_INT && decimals >= 0) {
        snprintf(text, sizeof text, "%.*f", decimals, datum_double(d));
        group_digits(text, out);
        return;
    }
    buf_init(&exact, NULL, CELL_MAX);
    datum_write(d, &exact);
    group_digits(buf_text(&exact), out);
    buf_clear(&exact);
}

/* A limit of an interval, rounded outward. */
static void
limit_text(double x, int decimals, double (*outward)(double), struct buf *out)
{
    double unit = pow(10, decimals), slack = outward(0.5) > 0 ? -1e-9 : 1e-9;
    char text[64];

    x = outward(x * unit + slack) / unit;
    snprintf(text, sizeof text, "%.*f", decimals, x + 0.0); /* no -0 */
    group_digits(text, out);
}

/* Does one side of an interval reach more than 10 % further than the other, as
   shown? */
static bool
is_lopsided(double below, double above, int decimals)
{
    double far = ceil(fmax(below, above) * pow(10, decimals) - 1e-9);
    double near = ceil(fmin(below, above) * pow(10, decimals) - 1e-9);

    return far > near && far > 1.1 * near;
}

/* "1,204 ± 30", or "1,204 (1,190 .. 1,234)" if the sides differ */
static void
cell_text(const struct answer_cell *c, struct buf *out)
{
    double x, half, below, above;
    int decimals;
    char text[64];

    if (c->value.type == TYPE_NULL || !data_type_is_number(c->value.type)) {
        datum_write(&c->value, out);
        if (c->value.type != TYPE_NULL && c->has_bar) { /* a date or time */
            buf_add_text(out, " (");
            datum_write(&c->low, out);
            buf_add_text(out, " .. ");
            datum_write(&c->high, out);
            buf_add_text(out, ")");
        }
        return;
    }
    if (!c->has_bar) {
        number_text(&c->value, -1, out);
        return;
    }
    x = datum_double(&c->value);
    above = datum_double(&c->high) - x;
    below = x - datum_double(&c->low);
    half = fmax(above, below);
    decimals =
        c->value.scale || c->value.type == TYPE_REAL ? decimals_for(half) : 0;
    number_text(&c->value, decimals, out);
    if (is_lopsided(below, above, decimals)) {
        buf_add_text(out, " (");
        limit_text(x - below, decimals, floor, out);
        buf_add_text(out, " .. ");
        limit_text(x + above, decimals, ceil, out);
        buf_add_text(out, ")");
        return;
    }
    /* rounded up: an error bar may not shrink */
    half = ceil(half * pow(10, decimals) - 1e-9) / pow(10, decimals);
    snprintf(text, sizeof text, "%.*f", decimals, half + 0.0); /* no -0 */
    buf_add_text(out, " ± ");
    group_digits(text, out);
}

static void
print_spaces(struct out *o, int n)
{
    while (n-- > 0)
        out_text(o, " ");
}

static void
print_cell(struct out *o, const char *text, int width, bool right, bool last)
{
    int spaces = width - columns_of(text);

    if (right)
        print_spaces(o, spaces);
    for (; *text; text++)
        /* control characters in a key must not reach the terminal */
        out_add(o, (unsigned char)*text < 0x20 || *text == 0x7f ? "?" : text,
                1);
    if (!right && !last)
        print_spaces(o, spaces);
}

static bool
is_right(const struct answer *a, size_t column)
{
    return data_type_is_number(a->columns[column].type) ||
           (!a->columns[column].is_key && !a->explained && !a->is_public);
}

static void
print_line(struct out *o, const struct answer *a, struct buf *texts,
           const int *width)
{
    out_text(o, "  ");
    for (size_t j = 0; j < a->n_columns; j++) {
        if (j)
            out_text(o, "  ");
        print_cell(o, buf_text(&texts[j]), width[j], is_right(a, j),
                   j + 1 == a->n_columns);
    }
    out_text(o, "\n");
}

static void
text_clear(struct buf *b)
{
    b->len = 0;
    if (b->ptr)
        b->ptr[0] = '\0';
}

/* The keys of a row, separated by commas. */
static void
row_label(const struct answer *a, size_t row, struct buf *out)
{
    text_clear(out);
    for (size_t j = 0; j < a->n_columns; j++)
        if (a->columns[j].is_key) {
            if (out->len)
                buf_add_text(out, ", ");
            datum_write(&a->cells[row * a->n_columns + j].value, out);
        }
}

static void
row_texts(const struct answer *a, size_t row, struct buf *texts)
{
    for (size_t j = 0; j < a->n_columns; j++) {
        text_clear(&texts[j]);
        if (row == SIZE_MAX)
            buf_add(&texts[j], a->columns[j].name.ptr, a->columns[j].name.len);
        else
            cell_text(&a->cells[row * a->n_columns + j], &texts[j]);
    }
}

static void
print_table(struct out *o, const struct answer *a)
{
    struct buf *texts = calloc(a->n_columns + 1, sizeof *texts);
    int *width = calloc(a->n_columns + 1, sizeof *width);
    struct painter p;

    painter_init(&p, o);
    for (size_t j = 0; texts && j < a->n_columns; j++)
        buf_init(&texts[j], NULL, CELL_MAX);
    for (size_t i = 0; texts && width && i <= a->n_rows; i++) {
        row_texts(a, i - 1, texts); /* line 0 has the column names */
        for (size_t j = 0; j < a->n_columns; j++) {
            int w = columns_of(buf_text(&texts[j]));

            width[j] = w > width[j] ? w : width[j];
        }
    }
    for (size_t i = 0; texts && width && i <= a->n_rows; i++) {
        if (a->explained && i == 0)
            continue;
        row_texts(a, i - 1, texts);
        paint(&p, i == 0 ? PAINT_BOLD : PAINT_PLAIN);
        print_line(o, a, texts, width);
        paint(&p, PAINT_PLAIN);
    }
    for (size_t j = 0; texts && j < a->n_columns; j++)
        buf_clear(&texts[j]);
    free(texts);
    free(width);
}

/* ----------------------------------------------------------------- bars -- */

/* Prints for each row its keys, a bar with whiskers, and the number itself. */
static void
print_bars_of(struct out *o, const struct answer *a, size_t column)
{
    struct painter p;
    struct buf text;
    double most = 0;
    int width = 0, digits = 0;

    painter_init(&p, o);
    buf_init(&text, NULL, CELL_MAX);
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct answer_cell *c = &a->cells[i * a->n_columns + column];

        most = fmax(most, datum_double(&c->high));
        row_label(a, i, &text);
        width = columns_of(buf_text(&text)) > width
                    ? columns_of(buf_text(&text))
                    : width;
        text_clear(&text);
        cell_text(c, &text);
        digits = columns_of(buf_text(&text)) > digits
                     ? columns_of(buf_text(&text))
                     : digits;
    }
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct answer_cell *c = &a->cells[i * a->n_columns + column];
        double x = datum_double(&c->value),
               unit = BAR_UNITS / fmax(most, 1e-300);

        out_text(o, "  ");
        row_label(a, i, &text);
        print_cell(o, buf_text(&text), width, false, false);
        out_text(o, "  ");
        paint_bar(&p, (int64_t)(x * unit),
                  (int64_t)((datum_double(&c->high) - x) * unit), BAR_UNITS,
                  BAR_COLUMNS);
        text_clear(&text);
        cell_text(c, &text);
        out_text(o, "  ");
        print_cell(o, buf_text(&text), digits, true, true);
        out_text(o, "\n");
    }
    buf_clear(&text);
}

/* Draws all columns that have error bars, with headings if there are several.
   Returns false if there are none. */
static bool
print_bars(struct out *o, const struct answer *a)
{
    size_t all = 0, done = 0;
    struct painter p;

    painter_init(&p, o);
    for (size_t j = 0; j < a->n_columns; j++)
        all += answer_has_bars(a, j);
    for (size_t j = 0; j < a->n_columns; j++) {
        if (!answer_has_bars(a, j))
            continue;
        if (all > 1) {
            out_text(o, done ? "\n  " : "  ");
            paint(&p, PAINT_BOLD);
            out_add(o, a->columns[j].name.ptr, a->columns[j].name.len);
            paint(&p, PAINT_PLAIN);
            out_text(o, "\n");
        }
        print_bars_of(o, a, j);
        done++;
    }
    return done > 0;
}

/* ---------------------------------------------------------------- price -- */

static void
print_short(struct out *o, str number)
{
    char text[CUSTOS_AMOUNT_MAX], digits[NUMBER_MAX];

    /* an answer that was stored has texts without an end */
    snprintf(text, sizeof text, "%.*s", (int)number.len, number.ptr);
    digits_up(text, DIGITS_SHOWN, digits);
    out_text(o, digits);
}

/* Does any value have an error bar? */
static bool
has_bars(const struct answer *a)
{
    for (size_t j = 0; j < a->n_columns; j++)
        if (answer_has_bars(a, j))
            return true;
    return false;
}

/* Explains why the remaining ε did not fall by the cost. */
static void
print_counted(struct out *o, const struct answer *a)
{
    out_text(o, "  the budget counts in ρ, in which this cost ");
    print_short(o, a->rho);
    out_text(o, "; remaining is the largest ε one more query may cost\n");
}

static void
print_price(struct out *o, const struct answer *a,
            const struct ledger_remaining *remaining)
{
    bool in_rho = answer_is_in_rho(a);

    out_text(o, has_bars(a) ? "\n  95 % error bars. " : "\n  ");
    if (a->stored) {
        out_text(o, "Cached: no cost.");
    } else {
        out_text(o, "Cost: ");
        out_text(o, in_rho ? "ρ " : "ε ");
        print_short(o, in_rho ? a->rho : a->epsilon);
        if (a->delta.len != 1 || a->delta.ptr[0] != '0') {
            out_text(o, ", δ ");
            print_short(o, a->delta);
        }
        out_text(o, ".");
    }
    if (remaining) {
        char left[NUMBER_MAX];

        digits_down(remaining->epsilon, DIGITS_SHOWN, left);
        out_printf(o, " Remaining: ε %s.", left);
    }
    out_text(o, "\n");
    if (!a->stored && remaining && remaining->in_rho)
        print_counted(o, a);
}

/* How many of the bytes of a line, at most `room` characters, stand before a
   space: all if they fit, and at least one word. */
static size_t
fitting(const char *s, size_t len, size_t room)
{
    size_t at = 0, fits = 0, columns = 0;

    for (; at < len && (columns <= room || fits == 0); at++) {
        if (s[at] == ' ')
            fits = at;
        columns += ((unsigned char)s[at] & 0xc0) != 0x80;
    }
    return at == len && columns <= room ? len : fits ? fits : len;
}

/* Prints the lines of a text, each with `mark` before it, and breaks those that
   are longer than a line of the terminal. */
static void
print_lines(struct out *o, str text, const char *mark)
{
    enum { COLUMNS = 80, INDENT = 2 };
    const char *s = text.ptr, *end;

    if (text.len == 0)
        return;
    end = s + text.len;
    while (s < end) {
        const char *line = memchr(s, '\n', (size_t)(end - s));
        size_t room = COLUMNS - INDENT - strlen(mark);

        line = line ? line : end;
        out_text(o, "  ");
        out_text(o, mark);
        for (;;) {
            size_t n = fitting(s, (size_t)(line - s), room);

            out_add(o, s, n);
            out_text(o, "\n");
            s += n;
            if (s == line)
                break;
            s++; /* the space */
            out_text(o, "    ");
            room = COLUMNS - 2 * INDENT;
        }
        s = line + 1;
    }
}

void
answer_print(struct out *o, enum answer_format format, const struct answer *a,
             const struct ledger_remaining *remaining)
{
    if (format == FORMAT_CSV) {
        answer_csv(o, a);
    } else if (format == FORMAT_JSON) {
        answer_json(o, a, remaining);
    } else {
        if (format != FORMAT_BARS || !print_bars(o, a))
            print_table(o, a);
        if (a->explained && a->forecast.stored)
            out_text(o,
                     "  stored     this answer is cached: asking again costs "
                     "nothing\n");
        if (!a->explained && !a->is_public) {
            print_price(o, a, remaining);
            print_lines(o, a->warnings, "warning: ");
        } else if (!a->explained && (has_bars(a) || a->remarks.len > 0)) {
            out_text(o, has_bars(a) ? "\n  95 % error bars. No cost.\n"
                                    : "\n  No cost.\n");
        }
        if (!a->explained)
            print_lines(o, a->remarks, "");
    }
}
