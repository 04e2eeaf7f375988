/*
 * Fits a model to its measurements: minimises
 *
 *   L = 1/2 sum over measurements of w ||marginal of the model - values||^2,
 *
 * w the inverse variance as a multiple of the largest, over all distributions
 * that are products of functions of the cliques.
 */
#ifndef SYNTH_FIT_H
#define SYNTH_FIT_H

#include "synth/model.h"

struct fit_options {
    size_t steps; /* at most */
    /*
     * Has converged when `window` steps lower L by no more than this share of
     * what noise alone contributes to L: half of the least variance for every
     * measured cell. A step that gains less follows the noise.
     */
    double tolerance;
    size_t window;
};

struct fit_facts {
    size_t steps, rejected;
    double loss, first_loss;
    bool converged;
};

/*
 * Continues from the potentials that the model has. Afterwards m->beliefs and
 * m->marginals belong to the potentials. Needs a model that was built. May fail:
 * CUSTOS_EINVAL (the structural zeros leave no row).
 */
CUSTOS_MUST_USE custos_status model_fit(struct model *m,
                                        const struct fit_options *o,
                                        struct fit_facts *facts,
                                        custos_err *err);

#endif
