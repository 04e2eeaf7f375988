/*
 * THEOREM  ledger-budgets
 *   A charge is admitted only if the common filter, with the sums of all
 *   charges of the chain, admits it, and the analyst's own filter, with the
 *   sums of that analyst's charges, admits it too. A cached answer that is
 *   given to another analyst is no new release: it costs the common budget
 *   nothing, and that analyst's own budget its price. Whatever analysts tell
 *   each other, all answers together keep the common promise, and the answers
 *   to one analyst keep that analyst's promise.
 * SOURCE   doc/proofs/ledger-budgets.md, by filter-best-of-both (delta > 0)
 *          and filter-basic (delta = 0).
 * NEEDS    sums read and written in the transaction that adds the row; the
 *          charge holds for one unit under the adjacency of the terms.
 * GIVES    the promises of the terms in force. A larger budget is a new
 *          promise; windows add no promise to those of the budgets.
 * FAILS    CUSTOS_ESPENT, depending on public facts only; then nothing is
 *          counted.
 * TESTED   budgets_exhaust_exactly budgets_own_below_common
 *          budgets_best_of_both_outlasts_the_sum budgets_window_slides
 *          budgets_shared_answers_cost_who_asks budgets_count_prices_in_rho
 *          budgets_have_two_delta_sums
 */
#include "ledger/budgets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/sha256.h"

static const char DOMAIN[] = "custos ledger state, format 1";
static const char DOMAIN_2[] = "custos ledger state, format 2";

void
sums_init(struct sums *s)
{
    memset(s, 0, sizeof *s);
    charge_sum_init(&s->spent);
}

void
sums_add(struct sums *s, const struct charge *c, uint64_t seq)
{
    charge_sum_add(&s->spent, c);
    s->charges++;
    s->seq = seq;
}

/* ---------------------------------------------------------------- state -- */

struct texts {
    char epsilon[AMOUNT_TEXT_MAX], rho[AMOUNT_TEXT_MAX];
    char delta[AMOUNT_TEXT_MAX], delta_rho[AMOUNT_TEXT_MAX];
};

static void
texts_of(const struct charge *c, struct texts *t)
{
    amount_write(c->epsilon, AMOUNT_LOSS, t->epsilon);
    amount_write(c->rho, AMOUNT_LOSS, t->rho);
    amount_write(c->delta, AMOUNT_DELTA, t->delta);
    amount_write(c->delta_rho, AMOUNT_DELTA, t->delta_rho);
}

/* A hash that ties the sums to the row that made them, so that damage to either
   is found. If both sums of deltas are equal, it is the hash of the formats that
   had only one. */
static void
mark_of(str who, const struct sums *s, const uint8_t row[LEDGER_HASH_BYTES],
        uint8_t mark[LEDGER_HASH_BYTES])
{
    bool one = s->spent.delta == s->spent.delta_rho;
    struct texts t;
    struct sha256 h;

    texts_of(&s->spent, &t);
    sha256_init(&h);
    chain_add_bytes(&h, one ? DOMAIN : DOMAIN_2, sizeof DOMAIN);
    chain_add_bytes(&h, who.ptr, who.len);
    chain_add_bytes(&h, t.epsilon, strlen(t.epsilon));
    chain_add_bytes(&h, t.rho, strlen(t.rho));
    chain_add_bytes(&h, t.delta, strlen(t.delta));
    if (!one)
        chain_add_bytes(&h, t.delta_rho, strlen(t.delta_rho));
    chain_add_int(&h, s->charges);
    chain_add_int(&h, s->seq);
    chain_add_bytes(&h, row, LEDGER_HASH_BYTES);
    sha256_end(&h, mark);
}

