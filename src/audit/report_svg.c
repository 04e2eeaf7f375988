/*
 * The witness drawn: how often the feature fell into each range, on A and on B,
 * with the event shaded. Bars have equal widths whatever their ranges, since the
 * ranges are chosen to hold alike many outputs. If the event is rare the scale
 * is logarithmic, and the drawing says so.
 *
 * Colours follow the reader's light or dark mode.
 */
#include <math.h>
#include <stdio.h>

#include "audit/report.h"

enum {
    WIDTH = 760,
    HEIGHT = 380,
    LEFT = 64,
    RIGHT = 16,
    TOP = 44,
    BOTTOM = 64,
    LABELS = 8, /* at most, below the bars */
};

static const char style[] =
    "<style>"
    ".w{--a:#0b6e99;--b:#d97706;--in:#fde68a;--ink:#374151;--grid:#e5e7eb;"
    "--page:#fff}"
    "@media(prefers-color-scheme:dark){.w{--a:#4fb3d9;--b:#f59e0b;"
    "--in:#57431a;--ink:#d1d5db;--grid:#374151;--page:#111827}}"
    ".w .a{fill:var(--a)}.w .b{fill:var(--b)}.w .in{fill:var(--in)}"
    ".w .page{fill:var(--page)}.w text{fill:var(--ink)}"
    ".w .grid{stroke:var(--grid)}.w .axis{stroke:var(--ink)}"
    "</style>\n";

struct scale {
    bool is_log;
    double least, most; /* shares; least is 0 unless logarithmic */
};

static double
share(uint64_t hits, uint64_t n)
{
    return n ? (double)hits / (double)n : 0;
}

/* Up to the highest bar; logarithmic if a bar of the event would not be seen. */
static struct scale
scale_of(const struct finding *f)
{
    struct scale s = {.most = 1e-9};
    double lowest = 1;

    for (size_t i = 0; i < f->n_bars; i++) {
        const struct bar *b = &f->bars[i];
        double x = share(b->a, f->n), y = share(b->b, f->n);

        s.most = fmax(s.most, fmax(x, y));
        if (b->in_event && b->a)
            lowest = fmin(lowest, x);
    }
    s.is_log = lowest < s.most / 50;
    if (s.is_log) {
        s.least = pow(10, floor(log10(0.5 / (double)f->n)));
        s.most = pow(10, ceil(log10(s.most)));
    } else {
        s.most *= 1.08;
    }
    return s;
}

static double
y_of(const struct scale *s, double x)
{
    double at =
        s->is_log
            ? (x <= s->least ? 0 : log(x / s->least) / log(s->most / s->least))
            : x / s->most;

    return HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM);
}

static void
add_mark(struct buf *out, const struct scale *s, double share_at)
{
    double y = y_of(s, share_at);

    buf_printf(out,
               "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
               "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g %%</text>\n",
               LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, 100 * share_at);
}

static void
add_marks(struct buf *out, const struct scale *s)
{
    if (s->is_log) {
        int decades = (int)lround(log10(s->most / s->least));
        int step = decades > 6 ? 2 : 1;

        for (int i = 0; i <= decades; i += step)
            add_mark(out, s, s->most * pow(10, -i));
    } else {
        double step = pow(10, floor(log10(s->most)));

        step = s->most / step < 2   ? step / 5
               : s->most / step < 5 ? step / 2
                                    : step;
        for (int i = 0; i * step <= s->most; i++)
            add_mark(out, s, i * step);
    }
}

static double
x_of(const struct finding *f, size_t i)
{
    return LEFT +
           (double)(WIDTH - LEFT - RIGHT) * (double)i / (double)f->n_bars;
}

static void
add_bar(struct buf *out, const struct scale *s, const char *which, double x,
        double width, double height)
{
    double top = y_of(s, height), bottom = HEIGHT - BOTTOM;

    buf_printf(out,
               "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
               "height=\"%.1f\"/>",
               which, x, top, width, bottom > top ? bottom - top : 0);
}

