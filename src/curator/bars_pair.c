/*
 * Each test is a pair of functions linear in the six noises. Where a factor
 * depends on what is known only within a bar, its largest size over the bar is
 * taken; factors are products of what they depend on, so that is at a corner.
 */
#include "curator/bars_pair.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/pair_test.h"
#include "curator/tail.h"

#define ROUNDING 4e-14 /* relative to the summed magnitudes */
#define FAR 1e6        /* spreads from the middle to where the search ends */

struct pair_point
pair_point(const struct bar_pair *p)
{
    double n = fmax(p->rows.value, 1);
    struct pair_point t = {
        .n = n, .mean_x = p->sum_x.value / n, .mean_y = p->sum_y.value / n};

    t.xy = p->product.value * p->product_step -
           p->sum_x.value * p->sum_y.value / n;
    t.xx = p->squares_x.value - p->sum_x.value * p->sum_x.value / n;
    t.yy = p->squares_y.value - p->sum_y.value * p->sum_y.value / n;
    return t;
}

double
pair_far(struct bar b)
{
    return fmax(fabs(b.low), fabs(b.high));
}

static double
off_from(double point, struct bar b)
{
    return fmax(fabs(point - b.low), fabs(b.high - point));
}

/* The largest |x a + y m + z| over the bars of the means. */
static double
most_over(const struct pair_test *t, double x, double y, double z)
{
    double most = 0;

    for (int i = 0; i < 4; i++) {
        double a = i & 1 ? t->a.high : t->a.low;
        double m = i & 2 ? t->m.high : t->m.low;

        most = fmax(most, fabs(x * a + y * m + z));
    }
    return most;
}

/* An upper bound on P[sum of f_i N_i >= x], x lowered by rounding errors. */
double
pair_noise_above(const struct pair_test *t, double *f, double x, double size)
{
    f[PRODUCT] *= t->p->product_step;
    return tail_many_above(t->laws, f, NOISES, x - ROUNDING * size);
}

/* ------------------------------------------------------------- covariance -- */

static double
ask_covariance(const void *ctx, double side, double r)
{
    const struct pair_test *t = ctx;
    double f[NOISES] = {
        [SUM_X] = pair_far(t->m), [SUM_Y] = pair_far(t->a), [PRODUCT] = 1};

    for (int i = 0; i < 4; i++) {
        double a = i & 1 ? t->a.high : t->a.low;
        double m = i & 2 ? t->m.high : t->m.low;

        f[ROWS] = fmax(f[ROWS], fabs(a * m - r));
    }
    return pair_noise_above(t, f,
                            side * (r * (t->at.n - t->d) - t->at.xy) -
                                t->at.n * t->off_x * t->off_y,
                            t->size_xy + fabs(r) * t->at.n);
}

/* ------------------------------------------------------------------ slope -- */

static void
slope_factors(const struct pair_test *t, double r, double *f)
{
    f[SUM_X] = most_over(t, 2 * r, -1, 0);
    f[SUM_Y] = pair_far(t->a);
    f[SQUARES_X] = fabs(r);
    f[ROWS] = pair_far(t->a) * most_over(t, -r, 1, 0);
    f[PRODUCT] = 1;
}

static double
ask_slope(const void *ctx, double side, double r)
{
    const struct pair_test *t = ctx;
    double f[NOISES] = {0};
    double x = side * (r * t->at.xx - t->at.xy);

    x -= t->at.n * t->off_x * t->off_y;
    if (side * r < 0)
        x -= fabs(r) * t->at.n * t->off_x * t->off_x;
    slope_factors(t, r, f);
    return pair_noise_above(t, f, x, t->size_xy + fabs(r) * t->size_xx);
}

/* ------------------------------------------------------------ correlation -- */

/* The squared ratio of deviations. */
static double
ask_ratio(const void *ctx, double side, double r)
{
    const struct pair_test *t = ctx;
    double a = pair_far(t->a), m = pair_far(t->m), n = t->at.n;
    double f[NOISES] = {[ROWS] = fmax(m * m, fabs(r) * a * a),
                        [SUM_X] = 2 * fabs(r) * a,
                        [SUM_Y] = 2 * m,
                        [SQUARES_X] = fabs(r),
                        [SQUARES_Y] = 1};
    double x = side * (r * t->at.xx - t->at.yy);

    x -= side > 0 ? n * t->off_y * t->off_y : r * n * t->off_x * t->off_x;
    return pair_noise_above(t, f, x, t->size_yy + fabs(r) * t->size_xx);
}

