/*
 * Mechanisms and selections of keys that were made before: their tables and
 * thresholds take longer to work out than a small question to answer. What they
 * are follows from their options, and these are public; found again is only
 * what was made from the same ones, all of them, letter by letter.
 *
 * For one thread at a time.
 */
#ifndef PLAN_MECHS_H
#define PLAN_MECHS_H

#include "custos.h"

struct mechs;

/* NULL without memory. */
struct mechs *mechs_new(void);
void mechs_free(struct mechs *m);

/* custos_mech_new, or one made before; the caller frees *out. m may be NULL. */
CUSTOS_MUST_USE custos_status mechs_take(struct mechs *m,
                                         const custos_mech_options *o,
                                         custos_mech **out, custos_err *err);

/* custos_mech_error_wide at 95 %, or what it was of the same mechanism before. */
CUSTOS_MUST_USE custos_status mechs_bar(struct mechs *m,
                                        const custos_mech *mech, size_t n,
                                        custos_int *half_width,
                                        custos_err *err);

/* The same of custos_keys_new. */
CUSTOS_MUST_USE custos_status mechs_take_keys(struct mechs *m,
                                              const custos_keys_options *o,
                                              custos_keys **out,
                                              custos_err *err);

#endif
