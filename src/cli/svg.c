/*
 * Charts as SVG: text and lines only, no script, no style sheet, no external
 * reference. The file is written under another name and renamed at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/chart.h"
#include "cli/cli.h"

enum {
    WIDTH = 720,
    HEIGHT = 520,
    LEFT = 84,
    RIGHT = 28,
    TOP = 92,
    BOTTOM = 68,
    MARKS = 24,
};

static const char *const colours[CHART_CURVES_MAX] = {"#0b6e99", "#c2410c",
                                                      "#4d7c0f", "#7c3aed"};

static double
x_of(const struct chart *c, double x)
{
    return LEFT + axis_place(&c->x, x) * (WIDTH - LEFT - RIGHT);
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
    n = axis_marks(&c->y, marks, MARKS);
    for (size_t i = 0; i < n; i++) {
        double y = y_of(c, marks[i]);

        mark_write(marks[i], mark);
        fprintf(f,
                "<path class=\"grid\" d=\"M%d %.2f H%d\" stroke=\"#e5e7eb\"/>\n"
                "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 10, y + 4, mark);
    }
    fprintf(f,
            "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#374151\" "
            "stroke-width=\"1.2\"/>\n",
            LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    snprintf(at, sizeof at, "x=\"%d\" y=\"%d\" text-anchor=\"middle\"",
             (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 20);
    put_label(f, at, c->x.label);
    snprintf(at, sizeof at,
             "transform=\"translate(22 %d) rotate(-90)\" "
             "text-anchor=\"middle\"",
             (TOP + HEIGHT - BOTTOM) / 2);
    put_label(f, at, c->y.label);
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
    put_legend(f, c);
    fputs("</svg>\n", f);
}

/* Sets the mode that open(2) would have set; mkstemp sets 0600. */
static void
set_mode(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

int
svg_write(const char *path, const struct chart *chart)
{
    char name[4096];
    int fd, n = snprintf(name, sizeof name, "%s.XXXXXX", path), error = 0;
    FILE *f;

    if (n < 0 || (size_t)n >= sizeof name)
        return fail_usage("--svg: the file name is too long");
    fd = mkstemp(name);
    if (fd < 0)
        return fail_run("cannot write %.200s: %s", path, strerror(errno));
    set_mode(fd);
    f = fdopen(fd, "w");
    if (!f) {
        error = errno;
        close(fd);
    } else {
        put_chart(f, chart);
        if (ferror(f) || fflush(f) || fsync(fd))
            error = errno ? errno : EIO;
        if (fclose(f) && !error)
            error = errno;
    }
    if (!error && rename(name, path))
        error = errno;
    if (!error)
        return CLI_OK;
    unlink(name);
    return fail_run("cannot write %.200s: %s", path, strerror(error));
}
