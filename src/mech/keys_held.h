/* Units that hold several keys, for callers inside the project. */
#ifndef MECH_KEYS_HELD_H
#define MECH_KEYS_HELD_H

#include "custos.h"

enum { KEYS_WEIGHTED_MAX = 64 }; /* keys per unit, under the weighted rule */

/*
 * custos_keys_units, for units that hold `held` keys each, of at least 1 and at
 * most the rule's keys_per_unit: it makes a difference under the weighted rule.
 */
CUSTOS_MUST_USE custos_status keys_units_held(const custos_keys *keys,
                                              uint64_t held, const char *chance,
                                              uint64_t *units, custos_err *err);

#endif
