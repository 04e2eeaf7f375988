/*
 * Curves or bars: one description for the SVG file (`--svg FILE`) and for the plot
 * in a terminal.
 */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/number.h"
#include "cli/paint.h"

enum { CHART_CURVES_MAX = 4 };

/* Points from left to right; straight lines between them. Borrowed. */
struct chart_curve {
    const char *label;
    const double *x, *y;
    size_t n;
    bool faint; /* for comparison: grey and dashed */
};

/* A bar, and a whisker from low to high (NAN: none), both on the x axis. Bars with
   the same colour, 0 to CHART_CURVES_MAX - 1, are of one kind. */
struct chart_bar {
    const char *label;
    double value, low, high;
    size_t colour;
};

struct chart_axis {
    const char *label;
    double least, most;
    bool is_log; /* least > 0 */
};

struct chart {
    const char *title;
    const char *subtitle;
    struct chart_axis x, y;
    struct chart_curve curves[CHART_CURVES_MAX];
    size_t n;
    const struct chart_bar
        *bars; /* instead of curves; borrowed. y is not used */
    size_t n_bars;
};

/*
 * Writes the file in one step, by a rename. Returns CLI_OK, or an exit code
 * after printing why.
 */
int svg_write(const char *path, const struct chart *chart);

/* Prints the first curve in Braille dots, with its axes. */
void plot_print(struct painter *p, const struct chart *chart);

/* Prints all curves, each with its label at the end, faint ones dotted; or the
   bars. */
void plot_print_all(struct painter *p, const struct chart *chart);

/*
 * axis_place: the position of a value on an axis, 0 to 1. axis_marks: finds at
 * most `room` round numbers on the axis, ascending; returns how many.
 */
double axis_place(const struct chart_axis *axis, double value);
size_t axis_marks(const struct chart_axis *axis, double *marks, size_t room);

/* Writes at most six significant digits, without padding. */
void mark_write(double mark, char text[NUMBER_MAX]);

#endif
