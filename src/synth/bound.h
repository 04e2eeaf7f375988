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
 * NEEDS    measurements as they were released; none with merged cells.
 * GIVES    model_bound sets *out to that, plus the l1 distance of y to the model's
 *          marginal, in rows; to infinity if nothing that was measured contains the
 *          set.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   bounds_hold_at_their_rate bounds_add_what_the_model_left
 */
#ifndef SYNTH_BOUND_H
#define SYNTH_BOUND_H

#include "synth/model.h"

/* For several sets, divide beta by the number of sets that might be asked about;
   the sets that are reported may then be chosen from the results. Needs a fitted
   model. */
CUSTOS_MUST_USE custos_status model_bound(const struct model *m,
                                          struct colset set, double beta,
                                          double *out, custos_err *err);

#endif
