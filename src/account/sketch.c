/*
 * Each point of a sketch represents an interval of the line: its mass P, at
 * the loss ln P/Q.
 */
#include "account/sketch.h"

#include <math.h>
#include <stdlib.h>

#include "account/line.h"
#include "base/alloc.h"

#define COUNTS_MAX 0x1p40

static void
add_point(double *value, double *mass, size_t i, double p, double q)
{
    if (p > 0 && q > 0) {
        value[i] = log(p / q);
        mass[i] = p;
    }
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * Cuts the line into n intervals. Every second cut is at an equal step of the
 * loss, which finds where losses are large and rare. The other cuts are at
 * equal steps of the position, which separates losses that are common but
 * close together, as sampling makes them.
 */
static void
cut_places(const struct line *l, double *cuts, size_t n)
{
    const double from = l->range.from, to = l->range.to;

    for (size_t i = 1; i < n; i++) {
        double part = (double)i / (double)n;

        cuts[i] = i % 2 ? line_place(l, l->least + part * (l->most - l->least))
                        : from + part * (to - from);
    }
    cuts[0] = from;
    cuts[n] = to;
    qsort(cuts, n + 1, sizeof *cuts, compare);
}

/* Fills in one part's points; the last two are for Laplace's flanks. */
static void
fill_part(const struct line *l, double *value, double *mass)
{
    enum { N = SKETCH_POINTS - 2 };
    double cuts[N + 1], v, m;

    cut_places(l, cuts, N);
    for (size_t i = 0; i < N; i++) {
        struct piece s = line_piece(l, cuts[i], cuts[i + 1]);

        add_point(value, mass, i, s.p, s.q);
    }
    for (size_t i = 0; i < 2 && loss_is_continuous(l->loss); i++)
        if (loss_atom(l->loss, i, &v, &m))
            add_point(value, mass, N + i, m, m * exp(-v));
}

struct cumulant
sketch_cumulant(const struct sketch *s, double t)
{
    struct cumulant all = {0, 0, 0};

    for (size_t j = 0; j < s->n; j++) {
        const double *value = s->value + j * SKETCH_POINTS;
        const double *mass = s->mass + j * SKETCH_POINTS;
        double k = (double)s->parts[j].count, s0 = 0, s1 = 0, s2 = 0;
        double top = -INFINITY; /* the largest exponent */

        for (size_t i = 0; i < SKETCH_POINTS; i++)
            top = mass[i] > 0 ? fmax(top, t * value[i]) : top;
        for (size_t i = 0; i < SKETCH_POINTS; i++) {
            double m = mass[i] > 0 ? mass[i] * exp(t * value[i] - top) : 0;

            s0 += m;
            s1 += m * value[i];
            s2 += m * value[i] * value[i];
        }
        if (!(s0 > 0))
            continue;
        all.k0 += k * (log(s0) + top);
        all.k1 += k * (s1 / s0);
        all.k2 += k * fmax(s2 / s0 - s1 / s0 * (s1 / s0), 0);
    }
    return all;
}

double
sketch_outside(const struct sketch *s, double t, double step, double x,
               double *best)
{
    double base = sketch_cumulant(s, t).k0, least = 0;

    *best = step;
    for (int i = 0; i < 24; i++) {
        double k = sketch_cumulant(s, t + step).k0 - base - step * x;

        if (k < least) {
            least = k;
            *best = step;
        } else if (least < 0) {
            break; /* convex in step: smaller steps give larger values */
        }
        step /= 2;
    }
    return least;
}

/*
 * Whether tilt t is at or past the saddle point of the aim, or the tilted mean
 * has nearly reached the largest sum of losses. A larger tilt would then only
 * shrink the terms that matter.
 */
static bool
far_enough(const struct sketch *s, double t, struct pld_aim aim)
{
    struct cumulant c = sketch_cumulant(s, t);

    if (t * (s->top - c.k1) < 1 && s->top - c.k1 < (s->top - s->mean) / 16)
        return true;
    /* A mass P of small losses contributes at most about P/t to delta. */
    return aim.at == AIM_DELTA
               ? t * c.k1 - c.k0 + log(fmax(t / 64, 1)) >= -log(aim.value)
               : c.k1 >= aim.value;
}

/* Any tilt is valid; this one makes the bounds sharp at the aim. */
static double
find_tilt(const struct sketch *s, struct pld_aim aim)
{
    const double most = 8000 / fmax(s->span, 1e-12);
    double lo = 0, hi = 1;

    while (hi < most && !far_enough(s, hi, aim)) {
        lo = hi;
        hi *= 2;
    }
    for (int i = 0; i < 10; i++) {
        double t = (lo + hi) / 2;

        if (far_enough(s, t, aim))
            hi = t;
        else
            lo = t;
    }
    return fmin(fmax(hi, 1e-3), most);
}

/*
 * The probability that may be left out in total: a small part of delta, and
 * also of 1 - delta, because near 1 delta hardly changes with epsilon. A tiny
 * constant if delta is what is sought.
 */
static double
tail_for(struct pld_aim aim)
{
    return aim.at == AIM_DELTA ? fmin(aim.value, 1 - aim.value) * 1e-7 : 1e-37;
}

custos_status
sketch_init(struct sketch *s, const custos_alloc *alloc,
            const struct pld_part *parts, size_t n, struct pld_aim aim)
{
    custos_status st = CUSTOS_OK;

    *s = (struct sketch){
        .alloc = alloc_or_default(alloc), .parts = parts, .n = n};
    s->value = alloc_take(&s->alloc, n * SKETCH_POINTS, sizeof *s->value);
    s->mass = alloc_take(&s->alloc, n * SKETCH_POINTS, sizeof *s->mass);
    if (!s->value || !s->mass)
        st = CUSTOS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        s->counts += (double)parts[i].count;
    if (!(s->counts <= COUNTS_MAX))
        st = CUSTOS_EOVERFLOW;
    s->tail = tail_for(aim) / fmax(s->counts, 1);
    for (size_t i = 0; i < n && !st; i++) {
        struct line l;

        st = line_init(&l, &s->alloc, &parts[i].loss, s->tail);
        if (st)
            break;
        s->span = fmax(s->span, fmax(fabs(l.least), fabs(l.most)));
        s->top += (double)parts[i].count * l.most;
        fill_part(&l, s->value + i * SKETCH_POINTS,
                  s->mass + i * SKETCH_POINTS);
        line_clear(&l);
    }
    if (st) {
        sketch_clear(s);
        return st;
    }
    s->mean = sketch_cumulant(s, 0).k1;
    s->theta = find_tilt(s, aim);
    return CUSTOS_OK;
}

void
sketch_clear(struct sketch *s)
{
    alloc_give(&s->alloc, s->value, s->n * SKETCH_POINTS, sizeof *s->value);
    alloc_give(&s->alloc, s->mass, s->n * SKETCH_POINTS, sizeof *s->mass);
    s->value = s->mass = NULL;
}