static double
half_sum(const struct pair_test *t, double lambda, double more)
{
    double n = more * t->at.n;

    return 0.5 * (lambda * (t->at.xx + n * t->off_x * t->off_x) +
                  (t->at.yy + n * t->off_y * t->off_y) / lambda);
}

/* The factor of the count: a m - r (lambda a^2 + m^2 / lambda) / 2, which is
   a m (1 - |r|) and a square. */
static double
corr_rows(const struct pair_test *t, double r)
{
    double sign = r < 0 ? -1 : 1, square = 0;

    for (int i = 0; i < 8; i++) {
        double a = i & 1 ? t->a.high : t->a.low;
        double m = i & 2 ? t->m.high : t->m.low;
        double l = i & 4 ? t->lambda.high : t->lambda.low;
        double off = l * a - sign * m;

        square = fmax(square, off * off / l);
    }
    return pair_far(t->a) * pair_far(t->m) * fabs(1 - fabs(r)) +
           0.5 * fabs(r) * square;
}

static double
ask_corr(const void *ctx, double side, double r)
{
    const struct pair_test *t = ctx;
    double low = t->lambda.low, high = t->lambda.high, x;
    double best = bar_clamp(sqrt(t->at.yy / t->at.xx), t->lambda);
    double f[NOISES] = {[ROWS] = corr_rows(t, r),
                        [SUM_X] = fmax(most_over(t, r * low, -1, 0),
                                       most_over(t, r * high, -1, 0)),
                        [SUM_Y] = fmax(most_over(t, -1, r / low, 0),
                                       most_over(t, -1, r / high, 0)),
                        [SQUARES_X] = 0.5 * fabs(r) * high,
                        [SQUARES_Y] = 0.5 * fabs(r) / low,
                        [PRODUCT] = 1};

    if (side * r > 0)
        x = fabs(r) * half_sum(t, best, 0);
    else
        x = -fabs(r) * fmax(half_sum(t, low, 1), half_sum(t, high, 1));
    x -= side * t->at.xy + t->at.n * t->off_x * t->off_y;
    return pair_noise_above(t, f, x,
                            t->size_xy + high * t->size_xx + t->size_yy / low);
}

/* ------------------------------------------------------------------- bars -- */

/* Sets the bars of the means; false: a number is not finite, or the count may be
   0. */
bool
pair_test_init(struct pair_test *t, const struct bar_pair *p, double beta)
{
    const struct bar_part parts[NOISES] = {
        p->rows, p->sum_x, p->sum_y, p->squares_x, p->squares_y, p->product};
    bool sound = beta > 0 && p->rows.value >= 1;

    *t = (struct pair_test){.p = p, .at = pair_point(p)};
    for (int i = 0; i < NOISES; i++) {
        sound = sound && bar_part_is_sound(parts[i]);
        t->laws[i] = parts[i].law;
        t->value[i] = parts[i].value * (i == PRODUCT ? p->product_step : 1);
    }
    if (!sound)
        return false;
    t->a = bar_ratio(p->sum_x, p->rows, p->range_x, SHARE * beta);
    t->m = bar_ratio(p->sum_y, p->rows, p->range_y, SHARE * beta);
    t->off_x = off_from(t->at.mean_x, t->a);
    t->off_y = off_from(t->at.mean_y, t->m);
    t->size_xy = fabs(t->value[PRODUCT]) + t->at.n *
                                               (pair_far(t->a) + t->off_x) *
                                               (pair_far(t->m) + t->off_y);
    t->size_xx =
        fabs(t->value[SQUARES_X]) + t->at.n * pow(pair_far(t->a) + t->off_x, 2);
    t->size_yy =
        fabs(t->value[SQUARES_Y]) + t->at.n * pow(pair_far(t->m) + t->off_y, 2);
    return true;
}

/* An upper bound on the probability that noise, with these factors, makes the
   denominator `below` negative. */
double
pair_sign(const struct pair_test *t, double *f, double below, double size)
{
    return below > 0 ? pair_noise_above(t, f, below, size) : 1;
}

/* The bar around `middle`; false where the search finds no end. */
bool
pair_search(const struct pair_test *t,
            double (*ask)(const void *ctx, double side, double r), double level,
            double middle, double spread, struct bar *out)
{
    struct bar_search search = {ask, t, fmax(spread, 1e-12 * fabs(middle))};
    struct bar limits = {middle - FAR * search.spread,
                         middle + FAR * search.spread};

    if (!(level > 0) || !isfinite(limits.low) || !isfinite(limits.high))
        return false;
    *out = bar_search(&search, level, (struct bar){middle, middle}, limits);
    return out->low > limits.low && out->high < limits.high;
}

