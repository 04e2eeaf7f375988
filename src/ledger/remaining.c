/*
 * What remains, as one number, now or after one more charge; and what was
 * spent.
 *
 * THEOREM  left-after
 *   The number reported for a charge is the largest epsilon of a pure charge
 *   that all filters of an analyst would admit right after they had admitted
 *   that charge: it never promises more than remains.
 * SOURCE   by definition: filter_admit counts the charge on copies of the
 *          filters that budgets_admit uses, with the same sums, and
 *          filter_left_epsilon tries actual admissions.
 * NEEDS    the sums of one moment; the charge is a function of public facts.
 * GIVES    the least over common budget, own budget and window, exact, in units
 *          of 10^-20 rounded down. A charge that others make meanwhile lowers
 *          it. If another analyst has paid for the answer, it costs the common
 *          budget nothing and more remains; the number does not reveal that.
 * FAILS    CUSTOS_ESPENT: the charge itself would be refused; as reading does.
 * TESTED   left_after_is_what_is_left_after left_after_refuses_what_is_refused
 */
#include <string.h>

#include "base/error.h"
#include "ledger/inside.h"

struct look {
    str who;
    int64_t now;
    const struct charge *charge; /* or NULL */
    amount least;
    bool in_rho; /* least follows from a sum of rho */
    struct ledger_spent *spent;
};

/* Lowers look->least to what remains of one filter after the charge. */
static custos_status
count_left(const struct filter *limits, const struct sums *s,
           const struct charge *c, struct look *look, custos_err *err)
{
    struct filter f = *limits;
    amount most;

    filter_resume(&f, &s->spent);
    if (c && filter_admit(&f, c, NULL))
        return custos_fail(err, CUSTOS_ESPENT,
                           "the budget does not allow this charge");
    most = filter_left_epsilon(&f);
    if (most < look->least) {
        look->least = most;
        look->in_rho = filter_left_in_rho(&f, most);
    }
    return CUSTOS_OK;
}

static custos_status
leave_window(struct ledger *l, size_t analyst, const struct sums *own,
             struct look *look, custos_err *err)
{
    const struct filter *limits = NULL;
    struct charge counted;
    struct sums s;
    custos_status st = budgets_window(l->db, l->terms, analyst, look->now, own,
                                      &limits, &s, err);

    if (st || !limits)
        return st;
    if (!look->charge)
        return count_left(limits, &s, NULL, look, err);
    counted = window_charge(limits, look->charge);
    return count_left(limits, &s, &counted, look, err);
}

static custos_status
load_common(struct ledger *l, struct sums *s, custos_err *err)
{
    struct receipt head;
    custos_status st = ledger_terms_now(l, err);

    if (!st)
        st = chain_head(l->db, &head, err);
    return st ? st : budgets_load_common(l->db, &head, s, err);
}

static custos_status
step_left(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    const struct filter *limits = NULL;
    struct sums s;
    size_t analyst;
    custos_status st = load_common(l, &s, err);

    if (!st)
        st = count_left(&l->terms->common, &s, look->charge, look, err);
    if (st || !look->who.len)
        return st;
    st = terms_find(l->terms, look->who, &analyst, err);
    if (!st)
        st = budgets_load(l->db, look->who, &s, err);
    if (!st)
        st = terms_own(l->terms, analyst, &limits, err);
    if (!st && limits)
        st = count_left(limits, &s, look->charge, look, err);
    return st ? st : leave_window(l, analyst, &s, look, err);
}

custos_status
ledger_remaining(struct ledger *l, str who, int64_t now,
                 const struct charge *charge, struct ledger_remaining *out,
                 custos_err *err)
{
    struct look look = {
        .who = who, .now = now, .charge = charge, .least = AMOUNT_INFINITE};
    custos_status st = ledger_read(l, step_left, &look, err);

    if (!st) {
        amount_write(look.least, AMOUNT_LOSS, out->epsilon);
        out->in_rho = look.in_rho;
    }
    return st;
}

static custos_status
step_spent(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    struct sums s;
    size_t analyst;
    custos_status st = load_common(l, &s, err);

    if (!st && look->who.len)
        st = terms_find(l->terms, look->who, &analyst, err);
    if (!st && look->who.len)
        st = budgets_load(l->db, look->who, &s, err);
    if (st)
        return st;
    amount_write(s.spent.epsilon, AMOUNT_LOSS, look->spent->epsilon);
    amount_write(s.spent.rho, AMOUNT_LOSS, look->spent->rho);
    amount_write(s.spent.delta, AMOUNT_DELTA, look->spent->delta);
    amount_write(s.spent.delta_rho, AMOUNT_DELTA, look->spent->delta_rho);
    look->spent->charges = s.charges;
    return CUSTOS_OK;
}

custos_status
ledger_spent(struct ledger *l, str who, struct ledger_spent *out,
             custos_err *err)
{
    struct look look = {.who = who, .spent = out};

    return ledger_read(l, step_spent, &look, err);
}
