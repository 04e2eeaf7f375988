/*
 * Each candidate a for the share gets one test: how likely is it that noise alone
 * moved (1 - a) t - a r, which is 0 for the exact numbers, so far from 0? A
 * candidate whose probability is below the level is rejected, and by bars-share so
 * is everything beyond it. The search walks out from the point estimate in growing
 * steps, then interpolates; it returns a rejected candidate, or 0 or 1.
 */
#include "curator/bars_share.h"

#include <math.h>

#include "curator/tail.h"

enum { ROUNDS_MAX = 60 };

#define CLOSE_ENOUGH 2e-3 /* relative to the half width */
#define ROUNDING 4e-15    /* relative to the summed magnitudes */
#define PAD 1e-13

struct question {
    struct tail tail;
    double t, r;
    double level;
};

/* An upper bound on the probability that noise moves the released numbers at least
   this far, if a is the share, on this side of it (+1 or -1). */
static double
ask(const struct question *q, double side, double a)
{
    double more = fmax(a, 1 - a), less = fmin(a, 1 - a);
    double x = side * (a * q->r - (1 - a) * q->t);

    x -= ROUNDING * (a * fabs(q->r) + (1 - a) * fabs(q->t));
    return tail_above(&q->tail, less / more, x / more);
}

/* Between an accepted and a rejected candidate, by their probabilities; a little
   beyond, so that it is rejected more often than not. */
static double
guess_between(const double at[2], const double p[2], double level)
{
    double in = log(p[0] / level), out = log(p[1] / level);
    double part = in / (in - out) + CLOSE_ENOUGH / 2;

    if (!(part > 0.01 && part < 0.99))
        part = 0.5;
    return at[0] + (at[1] - at[0]) * part;
}

/* The rejected candidate nearest to `middle` on one side, to within CLOSE_ENOUGH;
   0 or 1 if that is not rejected. */
static double
find_end(const struct question *q, double side, double middle, double step)
{
    double limit = side > 0 ? 1 : 0, at[2] = {middle, middle};
    double p[2] = {1, ask(q, side, middle)};

    while (p[1] >= q->level && at[1] != limit) {
        at[0] = at[1];
        p[0] = p[1];
        at[1] = fmin(fmax(at[1] + side * step, 0), 1);
        p[1] = ask(q, side, at[1]);
        step *= 2;
    }
    if (p[1] >= q->level)
        return limit;
    for (int i = 0; i < ROUNDS_MAX &&
                    fabs(at[1] - at[0]) > CLOSE_ENOUGH * fabs(at[1] - middle);
         i++) {
        double guess = i % 3 == 2 ? at[0] + (at[1] - at[0]) / 2
                                  : guess_between(at, p, q->level);
        double chance = ask(q, side, guess);
        int k = chance < q->level;

        at[k] = guess;
        p[k] = chance;
    }
    return at[1];
}

double
bar_share_point(double t, double r)
{
    double share = t / (t + r);

    if (!(t + r > 0)) /* noise alone: the nearer of what can be */
        return t > r ? 1 : t < r ? 0 : 0.5;
    return fmin(fmax(share, 0), 1);
}

struct bar
bar_share(double t, double r, struct bar_law law, double beta)
{
    double one = 1, middle = bar_share_point(t, r), step;
    struct question q = {.t = t, .r = r};
    struct bar b = {0, 1};

    if (!isfinite(t) || !isfinite(r) || !isfinite(law.scale) ||
        !(law.scale > 0) || !(t + r > 0))
        return b;
    tail_init(&q.tail, &law, &one, &one, 1, law);
    q.level = beta / 2 - tail_above(&q.tail, 1, t + r + 0.5);
    if (!(q.level > 0))
        return b;
    step = 2 * law.scale / (t + r);
    b.high = find_end(&q, 1, middle, step) + PAD;
    b.low = find_end(&q, -1, middle, step) - PAD;
    return (struct bar){fmax(b.low, 0), fmin(b.high, 1)};
}
