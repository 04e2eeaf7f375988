/*
 * Times of what is computed after the noise from many numbers at once, beside noise
 * and output of each. It follows the loops of mech/marginals.c, mech/running.c,
 * plan/part/marginals_error.c, curator/running.c, curator/bars_variance.c and
 * curator/bars_line.c.
 */
#include "plan/cost/tables_time.h"

#include "mech/marginals.h"
#include "mech/running.h"
#include "plan/from/from.h"
#include "sql/aggregates.h"

/* Two to ten times what was measured on one thread of a 2020s server. */
enum {
    TERM_PS = 6000,       /* one term of a sum */
    CELL_PS = 2000000,    /* output of one value */
    VARIANCE_PS = 60000,  /* one coefficient in the variance of a table */
    BAR_PS = 2000000,     /* the bar of one running count */
    BAR_FEW_PS = 1000000, /* of one of at most 512 kinds, by draw */
    BAR_VARIANCE_PS = 200000000,
    BAR_PAIR_PS = 100000000,
};

static size_t
keys_of(uint32_t set)
{
    return (size_t)__builtin_popcount(set);
}

/* Terms of one layer's tables: along each key of a subset several times, and in the
   tables of all its subsets; where tables have the noise, each is added up to all its
   subsets. */
static uint64_t
terms_of(const struct plan *p)
{
    const struct marginals *m = p->marginals;
    uint64_t terms = from_times(p->space.cells, m->n_keys + 4);

    for (size_t f = 0; f < m->n_faces; f++)
        terms =
            from_plus(terms, from_times(marginals_cells(m, m->faces[f]),
                                        8 * keys_of(m->faces[f]) + 4 +
                                            (1ULL << keys_of(m->faces[f]))));
    for (size_t i = 0; i < m->n_noisy; i++) {
        uint64_t times = keys_of(m->noisy[i]) + 1;

        if (m->kind == MARGINALS_TABLES)
            times += 4ULL << keys_of(m->noisy[i]);
        terms = from_plus(terms,
                          from_times(marginals_cells(m, m->noisy[i]), times));
    }
    return terms;
}

/* Coefficients in the variances of one layer's tables. */
static uint64_t
coefficients_of(const struct marginals *m)
{
    uint64_t n = (uint64_t)m->n_sets * m->n_noisy;

    if (m->kind == MARGINALS_RESIDUAL)
        return n;
    n = from_times(n, m->n_faces);
    for (size_t s = 0; s < m->n_sets; s++)
        for (size_t i = 0; i < m->n_noisy; i++)
            n = from_plus(n,
                          (uint64_t)1 << 2 * keys_of(m->sets[s] & m->noisy[i]));
    return n;
}

static uint64_t
marginals_ps(const struct plan *p)
{
    uint64_t ps = from_times(terms_of(p), TERM_PS);

    ps = from_plus(ps, from_times(coefficients_of(p->marginals), VARIANCE_PS));
    return from_times(from_plus(ps, from_times(p->space.cells, CELL_PS)),
                      p->n_layers);
}

/* How many numbers the running count of one cell is computed from. */
static uint64_t
running_terms(const struct running *r)
{
    return r->kind == RUNNING_ROOT ? r->n : 4 * r->levels;
}

static uint64_t
running_ps(const struct plan *p, const struct part *part)
{
    const struct running *r = part->running;
    uint64_t draws = 0, ps = from_times(r->n, BAR_PS);

    for (size_t t = 0; t < r->n; t++)
        draws = r->weight[t] >> 32 > draws ? r->weight[t] >> 32 : draws;
    if (r->kind == RUNNING_TREE && draws <= 512)
        ps = from_plus(ps, from_times(draws * draws, BAR_FEW_PS));
    ps = from_times(ps, plan_levels(p));
    return from_plus(
        ps,
        from_times(from_times(part->space->cells, running_terms(r)), TERM_PS));
}

uint64_t
tables_ps(const struct plan *p)
{
    uint64_t ps = p->marginals ? marginals_ps(p) : 0;

    for (size_t i = 0; i < p->n_parts; i++)
        if (p->parts[i].running)
            ps = from_plus(ps, running_ps(p, &p->parts[i]));
    return ps;
}

uint64_t
bars_ps(const struct plan *p, uint64_t groups)
{
    uint64_t each = 0;

    if (p->is_public)
        return 0;
    for (size_t i = 0; i < p->n_aggregates; i++)
        switch (aggregates[p->aggregates[i].kind].family) {
        case FAMILY_VARIANCE: each += BAR_VARIANCE_PS; break;
        case FAMILY_PAIR: each += BAR_PAIR_PS; break;
        default: break;
        }
    return from_times(from_times(each, groups), plan_levels(p));
}
