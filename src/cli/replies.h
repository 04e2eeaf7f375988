/*
 * What `custos init` and `custos owner reload` do for the times of replies
 * (curator/reply_init.h), told to the owner.
 */
#ifndef CLI_REPLIES_H
#define CLI_REPLIES_H

#include "base/arena.h"
#include "cli/out.h"

/* Pays for bounds of rows that the policy does not have; what that cost goes
   to o. May fail as reply_rows_charge. */
CUSTOS_MUST_USE custos_status replies_count(const char *store, arena *a,
                                            struct out *o, custos_err *err);

/* The same, and measures the machine where that matters. */
CUSTOS_MUST_USE custos_status replies_prepare(const char *store, arena *a,
                                              struct out *o, custos_err *err);

#endif
