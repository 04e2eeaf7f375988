/* Bounds on the error of marginals that were measured. */
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

/* Adds to `sum` the measurements that contain set, times their weights; returns
   the sum of the weights. */
static double
add_measurements(const struct model *m, struct colset set, size_t cells,
                 double *sum, double *one)
{
    double weights = 0;

    for (const struct evidence *e = m->evidence; e; e = e->next)
        if (colset_within(set, e->set) && !e->merged) {
            const double weight =
                (double)cells / ((double)e->cells * e->variance);
            struct beside at;
            struct walk w;

            memset(one, 0, cells * sizeof *one);
            walk_init(&w, &m->domain, e->set);
            walk_beside(&w, &m->domain, set, &at);
            walk_collapse(&w, e->values, &(struct smaller){&at, one});
            for (size_t i = 0; i < cells; i++)
                sum[i] += weight * one[i];
            weights += weight;
        }
    return weights;
}

custos_status
model_bound(const struct model *m, struct colset set, double beta, double *out,
            custos_err *err)
{
    const size_t cells = domain_cells(&m->domain, set);
    double *sum = NULL, *one = NULL, weights;
    custos_status st = CUSTOS_OK;

    *out = INFINITY;
    if (!model_measured(m, set))
        return CUSTOS_OK;
    sum = alloc_take(&m->alloc, cells, sizeof *sum);
    one = alloc_take(&m->alloc, cells, sizeof *one);
    if (!sum || !one) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    weights = add_measurements(m, set, cells, sum, one);
    st = model_marginal(m, set, cells, one, err);
    if (!st && weights > 0) {
        *out = noise_bound((double)cells, weights, beta);
        for (size_t i = 0; i < cells; i++)
            *out += fabs(sum[i] / weights - one[i]);
    }
out:
    alloc_give(&m->alloc, sum, cells, sizeof *sum);
    alloc_give(&m->alloc, one, cells, sizeof *one);
    return st;
}
