/*
 * The tests of candidates, and the bars that they give (bar_search.h).
 */
#include "curator/bars.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/tail.h"

#define ROUNDING 4e-15  /* relative to the summed magnitudes */
#define MEAN_SHARE 0.04 /* of beta: for the bar of the mean in a variance */

/* What the test of a candidate needs. */
struct question {
    struct tail tail;
    double s, c;         /* ratio: sum and count; variance: c is the count minus
                            the enum bar_divisor, d */
    double least, most;  /* variance: the least and largest sum of squares about
                            a mean in its bar */
    double near2, far2;  /* least and largest squared mean */
    double size, size_v; /* rounding: constant, and per unit of variance */
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

/* The same if v is the variance, for every mean in its bar. */
static double
ask_variance(const void *ctx, double side, double v)
{
    const struct question *q = ctx;
    double x = side > 0 ? v * q->c - q->most : q->least - v * q->c;
    double k = fmax(fabs(v - q->near2), fabs(q->far2 - v));

    return tail_above(&q->tail, k, x - ROUNDING * (q->size + v * q->size_v));
}

static int
part_is_sound(struct bar_part p)
{
    return isfinite(p.value) && isfinite(p.law.scale) && p.law.scale > 0;
}

/* How often one end may miss, minus a bound on the probability that the noise of
   the count is above count - d (rho in doc/proofs/bars-ratio.md). */
static double
level_of(struct bar_part count, enum bar_divisor d, double beta)
{
    return beta / 2 - tail_of(count.law, count.value - (int)d + 0.5);
}

struct bar
bar_ratio(struct bar_part sum, struct bar_part count, struct bar range,
          double beta)
{
    double level = level_of(count, BAR_POPULATION, beta), one = 1, mean;
    struct bar_search search = {.ask = ask_ratio};
    struct question q;

    if (!part_is_sound(sum) || !part_is_sound(count) || !(level > 0))
        return range;
    mean = bar_clamp(sum.value / count.value, range);
    q.s = sum.value;
    q.c = count.value;
    tail_init(&q.tail, &sum.law, &one, &one, 1, count.law);
    search.ctx = &q;
    search.spread = 2.5 * hypot(sum.law.scale, mean * count.law.scale) / q.c;
    return bar_search(&search, level, (struct bar){mean, mean}, range);
}

static struct bar
variance_limits(struct bar range, enum bar_divisor d)
{
    double width = range.high - range.low;

    return (struct bar){0, width * width / (d == BAR_SAMPLE ? 2 : 4)};
}

/* The noisy sum of squared deviations from a. */
static double
squares_about(double squares, double sum, double count, double a)
{
    return squares - 2 * a * sum + a * a * count;
}

struct bar
bar_variance(struct bar_part squares, struct bar_part sum,
             struct bar_part count, struct bar range, enum bar_divisor divisor,
             double beta)
{
    double level = level_of(count, divisor, (1 - MEAN_SHARE) * beta);
    struct bar limits = variance_limits(range, divisor), mean;
    struct bar_law laws[2] = {squares.law, sum.law};
    double s = sum.value, c = count.value, far, near, best;
    double least[2] = {1}, most[2] = {1};
    struct bar_search search = {.ask = ask_variance};
    struct question q;

    if (!part_is_sound(squares) || !part_is_sound(sum) ||
        !part_is_sound(count) || !(level > 0))
        return limits;
    mean = bar_ratio(sum, count, range, MEAN_SHARE * beta);
    best = bar_clamp(s / c, mean);
    far = fmax(fabs(mean.low), fabs(mean.high));
    near = bar_clamp(0, mean);
    least[1] = 2 * fabs(near);
    most[1] = 2 * far;
    tail_init(&q.tail, laws, least, most, 2, count.law);
    q.c = c - (int)divisor;
    q.least = squares_about(squares.value, s, c, best);
    q.most = fmax(squares_about(squares.value, s, c, mean.low),
                  squares_about(squares.value, s, c, mean.high));
    q.far2 = far * far;
    q.near2 = near * near;
    q.size = fabs(squares.value) + 2 * far * fabs(s) + q.far2 * c;
    q.size_v = c + 1;
    search.ctx = &q;
    search.spread =
        2.5 * hypot(squares.law.scale, most[1] * sum.law.scale) / q.c;
    return bar_search(&search, level,
                      (struct bar){bar_clamp(q.least / q.c, limits),
                                   bar_clamp(q.most / q.c, limits)},
                      limits);
}

double
bar_ratio_point(double sum, double count, struct bar range)
{
    return bar_clamp(sum / fmax(count, 1), range);
}

double
bar_variance_point(double squares, double sum, double count, struct bar range,
                   enum bar_divisor divisor)
{
    double c = fmax(count, 1 + (int)divisor);
    double a = bar_clamp(sum / c, range);

    return bar_clamp(squares_about(squares, sum, c, a) / (c - (int)divisor),
                     variance_limits(range, divisor));
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
