/*
 * Curves in a terminal, in Braille patterns: each character is two dots wide
 * and four high. Bars, in blocks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/chart.h"

enum {
    COLUMNS = 52,
    ROWS = 13,
    DOTS_X = 2 * COLUMNS,
    DOTS_Y = 4 * ROWS,
    DOTTED = 4, /* faint curves have every fourth dot */
    BAR_LABEL = 30,
    BAR_COLUMNS = 36,
};

struct canvas {
    unsigned char dots[ROWS][COLUMNS];
};

static void
set_dot(struct canvas *canvas, int x, int y)
{
    static const unsigned char bit[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    canvas->dots[y / 4][x / 2] |= bit[y % 4][x % 2];
}

/* The curve's value at x, interpolated linearly between its points. */
static double
value_at(const struct chart_curve *c, double x)
{
    size_t i = 1;

    while (i + 1 < c->n && c->x[i] < x)
        i++;
    if (c->x[i] <= c->x[i - 1])
        return c->y[i];
    x = fmin(fmax(x, c->x[i - 1]), c->x[i]);
    return c->y[i - 1] + (c->y[i] - c->y[i - 1]) * (x - c->x[i - 1]) /
                             (c->x[i] - c->x[i - 1]);
}

static double
axis_value(const struct chart_axis *axis, double place)
{
    if (axis->is_log)
        return axis->least * pow(axis->most / axis->least, place);
    return axis->least + (axis->most - axis->least) * place;
}

static void
draw(const struct chart *c, const struct chart_curve *curve,
     struct canvas *canvas)
{
    int last = -1;

    for (int i = 0; i < DOTS_X; i++) {
        double place = i / (double)(DOTS_X - 1);
        double y = value_at(curve, axis_value(&c->x, place));
        int dot = (int)lround((1 - axis_place(&c->y, y)) * (DOTS_Y - 1));
        int from = last < 0 ? dot : last;

        if (curve->faint && i % DOTTED)
            continue;
        if (curve->faint)
            from = dot;
        for (int k = from < dot ? from : dot; k <= (from < dot ? dot : from);
             k++)
            set_dot(canvas, i, k);
        last = dot;
    }
}

static void
print_row(struct painter *p, const unsigned char *dots)
{
    paint(p, PAINT_BAR);
    for (int i = 0; i < COLUMNS; i++) {
        char utf8[] = {(char)0xe2, (char)(0xa0 | dots[i] >> 6),
                       (char)(0x80 | (dots[i] & 0x3f))};

        if (dots[i])
            out_add(p->o, utf8, sizeof utf8);
        else
            out_text(p->o, " ");
    }
    paint(p, PAINT_PLAIN);
}

/* The axes, what is on the canvas, and a label beside each row (NULL: none). */
static void
print_canvas(struct painter *p, const struct chart *chart,
             const struct canvas *canvas, const char *const labels[ROWS])
{
    char least[NUMBER_MAX], most[NUMBER_MAX];

    mark_write(chart->y.least, least);
    mark_write(chart->y.most, most);
    out_printf(p->o, "    %s\n", chart->y.label);
    for (int row = 0; row < ROWS; row++) {
        if (row == 0)
            out_printf(p->o, "%9s \u2524", most);
        else if (row == ROWS - 1)
            out_printf(p->o, "%9s \u2524", least);
        else
            out_text(p->o, "          \u2502");
        print_row(p, canvas->dots[row]);
        if (labels[row])
            out_printf(p->o, " %s", labels[row]);
        out_text(p->o, "\n");
    }
    out_text(p->o, "          \u2514");
    for (int i = 0; i < COLUMNS; i++)
        out_text(p->o, "\u2500");
    if (chart->x.is_log) {
        mark_write(chart->x.least, least);
        mark_write(chart->x.most, most);
    } else {
        snprintf(least, sizeof least, "%.3g", chart->x.least);
        snprintf(most, sizeof most, "%.3g", chart->x.most);
    }
    out_printf(p->o, "\n          %-10s%*s%10s\n", least, COLUMNS - 19, "",
               most);
    out_printf(p->o, "          %*s%s\n",
               (int)(COLUMNS - strlen(chart->x.label)) / 2, "", chart->x.label);
}

void
plot_print(struct painter *p, const struct chart *chart)
{
    const char *const labels[ROWS] = {NULL};
    struct canvas canvas = {0};

    if (chart->n == 0 || chart->curves[0].n < 2)
        return;
    draw(chart, &chart->curves[0], &canvas);
    print_canvas(p, chart, &canvas, labels);
}

/* Puts the curve's label at the row of its end, or at the nearest free row. */
static void
place_label(const struct chart *chart, const struct chart_curve *curve,
            const char *labels[ROWS])
{
    double end = axis_place(&chart->y, curve->y[curve->n - 1]);
    int at = (int)lround((1 - end) * (DOTS_Y - 1)) / 4;

    for (int away = 0; away < ROWS; away++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            int row = at + sign * away;

            if (row >= 0 && row < ROWS && !labels[row]) {
                labels[row] = curve->label;
                return;
            }
        }
}

static void
print_bars(struct painter *p, const struct chart *chart)
{
    const double unit = 1000 / chart->x.most; /* paint_bar takes integers */

    for (size_t i = 0; i < chart->n_bars; i++) {
        const struct chart_bar *b = &chart->bars[i];
        double half = isnan(b->low) ? 0 : (b->high - b->low) / 2;

        out_printf(p->o, "  %-*.*s ", BAR_LABEL, BAR_LABEL, b->label);
        paint_bar(p, llround(b->value * unit), llround(half * unit), 1000,
                  BAR_COLUMNS);
        out_printf(p->o, " %.1f\n", b->value);
    }
    out_printf(p->o, "  %*s %s\n", BAR_LABEL, "", chart->x.label);
}

void
plot_print_all(struct painter *p, const struct chart *chart)
{
    const char *labels[ROWS] = {NULL};
    struct canvas canvas = {0};

    if (chart->n_bars) {
        print_bars(p, chart);
        return;
    }
    for (size_t i = 0; i < chart->n; i++)
        if (chart->curves[i].n >= 2) {
            draw(chart, &chart->curves[i], &canvas);
            place_label(chart, &chart->curves[i], labels);
        }
    print_canvas(p, chart, &canvas, labels);
}
