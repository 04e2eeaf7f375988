/*
 * Walks out from the middle, then bisects. Returns a rejected candidate, or the
 * limit.
 */
#include "curator/bar_search.h"

#include <math.h>

enum { ROUNDS_MAX = 200 };

#define CLOSE_ENOUGH 2e-3 /* relative to the half width */
#define PAD 1e-13

/* Interpolates between an accepted and a rejected candidate, from their
   probabilities. */
static double
guess_end(const double at[2], const double p[2], double level, double push)
{
    double in = log(p[0] / level), out = log(p[1] / level);
    double part = in / (in - out) + push;

    if (!(part > 0 && part < 1))
        part = 0.5;
    return at[0] + (at[1] - at[0]) * part;
}

/* The rejected candidate nearest to `middle` on the way to `limit`, to within
   CLOSE_ENOUGH; `limit` if that is not rejected. */
static double
find_end(const struct bar_search *q, double side, double level, double middle,
         double limit)
{
    double at[2] = {middle, limit};
    double p[2] = {q->ask(q->ctx, side, middle), q->ask(q->ctx, side, limit)};
    double step = side * q->spread;

    if (p[1] >= level)
        return limit;
    if (p[0] < level)
        return middle;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        double left = fabs(at[1] - at[0]), half = fabs(at[1] - middle), next;
        double chance;
        int out;

        if (left <= CLOSE_ENOUGH * half)
            break;
        if (step * side < left && step != 0)
            next = at[0] + step;
        else if (i % 4 == 3)
            next = at[0] + (at[1] - at[0]) / 2;
        else
            next = guess_end(at, p, level,
                             (i % 2 ? -0.4 : 0.4) * CLOSE_ENOUGH * half / left);
        chance = q->ask(q->ctx, side, next);
        out = chance < level;
        step = out ? 0 : step * 2; /* walk until the first rejection */
        at[out] = next;
        p[out] = chance;
    }
    return at[1];
}

double
bar_clamp(double x, struct bar b)
{
    return fmin(fmax(x, b.low), b.high);
}

struct bar
bar_search(const struct bar_search *q, double level, struct bar middle,
           struct bar limits)
{
    double pad = PAD * fmax(fabs(limits.low), fabs(limits.high));
    struct bar b;

    b.high = find_end(q, 1, level, middle.high, limits.high) + pad;
    b.low = find_end(q, -1, level, middle.low, limits.low) - pad;
    return (struct bar){bar_clamp(b.low, limits), bar_clamp(b.high, limits)};
}
