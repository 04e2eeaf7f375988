/* Bounds on the error of a model, from tables and limits. */
#include "synth/bound.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "synth/infer.h"

enum { SCALES = 96 };

/* What noise can do to the mean of measurements of weight v. */
static double
noise_bound(double n, double v, double beta)
{
    const double l = n * log(2) + log(SCALES / beta);
    double w = 0x1p-95, lambda;

    while (v >= 2 * w && w < 0x1p95)
        w *= 4;
    if (!(v >= w / 2 && v < 2 * w))
        return INFINITY;
    lambda = sqrt(2 * l / (n * w));
    return l / (lambda * v) + n * lambda / 2;
}

/* Adds to `sum` the tables that contain set, times their weights; returns the sum
   of the weights. */
static custos_status
add_tables(const struct released *r, const custos_alloc *a, struct colset set,
           size_t cells, double *sum, double *weights, custos_err *err)
{
    const struct domain *d = &released_now(r)->domain;
    custos_status st = CUSTOS_OK;

    *weights = 0;
    for (size_t k = 0; !st && k < r->n_tables; k++) {
        const struct released_table *t = &r->tables[k];
        const double weight = (double)cells / ((double)t->cells * t->variance);
        double *x;
        struct beside at;
        struct walk w;

        if (t->kind != RELEASED_COUNTS || !colset_within(set, t->set) ||
            !released_is_current(r, t))
            continue;
        x = alloc_take(a, t->cells, sizeof *x);
        if (!x)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        for (size_t i = 0; i < t->cells; i++)
            x[i] = weight * (double)t->values[i];
        walk_init(&w, d, t->set);
        walk_beside(&w, d, set, &at);
        walk_collapse(&w, x, &(struct smaller){&at, sum});
        *weights += weight;
        alloc_give(a, x, t->cells, sizeof *x);
    }
    return st;
}

/* The least limit of a set that contains this one: summing out columns takes no two
   tables further apart. */
static double
find_limit(const struct released *r, struct colset set)
{
    double least = INFINITY;

    for (size_t i = 0; i < r->n_limits; i++)
        if (colset_within(set, r->limits[i].set) && r->limits[i].l1 < least)
            least = r->limits[i].l1;
    return least;
}

custos_status
model_bound(const struct model *m, const struct released *r, struct colset set,
            size_t asked, double *out, custos_err *err)
{
    const size_t cells = domain_cells(&m->domain, set);
    const double beta = RELEASED_BETA / 2 / (double)asked;
    double *sum = alloc_take(&m->alloc, cells, sizeof *sum);
    double *mine = alloc_take(&m->alloc, cells, sizeof *mine);
    double weights = 0, distance = 0;
    custos_status st = sum && mine
                           ? CUSTOS_OK
                           : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    *out = find_limit(r, set);
    if (!st)
        st = add_tables(r, &m->alloc, set, cells, sum, &weights, err);
    if (!st && weights > 0)
        st = model_marginal(m, set, SIZE_MAX, mine, err);
    if (!st && weights > 0) {
        for (size_t i = 0; i < cells; i++)
            distance += fabs(sum[i] / weights - mine[i]);
        *out = fmin(*out, distance + noise_bound((double)cells, weights, beta));
    }
    alloc_give(&m->alloc, sum, cells, sizeof *sum);
    alloc_give(&m->alloc, mine, cells, sizeof *mine);
    return st;
}
