/*
 * Statements that make an analyst's catalog in a small database, in this order:
 * relations, types, roles and macros, the analyst's rows, the rows derived from
 * them.
 */
#ifndef CURATOR_CATALOG_SETUP_H
#define CURATOR_CATALOG_SETUP_H

#include "curator/curator.h"

extern const char catalog_types[];
extern const char catalog_macros[];
extern const char catalog_derived[];

/*
 * All statements for an analyst (NULL: the owner), who sees what is granted and
 * no trace of the rest. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status catalog_setup(const struct policy *p,
                                            const struct policy_analyst *who,
                                            struct buf *out, custos_err *err);

/* The rows of my_tables, my_columns and my_keys. */
CUSTOS_MUST_USE custos_status catalog_fill(const struct policy *p,
                                           const struct policy_analyst *who,
                                           struct buf *out, custos_err *err);

#endif