static bool
state_read(struct query *q, str who, struct sums *out)
{
    uint8_t row[LEDGER_HASH_BYTES], mark[LEDGER_HASH_BYTES], want[sizeof mark];

    out->charges = (uint64_t)query_int(q, 3);
    out->seq = (uint64_t)query_int(q, 4);
    if (!amount_read(query_bytes(q, 0), AMOUNT_LOSS, &out->spent.epsilon) ||
        !amount_read(query_bytes(q, 1), AMOUNT_LOSS, &out->spent.rho) ||
        !amount_read(query_bytes(q, 2), AMOUNT_DELTA, &out->spent.delta) ||
        !query_fixed(q, 5, mark, sizeof mark) ||
        !query_fixed(q, 6, row, sizeof row) ||
        !amount_read(query_bytes(q, 7), AMOUNT_DELTA, &out->spent.delta_rho))
        return false;
    memcpy(out->row, row, sizeof row);
    mark_of(who, out, row, want);
    return memcmp(mark, want, sizeof mark) == 0;
}

static custos_status
fail_state(custos_err *err)
{
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "the ledger is damaged: a balance does not agree with "
                       "the chain" HINT "restore a backup");
}

custos_status
budgets_load(struct db *d, str who, struct sums *out, custos_err *err)
{
    struct query q;
    bool whole = true;
    custos_status st;

    sums_init(out);
    query_begin(
        &q, d,
        "SELECT s.epsilon, s.rho, s.delta, s.charges, s.seq, s.mark,"
        " c.hash, s.delta_rho FROM state s LEFT JOIN chain c ON c.seq = s.seq"
        " WHERE s.who = ?");
    query_put_text(&q, who);
    if (query_next(&q))
        whole = state_read(&q, who, out);
    st = query_end(&q, err);
    return st || whole ? st : fail_state(err);
}

custos_status
budgets_load_common(struct db *d, const struct receipt *head, struct sums *out,
                    custos_err *err)
{
    custos_status st = budgets_load(d, BUDGETS_COMMON, out, err);

    if (!st && out->seq != head->seq)
        st = fail_state(err);
    return st;
}

