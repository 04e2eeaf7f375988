/*
 * The bars of ratios: the test of a candidate (bar_search.h), and rounding.
 */
#include "curator/bars.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/tail.h"

#define ROUNDING 4e-15 /* relative to the summed magnitudes */

/* What the test of a candidate needs. */
struct question {
    struct tail tail;
    double s, c;
};

/* An upper bound on the probability that noise moves the released values at least
   this far, if a is the mean. */
static double
ask_ratio(const void *ctx, double side, double a)
{
    const struct question *q = ctx;
    double x = side * (a * q->c - q->s);

    return tail_above(&q->tail, fabs(a),
                      x - ROUNDING * (fabs(q->s) + fabs(a * q->c)));
}

bool
bar_part_is_sound(struct bar_part p)
{
    return isfinite(p.value) && isfinite(p.law.scale) && p.law.scale > 0;
}

double
bar_level(struct bar_part count, enum bar_divisor d, double beta)
{
    return beta / 2 - tail_of(count.law, count.value - (int)d + 0.5);
}

struct bar
bar_ratio(struct bar_part sum, struct bar_part count, struct bar range,
          double beta)
{
    double level = bar_level(count, BAR_POPULATION, beta), one = 1, mean;
    struct bar_search search = {.ask = ask_ratio};
    struct question q;

    if (!bar_part_is_sound(sum) || !bar_part_is_sound(count) || !(level > 0))
        return range;
    mean = bar_clamp(sum.value / count.value, range);
    q.s = sum.value;
    q.c = count.value;
    tail_init(&q.tail, &sum.law, &one, &one, 1, count.law);
    search.ctx = &q;
    search.spread = 2.5 * hypot(sum.law.scale, mean * count.law.scale) / q.c;
    return bar_search(&search, level, (struct bar){mean, mean}, range);
}

double
bar_ratio_point(double sum, double count, struct bar range)
{
    return bar_clamp(sum / fmax(count, 1), range);
}

struct bar
bar_root(struct bar variance)
{
    return (struct bar){sqrt(variance.low), sqrt(variance.high)};
}

int64_t
bar_whole(double end, bool high, int64_t least, int64_t most)
{
    double x = high ? ceil(end) : floor(end);

    if (isnan(x))
        return high ? most : least;
    if (x <= (double)least)
        return least;
    return x >= (double)most ? most : (int64_t)x;
}

double
bar_leading(double x)
{
    double unit = pow(10, floor(log10(fabs(x))) - 1), rounded = x / unit;

    return isfinite(rounded) ? nearbyint(rounded) * unit : x;
}
