/*
 * Composition on a grid. The error budget, term by term, is in
 * doc/proofs/tilted-composition.md; the names of the terms are those of
 * struct pld.
 */
#include "account/pld.h"

#include <math.h>
#include <string.h>

#include "account/spectrum.h"
#include "account/weights.h"
#include "base/alloc.h"
#include "base/base.h"

enum { POINTS_MIN = 256 };

#define UNIT 0x1p-53
#define WINDOW 14.0        /* least width in tilted standard deviations */
#define LOG_OUTSIDE (-20.) /* ln of the mass outside, roughly at most */

/* The window, and the steps of the Chernoff bound at its ends. */
struct window {
    double from, to;
    double step_down, step_up;
};

/*
 * Logarithms of the moments in the Chernoff bounds, summed over the parts and
 * rounded up.
 */
struct outside {
    double up_above, low_above, low_below;
};

/*
 * ln sum w e^(t x) of n weights, the first at `from`, or slightly more. The
 * sum starts at the largest power with a weight; terms that underflow add up
 * to less than 1e-300. *margin bounds the error.
 */
static double
log_moment(const double *w, size_t n, double from, double h, double t,
           double *margin)
{
    const double fade = exp(-fabs(t) * h);
    size_t first = t > 0 ? n - 1 : 0, left = n;
    double sum = 0, e = 1, top;

    for (; left > 1 && w[first] == 0; left--) /* skip weights of 0 */
        first = t > 0 ? first - 1 : first + 1;
    top = t * (from + (double)first * h);
    for (size_t i = 0; i < left; i++) {
        sum += w[t > 0 ? first - i : first + i] * e;
        e *= fade;
    }
    *margin = UNIT * ((16 + fabs(t) * h) * (double)n +
                      16 * (fabs(top) + fabs(t * from)));
    return log(sum + 1e-300) + top;
}

/*
 * Writes one tilted part, divided by its sums, to re and im of the spectrum.
 * Any divisors are valid, because K accounts for them; with these the sums
 * become at most 1.
 */
static void
load_part(struct spectrum *s, struct pld *p, const struct weights *w, double k)
{
    const double t = p->theta, top = t * (double)(w->first + (long)w->n) * w->h;
    const double bottom = t * (double)w->first * w->h;
    double up = 0, low = 0, wide = fmax(fabs(top), fabs(bottom));

    memset(s->re, 0, s->fft.n * sizeof *s->re);
    memset(s->im, 0, s->fft.n * sizeof *s->im);
    for (size_t i = 0; i < w->n; i++) {
        long at = w->first + (long)i;
        size_t place = (size_t)at & (s->fft.n - 1);
        double e = exp(t * (double)at * w->h - top);

        s->re[place] += w->up[i] * e;
        s->im[place] += w->low[i] * e;
        up += w->up[i] * e;
        low += w->low[i] * e;
    }
    /*
     * A sum that has nearly underflowed has no error bound: a spread of 1 makes
     * set_window fail.
     */
    p->spread += up > 0 && up < 1e-280;
    up = up > 0 ? up * (1 + 4 * UNIT * (double)w->n) : 1;
    low = low > 1e-280 ? low * (1 + 4 * UNIT * (double)w->n) : INFINITY;
    for (size_t i = 0; i < s->fft.n; i++) {
        s->re[i] /= up;
        s->im[i] /= low;
    }
    low = isinf(low) ? 1 : low;
    p->log_up += k * (log(up) + top + t * w->offset);
    p->log_low += k * (log(low) + top + t * w->offset);
    p->spread += k * UNIT *
                 (32 + 16 * wide + 8 * t * w->offset + 8 * fabs(log(up)) +
                  8 * fabs(log(low)));
}

/* Adds one part's moments at the steps of the window. */
static void
add_outside(struct outside *o, const struct pld *p, const struct weights *w,
            const struct window *v, double k)
{
    double from = (double)w->first * w->h + w->offset, margin;
    double up = p->theta + v->step_up, down = p->theta + v->step_down;

    o->up_above += k * log_moment(w->up, w->n, from, w->h, up, &margin);
    o->up_above += k * margin;
    o->low_above += k * log_moment(w->low, w->n, from, w->h, up, &margin);
    o->low_above += k * margin;
    o->low_below += k * log_moment(w->low, w->n, from, w->h, down, &margin);
    o->low_below += k * margin;
}

/* Puts one part on the grid, tilts it and multiplies it into the spectrum. */
static custos_status
add_part(struct pld *p, struct spectrum *s, const struct window *v,
         const struct pld_part *part, double tail, double *log_finite,
         struct outside *o)
{
    const double k = (double)part->count;
    struct weights w;
    custos_status st = weights_init(&w, &p->alloc, &part->loss, p->h, tail);

    if (st)
        return st;
    *log_finite += k * log1p(-fmin(w.infinite, 1));
    p->spread += k * (w.error + UNIT);
    p->shift += k * w.shift;
    p->offset += k * w.offset;
    p->most += k * w.most;
    load_part(s, p, &w, k);
    spectrum_multiply(s, part->count);
    add_outside(o, p, &w, v, k);
    weights_clear(&w);
    return CUSTOS_OK;
}

