/*
 * The charge of a release: one row of the ledger, which pays for all of its steps.
 */
#ifndef RELEASE_CHARGE_H
#define RELEASE_CHARGE_H

#include "release/release.h"

/* Ids of the theorems that the charge rests on, separated by spaces. */
str release_theorems(const struct release *r);

/* Would release_charge be refused now? Charges nothing. May fail: as
   ledger_check_charge. */
CUSTOS_MUST_USE custos_status release_charge_check(struct curator *c,
                                                   const struct release *r,
                                                   int64_t now,
                                                   custos_err *err);

/* Charges; durable on return. May fail: as ledger_writer_charge and
   tripwire_ready. */
CUSTOS_MUST_USE custos_status release_charge(struct curator *c,
                                             const struct release *r,
                                             int64_t now,
                                             struct receipt *receipt,
                                             custos_err *err);

#endif
