/*
 * Covariance, correlation and regression line as functions of released parts,
 * with error bars (bars_pair.h). They are doubles, after the noise.
 */
#ifndef CURATOR_AGGREGATE_PAIR_H
#define CURATOR_AGGREGATE_PAIR_H

#include "curator/aggregate.h"

/* As aggregate_value() for its kind. A correlation or a line is NULL where the
   noisy squares do not show that the values vary. Cannot fail. */
void covariance_value(const struct plan *p, const struct released *r,
                      const struct bars *bars, size_t slot, size_t cell,
                      size_t level, struct value *out);
void corr_value(const struct plan *p, const struct released *r,
                const struct bars *bars, size_t slot, size_t cell, size_t level,
                struct value *out);
void slope_value(const struct plan *p, const struct released *r,
                 const struct bars *bars, size_t slot, size_t cell,
                 size_t level, struct value *out);
void intercept_value(const struct plan *p, const struct released *r,
                     const struct bars *bars, size_t slot, size_t cell,
                     size_t level, struct value *out);

#endif
