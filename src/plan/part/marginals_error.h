/*
 * The variances of tables that are answered together, from those of their noise.
 */
#ifndef PLAN_PART_MARGINALS_ERROR_H
#define PLAN_PART_MARGINALS_ERROR_H

#include "mech/marginals.h"

/* Has the face a key of one value? Then its residual is 0. */
bool marginals_is_constant(const struct marginals *m, uint32_t face);

/* p_A: the product of (n - 1)/n over the keys of a face. */
double marginals_share_of_variance(const struct marginals *m, uint32_t face);

/* The variance of a cell of table `set` if that of a cell of noisy table i is
   noise[i], and its weight in means trust[i]; *fourth: the fourth cumulant, for
   Laplace noise. */
double marginals_tables_variance(const struct marginals *m, uint32_t set,
                                 const double *noise, const double *trust,
                                 double *fourth);

#endif
