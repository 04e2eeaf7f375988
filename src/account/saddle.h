/*
 * Composition of very many different small mechanisms without a grid: the
 * tilted sum is nearly normal, and Berry-Esseen bounds the difference.
 *
 * THEOREM  saddle-point-bounds
 *   Let X be the sum of independent losses, K its cumulant function, t > 0,
 *   eps = K'(t), s^2 = K''(t), b the Berry-Esseen bound of the tilted sum and
 *   g(y) = e^(-ty)(1 - e^-y) for y > 0, else 0, with maximum G. Then
 *   |delta(eps) - P[inf] - e^(K(t) - t eps) E g(sN)| <= 2 b G e^(K(t) - t eps),
 *   N standard normal; E g(sN) = A(t) - A(t + 1), A(t) = erfcx(ts/sqrt 2)/2;
 *   b = 0.56 sum E~|X_i - m_i|^3 / s^3, where E~ and the mean m_i are those of
 *   the tilted X_i, and normal parts add nothing, because each is a sum of
 *   arbitrarily small normal ones.
 * SOURCE   doc/proofs/saddle-point-bounds.md; Alghamdi et al. 2022,
 *          arXiv:2208.09595, for the method; the constant: Shevtsova 2010,
 *          Doklady Mathematics 82, 862-864.
 * NEEDS    parameters fixed in advance; cumulants in closed form: Gaussian and
 *          Laplace without sampling, and atoms.
 * GIVES    low <= epsilon(delta) <= high for this order of neighbours.
 * FAILS    CUSTOS_EINVAL for a part whose cumulant has no closed form.
 * TESTED   saddle_encloses_the_pld, saddle_encloses_exact_curves,
 *          saddle_is_sharp_for_many, saddle_refuses_sampled_parts
 */
#ifndef ACCOUNT_SADDLE_H
#define ACCOUNT_SADDLE_H

#include "account/pld.h"

/* ln E e^(tX) of Laplace's loss, rounded up; t > 0, 0 < epsilon < 1e6. */
double saddle_laplace_up(double epsilon, double t);

/* Time is linear in n. */
CUSTOS_MUST_USE custos_status saddle_epsilon(const struct pld_part *parts,
                                             size_t n, double delta,
                                             struct bounds *out);

#endif
