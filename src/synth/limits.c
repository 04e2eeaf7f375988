/* Bounds from what the last selection passed over. */
#include "synth/limits.h"

#include <math.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "synth/infer.h"
#include "synth/trusted.h"

custos_status
limits_init(struct limits *l, const custos_alloc *alloc, size_t n, size_t bytes,
            custos_err *err)
{
    *l = (struct limits){.alloc = *alloc, .room = n, .bytes = bytes};
    l->of = alloc_take(alloc, n, sizeof *l->of);
    return l->of ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

void
limits_clear(struct limits *l)
{
    for (size_t i = 0; i < l->n; i++)
        alloc_give(&l->alloc, l->of[i].marginal, l->of[i].cells, sizeof(float));
    alloc_give(&l->alloc, l->of, l->room, sizeof *l->of);
    l->of = NULL;
    l->n = 0;
}

void
limits_pass(struct limits *l, struct colset set, uint64_t weight,
            double penalty, const int64_t *marginal, size_t cells)
{
    struct passed *p = &l->of[l->n];

    CUSTOS_REQUIRE(l->n < l->room);
    l->n++;
    *p = (struct passed){.set = set,
                         .weight = (double)weight,
                         .penalty = penalty,
                         .cells = cells};
    if (cells > l->bytes / sizeof(float))
        return;
    p->marginal = alloc_take(&l->alloc, cells, sizeof(float));
    if (!p->marginal)
        return;
    l->bytes -= cells * sizeof(float);
    for (size_t i = 0; i < cells; i++)
        p->marginal[i] = (float)marginal[i];
}

double
limits_selection_bound(const struct limits *l, const struct chosen *c, size_t i,
                       double beta)
{
    const struct passed *s = &l->of[c->winner], *r = &l->of[i];
    const double noise =
        sqrt(2 * c->variance * (double)s->cells * log(2 / beta));
    const double gap =
        2 * c->sensitivity / c->epsilon * log(2 * (double)l->n / beta);

    return r->penalty +
           (s->weight * (c->distance + noise - s->penalty) + gap) / r->weight;
}

/* The distance of the model's marginal to what was kept, and what floats may have
   rounded off that. */
static custos_status
find_distance(const struct passed *p, const struct model *m, size_t most,
              double *x, double *out)
{
    custos_status st = model_marginal(m, p->set, most, x, NULL);

    *out = 0;
    for (size_t i = 0; !st && i < p->cells; i++) {
        const double was = (double)p->marginal[i] / SYNTH_LATTICE;

        *out += fabs(x[i] - was) + 0x1p-24 * fabs(was);
    }
    return st;
}

custos_status
limits_bounds(const struct limits *l, const struct chosen *c,
              const struct model *m, size_t most, double beta,
              struct released_limit *out, size_t *n, custos_err *err)
{
    const bool small = tree_bytes(&m->tree) / sizeof(double) <= most;
    custos_status st = CUSTOS_OK;

    *n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct passed *p = &l->of[i];
        double *x, moved;

        if (!p->marginal ||
            (!small && tree_cover(&m->tree, p->set) == m->tree.n))
            continue;
        x = alloc_take(&m->alloc, p->cells, sizeof *x);
        st = x ? find_distance(p, m, most, x, &moved) : CUSTOS_ENOMEM;
        alloc_give(&m->alloc, x, p->cells, sizeof *x);
        if (st == CUSTOS_EOVERFLOW) /* too large a table on the way */
            continue;
        if (st)
            return custos_fail(err, st, "%s", custos_status_words(st));
        out[(*n)++] = (struct released_limit){
            p->set, limits_selection_bound(l, c, i, beta) + moved};
    }
    return CUSTOS_OK;
}
