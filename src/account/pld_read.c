/*
 * Reads the bounds from a composed distribution: walks down both curves from
 * the top of the window.
 */
#include <math.h>

#include "account/pld.h"

#define UNIT 0x1p-53
#define SMALLEST 1e-290 /* more than underflow can lose */

enum side { SIDE_UP, SIDE_LOW };

/*
 * The scale is computed afresh every ANCHOR steps. In between it is multiplied
 * and grows by less than e^64, so a value that underflowed to 0 is still below
 * SMALLEST.
 */
enum { ANCHOR = 64 };

/*
 * The state at grid point i, from the points above it: sum = sum r~ e^(-t y),
 * part = sum r~ e^(-t y)(1 - e^-y), scale = e^(K - t x), with the letters of
 * tilted-composition (pld.h). All terms are positive.
 */
struct curve {
    const struct pld *p;
    enum side side;
    const double *weights;
    size_t i;
    double log_k, sum, part, scale;
    double fade, fade_both, rest, rise; /* their factors for one step */
    bool steep;                         /* rise is above e */
};

static double
curve_x(const struct curve *c)
{
    return (double)(c->p->first + (long)c->i) * c->p->h + c->p->offset;
}

static double
curve_scale(const struct curve *c)
{
    return exp(c->log_k - c->p->theta * curve_x(c));
}

static struct curve
curve_top(const struct pld *p, enum side side)
{
    const double fade = exp(-p->theta * p->h);
    struct curve c = {.p = p,
                      .side = side,
                      .weights = side == SIDE_UP ? p->up : p->low,
                      .i = p->n - 1,
                      .log_k = side == SIDE_UP ? p->log_up : p->log_low,
                      .fade = fade,
                      .fade_both = exp(-(p->theta + 1) * p->h),
                      .rest = -expm1(-p->h) * fade,
                      .rise = exp(p->theta * p->h),
                      .steep = p->theta * p->h > 1};

    c.scale = curve_scale(&c);
    return c;
}

/* Moves to the next point below. */
static inline void
curve_down(struct curve *c)
{
    size_t place = (size_t)(c->p->first + (long)c->i) & (c->p->n - 1);

    c->sum += c->weights[place];
    c->part = c->fade_both * c->part + c->rest * c->sum;
    c->sum *= c->fade;
    c->i--;
    if (c->i % ANCHOR == 0 || c->steep)
        c->scale = curve_scale(c);
    else
        c->scale *= c->rise;
}

static inline double
curve_delta(const struct curve *c)
{
    const struct pld *p = c->p;
    /* The rounding of each step and the errors of all parts; e^a <= 1 + 2a. */
    double more = 2 * p->spread + 48 * UNIT * (double)p->n;

    if (c->side == SIDE_UP)
        return fmin(1, (1 + more) * (p->infinite + p->beyond + SMALLEST +
                                     c->scale * (c->part + p->slack_up)));
    return p->certain +
           fmax(0, (1 - more) * c->scale * (c->part - p->slack_low) - SMALLEST);
}

/*
 * The epsilon at which the curve reaches delta; between points, delta is
 * linear in e^eps.
 */
static double
curve_epsilon(const struct pld *p, enum side side, double delta)
{
    struct curve c = curve_top(p, side);
    double last = curve_delta(&c);

    if (last > delta)
        return side == SIDE_UP ? INFINITY : curve_x(&c);
    while (c.i > 0) {
        double now;

        curve_down(&c);
        now = curve_delta(&c);
        if (now > delta) {
            double part = (now - delta) / (now - last);

            return curve_x(&c) + log1p(part * expm1(p->h));
        }
        last = now;
    }
    return side == SIDE_UP ? curve_x(&c) : -INFINITY;
}

/* No finite loss is above `most`: from there on, delta is P[inf]. */
struct bounds
pld_epsilon(const struct pld *p, double delta)
{
    double low = curve_epsilon(p, SIDE_LOW, delta) - p->shift;
    double high = curve_epsilon(p, SIDE_UP, delta) + p->shift;

    if (p->infinite <= delta)
        high = fmin(high, p->most + p->shift);
    return (struct bounds){fmax(0, low), fmax(0, high)};
}

/* A cell of a curve: delta at its lower point x, and at the point above. */
struct cell {
    struct curve c;
    double x, lower, upper;
};

static struct cell
cell_top(const struct pld *p, enum side side)
{
    struct curve c = curve_top(p, side);
    double delta = curve_delta(&c);

    return (struct cell){c, curve_x(&c), delta, delta};
}

/* delta at epsilon. The cell moves down only: epsilons must not rise from one
   call to the next. */
static double
cell_delta(struct cell *w, double epsilon)
{
    const struct pld *p = w->c.p;

    while (w->x > epsilon && w->c.i > 0) {
        w->upper = w->lower;
        curve_down(&w->c);
        w->lower = curve_delta(&w->c);
        w->x = curve_x(&w->c);
    }
    if (w->x > epsilon) /* below the window */
        return w->c.side == SIDE_UP ? 1 : w->lower;
    if (w->c.i == p->n - 1) /* above it */
        return w->c.side == SIDE_UP ? w->lower : p->certain;
    return w->lower +
           (w->upper - w->lower) * fmin(expm1(epsilon - w->x) / expm1(p->h), 1);
}

/* An upper bound on delta at epsilon, from a cell of SIDE_UP. */
static double
delta_up(struct cell *w, double epsilon)
{
    const struct pld *p = w->c.p;
    double high = cell_delta(w, epsilon - p->shift);

    if (epsilon >= p->most + p->shift)
        high = fmin(high, p->infinite);
    return fmin(high * (1 + 8 * UNIT), 1);
}

struct bounds
pld_delta(const struct pld *p, double epsilon)
{
    struct cell low = cell_top(p, SIDE_LOW), up = cell_top(p, SIDE_UP);

    return (struct bounds){cell_delta(&low, epsilon + p->shift) *
                               (1 - 8 * UNIT),
                           delta_up(&up, epsilon)};
}

void
pld_lower_deltas(const struct pld *p, double from, double step, double *u,
                 size_t n)
{
    struct cell up = cell_top(p, SIDE_UP);

    for (size_t i = n; i-- > 0;)
        u[i] = fmin(u[i], delta_up(&up, from + (double)i * step));
}
