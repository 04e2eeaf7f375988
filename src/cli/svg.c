/*
 * Charts as SVG: text and lines only, no script, no style sheet, no external
 * reference.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cli.h"
#include "cli/save.h"

enum {
    WIDTH = 720,
    HEIGHT = 520,
    LEFT = 84,
    LEFT_OF_BARS = 236, /* their labels need more room */
    RIGHT = 28,
    TOP = 92,
    BOTTOM = 68,
    MARKS = 24,
};

static const char *const colours[CHART_CURVES_MAX] = {"#0b6e99", "#c2410c",
                                                      "#7c3aed", "#4d7c0f"};

static int
left_of(const struct chart *c)
{
    return c->n_bars ? LEFT_OF_BARS : LEFT;
}

static double
x_of(const struct chart *c, double x)
{
    return left_of(c) + axis_place(&c->x, x) * (WIDTH - left_of(c) - RIGHT);
}

static double
y_of(const struct chart *c, double y)
{
    return HEIGHT - BOTTOM - axis_place(&c->y, y) * (HEIGHT - TOP - BOTTOM);
}

static void
put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
        }
}

static void
put_label(FILE *f, const char *attributes, const char *text)
{
    fprintf(f, "<text %s>", attributes);
    put_text(f, text);
    fputs("</text>\n", f);
}

/* The grid of the y axis; charts of bars have none. */
static void
put_y_axis(FILE *f, const struct chart *c)
{
    double marks[MARKS];
    size_t n = axis_marks(&c->y, marks, MARKS);
    char at[160], mark[NUMBER_MAX];

    for (size_t i = 0; i < n; i++) {
        double y = y_of(c, marks[i]);

        mark_write(marks[i], mark);
        fprintf(f,
                "<path class=\"grid\" d=\"M%d %.2f H%d\" stroke=\"#e5e7eb\"/>\n"
                "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 10, y + 4, mark);
    }
    snprintf(at, sizeof at,
             "transform=\"translate(22 %d) rotate(-90)\" "
             "text-anchor=\"middle\"",
             (TOP + HEIGHT - BOTTOM) / 2);
    put_label(f, at, c->y.label);
}

static void
put_axes(FILE *f, const struct chart *c)
{
    double marks[MARKS];
    size_t n = axis_marks(&c->x, marks, MARKS);
    char at[160], mark[NUMBER_MAX];

    for (size_t i = 0; i < n; i++) {
        double x = x_of(c, marks[i]);

        mark_write(marks[i], mark);
        fprintf(f,
                "<path class=\"grid\" d=\"M%.2f %d V%d\" stroke=\"#e5e7eb\"/>\n"
                "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 20, mark);
    }
    if (!c->n_bars)
        put_y_axis(f, c);
    fprintf(f,
            "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#374151\" "
            "stroke-width=\"1.2\"/>\n",
            left_of(c), TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    snprintf(at, sizeof at, "x=\"%d\" y=\"%d\" text-anchor=\"middle\"",
             (left_of(c) + WIDTH - RIGHT) / 2, HEIGHT - 20);
    put_label(f, at, c->x.label);
}

static void
put_stroke(FILE *f, const struct chart_curve *curve, size_t i)
{
    if (curve->faint)
        fputs("stroke=\"#9ca3af\" stroke-width=\"1.5\" "
              "stroke-dasharray=\"5 4\"",
              f);
    else
        fprintf(f, "stroke=\"%s\" stroke-width=\"2.2\"", colours[i]);
}

static void
put_curve(FILE *f, const struct chart *c, size_t i)
{
    const struct chart_curve *curve = &c->curves[i];

    fputs("<polyline fill=\"none\" stroke-linejoin=\"round\" ", f);
    put_stroke(f, curve, i);
    fputs(" points=\"", f);
    for (size_t k = 0; k < curve->n; k++)
        fprintf(f, "%s%.2f,%.2f", k ? " " : "", x_of(c, curve->x[k]),
                y_of(c, curve->y[k]));
    fputs("\"/>\n", f);
}

/* The legend, in one line under the subtitle: for each curve a dash and its
   label. */
static void
put_legend(FILE *f, const struct chart *c)
{
    int x = LEFT;

    for (size_t i = 0; i < c->n; i++) {
        fprintf(f, "<path d=\"M%d %d h26\" ", x, TOP - 22);
        put_stroke(f, &c->curves[i], i);
        fputs("/>\n", f);
        fprintf(f, "<text x=\"%d\" y=\"%d\">", x + 32, TOP - 18);
        put_text(f, c->curves[i].label);
        fputs("</text>\n", f);
        x += 56 + 7 * (int)strlen(c->curves[i].label);
    }
}

/* Bar i: its label at the left, its value at its end, and its whisker. */
static void
put_bar(FILE *f, const struct chart *c, size_t i)
{
    const struct chart_bar *bar = &c->bars[i];
    double step = (HEIGHT - TOP - BOTTOM) / (double)c->n_bars;
    double middle = TOP + step * ((double)i + 0.5), thick = step * 0.56;
    double from = x_of(c, c->x.least), to = x_of(c, bar->value);
    double end = isnan(bar->high) ? to : x_of(c, bar->high);
    bool inside = end > WIDTH - RIGHT - 60; /* no room behind the bar */
    char at[160], mark[NUMBER_MAX];

    fprintf(f,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"%s\" fill-opacity=\"0.85\"/>\n",
            from, middle - thick / 2, to - from, thick,
            colours[bar->colour % CHART_CURVES_MAX]);
    if (!isnan(bar->low))
        fprintf(f,
                "<path d=\"M%.2f %.2f H%.2f\" stroke=\"#111827\" "
                "stroke-width=\"1.5\"/>\n",
                x_of(c, bar->low), middle, end);
    snprintf(at, sizeof at, "x=\"%d\" y=\"%.2f\" text-anchor=\"end\"",
             left_of(c) - 10, middle + 4);
    put_label(f, at, bar->label);
    snprintf(
        at, sizeof at,
        "x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" "
        "font-weight=\"bold\"%s",
        inside ? fmin(to, x_of(c, isnan(bar->low) ? bar->value : bar->low)) - 8
               : end + 8,
        middle + 4, inside ? "end" : "start",
        inside ? " fill=\"#ffffff\"" : "");
    snprintf(mark, sizeof mark, "%.1f", bar->value);
    put_label(f, at, mark);
}

static void
put_chart(FILE *f, const struct chart *c)
{
    char at[160];

    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, "
            "Arial, sans-serif\" font-size=\"13\" fill=\"#374151\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_text(f, c->title);
    fprintf(f,
            "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT);
    snprintf(at, sizeof at,
             "x=\"%d\" y=\"30\" font-size=\"18\" font-weight=\"bold\" "
             "fill=\"#111827\"",
             LEFT);
    put_label(f, at, c->title);
    snprintf(at, sizeof at, "x=\"%d\" y=\"51\" fill=\"#6b7280\"", LEFT);
    put_label(f, at, c->subtitle);
    put_axes(f, c);
    for (size_t i = c->n; i > 0; i--)
        put_curve(f, c, i - 1);
    for (size_t i = 0; i < c->n_bars; i++)
        put_bar(f, c, i);
    put_legend(f, c);
    fputs("</svg>\n", f);
}

int
svg_write(const char *path, const struct chart *chart)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    int code;

    if (!f)
        return fail_run("out of memory");
    put_chart(f, chart);
    if (fclose(f))
        code = fail_run("out of memory");
    else
        code = save_file("svg", path, (str){text, len});
    free(text);
    return code;
}
