/*
 * Computes the tail in one of three ways. Tables: both laws point by point.
 * Closed forms: if all noises are Laplace, the tail is a sum of geometric
 * series; if all are Gaussian, it is that of a normal law up to a term below
 * 2.1 exp(-2 pi^2 v), where v is the variance of Y given the sum. Else: a
 * smooth law for X, with the points of Y or with a smooth law for Y.
 */
#include "curator/tail.h"

#include <math.h>

#define PI 3.14159265358979323846
#define ROOT_HALF 0.70710678118654752440

/* The probability outside a table, and the relative rounding error. */
#define LOST 1e-7
#define ROUNDING 1e-9
#define MANY_ROUNDING 1e-7 /* of a sum with weights up to 10^7 */

/* Scales whose ratio is below this are moved apart, so that weights stay below
   10^5, and below 10^7 for the scales of many laws: the outer law's scales are
   raised, the inner law's are lowered. */
#define APART 1.003
#define APART_MANY 1.015

enum { FEW = 3 };

enum side { OUTER, INNER };

/* P[N >= z]. */
static double
normal_above(double z)
{
    return 0.5 * erfc(z * ROOT_HALF);
}

/* exp(z^2/2) P[N >= z], z >= 0; by an asymptotic series where erfc would
   underflow. */
static double
normal_scaled(double z)
{
    double i = 1 / (z * z);

    if (z < 30)
        return exp(0.5 * z * z) * normal_above(z);
    return (1 - i * (1 - 3 * i)) / (z * sqrt(2 * PI));
}

/* ------------------------------------------------------------ smooth laws -- */

/*
 * The density of a sum of Laplace variables of scales b_k is the weighted sum
 * of their densities; the weight of k is the product of b_k^2 / (b_k^2 - b_l^2)
 * over l != k.
 */
static void
smooth_weigh(struct tail_smooth *x, enum side side)
{
    double apart = x->n > FEW ? APART_MANY : APART;

    for (int i = 1; i < x->n; i++) /* sorts the scales; then moves them apart */
        for (int k = i; k > 0 && x->scale[k] < x->scale[k - 1]; k--) {
            double b = x->scale[k];

            x->scale[k] = x->scale[k - 1];
            x->scale[k - 1] = b;
        }
    for (int i = 1; i < x->n && side == OUTER; i++)
        x->scale[i] = fmax(x->scale[i], x->scale[i - 1] * apart);
    for (int i = x->n - 1; i > 0 && side == INNER; i--)
        x->scale[i - 1] = fmin(x->scale[i - 1], x->scale[i] / apart);
    for (int i = 0; i < x->n; i++) {
        x->weight[i] = 1;
        for (int k = 0; k < x->n; k++) {
            double ratio = x->scale[k] / x->scale[i];

            if (k != i)
                x->weight[i] /= (1 - ratio) * (1 + ratio);
        }
    }
}

static void
smooth_add(struct tail_smooth *x, struct bar_law law, double factor)
{
    double scale = factor * law.scale;

    if (law.kind == BAR_GAUSSIAN)
        x->sigma = hypot(x->sigma, scale);
    else if (scale > 0)
        x->scale[x->n++] = scale;
}

/* P[Laplace of scale b + normal of sigma >= y], y >= 0. */
static double
laplace_normal_above(double b, double sigma, double y)
{
    double z, alpha, near, far;

    if (sigma <= 0)
        return 0.5 * exp(-y / b);
    z = y / sigma;
    alpha = sigma / b;
    far = exp(-0.5 * z * z) * normal_scaled(z + alpha);
    if (z < alpha)
        near = exp(-0.5 * z * z) * normal_scaled(alpha - z);
    else
        near = exp(alpha * (0.5 * alpha - z)) * normal_above(alpha - z);
    return normal_above(z) + 0.5 * (near - far);
}

