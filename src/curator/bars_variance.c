/*
 * Bars of variances. The released squares about the released mean are too few by
 * t^2/c, t the noise of the mean times the count c, which is convex in the noise
 * (tail_convex.h). Where it hardly matters, a bound on the mean suffices.
 */
#include "curator/bars.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/tail.h"
#include "curator/tail_convex.h"

#define ROUNDING 4e-15   /* relative to the summed magnitudes */
#define MEAN_SHARE 0.10  /* of beta: for the bar of the mean */
#define COUNT_SHARE 0.02 /* of beta: for how far the count may be off */

/* In scales of its noise: how far off the mean is at most, where that is enough. */
#define FAR_MEAN 10

enum { SQUARES, SUM, COUNT, NOISES, PIECES = 6 };

struct question {
    struct tail tail; /* squares and sum, as X; the count, as Y */
    struct bar_law laws[NOISES];
    struct tail_cells cells[2]; /* of sum and count */
    struct bar mean;            /* the exact one is in it */
    struct bar count;           /* likewise */
    double c;                   /* the count minus enum bar_divisor */
    double squares;             /* about the released mean */
    double least;               /* least squares about a mean in its bar */
    double near2, far2;         /* least and largest squared mean */
    double off;                 /* how far off the mean is, at most */
    double off_above;           /* the probability that it is farther */
    double level;               /* of the test */
    int pieces;                 /* of the bar of the mean; 0: no cells */
    double size, size_v; /* rounding: constant, and per unit of variance */
};

/* One piece of the bar of the mean, and a variance. */
struct piece {
    struct bar mean;
    double c, v;
};

/* 2 a i + (v - a^2) j + (i - a j)^2 / (c + j), the largest over the means a. */
static double
moved_squares(const void *ctx, double i, double j)
{
    const struct piece *t = ctx;
    double all = t->c + j, a, most;

    if (!(all > 0))
        return INFINITY;
    a = t->mean.low;
    most = 2 * a * i - a * a * j;
    a = t->mean.high;
    most = fmax(most, 2 * a * i - a * a * j);
    if (j > 0) {
        a = bar_clamp(i / j, t->mean);
        most = fmax(most, 2 * a * i - a * a * j);
    }
    return t->v * j + i * i / all + t->c / all * most;
}

/* An upper bound on P[noise + t^2/(C + Nc) >= x], for every mean and count, if v is
   the variance: where |t| is at most off (C + Nc), the square is linear. */
static double
above_far(const struct question *q, double v, double x)
{
    double z = q->off * q->off;
    double k = fmax(fabs(v + z - q->near2), fabs(v + z - q->far2));

    return tail_above(&q->tail, k, x - z * q->count.high) + q->off_above;
}

/* The same by cells. */
static double
above_cells(const struct question *q, double v, double x)
{
    double width = (q->mean.high - q->mean.low) / q->pieces, p = 0;

    for (int i = 0; i < q->pieces; i++) {
        double low = q->mean.low + i * width;
        struct piece piece = {{low, low + width * (1 + 1e-9)}, q->count.low, v};

        p = fmax(p, tail_convex_above(q->laws[SQUARES], &q->cells[0],
                                      &q->cells[1], moved_squares, &piece, x));
    }
    return p;
}

/* The smaller of both, but where the first suffices to refuse v. */
static double
above_variance(const struct question *q, double v, double x)
{
    double p = x > 0 ? above_far(q, v, x) : 1;

    return q->pieces && x > 0 && p >= q->level ? fmin(above_cells(q, v, x), p)
                                               : p;
}

/* An upper bound on the probability that noise moves the released values at least
   this far, if v is the variance, for every mean in its bar. */
static double
ask_variance(const void *ctx, double side, double v)
{
    const struct question *q = ctx;
    double x = side > 0 ? v * q->c - q->squares : q->least - v * q->c;

    x -= ROUNDING * (q->size + v * q->size_v);
    if (side > 0)
        return above_variance(q, v, x);
    return tail_above(&q->tail, fmax(fabs(v - q->near2), fabs(q->far2 - v)), x);
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

/* Sets what the exact count is within, but for COUNT_SHARE of beta. */
static void
find_count(struct question *q, struct bar_part count, enum bar_divisor d,
           double beta)
{
    double rare = log(2 / (COUNT_SHARE * beta)), off;

    off = count.law.kind == BAR_LAPLACE ? ceil(count.law.scale * rare)
                                        : 1 + count.law.scale * sqrt(2 * rare);
    q->count =
        (struct bar){fmax(count.value - off, 1 + (int)d), count.value + off};
}

/* Sets how far off the mean is, and into how many pieces its bar is divided. */
static void
find_off(struct question *q)
{
    double far = sqrt(q->far2), sum = q->laws[SUM].scale;
    double all = hypot(q->laws[SQUARES].scale, 2 * far * sum);
    double unit = hypot(sum, far * q->laws[COUNT].scale) / q->count.low;
    double width = q->mean.high - q->mean.low;

    q->off = FAR_MEAN * unit;
    q->off_above =
        2 * tail_many_above(&q->laws[SUM], (double[]){1, far + q->off}, 2,
                            q->off * q->count.low);
    if (q->off * q->off * q->count.high < 0.02 * all)
        return;
    q->pieces = (int)fmin(PIECES, 1 + 2 * width * sum / (0.4 * all));
    tail_cells_init(&q->cells[0], q->laws[SUM]);
    tail_cells_init(&q->cells[1], q->laws[COUNT]);
}

struct bar
bar_variance(struct bar_part squares, struct bar_part sum,
             struct bar_part count, struct bar range, enum bar_divisor divisor,
             double beta)
{
    double level =
        bar_level(count, divisor, (1 - MEAN_SHARE - COUNT_SHARE) * beta);
    struct bar limits = variance_limits(range, divisor);
    double s = sum.value, c = count.value, point;
    double least[2] = {1}, most[2] = {1};
    struct question q = {.laws = {squares.law, sum.law, count.law},
                         .c = c - (int)divisor,
                         .level = level};
    struct bar_search search = {.ask = ask_variance, .ctx = &q};

    if (!bar_part_is_sound(squares) || !bar_part_is_sound(sum) ||
        !bar_part_is_sound(count) || !(level > 0))
        return limits;
    q.mean = bar_ratio(sum, count, range, MEAN_SHARE * beta);
    q.near2 = pow(bar_clamp(0, q.mean), 2);
    q.far2 = pow(fmax(fabs(q.mean.low), fabs(q.mean.high)), 2);
    q.squares = squares_about(squares.value, s, c, s / c);
    q.least = squares_about(squares.value, s, c, bar_clamp(s / c, q.mean));
    q.size = fabs(squares.value) + 2 * sqrt(q.far2) * fabs(s) + q.far2 * c +
             2 * s * s / c;
    q.size_v = c + 1;
    least[1] = 2 * sqrt(q.near2);
    most[1] = 2 * sqrt(q.far2);
    tail_init(&q.tail, q.laws, least, most, 2, count.law);
    find_count(&q, count, divisor, beta);
    find_off(&q);
    search.spread =
        2.5 * hypot(squares.law.scale, most[1] * sum.law.scale) / q.c;
    point = bar_clamp(q.least / q.c, limits);
    return bar_search(&search, level, (struct bar){point, point}, limits);
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
