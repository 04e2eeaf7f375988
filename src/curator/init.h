/*
 * `custos init`: from a policy to a store, or to a new data version of it.
 */
#ifndef CURATOR_INIT_H
#define CURATOR_INIT_H

#include "curator/curator.h"

struct init_report {
    bool created; /* there was no data before */
    uint64_t version;
    str budget; /* the old one and the new; empty: it did not change */
    struct engine_import_table *tables;
    size_t n_tables;
    struct receipt receipt; /* of the row that says so */
};

/*
 * Reads the policy, imports every table, puts policy, budget and data in
 * force. All or nothing: after a failure the store, if there was one, is as it
 * was, and a store that this call made is removed. Who is protected cannot
 * change under a ledger that has been spent from: CUSTOS_EPOLICY. A column or
 * table that loses more than max_loss_ppm millionths is refused:
 * CUSTOS_EPOLICY, and out->tables says which; else *out is set on success only,
 * and out->tables is NULL. What it points to lives in a. May fail also:
 * CUSTOS_EIO, CUSTOS_EBUSY, CUSTOS_ECORRUPT, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status curator_init(const char *policy,
                                           const char *store,
                                           uint64_t max_loss_ppm, int64_t now,
                                           engine_progress progress, void *ctx,
                                           arena *a, struct init_report *out,
                                           custos_err *err);

#endif
