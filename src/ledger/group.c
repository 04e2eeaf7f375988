/*
 * Group commit: waiting jobs are written together, with one sync for all.
 *
 * THEOREM  ledger-group
 *   Requests of one group are decided one by one in one transaction, each on
 *   the balance after the admitted ones before it. So the requests admitted
 *   together would also have been admitted one after the other, and no budget
 *   is exceeded. No request gets its result before the commit has returned.
 * SOURCE   doc/proofs/ledger-group.md
 * NEEDS    ledger-budgets for a single request; ledger-durable-first for a
 *          single transaction; a request that is refused has written nothing.
 * GIVES    the same receipts, refusals and sums as if the requests were made
 *          one by one; on success each charge of the group is on disk.
 * FAILS    CUSTOS_EIO, CUSTOS_EBUSY, CUSTOS_ECORRUPT, CUSTOS_ENOMEM: each job
 *          of the group fails with it, even one that was refused, since the
 *          charges that left too little for it may not be in the ledger.
 *          Charges of the group may be in the ledger; there is no receipt.
 * TESTED   group_is_one_by_one group_exhausts_exactly
 *          group_fault_is_of_all powercut_loses_no_receipt
 */
#include "base/error.h"
#include "ledger/inside.h"

static ledger_step *
step_of(enum ledger_job_kind kind)
{
    switch (kind) {
    case LEDGER_CHARGE: return step_charge;
    case LEDGER_CHARGES: return step_charges;
    case LEDGER_ACT: return step_act;
    case LEDGER_KEEP: return step_keep;
    }
    return NULL; /* UNREACHABLE */
}

void
ledger_post(struct ledger *l, struct ledger_job *first)
{
    struct ledger_part parts[LEDGER_GROUP_MOST];

    while (first) {
        struct ledger_job *job = first;
        size_t n = 0;

        for (; job && n < LEDGER_GROUP_MOST; job = job->next)
            parts[n++] = (struct ledger_part){
                .step = step_of(job->kind), .arg = job, .err = job->err};
        ledger_write_all(l, parts, n);
        for (size_t i = 0; i < n; i++, first = first->next)
            first->status = parts[i].status;
    }
}
