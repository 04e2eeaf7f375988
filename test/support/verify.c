/*
 * Powers of exact laws by repeated squaring.
 */
#include "support/verify.h"

#include <math.h>

#include "account/weights.h"
#include "base/alloc.h"
#include "support/convolve.h"

#define UNIT 0x1p-53

/* A law being computed; owns its masses. */
struct law {
    u128 *mass;
    size_t n;
};

static void
law_clear(const custos_alloc *alloc, struct law *l)
{
    alloc_give(alloc, l->mass, l->n, sizeof *l->mass);
    l->mass = NULL;
}

/* *r becomes *r times b (b may be r). */
static custos_status
law_multiply(const custos_alloc *alloc, struct law *r, const struct law *b)
{
    struct law out = {NULL, r->n + b->n - 1};
    custos_status st;

    if (out.n > CONVOLVE_MAX)
        return CUSTOS_EOVERFLOW;
    out.mass = alloc_take(alloc, out.n, sizeof *out.mass);
    if (!out.mass)
        return CUSTOS_ENOMEM;
    st = convolve_up(alloc, r->mass, r->n, b->mass, b->n, out.mass);
    if (st) {
        law_clear(alloc, &out);
        return st;
    }
    law_clear(alloc, r);
    *r = out;
    return CUSTOS_OK;
}

/* The weights with their error, rounded up. */
static custos_status
law_of(const custos_alloc *alloc, const struct weights *w, struct law *out)
{
    *out = (struct law){alloc_take(alloc, w->n, sizeof *out->mass), w->n};
    if (!out->mass)
        return CUSTOS_ENOMEM;
    for (size_t i = 0; i < w->n; i++)
        out->mass[i] =
            (u128)ceil(w->up[i] * (1 + w->error + 4 * UNIT) * 0x1p64);
    return CUSTOS_OK;
}

/* Multiplies *all by the k-th power of *base, which is destroyed. */
static custos_status
law_power(const custos_alloc *alloc, struct law *all, struct law *base,
          uint64_t k)
{
    custos_status st = CUSTOS_OK;

    for (; k > 0 && !st; k /= 2) {
        if (k % 2)
            st = law_multiply(alloc, all, base);
        if (!st && k > 1)
            st = law_multiply(alloc, base, base);
    }
    return st;
}

static custos_status
add_part(struct verify *v, struct law *all, const struct pld_part *part,
         double tail, double *log_finite)
{
    const double k = (double)part->count;
    struct law base = {NULL, 0};
    struct weights w;
    custos_status st = weights_init(&w, &v->alloc, &part->loss, v->h, tail);

    if (st)
        return st;
    v->first += w.first * (long)part->count;
    v->offset += k * w.offset;
    v->shift += k * w.shift;
    *log_finite += k * log1p(-fmin(w.infinite, 1));
    st = law_of(&v->alloc, &w, &base);
    weights_clear(&w);
    if (!st)
        st = law_power(&v->alloc, all, &base, part->count);
    law_clear(&v->alloc, &base);
    return st;
}

custos_status
verify_init(struct verify *v, const custos_alloc *alloc,
            const struct pld_part *parts, size_t n, double h, double tail)
{
    custos_status st = CUSTOS_OK;
    struct law all = {NULL, 1};
    double log_finite = 0, reach;

    *v = (struct verify){.alloc = alloc_or_default(alloc), .h = h};
    all.mass = alloc_take(&v->alloc, 1, sizeof *all.mass);
    if (!all.mass)
        return CUSTOS_ENOMEM;
    all.mass[0] = (u128)1 << 64;
    for (size_t i = 0; i < n && !st; i++) {
        st = parts[i].count < CONVOLVE_MAX ? CUSTOS_OK : CUSTOS_EOVERFLOW;
        if (!st)
            st = add_part(v, &all, &parts[i], tail, &log_finite);
    }
    if (st) {
        law_clear(&v->alloc, &all);
        return st;
    }
    v->mass = all.mass;
    v->n = all.n;
    v->infinite = -expm1(log_finite) * (1 + 1e-9);
    reach = fabs((double)v->first) * h + (double)v->n * h + v->offset;
    v->shift += UNIT * (8 + (double)n) * reach;
    return CUSTOS_OK;
}

void
verify_clear(struct verify *v)
{
    alloc_give(&v->alloc, v->mass, v->n, sizeof *v->mass);
    v->mass = NULL;
}

double
verify_delta(const struct verify *v, double epsilon)
{
    double sum = 0, e = epsilon - v->shift;

    for (size_t i = v->n; i-- > 0;) {
        double x = (double)(v->first + (long)i) * v->h + v->offset;

        if (x <= e)
            break;
        sum += (double)v->mass[i] * 0x1p-64 * -expm1(e - x);
    }
    return fmin(1, (v->infinite + sum) * (1 + 16 * UNIT * (double)v->n));
}

/* delta(epsilon) decreases: bisects, and returns the end at which it is at most
   delta. */
double
verify_epsilon(const struct verify *v, double delta)
{
    double lo = 0, hi = (double)(v->first + (long)v->n) * v->h + v->offset +
                        2 * v->shift;

    if (verify_delta(v, lo) <= delta)
        return 0;
    if (!(verify_delta(v, hi) <= delta))
        return INFINITY;
    for (int i = 0; i < 60; i++) {
        double mid = (lo + hi) / 2;

        if (verify_delta(v, mid) <= delta)
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}
