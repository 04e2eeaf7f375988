/*
 * What an analyst has spent in the window, as a running sum: each charge reads
 * only the rows that entered or left the window since the last update, not all
 * of them.
 *
 * THEOREM  window-running-sum
 *   The running sum of a window equals the sum over all charges of the analyst
 *   in the chain whose time is after the window's beginning.
 * SOURCE   the chain is append-only; amounts are integers, so that addition and
 *          subtraction are exact. By induction over the updates: the sum counts
 *          the charges up to row R with a time after S, the window's beginning.
 *          An update to the last row R' and the beginning S' adds the rows
 *          after R with a time after S, then subtracts the rows up to R' with
 *          a time in (S, S'], or, if the clock went back, adds those with a
 *          time in (S', S].
 * NEEDS    row R is in the chain, with its hash; otherwise (a transaction that
 *          was rolled back, a sum that overflowed) the whole window is summed
 *          again.
 * GIVES    the same admission as a sum over the whole window.
 * FAILS    as reading does; a row without amounts is CUSTOS_ECORRUPT.
 * TESTED   windows_are_what_a_whole_sum_says windows_forget_what_was_undone
 */
#include "ledger/budgets.h"

#include <string.h>

#include "base/base.h"

enum { BEHIND_MOST = 4096 }; /* rows; for more, sum again */

/* The start of a window of so many days that ends now. */
static int64_t
window_start(int64_t now, uint32_t days)
{
    int64_t span = (int64_t)days * 86400 * 1000000, start;

    return __builtin_sub_overflow(now, span, &start) ? INT64_MIN : start;
}

/* ------------------------------------------------------------------- sums -- */

static void
part_add(struct window_part *p, amount x, struct window_sum *w)
{
    if (x == AMOUNT_INFINITE)
        p->infinite++;
    else if (__builtin_add_overflow(p->finite, x, &p->finite))
        w->passed = true;
}

static void
part_take(struct window_part *p, amount x, struct window_sum *w)
{
    if (x == AMOUNT_INFINITE ? p->infinite == 0 : p->finite < x)
        w->passed = true; /* the sum does not have this row: sum again */
    else if (x == AMOUNT_INFINITE)
        p->infinite--;
    else
        p->finite -= x;
}

static void
sum_add(struct window_sum *w, const struct charge *c)
{
    part_add(&w->epsilon, c->epsilon, w);
    part_add(&w->rho, c->rho, w);
    part_add(&w->delta, c->delta, w);
    part_add(&w->delta_rho, c->delta_rho, w);
    w->charges++;
}

static void
sum_take(struct window_sum *w, const struct charge *c)
{
    part_take(&w->epsilon, c->epsilon, w);
    part_take(&w->rho, c->rho, w);
    part_take(&w->delta, c->delta, w);
    part_take(&w->delta_rho, c->delta_rho, w);
    w->charges--;
}

static amount
part_total(const struct window_part *p)
{
    return p->infinite ? AMOUNT_INFINITE : p->finite;
}

/* ------------------------------------------------------------------- rows -- */

typedef void sum_step(struct window_sum *w, const struct charge *c);

/* Columns: seq, epsilon, rho, delta, delta_rho. */
static custos_status
rows_count(struct query *q, struct window_sum *w, sum_step *step,
           custos_err *err)
{
    struct ledger_row row;
    struct charge c;
    bool whole = true;
    custos_status st;

    memset(&row, 0, sizeof row);
    while (whole && query_next(q)) {
        row.seq = (uint64_t)query_int(q, 0);
        row.epsilon = query_bytes(q, 1);
        row.rho = query_bytes(q, 2);
        row.delta = query_bytes(q, 3);
        row.delta_rho = query_bytes(q, 4);
        whole = chain_charge(&row, &c);
        if (whole)
            step(w, &c);
    }
    st = query_end(q, err);
    return st || whole ? st : chain_fail(err, row.seq, "has no amounts");
}

static custos_status
count_between(struct db *d, str who, int64_t after, int64_t until,
              struct window_sum *w, sum_step *step, custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT seq, epsilon, rho, delta, delta_rho FROM chain WHERE"
                " kind = 'charge' AND who = ? AND time > ? AND time <= ?");
    query_put_text(&q, who);
    query_put_int(&q, after);
    query_put_int(&q, until);
    return rows_count(&q, w, step, err);
}

