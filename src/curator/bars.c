/*
 * Finds the ends of bars. Each candidate for the exact value gets one test: how
 * likely is it that noise alone moved the released values so far from it?
 * (tail.h bounds that probability from above.) If the probability is below the
 * level, the candidate is rejected: it is outside the bar, and by the theorems
 * so is everything beyond it. The search for an end walks out from the middle,
 * then bisects; it returns a rejected candidate, or the limit.
 */
#include "curator/bars.h"

#include <math.h>

#include "curator/tail.h"

enum { ROUNDS_MAX = 200 };

#define CLOSE_ENOUGH 2e-3 /* relative to the half width */
#define ROUNDING 4e-15    /* relative to the summed magnitudes */
#define PAD 1e-13
#define MEAN_SHARE 0.04 /* of beta: for the bar of the mean in a variance */

/* The test of a candidate, and on which side of the middle: +1 above, -1
   below. */
struct question {
    struct tail tail;
    double side;
    double s, c;         /* ratio: sum and count; variance: c is the count minus
                            the enum bar_divisor, d */
    double least, most;  /* variance: the least and largest sum of squares about
                            a mean in its bar */
    double near2, far2;  /* least and largest squared mean */
    double size, size_v; /* rounding: constant, and per unit of variance */
    double spread;       /* of the noise, on the scale of candidates */
    double (*ask)(const struct question *q, double candidate);
};

static double
clamp_to(double x, struct bar b)
{
    return fmin(fmax(x, b.low), b.high);
}

/* An upper bound on the probability that noise moves the released values at least
   this far, if a is the mean. */
static double
ask_ratio(const struct question *q, double a)
{
    double x = q->side * (a * q->c - q->s);

    return tail_above(&q->tail, fabs(a),
                      x - ROUNDING * (fabs(q->s) + fabs(a * q->c)));
}

/* The same if v is the variance, for every mean in its bar. */
static double
ask_variance(const struct question *q, double v)
{
    double x = q->side > 0 ? v * q->c - q->most : q->least - v * q->c;
    double k = fmax(fabs(v - q->near2), fabs(q->far2 - v));

    return tail_above(&q->tail, k, x - ROUNDING * (q->size + v * q->size_v));
}

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
find_end(const struct question *q, double level, double middle, double limit)
{
    double at[2] = {middle, limit};
    double p[2] = {q->ask(q, middle), q->ask(q, limit)};
    double step = q->side * q->spread;

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
        if (step * q->side < left && step != 0)
            next = at[0] + step;
        else if (i % 4 == 3)
            next = at[0] + (at[1] - at[0]) / 2;
        else
            next = guess_end(at, p, level,
                             (i % 2 ? -0.4 : 0.4) * CLOSE_ENOUGH * half / left);
        chance = q->ask(q, next);
        out = chance < level;
        step = out ? 0 : step * 2; /* walk until the first rejection */
        at[out] = next;
        p[out] = chance;
    }
    return at[1];
}

static struct bar
find_bar(struct question *q, double level, struct bar middle, struct bar limits)
{
    double pad = PAD * fmax(fabs(limits.low), fabs(limits.high));
    struct bar b;

    q->side = 1;
    b.high = find_end(q, level, middle.high, limits.high) + pad;
    q->side = -1;
    b.low = find_end(q, level, middle.low, limits.low) - pad;
    return (struct bar){clamp_to(b.low, limits), clamp_to(b.high, limits)};
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
    struct question q;

    if (!part_is_sound(sum) || !part_is_sound(count) || !(level > 0))
        return range;
    mean = clamp_to(sum.value / count.value, range);
    q.ask = ask_ratio;
    q.s = sum.value;
    q.c = count.value;
    q.spread = 2.5 * hypot(sum.law.scale, mean * count.law.scale) / q.c;
    tail_init(&q.tail, &sum.law, &one, &one, 1, count.law);
    return find_bar(&q, level, (struct bar){mean, mean}, range);
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
    struct question q;

    if (!part_is_sound(squares) || !part_is_sound(sum) ||
        !part_is_sound(count) || !(level > 0))
        return limits;
    mean = bar_ratio(sum, count, range, MEAN_SHARE * beta);
    best = clamp_to(s / c, mean);
    far = fmax(fabs(mean.low), fabs(mean.high));
    near = clamp_to(0, mean);
    least[1] = 2 * fabs(near);
    most[1] = 2 * far;
    tail_init(&q.tail, laws, least, most, 2, count.law);
    q.ask = ask_variance;
    q.c = c - (int)divisor;
    q.least = squares_about(squares.value, s, c, best);
    q.most = fmax(squares_about(squares.value, s, c, mean.low),
                  squares_about(squares.value, s, c, mean.high));
    q.far2 = far * far;
    q.near2 = near * near;
    q.size = fabs(squares.value) + 2 * far * fabs(s) + q.far2 * c;
    q.size_v = c + 1;
    q.spread = 2.5 * hypot(squares.law.scale, most[1] * sum.law.scale) / q.c;
    return find_bar(&q, level,
                    (struct bar){clamp_to(q.least / q.c, limits),
                                 clamp_to(q.most / q.c, limits)},
                    limits);
}

double
bar_ratio_point(double sum, double count, struct bar range)
{
    return clamp_to(sum / fmax(count, 1), range);
}

double
bar_variance_point(double squares, double sum, double count, struct bar range,
                   enum bar_divisor divisor)
{
    double c = fmax(count, 1 + (int)divisor);
    double a = clamp_to(sum / c, range);

    return clamp_to(squares_about(squares, sum, c, a) / (c - (int)divisor),
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