/*
 * Puts the window around the tilted mean and doubles its points until it is
 * wide enough and little is outside.
 */
static custos_status
find_window(struct pld *p, const struct sketch *s, struct window *v)
{
    struct cumulant c = sketch_cumulant(s, p->theta);
    double reach, length, above, below;

    for (p->n = POINTS_MIN;; p->n *= 2) {
        if (p->n > PLD_POINTS_MAX)
            return CUSTOS_EOVERFLOW;
        length = (double)p->n * p->h;
        if (length < WINDOW * sqrt(c.k2) + 64 * p->h)
            continue;
        v->from = c.k1 - length / 2;
        v->to = c.k1 + length / 2;
        reach = length / fmax(c.k2, p->h * p->h);
        above = sketch_outside(s, p->theta, reach, v->to, &v->step_up);
        below = sketch_outside(s, p->theta, -reach, v->from, &v->step_down);
        if ((above < LOG_OUTSIDE && below < LOG_OUTSIDE) ||
            2 * p->n > PLD_POINTS_MAX)
            return CUSTOS_OK;
    }
}

/*
 * The 2-norm of v(y) = e^(-t y)(1 - e^-y) over the points y = h, 2h, ... v
 * rises and then falls, so the sum is at most the integral plus one step of
 * the largest value.
 */
static double
norm_of_v(double t, double h)
{
    double integral = 1 / (2 * t * (2 * t + 1) * (t + 1));
    double most = exp(-t * log1p(1 / t)) / (t + 1);

    return sqrt(integral / h + most * most) * (1 + 1e-12);
}

/* Sets the position of the window and the terms of the error. */
static custos_status
set_window(struct pld *p, const struct spectrum *s, const struct window *v,
           const struct outside *o, size_t n)
{
    const double from = (v->from - p->offset) / p->h;
    double bottom, top, reach, rounding;

    if (!(fabs(from) < 0x1p50))
        return CUSTOS_EOVERFLOW;
    p->first = lround(from);
    bottom = (double)p->first * p->h + p->offset;
    top = bottom + (double)(p->n - 1) * p->h;
    reach = fmax(fabs(bottom), fabs(top));
    rounding = norm_of_v(p->theta, p->h) * s->error;
    p->shift += UNIT * (16 * reach + (4 + (double)n) * p->offset +
                        (8 + (double)n) * fabs(p->most));
    p->spread +=
        UNIT * (double)n * (fabs(p->log_up) + fabs(p->log_low)) +
        UNIT * 8 * (fabs(p->log_up) + fabs(p->log_low) + p->theta * reach);
    p->slack_up = rounding;
    /* K is rounded here: exp(spread) covers that. */
    p->beyond = exp(o->up_above - (p->theta + v->step_up) * top + p->spread);
    /* Mass outside the window wraps around to its other end. */
    p->slack_low =
        rounding +
        exp(o->low_above - p->log_low - v->step_up * top + p->spread) +
        exp(o->low_below - p->log_low - v->step_down * bottom + p->spread);
    /* Fails if counts are so high that rounding swamps the result. */
    return p->spread < 1 && s->error < 1 ? CUSTOS_OK : CUSTOS_EOVERFLOW;
}

custos_status
pld_init(struct pld *p, const struct sketch *sketch, double h)
{
    struct spectrum s;
    struct window v;
    struct outside o = {0, 0, 0};
    double log_finite = 0;
    custos_status st;

    CUSTOS_REQUIRE(h > 0 && h <= WEIGHTS_STEP_MAX);
    *p = (struct pld){
        .alloc = sketch->alloc, .h = h, .theta = fmin(sketch->theta, 32 / h)};
    st = find_window(p, sketch, &v);
    if (st)
        return st;
    st = spectrum_init(&s, &p->alloc, p->n, sketch->n);
    if (st)
        return st;
    for (size_t i = 0; i < sketch->n && !st; i++)
        st = add_part(p, &s, &v, &sketch->parts[i], sketch->tail, &log_finite,
                      &o);
    if (!st) {
        p->infinite = -expm1(log_finite) * (1 + 1e-9);
        p->certain = pld_certain(sketch->parts, sketch->n);
        spectrum_invert(&s);
        st = set_window(p, &s, &v, &o, sketch->n);
    }
    if (!st) {
        p->up = s.re;
        p->low = s.im;
        if (s.all_re == s.re)
            s.all_re = s.all_im = NULL;
        s.re = s.im = NULL;
    }
    spectrum_clear(&s);
    return st;
}

double
pld_certain(const struct pld_part *parts, size_t n)
{
    double log_finite = 0;

    for (size_t i = 0; i < n; i++)
        log_finite += (double)parts[i].count *
                      log1p(-loss_infinite(&parts[i].loss) * (1 - 1e-9));
    return -expm1(log_finite) * (1 - 1e-9);
}

void
pld_clear(struct pld *p)
{
    alloc_give(&p->alloc, p->up, p->n, sizeof *p->up);
    alloc_give(&p->alloc, p->low, p->n, sizeof *p->low);
    p->up = p->low = NULL;
}
