/*
 * The functions of custos.h that take or give a custos_wide, with i128 instead:
 * for the rest of custos, and for the public ones, which only convert.
 */
#ifndef MECH_I128_H
#define MECH_I128_H

#include "base/base.h"
#include "custos.h"

/* As custos_seal_wide. */
CUSTOS_MUST_USE custos_status seal_i128(const custos_alloc *alloc,
                                        const i128 *values, size_t n,
                                        custos_sealed **out, custos_err *err);

/* As custos_release_wide. */
CUSTOS_MUST_USE custos_status release_i128(const custos_mech *mech,
                                           custos_rng *rng,
                                           custos_sealed *sealed, i128 *out,
                                           size_t n, custos_err *err);

/* As custos_noise_error_wide. */
CUSTOS_MUST_USE custos_status noise_error_i128(const custos_noise *noise,
                                               const char *beta, size_t n,
                                               i128 *m, custos_err *err);

/* As custos_mech_error_wide. */
CUSTOS_MUST_USE custos_status mech_error_i128(const custos_mech *mech,
                                              const char *beta, size_t n,
                                              i128 *half_width,
                                              custos_err *err);

/* As custos_sums_error_wide. */
CUSTOS_MUST_USE custos_status sums_error_i128(const custos_sums *sums, size_t t,
                                              const char *beta,
                                              i128 *half_width,
                                              custos_err *err);

#endif