/* Adds newer rows; scans by row number, since few are new. */
static custos_status
count_newer(struct db *d, str who, struct window_sum *w, custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT seq, epsilon, rho, delta, delta_rho FROM chain NOT "
                "INDEXED WHERE"
                " seq > ? AND kind = 'charge' AND who = ? AND time > ?");
    query_put_int(&q, (int64_t)w->row.seq);
    query_put_text(&q, who);
    query_put_int(&q, w->since);
    return rows_count(&q, w, sum_add, err);
}

static custos_status
sum_anew(struct db *d, str who, int64_t since, struct window_sum *w,
         custos_err *err)
{
    memset(w, 0, sizeof *w);
    return count_between(d, who, since, INT64_MAX, w, sum_add, err);
}

/* ----------------------------------------------------------------- looking -- */

/* Does the sum count rows of this chain, with only a few newer ones missing? */
static custos_status
is_near(struct db *d, const struct window_sum *w, const struct sums *own,
        bool *out, custos_err *err)
{
    struct receipt is;
    custos_status st;

    *out = false;
    if (!w->valid || own->seq < w->row.seq ||
        own->seq - w->row.seq > BEHIND_MOST)
        return CUSTOS_OK;
    if (w->row.seq == own->seq) {
        *out = !memcmp(w->row.hash, own->row, sizeof own->row);
        return CUSTOS_OK;
    }
    if (w->row.seq == 0) {
        *out = true;
        return CUSTOS_OK;
    }
    st = chain_find(d, w->row.seq, &is, err);
    *out = !st && !memcmp(w->row.hash, is.hash, sizeof is.hash);
    return st == CUSTOS_ENAME ? CUSTOS_OK : st;
}

static custos_status
catch_up(struct db *d, str who, const struct sums *own, int64_t since,
         struct window_sum *w, custos_err *err)
{
    bool near;
    custos_status st = is_near(d, w, own, &near, err);

    if (st)
        return st;
    w->valid = false; /* until all of this has succeeded */
    if (near && w->row.seq != own->seq)
        st = count_newer(d, who, w, err);
    if (!st && near && since > w->since)
        st = count_between(d, who, w->since, since, w, sum_take, err);
    else if (!st && near && since < w->since)
        st = count_between(d, who, since, w->since, w, sum_add, err);
    if (!st && (!near || w->passed))
        st = sum_anew(d, who, since, w, err);
    if (st)
        return st;
    w->since = since;
    w->row.seq = own->seq;
    memcpy(w->row.hash, own->row, sizeof own->row);
    w->valid = !w->passed;
    return CUSTOS_OK;
}

custos_status
budgets_window(struct db *d, struct terms *t, size_t analyst, int64_t now,
               const struct sums *own, const struct filter **limits,
               struct sums *out, custos_err *err)
{
    const struct ledger_analyst *a = &t->said.analysts[analyst];
    struct window_sum *w = &t->limits[analyst].sum;
    custos_status st = terms_window(t, analyst, limits, err);

    if (st || !*limits)
        return st;
    st = catch_up(d, a->name, own, window_start(now, a->window_days), w, err);
    if (st)
        return st;
    sums_init(out);
    out->spent.epsilon = w->passed ? AMOUNT_INFINITE : part_total(&w->epsilon);
    out->spent.rho = w->passed ? AMOUNT_INFINITE : part_total(&w->rho);
    out->spent.delta = w->passed ? AMOUNT_INFINITE : part_total(&w->delta);
    out->spent.delta_rho =
        w->passed ? AMOUNT_INFINITE : part_total(&w->delta_rho);
    if ((*limits)->delta == 0)
        out->spent.delta = out->spent.delta_rho = 0;
    out->charges = w->charges;
    out->seq = own->seq;
    return CUSTOS_OK;
}

void
window_count(struct terms *t, size_t analyst, const struct sums *own,
             const struct charge *c, int64_t time)
{
    struct window_sum *w =
        analyst < t->said.n_analysts ? &t->limits[analyst].sum : NULL;

    if (!w || !w->valid)
        return;
    if (time > w->since)
        sum_add(w, c);
    w->row.seq = own->seq;
    memcpy(w->row.hash, own->row, sizeof own->row);
    w->valid = !w->passed;
}

struct charge
window_charge(const struct filter *limits, const struct charge *c)
{
    struct charge counted = *c;

    if (limits->delta == 0)
        counted.delta = counted.delta_rho = 0;
    return counted;
}
