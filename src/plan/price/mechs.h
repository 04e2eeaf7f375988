/*
 * A cache of mechanisms and rules of partition selection: computing their
 * tables and thresholds takes longer than answering a small query. An entry is
 * a function of its options, which are public; it is used only for options that
 * are the same byte by byte.
 *
 * For one thread at a time.
 */
#ifndef PLAN_MECHS_H
#define PLAN_MECHS_H

#include "base/base.h"
#include "custos.h"

struct mechs;

/* NULL without memory. */
struct mechs *mechs_new(void);
void mechs_free(struct mechs *m);

/* Like custos_mech_new, through the cache; the caller frees *out. m may be
   NULL. */
CUSTOS_MUST_USE custos_status mechs_take(struct mechs *m,
                                         const custos_mech_options *o,
                                         custos_mech **out, custos_err *err);

/* Like mech_error_i128 at 95 %, through the cache. */
CUSTOS_MUST_USE custos_status mechs_bar(struct mechs *m,
                                        const custos_mech *mech, size_t n,
                                        i128 *half_width, custos_err *err);

/* Like custos_keys_new, through the cache. */
CUSTOS_MUST_USE custos_status mechs_take_keys(struct mechs *m,
                                              const custos_keys_options *o,
                                              custos_keys **out,
                                              custos_err *err);

#endif
