/*
 * `custos init`: makes a store from a policy, or a new data version of a store.
 */
#ifndef CURATOR_INIT_H
#define CURATOR_INIT_H

#include "curator/curator.h"

struct init_report {
    bool created; /* there was no data before */
    uint64_t version;
    str budget; /* the new budget and the old; empty: unchanged */
    struct engine_import_table *tables;
    size_t n_tables;
    struct receipt receipt; /* of the last row written */
};

/*
 * Reads the policy, imports every table, puts policy, budget and data in force.
 * After a failure before the ledger has the new terms, the store is as it was,
 * and a store that this call made is removed; init.c says what a later failure
 * leaves. CUSTOS_EPOLICY if the policy changes the privacy unit or the
 * adjacency of a store that has data. CUSTOS_EPOLICY too if a column or table
 * loses more than max_loss_ppm millionths of its values or rows; then
 * out->tables says which. If nothing was imported for another reason, *out is
 * empty. What *out points to is allocated in `a`. May also fail as file_read,
 * store_create, store_open, ledger_open and engine_import do.
 */
CUSTOS_MUST_USE custos_status curator_init(const char *policy,
                                           const char *store,
                                           uint64_t max_loss_ppm, int64_t now,
                                           engine_progress progress, void *ctx,
                                           arena *a, struct init_report *out,
                                           custos_err *err);

#endif
