/*
 * Mirror descent with the entropy as its mirror (Beck, Teboulle 2003; McKenna,
 * Sheldon, Miklau 2019, arXiv:1901.09136): a step goes along the gradient of L,
 * with respect to the marginals, in the space of potentials. A step of length a
 * from marginals mu to mu' is accepted if
 *
 *   L(mu) - L(mu') >= 1/2 <gradient, mu - mu'>,
 *
 * and the next is then 1.3 times as long, otherwise half as long. The marginals
 * of an accepted step are those that the next one starts from, so that belief
 * propagation runs once a step.
 */
#include "synth/fit.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"

#define GROW 1.3
#define SHRINK 0.5

/* The difference of a measurement to the model, in m->scratch. */
static double *
find_difference(struct model *m, const struct evidence *e, double *marginals)
{
    const struct clique *c = &m->cliques[e->clique];
    double *mine = marginals + c->first, *x = m->scratch;

    if (colset_same(e->set, c->set)) {
        for (size_t i = 0; i < e->cells; i++)
            x[i] = mine[i] - e->values[i];
        return x;
    }
    for (size_t i = 0; i < e->cells; i++)
        x[i] = -e->values[i];
    walk_collapse(&c->walk, mine, &(struct smaller){&e->in_clique, x});
    return x;
}

/* L of these marginals; writes its gradient, too, unless that is NULL. */
static double
find_loss(struct model *m, double *marginals, double *gradient)
{
    double loss = 0;

    if (gradient)
        memset(gradient, 0, m->cells * sizeof *gradient);
    for (const struct evidence *e = m->evidence; e; e = e->next) {
        const struct clique *c = &m->cliques[e->clique];
        double *x = find_difference(m, e, marginals), sum = 0;

        for (size_t i = 0; i < e->cells; i++) {
            double w = e->merged ? e->weight / e->merged[i] : e->weight;

            sum += w * x[i] * x[i];
            x[i] *= w;
        }
        loss += sum / 2;
        if (gradient)
            walk_sum(&c->walk, &(struct smaller){&e->in_clique, x}, 1, true,
                     gradient + c->first);
    }
    return loss;
}

/* <gradient, marginals - trial> */
static double
find_promise(const struct model *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->cells; i++)
        sum += m->gradient[i] * (m->marginals[i] - m->trial[i]);
    return sum;
}

static void
move(struct model *m, double by)
{
    for (size_t i = 0; i < m->cells; i++)
        m->potentials[i] += by * m->gradient[i];
}

/* One step. True if it was accepted; *loss is then lower. */
static bool
try_step(struct model *m, double *loss)
{
    double *accepted, trial;

    move(m, -m->step);
    model_believe(m, m->trial);
    trial = find_loss(m, m->trial, NULL);
    if (!(*loss - trial >= find_promise(m) / 2)) {
        move(m, m->step);
        m->step *= SHRINK;
        return false;
    }
    accepted = m->trial;
    m->trial = m->marginals;
    m->marginals = accepted;
    *loss = find_loss(m, m->marginals, m->gradient);
    m->step *= GROW;
    return true;
}

/* The expectation of L at the true marginals. */
static double
noise_level(const struct model *m)
{
    double sum = 0;

    for (const struct evidence *e = m->evidence; e; e = e->next)
        sum += (double)e->cells * e->weight * e->variance / 2;
    return sum;
}

custos_status
model_fit(struct model *m, const struct fit_options *o, struct fit_facts *facts,
          custos_err *err)
{
    const double little = o->tolerance * noise_level(m);
    double loss, before;
    bool accepted = true;

    *facts = (struct fit_facts){.steps = 0};
    model_believe(m, m->marginals);
    if (!(walk_total(&m->beliefs[0].walk, m->beliefs[0].table) > 0))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the structural zeros leave no row");
    if (m->step == 0)
        m->step = 2 / m->total;
    loss = before = facts->first_loss = find_loss(m, m->marginals, m->gradient);
    while (facts->steps < o->steps && !facts->converged) {
        accepted = try_step(m, &loss);
        facts->rejected += !accepted;
        if (++facts->steps % o->window == 0) {
            facts->converged = before - loss <= little;
            before = loss;
        }
    }
    if (!accepted)
        model_believe(m, m->marginals);
    facts->loss = loss;
    return CUSTOS_OK;
}
