/*
 * The rows of the chain determine who is suspended: "failure" and "overrun",
 * each of an analyst, and "resume", which ends all suspensions before it.
 */
#ifndef LEDGER_TRIPWIRE_H
#define LEDGER_TRIPWIRE_H

#include "ledger/ledger.h"

struct db;

/* The kinds of these rows; in the first two, `who` is the analyst who asked
   (empty: the owner). */
#define TRIPWIRE_FAILURE "failure"
#define TRIPWIRE_OVERRUN "overrun"
#define TRIPWIRE_RESUME "resume"

/* The words of rows "failure" and "overrun": "charge 17: why". */
enum { TRIPWIRE_WORDS_MAX = 128 };

/* May this analyst be charged? CUSTOS_EDENIED: the analyst or everybody is
   suspended. */
CUSTOS_MUST_USE custos_status tripwire_judge(struct db *d,
                                             const struct ledger_request *r,
                                             custos_err *err);

#endif
