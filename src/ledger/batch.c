/*
 * A batch: charges of one analyst that are admitted together or not at all.
 *
 * THEOREM  batch-all-or-nothing
 *   A batch is admitted if and only if its charges would be admitted one after
 *   the other, with nothing between them. Then each is a row of the chain, and
 *   the sums are those of the charges one by one; otherwise nothing is written.
 * SOURCE   doc/proofs/batch-all-or-nothing.md
 * NEEDS    ledger-budgets, whose filters depend on the sums of the charges alone
 *          and admit every part of what they admit; all requests have the same
 *          analyst, policy and time.
 * GIVES    one transaction: after a crash all rows of the batch are in the chain,
 *          or none is.
 * FAILS    as a single charge, with the price of the whole batch in the message.
 * TESTED   batch_is_admitted_as_a_whole batch_is_one_by_one
 *          batch_of_shared_answers batch_growth_is_of_all
 *          powercut_loses_no_receipt
 */
#include <string.h>

#include "base/base.h"
#include "ledger/inside.h"
#include "ledger/sizes.h"

/* The analyst's own budget, in which every charge counts, and the common one, in
   which those of shared answers do not. */
enum budget { BUDGET_OWN, BUDGET_COMMON };

/* The sum of the charges that count there; false: there are none. */
static bool
add_charges(const struct ledger_job *job, enum budget budget,
            struct charge *out)
{
    struct sums s;

    sums_init(&s);
    for (size_t i = 0; i < job->n_requests; i++)
        if (budget == BUDGET_OWN || !job->request[i].shared)
            sums_add(&s, job->request[i].charge, 0);
    *out = s.spent;
    return s.charges > 0;
}

/* Is the sum of the batch admitted: by the analyst's own budget and window, and
   by the common budget? *analyst: as in struct standing. */
static custos_status
admit_sum(struct ledger *l, const struct ledger_job *job, size_t *analyst,
          custos_err *err)
{
    struct ledger_request own = job->request[0], common = own;
    struct charge of_own, of_common;
    struct standing s;
    custos_status st = CUSTOS_OK;

    own.charge = &of_own;
    own.shared = true; /* the common budget is asked below */
    common.charge = &of_common;
    common.who = (str){"", 0};
    common.shared = false;
    *analyst = l->terms->said.n_analysts;
    if (own.who.len && add_charges(job, BUDGET_OWN, &of_own)) {
        st = budgets_admit(l->db, l->terms, &own, &s, err);
        *analyst = s.analyst;
    }
    if (!st && add_charges(job, BUDGET_COMMON, &of_common))
        st = budgets_admit(l->db, l->terms, &common, &s, err);
    return st;
}

static custos_status
judge_batch(struct ledger *l, const struct ledger_job *job, custos_err *err)
{
    const struct ledger_request *first = job->request;
    custos_status st = CUSTOS_OK;
    size_t analyst = 0;

    CUSTOS_REQUIRE(job->n_requests > 0 && job->n_requests <= LEDGER_BATCH_MOST);
    for (size_t i = 0; i < job->n_requests && !st; i++) {
        const struct ledger_request *r = &first[i];

        CUSTOS_REQUIRE(str_equal(r->who, first->who) && r->now == first->now &&
                       memcmp(r->policy, first->policy, sizeof r->policy) == 0);
        st = charge_check(l, r, err);
    }
    if (!st)
        st = admit_sum(l, job, &analyst, err);
    if (!st)
        st = growth_judge(l, first, job->n_requests, analyst, err);
    return st;
}

/* What judge_batch has admitted, step_charge admits one by one. If it did not, the
   rows written before would make ledger_write_all undo the transaction. */
custos_status
step_charges(struct ledger *l, void *arg, custos_err *err)
{
    struct ledger_job *batch = arg;
    custos_status st = judge_batch(l, batch, err);

    for (size_t i = 0; i < batch->n_requests && !st; i++) {
        struct ledger_job one = {.kind = LEDGER_CHARGE,
                                 .request = &batch->request[i]};

        st = step_charge(l, &one, err);
        batch->receipts[i] = one.receipt;
    }
    return st;
}
