/*
 * Walks over tables: how tables lie beside each other, and which loops go over
 * them.
 */
#include "synth/walk.h"

#include <string.h>

#include "base/base.h"
#include "synth/walk_loops.h"

void
walk_init(struct walk *w, const struct domain *d, struct colset wide)
{
    *w = (struct walk){.row = 1, .rows = 1, .last = SYNTH_COLUMNS_MAX};
    CUSTOS_REQUIRE(domain_cells(d, wide) < SIZE_MAX);
    COLSET_EACH(c, wide)
    if (d->size[c] > 1) {
        if (w->last < SYNTH_COLUMNS_MAX) {
            CUSTOS_REQUIRE(w->n < WALK_AXES);
            w->size[w->n] = w->row;
            w->column[w->n++] = w->last;
            w->rows *= w->row;
        }
        w->last = c;
        w->row = d->size[c];
    }
}

void
walk_beside(const struct walk *w, const struct domain *d, struct colset set,
            struct beside *out)
{
    size_t step = 1;

    memset(out, 0, sizeof *out);
    if (w->last < SYNTH_COLUMNS_MAX && colset_has(set, w->last)) {
        out->along = true;
        step = w->row;
    }
    for (size_t i = w->n; i-- > 0;)
        if (colset_has(set, w->column[i])) {
            out->step[i] = step;
            step *= w->size[i];
        }
    CUSTOS_REQUIRE(step == domain_cells(d, set));
}

/* ------------------------------------------------------------------ loops -- */

static const struct walk_loops portable = {
    loop_sum, loop_exp, loop_scale, loop_collapse, loop_raise, loop_total};

static const struct walk_loops *
loops(void)
{
#ifdef CUSTOS_HAVE_AVX2
    if (__builtin_cpu_supports("avx2"))
        return &walk_loops_avx2;
#endif
    return &portable;
}

double
walk_sum(const struct walk *w, const struct smaller *tables, size_t n,
         bool more, double *out)
{
    return loops()->sum(w, tables, n, more, out);
}

double
walk_exp(const struct walk *w, double most, double *x,
         const struct smaller *sums)
{
    return loops()->exp(w, most, x, sums);
}

void
walk_scale(const struct walk *w, double by, const struct smaller *factor,
           double *x, const struct smaller *sums, size_t n)
{
    loops()->scale(w, by, factor, x, sums, n);
}

void
walk_collapse(const struct walk *w, const double *x, const struct smaller *to)
{
    loops()->collapse(w, x, to);
}

void
walk_raise(const struct walk *w, const double *x, const struct smaller *most)
{
    loops()->raise(w, x, most);
}

double
walk_total(const struct walk *w, const double *x)
{
    return loops()->total(w, x);
}
