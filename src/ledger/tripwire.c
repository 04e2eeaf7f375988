/*
 * The tripwire: after a failure below the charge, the analyst or everybody is
 * suspended until the owner resumes.
 *
 * A charged query must not fail: whether it fails may depend on the data, and
 * epsilon does not account for that. So a failure is a bug by definition. The
 * tripwire bounds the number of bits that can leak through an unknown bug: it
 * stops an analyst at the first failure, and everybody when as many analysts as
 * the policy says have had one.
 *
 * THEOREM  tripwire
 *   Let failures be visible, and let each be a row of the chain before any
 *   later charge of the same analyst. After a failure its analyst is not
 *   charged, and after failures of F analysts nobody is, until the owner's
 *   "resume". So of N questions asked one after the other at most F fail, and
 *   knowing which ones fail gives at most log2 of the sum over j <= F of
 *   C(N, j) bits: 37.3 for N = 10,000 and F = 3.
 * SOURCE   doc/proofs/tripwire.md
 * NEEDS    the rows are read in the transaction that adds the charge; the row
 *          of a failure is durable before its analyst is told.
 * GIVES    a bound where epsilon gives none, between two acts of the owner.
 *          Questions that were charged before the failure go on: if k of an
 *          analyst's questions run at a time, up to k - 1 more can fail. They
 *          do not add an analyst to the count, and do not suspend others.
 * FAILS    CUSTOS_EDENIED with one sentence, no matter who is suspended or why.
 * TESTED   tripwire_first_failure_suspends_the_analyst
 *          tripwire_third_failure_suspends_the_store
 *          tripwire_resume_is_a_row tripwire_counts_overruns_of_the_window
 *          tripwire_verify_finds_a_charge_of_the_suspended
 *          a_failure_suspends_and_resume_lifts_it a_crash_of_its_own_counts
 *          a_failure_without_a_row_suspends_all
 *          three_failures_suspend_the_store a_cancel_does_not_count
 */
#include "ledger/tripwire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "ledger/inside.h"

/* The condition of the partial index; SQLite uses the index only for a query
   with exactly these words. */
#define OF_THE_WIRE "kind IN ('failure', 'overrun', 'resume')"
#define SINCE_RESUME                                                           \
    "seq > (SELECT coalesce(max(seq), 0) FROM chain WHERE " OF_THE_WIRE        \
    " AND kind = 'resume')"

static custos_status
count_failures(struct db *d, str who, struct ledger_tripwire *out,
               custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT count(*), coalesce(sum(who = ?), 0), count(DISTINCT "
                "who) FROM chain"
                " WHERE " OF_THE_WIRE
                " AND kind = 'failure' AND " SINCE_RESUME);
    query_put_text(&q, who);
    if (query_next(&q)) {
        out->failures = (uint64_t)query_int(&q, 0);
        out->own_failures = (uint64_t)query_int(&q, 1);
        out->failing = (uint64_t)query_int(&q, 2);
    }
    return query_end(&q, err);
}

/* The row at which the analyst's last LEDGER_OVERRUN_WINDOW questions begin. */
static custos_status
window_begin(struct db *d, str who, int64_t *out, custos_err *err)
{
    struct query q;

    *out = 0;
    query_begin(&q, d,
                "SELECT seq FROM chain WHERE kind = 'charge' AND who = ?"
                " ORDER BY time DESC, seq DESC LIMIT 1 OFFSET ?");
    query_put_text(&q, who);
    query_put_int(&q, LEDGER_OVERRUN_WINDOW - 1);
    if (query_next(&q))
        *out = query_int(&q, 0);
    return query_end(&q, err);
}

static custos_status
count_overruns(struct db *d, str who, struct ledger_tripwire *out,
               custos_err *err)
{
    struct query q;
    int64_t from;
    custos_status st;

    query_begin(&q, d,
                "SELECT count(*) FROM chain WHERE " OF_THE_WIRE
                " AND kind = 'overrun' AND who = ? AND " SINCE_RESUME);
    query_put_text(&q, who);
    if (query_next(&q))
        out->overruns = (uint64_t)query_int(&q, 0);
    st = query_end(&q, err);
    if (st || !out->overruns)
        return st; /* the usual case */
    st = window_begin(d, who, &from, err);
    if (st || !from)
        return st;
    query_begin(&q, d,
                "SELECT count(*) FROM chain WHERE " OF_THE_WIRE
                " AND kind = 'overrun' AND who = ? AND seq > ?"
                " AND " SINCE_RESUME);
    query_put_text(&q, who);
    query_put_int(&q, from);
    if (query_next(&q))
        out->overruns = (uint64_t)query_int(&q, 0);
    return query_end(&q, err);
}

/* Is there anything to count? Usually not, and one look-up in the index shows
   it. */
static custos_status
has_any(struct db *d, bool *out, custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT 1 FROM chain WHERE " OF_THE_WIRE
                " AND kind <> 'resume' AND " SINCE_RESUME " LIMIT 1");
    *out = query_next(&q);
    return query_end(&q, err);
}

static custos_status
tripwire_read(struct db *d, str who, struct ledger_tripwire *out,
              custos_err *err)
{
    bool any = false;
    custos_status st = has_any(d, &any, err);

    memset(out, 0, sizeof *out);
    if (st || !any)
        return st;
    st = count_failures(d, who, out, err);
    return st ? st : count_overruns(d, who, out, err);
}

bool
ledger_is_suspended(const struct ledger_tripwire *t, uint64_t max_failures,
                    uint64_t max_overruns)
{
    return t->own_failures || t->overruns > max_overruns ||
           ledger_all_suspended(t, max_failures);
}

bool
ledger_all_suspended(const struct ledger_tripwire *t, uint64_t max_failures)
{
    return t->failing && t->failing >= max_failures;
}

custos_status
tripwire_judge(struct db *d, const struct ledger_request *r, custos_err *err)
{
    struct ledger_tripwire t;
    custos_status st = tripwire_read(d, r->who, &t, err);

    if (!st && ledger_is_suspended(&t, r->max_failures, r->max_overruns))
        st = custos_fail(err, CUSTOS_EDENIED, "%s", LEDGER_SUSPENDED_SAID);
    return st;
}

/* -------------------------------------------------------------- looking -- */

struct look {
    str who;
    struct ledger_tripwire *out;
};

static custos_status
step_look(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;

    return tripwire_read(l->db, look->who, look->out, err);
}

custos_status
ledger_tripwire(struct ledger *l, str who, struct ledger_tripwire *out,
                custos_err *err)
{
    struct look look = {.who = who, .out = out};

    return ledger_read(l, step_look, &look, err);
}

/* -------------------------------------------------------------- resuming -- */

custos_status
ledger_resume(struct ledger *l, str build, int64_t now, struct receipt *out,
              custos_err *err)
{
    return ledger_act(l, TRIPWIRE_RESUME, build, str_of("owner"), now, out,
                      err);
}
