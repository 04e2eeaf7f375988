/*
 * Cells end at fixed numbers of scales, denser in the middle. Where points are
 * summed, their weights are exact; of a wide Gaussian they are integrals, with a
 * bound on the difference.
 */
#include "curator/tail_convex.h"

#include <math.h>

#include "curator/tail.h"

#define PI 3.14159265358979323846
#define ROOT_HALF 0.70710678118654752440
#define ROUNDING 1e-9 /* relative */

static const double ends_laplace[CELLS_HALF + 1] = {
    0, 0.4, 0.85, 1.35, 1.95, 2.7, 3.6, 4.8, 6.4, 9, 15};
static const double ends_gauss[CELLS_HALF + 1] = {0,   0.4, 0.8, 1.2, 1.6, 2,
                                                  2.5, 3,   3.6, 4.3, 5.6};

/* The weights of one cell, (from, to], from >= 0, of a law on the whole numbers. */
static void
weigh_laplace(double scale, double from, double to, double *low, double *high)
{
    double first = floor(from) + 1, n = floor(to) + 1 - first, u = 1 / scale;
    double mass = exp(-first * u) * -expm1(-n * u) / (1 + exp(-u)), mean;

    *low = *high = 0;
    if (n < 1)
        return;
    mean = first + (n > 1 ? 1 / expm1(u) - n / expm1(n * u) : 0);
    *high = mass * (mean - from) / (to - from);
    *low = mass - *high;
}

static void
weigh_points(double sigma, double from, double to, double *low, double *high)
{
    double first = floor(from) + 1;

    *low = *high = 0;
    for (int k = 0; first + k <= to; k++) {
        double j = first + k;
        double p = exp(-0.5 * j * j / (sigma * sigma)) / (sigma * sqrt(2 * PI));

        *high += p * (j - from) / (to - from);
        *low += p * (to - j) / (to - from);
    }
}

/* By integrals; the ends lie between whole numbers. */
static void
weigh_gauss(double sigma, double from, double to, double *low, double *high)
{
    double a = from / sigma, b = to / sigma,
           more = exp(1 / (24 * sigma * sigma));
    double mass = 0.5 * (erfc(a * ROOT_HALF) - erfc(b * ROOT_HALF));
    double fall = (exp(-0.5 * a * a) - exp(-0.5 * b * b)) / sqrt(2 * PI);
    double part = (fall * sigma - mass * from) / (to - from);
    double off = fall / sigma / (4 * (to - from));

    *high = more * (part + off);
    *low = more * (mass - part + off);
}

/* The end of a cell near y: for a wide Gaussian between two whole numbers. */
static double
cell_end(struct bar_law law, double y)
{
    if (law.kind == BAR_LAPLACE || law.scale < TAIL_COARSE)
        return y;
    return y > 0 ? floor(y) + 0.5 : 0;
}

void
tail_cells_init(struct tail_cells *t, struct bar_law law)
{
    bool laplace = law.kind == BAR_LAPLACE;
    const double *ends = laplace ? ends_laplace : ends_gauss;
    double middle = laplace ? tanh(0.5 / law.scale)
                            : fmin(1, 1 / (law.scale * sqrt(2 * PI)));

    for (int k = 0; k <= CELLS_HALF; k++) {
        double to = cell_end(law, ends[k] * law.scale), from, low, high;

        t->at[CELLS_HALF + k] = to;
        t->at[CELLS_HALF - k] = -to;
        if (k == 0)
            continue;
        from = t->at[CELLS_HALF + k - 1];
        if (laplace)
            weigh_laplace(law.scale, from, to, &low, &high);
        else if (law.scale < TAIL_COARSE)
            weigh_points(law.scale, from, to, &low, &high);
        else
            weigh_gauss(law.scale, from, to, &low, &high);
        if (k == 1)
            low += middle / 2;
        t->low[CELLS_HALF + k - 1] = t->high[CELLS_HALF - k] = low;
        t->high[CELLS_HALF + k - 1] = t->low[CELLS_HALF - k] = high;
    }
    t->beyond = 2 * tail_of(law, t->at[CELLS]);
}

/* A convex function above P[N >= y], which falls. */
static double
convex_tail(struct bar_law law, double y)
{
    double z = y / law.scale;

    if (law.kind == BAR_LAPLACE)
        return z < 0 ? 0.5 - 0.5 * z : 0.5 * exp(-z);
    return z < 0 ? 0.5 - z / sqrt(2 * PI) : 0.5 * erfc(z * ROOT_HALF);
}

double
tail_convex_above(struct bar_law law, const struct tail_cells *i,
                  const struct tail_cells *j,
                  double (*f)(const void *ctx, double i, double j),
                  const void *ctx, double x)
{
    double before[CELL_ENDS] = {0}, at[CELL_ENDS];
    double p = i->beyond + j->beyond;

    x -= tail_margin(law);
    for (int a = 0; a < CELL_ENDS; a++) {
        for (int b = 0; b < CELL_ENDS; b++)
            at[b] = convex_tail(law, x - f(ctx, i->at[a], j->at[b]));
        for (int b = 0; b < CELLS && a > 0; b++) {
            double mass =
                (i->low[a - 1] + i->high[a - 1]) * (j->low[b] + j->high[b]);
            double low = j->low[b] * before[b] + j->high[b] * before[b + 1];
            double high = j->low[b] * at[b] + j->high[b] * at[b + 1];

            p += fmin(mass, i->low[a - 1] * low + i->high[a - 1] * high);
        }
        for (int b = 0; b < CELL_ENDS; b++)
            before[b] = at[b];
    }
    p = p * (1 + ROUNDING) + ROUNDING;
    return p < 1 ? p : 1; /* also if p is NaN */
}
