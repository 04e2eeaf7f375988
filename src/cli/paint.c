#include "cli/paint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
painter_init(struct painter *p, struct out *o)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    p->o = o;
    p->coloured = isatty(o->fd) && !(no_color && *no_color) &&
                  !(term && !strcmp(term, "dumb"));
}

void
paint(struct painter *p, enum paint how)
{
    static const char *const codes[] = {
        [PAINT_PLAIN] = "\033[0m",    [PAINT_BOLD] = "\033[1m",
        [PAINT_DIM] = "\033[2m",      [PAINT_BAR] = "\033[36m",
        [PAINT_WHISKER] = "\033[33m",
    };

    if (p->coloured)
        out_text(p->o, codes[how]);
}

void
write_grouped(int64_t x, char text[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRId64, x), len = 0;
    int sign = x < 0;

    for (int i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0)
            text[len++] = ',';
        text[len++] = digits[i];
    }
    text[len] = '\0';
}

/* The column of x, between 0 and columns - 1. */
static int
column_of(int64_t x, int64_t most, int columns)
{
    if (x < 0 || most <= 0)
        return 0;
    return x >= most ? columns - 1 : (int)(x * columns / most);
}

void
paint_bar(struct painter *p, int64_t value, int64_t half, int64_t most,
          int columns)
{
    int at = column_of(value, most, columns);
    int low = column_of(value - half, most, columns);
    int high = column_of(value + half, most, columns);

    paint(p, PAINT_BAR);
    for (int i = 0; i < low; i++)
        out_text(p->o, "█");
    paint(p, PAINT_PLAIN);
    paint(p, PAINT_WHISKER);
    for (int i = low; i <= high; i++)
        out_text(p->o, i == at ? "●" : i == low ? "├" : i == high ? "┤" : "─");
    paint(p, PAINT_PLAIN);
    for (int i = high + 1; i < columns; i++)
        out_text(p->o, " ");
}
