/*
 * The variances of tables of GROUPING SETS, ROLLUP and CUBE. They depend on public
 * facts alone, and decide about accuracy only, so doubles may be used.
 */
#include "plan/part/marginals_error.h"

#include <math.h>
#include <stdlib.h>

#include "plan/part/marginals.h"

bool
marginals_is_constant(const struct marginals *m, uint32_t face)
{
    for (size_t k = 0; k < m->n_keys; k++)
        if (face >> k & 1 && m->size[k] == 1)
            return true;
    return false;
}

double
marginals_share_of_variance(const struct marginals *m, uint32_t face)
{
    double p = 1;

    for (size_t k = 0; k < m->n_keys; k++)
        if (face >> k & 1)
            p *= 1 - 1 / (double)m->size[k];
    return p;
}

/* The coefficient, in a cell of `set`, of the noise of a cell of noisy table i
   that has the same values of the keys `same`, of those that both have; trust of
   the table, and, by face, of all that have its keys. */
static double
coefficient(const struct marginals *m, uint32_t set, size_t i, uint32_t same,
            double trust, const double *all)
{
    const uint32_t both = set & m->noisy[i];
    double sum = 0;

    for (uint32_t face = both;; face = (face - 1) & both) {
        double one = trust;

        for (size_t k = 0; k < m->n_keys; k++)
            if (face >> k & 1)
                one *= same >> k & 1 ? (double)m->size[k] - 1 : -1;
        sum += one / all[marginals_face(m, face)];
        if (face == 0)
            break;
    }
    return sum / (double)marginals_cells(m, set);
}

double
marginals_tables_variance(const struct marginals *m, uint32_t set,
                          const double *noise, const double *trust,
                          double *fourth)
{
    double variance = 0, all[PLAN_PARTS_MAX] = {0};

    *fourth = 0;
    for (size_t f = 0; f < m->n_faces; f++)
        for (size_t i = 0; i < m->n_noisy; i++)
            all[f] += (m->faces[f] & ~m->noisy[i]) == 0 ? trust[i] : 0;
    for (size_t i = 0; i < m->n_noisy; i++) {
        const uint32_t both = set & m->noisy[i];

        for (uint32_t same = both;; same = (same - 1) & both) {
            double one =
                pow(coefficient(m, set, i, same, trust[i], all), 2) * noise[i];
            double n = (double)marginals_cells(m, m->noisy[i] & ~set);

            for (size_t k = 0; k < m->n_keys; k++)
                if ((both & ~same) >> k & 1)
                    n *= (double)m->size[k] - 1;
            variance += n * one;
            *fourth += 3 * n * one * one;
            if (same == 0)
                break;
        }
    }
    return variance;
}

/* The variance of one draw of a part. */
static double
draw_variance(const struct part *part)
{
    double scale = strtod(custos_mech_facts(part->mech)->scale, NULL);

    return scale * (part->mech_kind == CUSTOS_GAUSSIAN ? scale : 2 * scale);
}

void
marginals_trust(struct plan *p)
{
    const bool any = p->marginals && p->marginals->kind == MARGINALS_TABLES;
    const size_t n = any ? p->marginals->n_noisy : 0;

    for (size_t l = 0; l < p->n_layers && any; l++) {
        const struct marginals *m = &p->marginals[l];
        double trust[PLAN_PARTS_MAX], most = 0;

        for (size_t t = 0; t < n; t++) {
            trust[t] = 1 / (draw_variance(&p->parts[t * p->n_layers + l]) *
                            (double)p->tables[t].cells);
            most = fmax(most, trust[t]);
        }
        for (size_t t = 0; t < n; t++)
            m->trust[t] =
                (uint32_t)(trust[t] / most * (MARGINALS_TRUST - 1)) + 1;
    }
}

double
marginals_variance(const struct plan *p, size_t layer, size_t set,
                   double *fourth)
{
    const struct marginals *m = &p->marginals[layer];
    const uint32_t keys = m->sets[set];
    const double cells = (double)marginals_cells(m, keys);
    double noise[PLAN_PARTS_MAX], trust[PLAN_PARTS_MAX], variance = 0;

    *fourth = 0;
    for (size_t t = 0; t < m->n_noisy; t++)
        noise[t] = draw_variance(&p->parts[t * p->n_layers + layer]);
    if (m->kind == MARGINALS_TABLES) {
        for (size_t t = 0; t < m->n_noisy; t++)
            trust[t] = m->trust[t];
        variance = marginals_tables_variance(m, keys, noise, trust, fourth);
        if (p->parts[0].mech_kind == CUSTOS_GAUSSIAN)
            *fourth = 0;
        return variance;
    }
    for (size_t t = 0; t < m->n_noisy; t++)
        if ((m->noisy[t] & ~keys) == 0)
            variance += noise[t] * marginals_share_of_variance(m, m->noisy[t]) /
                        (cells * cells);
    return variance;
}

i128
marginals_bar(const struct plan *p, size_t layer, size_t set)
{
    double fourth;

    return (i128)ceil(1.96 * sqrt(marginals_variance(p, layer, set, &fourth)));
}