static void
add_bars(struct buf *out, const struct finding *f, const struct scale *s)
{
    double slot = x_of(f, 1) - x_of(f, 0), bar = slot * 0.42;

    for (size_t i = 0; i < f->n_bars; i++)
        if (f->bars[i].in_event)
            buf_printf(out,
                       "<rect class=\"in\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                       "height=\"%d\"/>\n",
                       x_of(f, i), TOP, slot + 0.2, HEIGHT - TOP - BOTTOM);
    add_marks(out, s);
    for (size_t i = 0; i < f->n_bars; i++) {
        double x = x_of(f, i) + slot * 0.06;

        add_bar(out, s, "a", x, bar, share(f->bars[i].a, f->n));
        add_bar(out, s, "b", x + bar + slot * 0.02, bar,
                share(f->bars[i].b, f->n));
        buf_add_text(out, "\n");
    }
}

/* Hashes say nothing to a reader. */
static bool
is_readable(double x)
{
    return isfinite(x) && !(fabs(x) >= 1e9 && x == floor(x));
}

static void
add_label(struct buf *out, double x, double value)
{
    if (is_readable(value))
        buf_printf(out,
                   "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g"
                   "</text>\n",
                   x, HEIGHT - BOTTOM + 18, value);
}

/* Below a bar of one value that value, otherwise the ends of the ranges. */
static void
add_labels(struct buf *out, const struct finding *f)
{
    size_t step = (f->n_bars + LABELS - 1) / LABELS;
    bool single = true;

    for (size_t i = 0; i < f->n_bars; i++)
        single = single && f->bars[i].least == f->bars[i].most;
    for (size_t i = 0; i < f->n_bars; i += step)
        if (single)
            add_label(out, (x_of(f, i) + x_of(f, i + 1)) / 2, f->bars[i].most);
        else
            add_label(out, x_of(f, i + 1), f->bars[i].most);
}

static void
add_legend(struct buf *out, const struct finding *f, const struct scale *s)
{
    buf_printf(out,
               "<rect class=\"a\" x=\"%d\" y=\"14\" width=\"12\" "
               "height=\"12\"/><text x=\"%d\" y=\"24\">A</text>"
               "<rect class=\"b\" x=\"%d\" y=\"14\" width=\"12\" "
               "height=\"12\"/><text x=\"%d\" y=\"24\">B</text>"
               "<rect class=\"in\" x=\"%d\" y=\"14\" width=\"12\" "
               "height=\"12\"/><text x=\"%d\" y=\"24\">the event</text>\n",
               LEFT, LEFT + 18, LEFT + 48, LEFT + 66, LEFT + 96, LEFT + 114);
    buf_printf(out,
               "<text x=\"%d\" y=\"24\" text-anchor=\"end\">share of the "
               "outputs%s</text>\n",
               WIDTH - RIGHT, s->is_log ? ", logarithmic scale" : "");
    buf_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
               (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16);
    report_escape(f->feature, out);
    buf_add_text(out, "</text>\n");
}

void
report_svg(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;
    struct scale s = scale_of(f);

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"w\" "
               "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
               "font-family=\"Helvetica, Arial, sans-serif\" "
               "font-size=\"13\">\n<title>",
               WIDTH, HEIGHT, WIDTH, HEIGHT);
    report_escape(f->event, out);
    buf_add_text(out, "</title>\n");
    buf_add_text(out, style);
    buf_printf(out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n",
               WIDTH, HEIGHT);
    if (f->n_bars) {
        add_bars(out, f, &s);
        add_labels(out, f);
        add_legend(out, f, &s);
        buf_printf(out, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", LEFT,
                   HEIGHT - BOTTOM, WIDTH - RIGHT);
    } else {
        buf_printf(out,
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">no event "
                   "to draw: nothing differs</text>\n",
                   WIDTH / 2, HEIGHT / 2);
    }
    buf_add_text(out, "</svg>\n");
}
