/*
 * Compares the two replies of a pair.
 */
#ifndef AUDIT_CURATOR_PAIR_CHECK_H
#define AUDIT_CURATOR_PAIR_CHECK_H

#include "audit/curator/pair.h"

/* An error that must not happen after a charge, whatever the data. */
bool is_failure(const struct reply *reply);

/* Whether the reply to EXPLAIN is a fault. It reads no rows, so that it takes too
   long follows from public facts, or from the load of the machine. */
bool explain_failed(const struct reply *reply);

/* The reply in a line. */
void reply_summary(const struct reply *reply, char out[SAID_MAX]);

/* Sets the verdict and its words; reads the claims. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status pair_check(const char *sql, const char *person,
                                         const struct reply reply[N_SIDES],
                                         struct outcome *out, custos_err *err);

#endif
