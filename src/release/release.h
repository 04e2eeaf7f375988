/*
 * A release: one charge, then measurements of a table within it, and what is
 * published of them. The folder of a release appears complete or not at all, and a
 * copy stays in the store, in releases/ID, where the same request finds it again.
 * Consistent tables are computed from the stored copy, so that asking for them later
 * costs nothing either.
 *
 * THEOREM  release-charge-first
 *   Whatever a release publishes was charged, durably, before its table was read.
 *   A release whose work was lost, for any reason, stays charged, and its noise is
 *   used for nothing else.
 * SOURCE   doc/proofs/release-steps.md; charge-first
 * NEEDS    release-price, release-steps, rows-are-bounded.
 * GIVES    release_run gives a stored release with no charge if the store has one of
 *          the same request, policy and data version; else it charges once.
 * FAILS    in release_prepare, and up to the charge: by request, policy, ledger,
 *          public tables and the folders alone; below it: CUSTOS_EENGINE with one
 *          constant sentence, CUSTOS_EENTROPY, CUSTOS_ENOMEM, and after the
 *          measurements by what they gave and by the disk (CUSTOS_EIO,
 *          CUSTOS_EOVERFLOW). Only failures up to the last measurement count as
 *          failures on private data (tripwire).
 * TESTED   the_charge_comes_before_the_rows a_refused_release_costs_nothing
 *          the_same_release_is_free
 */
#ifndef RELEASE_RELEASE_H
#define RELEASE_RELEASE_H

#include "curator/curator.h"
#include "release/folder.h"
#include "release/method.h"
#include "release/owner_report.h"
#include "release/price.h"
#include "release/ranges.h"
#include "release/zeros.h"
#include "synth/schema.h"

struct release_request {
    str table;               /* of the policy: a table or a view */
    str columns;             /* names separated by commas; empty: all */
    str ranges;              /* as ranges_prepare */
    str workload;            /* as workload_make */
    str method;              /* as method_find */
    str epsilon, delta, rho; /* as release_price_make */
    uint64_t rows;           /* synthetic ones; 0: as the measurements say */
    bool consistent;         /* tables without negative cells, too: for free */
    const char *out;         /* a folder that does not exist yet */
    const char *report;      /* another, for the owner's report; or NULL */
    int64_t now;
    /* `what` names the step. */
    void (*progress)(void *ctx, const char *what, uint64_t done,
                     uint64_t total);
    void *progress_ctx;
};

/* What is known before anything is spent. */
struct release {
    arena *arena;
    struct work_snapshot of; /* data and policy */
    struct plan *plan;
    struct schema *schema; /* of what is released */
    struct ranges ranges;
    size_t *field; /* by column of the domain: the column of plan->table */
    struct zeros_list zeros;
    size_t skipped; /* groups of columns whose tables would be too large */
    struct release_price price;
    struct method method;
    struct method_facts facts;
    struct folder out;
    struct owner_report report;
    char id[65];
    bool stored; /* the store has it: it is free */

    /* What the owner's report compares; of a stored release nothing. */
    struct coded *rows;
    struct synthetic_rows synthetic;
};

/*
 * Checks a request, and everything that can be refused. Charges nothing and reads no
 * private data. May fail: as plan_make, schema_make, workload_make,
 * release_price_make, method_check and folder_place, and with CUSTOS_EUNSUPPORTED,
 * CUSTOS_EINVAL. On success the caller frees *out by release_free.
 */
CUSTOS_MUST_USE custos_status release_prepare(struct curator *c,
                                              const struct release_request *r,
                                              struct release *out,
                                              custos_err *err);
void release_free(struct release *r);

/*
 * Releases; *receipt: that of the charge; of a stored release its seq is 0. May also
 * fail with CUSTOS_EBUSY, at no cost: data or policy have changed since
 * release_prepare.
 */
CUSTOS_MUST_USE custos_status release_run(struct curator *c,
                                          const struct release_request *request,
                                          struct release *r,
                                          struct receipt *receipt,
                                          custos_err *err);

/*
 * Writes the owner's report of a finished release, which is NOT PRIVATE. The release
 * is complete whether or not this succeeds. May fail: as owner_report_write.
 */
CUSTOS_MUST_USE custos_status release_report(
    const struct release_request *request, struct release *r, custos_err *err);

#endif