custos_status
budgets_save(struct db *d, str who, const struct sums *s,
             const struct receipt *row, custos_err *err)
{
    uint8_t mark[LEDGER_HASH_BYTES];
    struct texts t;
    struct query q;

    texts_of(&s->spent, &t);
    mark_of(who, s, row->hash, mark);
    query_begin(&q, d,
                "INSERT OR REPLACE INTO state"
                " (who, epsilon, rho, delta, charges, seq, mark, delta_rho)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    query_put_text(&q, who);
    query_put_text(&q, str_of(t.epsilon));
    query_put_text(&q, str_of(t.rho));
    query_put_text(&q, str_of(t.delta));
    query_put_int(&q, (int64_t)s->charges);
    query_put_int(&q, (int64_t)s->seq);
    query_put_bytes(&q, mark, sizeof mark);
    query_put_text(&q, str_of(t.delta_rho));
    while (query_next(&q))
        ;
    return query_end(&q, err);
}

/* ------------------------------------------------------------ admission -- */

/* Words of a refusal: whose budget it is, and the end of the sentence. */
struct limiter {
    const char *whose, *after;
};

struct shortage {
    const char *currency;
    amount need, left;
    enum amount_unit unit;
    const char *lane; /* of a delta, if the budget has two; else empty */
    bool any_left;    /* would a cheaper query be admitted? */
};

static custos_status
say_short(const struct limiter *by, const struct shortage *s, custos_err *err)
{
    char needed[AMOUNT_TEXT_MAX], rest[AMOUNT_TEXT_MAX];

    amount_write(s->need, s->unit, needed);
    amount_write(s->left, s->unit, rest);
    return custos_fail(err, CUSTOS_ESPENT,
                       "%s %s: this needs %s %s, and %s is left%s%s", by->whose,
                       s->any_left ? "does not suffice" : "is spent",
                       s->currency, needed, rest, s->lane, by->after);
}

/* Without a delta only the sum of epsilon keeps a budget, and a price in rho has
   no epsilon. */
static custos_status
say_pure(const struct limiter *by, custos_err *err)
{
    return custos_fail(err, CUSTOS_ESPENT,
                       "%s has no delta and counts only epsilon, and no "
                       "epsilon bounds a price in rho" HINT
                       "ask for a price in epsilon",
                       by->whose);
}

/*
 * Reports what is needed and what is left, in the currency that is short. Where
 * only losses are short, that is the epsilon that either lane would admit, as
 * long as the charge asks for more; otherwise it is what the lane that is named
 * lacks.
 */
static custos_status
refuse_charge(const struct filter *f, const struct charge *c,
              const struct limiter *by, custos_err *err)
{
    bool pure = f->kind == CUSTOS_FILTER_PURE;
    amount most = filter_left_epsilon(f);
    struct filter_shortage short_of = filter_find_shortage(f, c);
    struct shortage s = {"epsilon",   c->epsilon, most,
                         AMOUNT_LOSS, "",         most > 0};

    if (short_of.in_delta) {
        s.currency = "delta";
        s.need = short_of.need;
        s.left = short_of.left;
        s.unit = AMOUNT_DELTA;
        if (!pure)
            s.lane = short_of.lane == 0 ? " for queries counted in epsilon"
                                        : " for queries counted in rho";
    } else if (pure && c->epsilon == AMOUNT_INFINITE) {
        return say_pure(by, err);
    } else if (c->epsilon == AMOUNT_INFINITE || c->epsilon <= most) {
        s.currency = filter_currency(f, short_of.lane);
        s.need = short_of.need;
        s.left = short_of.left;
    }
    return say_short(by, &s, err);
}

static custos_status
admit_charge(const struct filter *limits, const struct sums *spent,
             const struct charge *c, const struct limiter *by, custos_err *err)
{
    struct filter f = *limits;

    filter_resume(&f, &spent->spent);
    if (filter_admit(&f, c, NULL) == CUSTOS_OK)
        return CUSTOS_OK;
    return refuse_charge(&f, c, by, err);
}

/* Admits the charge if the window does. A refusal says for how many days each
   charge counts. */
static custos_status
admit_window(const struct filter *limits, const struct sums *spent,
             const struct charge *c, uint32_t days, custos_err *err)
{
    char whose[64], after[64];
    struct limiter by = {whose, after};

    snprintf(whose, sizeof whose, "your window of %" PRIu32 " day%s", days,
             days == 1 ? "" : "s");
    snprintf(after, sizeof after, "; each charge counts for %" PRIu32 " day%s",
             days, days == 1 ? "" : "s");
    return admit_charge(limits, spent, c, &by, err);
}

static custos_status
admit_own(struct db *d, struct terms *t, const struct ledger_request *r,
          struct standing *s, custos_err *err)
{
    static const struct limiter own = {"your own budget", ""};
    const struct filter *limits;
    struct charge c;
    struct sums window;
    custos_status st = budgets_load(d, r->who, &s->own, err);

    if (!st)
        st = terms_own(t, s->analyst, &limits, err);
    if (!st && limits)
        st = admit_charge(limits, &s->own, r->charge, &own, err);
    if (!st)
        st = budgets_window(d, t, s->analyst, r->now, &s->own, &limits, &window,
                            err);
    if (!st && limits) {
        c = window_charge(limits, r->charge);
        st = admit_window(limits, &window, &c,
                          t->said.analysts[s->analyst].window_days, err);
    }
    return st;
}

custos_status
budgets_admit(struct db *d, struct terms *t, const struct ledger_request *r,
              struct standing *s, custos_err *err)
{
    static const struct limiter common = {"the common budget (of all analysts)",
                                          ""};
    custos_status st = CUSTOS_OK;
    struct receipt head;

    s->analyst = t->said.n_analysts;
    if (r->who.len)
        st = terms_find(t, r->who, &s->analyst, err);
    if (!st)
        st = chain_head(d, &head, err);
    if (!st)
        st = budgets_load_common(d, &head, &s->common, err);
    if (!st && r->who.len)
        st = admit_own(d, t, r, s, err);
    if (!st && !r->shared)
        st = admit_charge(&t->common, &s->common, r->charge, &common, err);
    return st;
}
