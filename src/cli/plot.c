/*
 * A curve in a terminal, in Braille patterns: each character is two dots wide
 * and four high.
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
draw(const struct chart *c, struct canvas *canvas)
{
    int last = -1;

    memset(canvas, 0, sizeof *canvas);
    for (int i = 0; i < DOTS_X; i++) {
        double place = i / (double)(DOTS_X - 1);
        double y = value_at(&c->curves[0], axis_value(&c->x, place));
        int dot = (int)lround((1 - axis_place(&c->y, y)) * (DOTS_Y - 1));
        int from = last < 0 ? dot : last;

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

void
plot_print(struct painter *p, const struct chart *chart)
{
    struct canvas canvas;
    char least[NUMBER_MAX], most[NUMBER_MAX];

    if (chart->n == 0 || chart->curves[0].n < 2)
        return;
    draw(chart, &canvas);
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
        print_row(p, canvas.dots[row]);
        out_text(p->o, "\n");
    }
    out_text(p->o, "          \u2514");
    for (int i = 0; i < COLUMNS; i++)
        out_text(p->o, "\u2500");
    out_printf(p->o, "\n          %-10.3g%*s%10.3g\n", chart->x.least,
               COLUMNS - 19, "", chart->x.most);
    out_printf(p->o, "          %*s%s\n",
               (int)(COLUMNS - strlen(chart->x.label)) / 2, "", chart->x.label);
}
