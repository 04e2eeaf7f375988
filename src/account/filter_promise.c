/*
 * The filter that the ledger uses for a budget (epsilon, delta). Only this
 * file decides how delta is divided.
 *
 * The best-of-both filter keeps a promise with a delta. Half of delta pays for
 * the conversion. The other half is for the deltas of the admitted charges
 * (members), a quarter for those that epsilon holds up to and a quarter for
 * those that rho holds up to. If delta is 0, a limit on the sum of epsilon keeps
 * the promise.
 *
 * These shares must not become smaller: ledgers written under them, of which the
 * older ones count one delta in both lanes, are verified again by them.
 */
#include "account/filter.h"
#include "base/error.h"
#include "num/batch.h"

enum { MEMBERS_SHARE = 4 }; /* members get 1/4 of delta in each lane */

/* The part of delta for the members' own deltas, as text. */
static custos_status
members_of(const char *delta, struct buf *out, bool *pure, custos_err *err)
{
    custos_status st;
    rat x[2];

    rats_init(x, 2);
    st = rat_read_delta(delta, "delta", &x[0], err);
    if (!st) {
        *pure = rat_sign(&x[0]) == 0;
        rat_set_i64(&x[1], 1, MEMBERS_SHARE);
        rat_mul(&x[0], &x[0], &x[1]);
        rat_write(&x[0], out);
    }
    rats_clear(x, 2);
    if (!st && out->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

custos_status
filter_of_promise(const char *epsilon, const char *delta, struct filter *out,
                  custos_err *err)
{
    custos_filter_options o = {
        .size = sizeof o, .epsilon = epsilon, .delta = delta};
    struct buf members;
    bool pure = true;
    custos_status st;

    buf_init(&members, NULL, 1024);
    st = members_of(delta, &members, &pure, err);
    if (!st) {
        o.kind = pure ? CUSTOS_FILTER_PURE : CUSTOS_FILTER_BEST;
        o.member_delta = pure ? NULL : buf_text(&members);
        st = filter_init(out, &o, err);
    }
    buf_clear(&members);
    return st;
}