/* The deviation of the noise with these factors. */
double
pair_spread(const struct pair_test *t, const double *f)
{
    double sum = 0;

    for (int i = 0; i < NOISES; i++)
        sum = hypot(sum, f[i] * t->laws[i].scale *
                             (i == PRODUCT ? t->p->product_step : 1));
    return 2 * sum;
}

bool
bar_covariance(const struct bar_pair *p, enum bar_divisor divisor, double beta,
               struct bar *out)
{
    double most = (p->range_x.high - p->range_x.low) *
                  (p->range_y.high - p->range_y.low) /
                  (divisor == BAR_SAMPLE ? 2 : 4);
    struct bar_search search = {.ask = ask_covariance};
    struct bar limits = {-most, most};
    double middle, level;
    struct pair_test t;

    *out = limits;
    if (!pair_test_init(&t, p, beta))
        return true;
    t.d = (int)divisor;
    level = bar_level(p->rows, divisor, (1 - 2 * SHARE) * beta);
    if (!(level > 0))
        return true;
    middle = bar_clamp(t.at.xy / fmax(t.at.n - t.d, 1), limits);
    search.ctx = &t;
    search.spread = pair_spread(&t, (double[NOISES]){0, pair_far(t.m),
                                                     pair_far(t.a), 0, 0, 1}) /
                    t.at.n;
    *out = bar_search(&search, level, (struct bar){middle, middle}, limits);
    return true;
}

bool
bar_slope(const struct bar_pair *p, double beta, struct bar *out)
{
    double f[NOISES] = {0}, middle, level;
    struct pair_test t;

    if (!pair_test_init(&t, p, beta) || !(t.at.xx > 0))
        return false;
    middle = t.at.xy / t.at.xx;
    f[ROWS] = pair_far(t.a) * pair_far(t.a);
    f[SUM_X] = 2 * pair_far(t.a);
    f[SQUARES_X] = 1;
    level = (1 - 2 * SHARE) * beta / 2 - pair_sign(&t, f, t.at.xx, t.size_xx);
    slope_factors(&t, middle, f);
    return pair_search(&t, ask_slope, level, middle,
                       pair_spread(&t, f) / t.at.xx, out);
}

/* Sets the bar of the ratio of deviations; false: there is none. */
static bool
find_lambda(struct pair_test *t, double beta)
{
    double a = pair_far(t->a), m = pair_far(t->m);
    double f[NOISES] = {[ROWS] = a * a, [SUM_X] = 2 * a, [SQUARES_X] = 1};
    double middle = t->at.yy / t->at.xx;
    double level = beta / 2 - pair_sign(t, f, t->at.xx, t->size_xx);
    double g[NOISES] = {[ROWS] = m * m,
                        [SUM_X] = 2 * middle * a,
                        [SUM_Y] = 2 * m,
                        [SQUARES_X] = middle,
                        [SQUARES_Y] = 1};
    struct bar squared;

    if (!pair_search(t, ask_ratio, level, middle, pair_spread(t, g) / t->at.xx,
                     &squared) ||
        !(squared.low > 0))
        return false;
    t->lambda = (struct bar){sqrt(squared.low), sqrt(squared.high)};
    return true;
}

bool
bar_corr(const struct bar_pair *p, double beta, struct bar *out)
{
    struct bar_search search = {.ask = ask_corr};
    struct bar limits = {-1, 1};
    double f[NOISES], level, middle, below;
    struct pair_test t;

    *out = limits;
    if (!pair_test_init(&t, p, beta) || !(t.at.xx > 0 && t.at.yy > 0) ||
        !find_lambda(&t, SHARE * beta))
        return true;
    below = half_sum(&t, bar_clamp(sqrt(t.at.yy / t.at.xx), t.lambda), 0);
    f[ROWS] = 0.5 * (t.lambda.high * pair_far(t.a) * pair_far(t.a) +
                     pair_far(t.m) * pair_far(t.m) / t.lambda.low);
    f[SUM_X] = t.lambda.high * pair_far(t.a);
    f[SUM_Y] = pair_far(t.m) / t.lambda.low;
    f[SQUARES_X] = 0.5 * t.lambda.high;
    f[SQUARES_Y] = 0.5 / t.lambda.low;
    f[PRODUCT] = 0;
    level = (1 - 3 * SHARE) * beta / 2 -
            pair_sign(&t, f, below,
                      t.lambda.high * t.size_xx + t.size_yy / t.lambda.low);
    if (!(level > 0))
        return true;
    middle = bar_clamp(t.at.xy / below, limits);
    f[PRODUCT] = 1;
    search.ctx = &t;
    search.spread = pair_spread(&t, f) / below;
    *out = bar_search(&search, level, (struct bar){middle, middle}, limits);
    return true;
}
