/* Projections of released numbers, and what they add to a table. */
#include "synth/residual.h"

#include "synth/walk.h"

size_t
residual_parts(const struct domain *d, struct colset set)
{
    size_t n = 1;

    COLSET_EACH(c, set)
    n *= d->size[c] > 1 ? 2 : 1;
    return n;
}

void
residual_project(const struct domain *d, struct colset set, double *x)
{
    const size_t cells = domain_cells(d, set);
    size_t step = cells;

    COLSET_EACH(c, set)
    {
        const size_t n = d->size[c], block = step;

        step /= n;
        for (size_t from = 0; from < cells; from += block)
            for (size_t k = from; k < from + step; k++) {
                double sum = 0;

                for (size_t i = 0; i < n; i++)
                    sum += x[k + i * step];
                for (size_t i = 0; i < n; i++)
                    x[k + i * step] -= sum / (double)n;
            }
    }
}

void
residual_add(const struct domain *d, const struct residual *r,
             struct colset set, double *work, double *out)
{
    const size_t own = domain_cells(d, r->set);
    const double all = (double)domain_cells(d, set);
    struct beside at;
    struct walk w;

    for (size_t i = 0; i < own; i++)
        work[i] = (double)r->values[i] / all;
    residual_project(d, r->set, work);
    walk_init(&w, d, set);
    walk_beside(&w, d, r->set, &at);
    walk_sum(&w, &(struct smaller){&at, work}, 1, true, out);
}

/* P_A leaves of a cell's noise this share of its variance. */
static double
share_left(const struct domain *d, struct colset set)
{
    double share = 1;

    COLSET_EACH(c, set)
    share *= 1 - 1.0 / d->size[c];
    return share;
}

double
residual_variance(const struct domain *d, const struct residual *r,
                  struct colset set)
{
    const double all = (double)domain_cells(d, set);

    return r->variance * share_left(d, r->set) / (all * all);
}

void
residual_factors(const struct domain *d, const struct residual *parts, size_t n,
                 struct colset set, double *factor)
{
    const double all = (double)domain_cells(d, set);

    for (size_t bits = 0; bits >> colset_count(set) == 0; bits++) {
        const struct colset s = colset_pick(set, bits);

        factor[bits] = 0;
        for (size_t i = 0; i < n; i++) {
            const struct colset rest = colset_minus(parts[i].set, s);
            const double sign = colset_count(rest) % 2 ? -1 : 1;

            if (colset_within(s, parts[i].set))
                factor[bits] += sign * parts[i].variance /
                                ((double)domain_cells(d, rest) * all * all);
        }
    }
}
