/*
 * Output for people: colour, on a terminal that is not TERM=dumb, if NO_COLOR is
 * unset or empty; numbers in groups of three digits; bars with whiskers for the
 * error.
 */
#ifndef CLI_PAINT_H
#define CLI_PAINT_H

#include <stdint.h>

#include "cli/out.h"

enum paint {
    PAINT_PLAIN,
    PAINT_BOLD,
    PAINT_DIM,
    PAINT_BAR,
    PAINT_WHISKER,
};

struct painter {
    struct out *o;
    bool coloured;
};

void painter_init(struct painter *p, struct out *o);

/* Sets the colour of what follows, until PAINT_PLAIN. */
void paint(struct painter *p, enum paint how);

/* 12345 as 12,345. */
void write_grouped(int64_t x, char text[32]);

/*
 * A bar of `columns` columns for values up to most, with whiskers at value -
 * half and value + half. Negative values have no bar.
 */
void paint_bar(struct painter *p, int64_t value, int64_t half, int64_t most,
               int columns);

#endif
