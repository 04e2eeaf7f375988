/*
 * How far a model can be from the data in a marginal that was measured, alone or
 * within others: what the noise can do, and where the model left the mean of the
 * measurements.
 *
 * THEOREM  measured-marginal-bound
 *   Let marginals be measured one after the other with independent discrete Gaussian
 *   noise, each chosen, with its variance, by what came before. Of a set of n cells
 *   let measurement i, of a set that contains it, have m_i cells for each of its own and the
 *   variance v_i; V = sum 1/(v_i m_i), and y the mean of the measurements by these
 *   weights. With probability 1 - beta, whatever V turns out to be,
 *
 *     ||y - exact||_1 <= (n ln 2 + ln(96/beta))/(l V) + n l/2,
 *
 *   l = sqrt(2 (n ln 2 + ln(96/beta))/(n W)), W the power of 4 times 2 with
 *   V in [W/2, 2W), if 2^-96 <= V < 2^96.
 * SOURCE   doc/proofs/measured-marginal-bound.md
 * NEEDS    tables as they were released, in codes that are still in force.
 * GIVES    model_bound sets *out to that, plus the l1 distance of y to the model's
 *          marginal, in rows; to infinity if no table contains the set.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   bounds_hold_at_their_rate bounds_add_what_the_model_left
 */
#ifndef SYNTH_BOUND_H
#define SYNTH_BOUND_H

#include "synth/model.h"
#include "synth/released.h"

/*
 * The least bound that is known: from tables, or from the limits of sets that
 * contain this one; infinity if there is none. `asked` is the number of sets that
 * might be asked about: the bounds on all of them hold at once with probability
 * 1 - RELEASED_BETA, also on those that are chosen by the results. The model must be that
 * of the release; it need not have its measurements.
 */
CUSTOS_MUST_USE custos_status model_bound(const struct model *m,
                                          const struct released *r,
                                          struct colset set, size_t asked,
                                          double *out, custos_err *err);

#endif
