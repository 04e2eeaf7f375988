/*
 * What `custos init` and `custos owner reload` do for reply times
 * (curator/reply_init.h), and what they print about it.
 */
#ifndef CLI_REPLIES_H
#define CLI_REPLIES_H

#include "base/arena.h"
#include "cli/out.h"

/* Charges for a noisy count of the rows of each private table without max_rows,
   and prints count and price to o. May fail as reply_rows_charge. */
CUSTOS_MUST_USE custos_status replies_count(const char *store, arena *a,
                                            struct out *o, custos_err *err);

/* Does the same, then measures the machine's speed if reply times depend on
   it. */
CUSTOS_MUST_USE custos_status replies_prepare(const char *store, arena *a,
                                              struct out *o, custos_err *err);

#endif