/* P[X >= y] under the smooth law, y >= 0. */
static double
smooth_above(const struct tail_smooth *x, double y)
{
    double p = 0;

    if (x->n == 0)
        return normal_above(y / x->sigma);
    for (int i = 0; i < x->n; i++)
        p += x->weight[i] * laplace_normal_above(x->scale[i], x->sigma, y);
    return p;
}

/* The same for any y, with the factors that make it largest. */
static double
sides_above(const struct tail *t, double y)
{
    return y < 0 ? 1 - smooth_above(&t->inner, -y) : smooth_above(&t->x, y);
}

double
tail_margin(struct bar_law law)
{
    if (law.kind == BAR_GAUSSIAN)
        return 1;
    return 1 - law.scale * log(2 / (1 + exp(-1 / law.scale)));
}

/* ----------------------------------------------------------------- points -- */

/* P[N = j] for j = 0, 1, ..., reach; returns reach. */
static int
law_points(struct bar_law law, double *at)
{
    double ratio, fall, sum;
    int reach;

    if (law.kind == BAR_LAPLACE) {
        reach = (int)ceil(TAIL_REACH * law.scale);
        ratio = exp(-1 / law.scale);
        fall = 1;
    } else {
        reach = (int)ceil(TAIL_REACH_GAUSS * law.scale);
        ratio = exp(-0.5 / (law.scale * law.scale));
        fall = ratio * ratio;
    }
    at[0] = sum = 1;
    for (int j = 1; j <= reach; j++) {
        at[j] = at[j - 1] * ratio;
        sum += 2 * at[j];
        ratio *= fall;
    }
    for (int j = 0; j <= reach; j++)
        at[j] /= sum;
    return reach;
}

void
tail_init(struct tail *t, const struct bar_law *x, const double *least,
          const double *most, int n, struct bar_law y)
{
    t->y = y;
    t->x = t->inner = (struct tail_smooth){0};
    t->margin = 0;
    t->y_reach = -1;
    if (y.scale < TAIL_COARSE)
        t->y_reach = law_points(y, t->y_at);
    t->tables = n == 1 && x[0].scale < TAIL_COARSE && t->y_reach >= 0;
    if (t->tables) {
        t->x_reach = law_points(x[0], t->x_above);
        for (int k = t->x_reach; k-- > 0;)
            t->x_above[k] += t->x_above[k + 1];
        return;
    }
    for (int i = 0; i < n; i++) {
        smooth_add(&t->x, x[i], most[i]);
        smooth_add(&t->inner, x[i], least[i]);
        t->margin += most[i] * tail_margin(x[i]);
    }
    smooth_weigh(&t->x, OUTER);
    smooth_weigh(&t->inner, INNER);
}

/* P[X >= y] by the table. */
static double
table_above(const struct tail *t, double y)
{
    int k;

    if (y > t->x_reach)
        return 0; /* included in LOST */
    if (y <= -t->x_reach)
        return 1;
    k = (int)ceil(y);
    return k >= 0 ? t->x_above[k] : 1 - t->x_above[1 - k];
}

/* ------------------------------------------------------------ closed forms -- */

/*
 * P[L + k Y >= x] / P[Y = 0] for L Laplace of scale b and Y discrete Laplace of
 * scale t, as a sum over Y = j: the terms with x - k j >= 0, where L's tail is
 * exponential. Scaled by the largest term, so that nothing overflows.
 */
static double
series_outer(double b, double t, double k, double x)
{
    double rate = k / b - 1 / t, last = floor(x / k), middle;

    if (rate > 0)
        middle = exp(last * rate - x / b) * expm1(-last * rate) / expm1(-rate);
    else if (rate < 0)
        middle = exp(rate - x / b) * expm1(last * rate) / expm1(rate);
    else
        middle = last * exp(-x / b);
    return 0.5 * (middle + exp(-x / b) / -expm1(-k / b - 1 / t));
}

