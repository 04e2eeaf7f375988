/* Axes of charts, linear or logarithmic: positions and round marks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/chart.h"

enum { MARKS_AIM = 6 };

double
axis_place(const struct chart_axis *axis, double value)
{
    double place;

    if (axis->is_log)
        place = log(fmax(value, axis->least) / axis->least) /
                log(axis->most / axis->least);
    else
        place = (value - axis->least) / (axis->most - axis->least);
    return fmin(fmax(place, 0), 1);
}

static size_t
log_marks(const struct chart_axis *axis, double *marks, size_t room)
{
    int first = (int)ceil(log10(axis->least) - 1e-9);
    int last = (int)floor(log10(axis->most) + 1e-9);
    int step = (last - first) / MARKS_AIM + 1;
    size_t n = 0;

    for (int e = first; e <= last && n < room; e += step)
        marks[n++] = pow(10, e);
    return n;
}

size_t
axis_marks(const struct chart_axis *axis, double *marks, size_t room)
{
    static const double steps[] = {1, 2, 5, 10};
    double span = axis->most - axis->least;
    double unit = pow(10, floor(log10(span / MARKS_AIM))), step = unit, at;
    size_t n = 0;

    if (axis->is_log)
        return log_marks(axis, marks, room);
    for (size_t i = 0; i < 4 && span / step > MARKS_AIM; i++)
        step = unit * steps[i];
    at = ceil(axis->least / step - 1e-9);
    while (at * step <= axis->most + span * 1e-9 && n < room) {
        marks[n++] = at == 0 ? 0 : at * step; /* never -0 */
        at++;
    }
    return n;
}

void
mark_write(double mark, char text[NUMBER_MAX])
{
    char *e;

    snprintf(text, NUMBER_MAX, "%.6g", mark);
    e = strchr(text, 'e');
    if (e && (e[2] == '0' || e[1] == '+')) { /* 1e-06 to 1e-6, 1e+06 to 1e6 */
        size_t sign = e[1] == '-', skip = 2 + (e[2] == '0');

        memmove(e + 1 + sign, e + skip, strlen(e + skip) + 1);
    }
}
