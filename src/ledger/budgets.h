/*
 * Sums and limits. What is spent is a fact and is kept in the table `state`,
 * one row for the whole and one for each analyst; what may be spent is a
 * promise and follows from the terms. A filter is one laid over the other.
 */
#ifndef LEDGER_BUDGETS_H
#define LEDGER_BUDGETS_H

#include "ledger/terms.h"

/* The whole is kept under the name of nobody. */
#define BUDGETS_COMMON ((str){"", 0})

struct sums {
    struct charge spent; /* epsilon, rho and delta; the rest is infinite */
    uint64_t charges;
    uint64_t seq;                   /* the row that made them so */
    uint8_t row[LEDGER_HASH_BYTES]; /* its hash, as far as it is known */
};

void sums_init(struct sums *s);
void sums_add(struct sums *s, const struct charge *c, uint64_t seq);

/*
 * The sums of one name, or none yet. A state that was not written whole, or
 * for another row than it says, is CUSTOS_ECORRUPT.
 */
CUSTOS_MUST_USE custos_status budgets_load(struct db *d, str who,
                                           struct sums *out, custos_err *err);

/* Those of the whole, which must be up to date with the head of the chain. */
CUSTOS_MUST_USE custos_status budgets_load_common(struct db *d,
                                                  const struct receipt *head,
                                                  struct sums *out,
                                                  custos_err *err);

/* Keeps them; `row` is the row s->seq. */
CUSTOS_MUST_USE custos_status budgets_save(struct db *d, str who,
                                           const struct sums *s,
                                           const struct receipt *row,
                                           custos_err *err);

/*
 * The window of an analyst, by index: its limits, NULL where there is none, and
 * what it has spent of them (windows.c). own: the sums of the same analyst,
 * loaded in this transaction. A window without a delta counts epsilon alone,
 * since it promises nothing; so does window_charge of a charge to come.
 */
CUSTOS_MUST_USE custos_status budgets_window(struct db *d, struct terms *t,
                                             size_t analyst, int64_t now,
                                             const struct sums *own,
                                             const struct filter **limits,
                                             struct sums *out, custos_err *err);

/* A charge was added in this transaction; own is with it. */
void window_count(struct terms *t, size_t analyst, const struct sums *own,
                  const struct charge *c, int64_t time);
struct charge
window_charge(const struct filter *limits, const struct charge *c);

/* The three that must admit a charge. */
struct standing {
    struct sums common, own;
    size_t analyst; /* its index; n_analysts: the owner */
};

/*
 * Whether common budget, own budget and window admit c; then *s, read in this
 * transaction, has it counted. May fail: CUSTOS_ESPENT and what reading may.
 */
CUSTOS_MUST_USE custos_status budgets_admit(struct db *d, struct terms *t,
                                            const struct ledger_request *r,
                                            struct standing *s,
                                            custos_err *err);

#endif