/* The terms with x - k j < 0. */
static double
series_inner(double b, double t, double k, double x)
{
    double next = floor(x / k) + 1, all = exp(-next / t) / -expm1(-1 / t);

    return all -
           0.5 * exp((x - next * k) / b - next / t) / -expm1(-k / b - 1 / t);
}

static double
laplaces_above(const struct tail *t, double k, double x)
{
    double p = 0;

    if (!(x / k < 1e300)) /* Y is negligible */
        return smooth_above(&t->x, x);
    for (int i = 0; i < t->x.n; i++)
        p += t->x.weight[i] * series_outer(t->x.scale[i], t->y.scale, k, x);
    for (int i = 0; i < t->inner.n; i++)
        p += t->inner.weight[i] *
             series_inner(t->inner.scale[i], t->y.scale, k, x);
    return p * tanh(0.5 / t->y.scale); /* P[Y = 0] */
}

/* Smooth X, and Y point by point. */
static double
points_above(const struct tail *t, double k, double x)
{
    double p = t->y_at[0] * sides_above(t, x);

    for (int j = 1; j <= t->y_reach; j++)
        p += t->y_at[j] *
             (sides_above(t, x + j * k) + sides_above(t, x - j * k));
    return p + LOST;
}

static double
tables_above(const struct tail *t, double k, double x)
{
    double p = t->y_at[0] * table_above(t, x);

    for (int j = 1; j <= t->y_reach; j++)
        p += t->y_at[j] *
             (table_above(t, x + j * k) + table_above(t, x - j * k));
    return p + 2 * LOST;
}

/* Smooth X and smooth Y. */
static double
smooths_above(const struct tail *t, double k, double x)
{
    struct tail_smooth sum = t->x;

    smooth_add(&sum, t->y, k);
    smooth_weigh(&sum, OUTER);
    x -= k * tail_margin(t->y);
    return x > 0 ? smooth_above(&sum, x) : 1;
}

static double
upper_tail(const struct tail *t, double k, double x)
{
    bool gauss = t->y.kind == BAR_GAUSSIAN;

    if (x <= 0)
        return 1;
    if (!gauss && t->x.sigma <= 0)
        return laplaces_above(t, k, x);
    if (gauss && t->x.n == 0) {
        double slope = k / t->inner.sigma, sigma = t->y.scale;
        double v = 1 / (1 / (sigma * sigma) + slope * slope);

        if (v >= 1)
            return normal_above(x / hypot(t->x.sigma, k * sigma)) +
                   2.1 * exp(-2 * PI * PI * v);
    }
    return t->y_reach >= 0 ? points_above(t, k, x) : smooths_above(t, k, x);
}

double
tail_above(const struct tail *t, double k, double x)
{
    double p;

    if (t->tables)
        p = tables_above(t, k, x);
    else
        p = upper_tail(t, k, x - t->margin);
    p = p * (1 + ROUNDING) + ROUNDING;
    return p < 1 ? p : 1; /* also if p is NaN */
}

double
tail_many_above(const struct bar_law *laws, const double *factors, size_t n,
                double x)
{
    struct tail_smooth sum = {0};
    double p = 1;

    for (size_t i = 0; i < n; i++) {
        smooth_add(&sum, laws[i], factors[i]);
        x -= factors[i] * tail_margin(laws[i]);
    }
    smooth_weigh(&sum, OUTER);
    if (sum.n == 0 && sum.sigma <= 0)
        return x > 0 ? 0 : 1;
    if (x > 0)
        p = smooth_above(&sum, x) * (1 + ROUNDING) + MANY_ROUNDING;
    return p < 1 ? p : 1; /* also if p is NaN */
}

double
tail_of(struct bar_law law, double y)
{
    double far = ceil(y) - 1;

    if (y <= 0)
        return 1;
    if (law.kind == BAR_GAUSSIAN)
        return normal_above(far / law.scale) * (1 + ROUNDING);
    return exp(-(far + 1) / law.scale) / (1 + exp(-1 / law.scale)) *
           (1 + ROUNDING);
}
