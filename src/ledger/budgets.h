/*
 * Sums and limits. What was spent is stored in the table `state`, one row for
 * everybody together and one for each analyst; what may be spent follows from
 * the terms. A filter combines the two.
 */
#ifndef LEDGER_BUDGETS_H
#define LEDGER_BUDGETS_H

#include "ledger/terms.h"

/* The name under which the common sums are stored: empty. */
#define BUDGETS_COMMON ((str){"", 0})

struct sums {
    struct charge spent; /* epsilon, rho, both deltas; the rest is infinite */
    uint64_t charges;
    uint64_t seq;                   /* the last row that was counted */
    uint8_t row[LEDGER_HASH_BYTES]; /* hash of row seq, if known */
};

void sums_init(struct sums *s);
void sums_add(struct sums *s, const struct charge *c, uint64_t seq);

/*
 * The sums of one name; zeros if there are none. CUSTOS_ECORRUPT: the state is
 * incomplete, or its mark does not match its row.
 */
CUSTOS_MUST_USE custos_status budgets_load(struct db *d, str who,
                                           struct sums *out, custos_err *err);

/* The common sums, which must be up to date with the head of the chain. */
CUSTOS_MUST_USE custos_status budgets_load_common(struct db *d,
                                                  const struct receipt *head,
                                                  struct sums *out,
                                                  custos_err *err);

/* Stores sums; `row` is the receipt of row s->seq. */
CUSTOS_MUST_USE custos_status budgets_save(struct db *d, str who,
                                           const struct sums *s,
                                           const struct receipt *row,
                                           custos_err *err);

/*
 * The window of the analyst with this index: its limits (NULL if there is no
 * window), and what was spent in it (windows.c). own: the sums of the same
 * analyst, loaded in this transaction. A window with delta 0 does not count
 * delta, since a window is not a promise; window_charge sets a charge's deltas
 * to 0 for such a window.
 */
CUSTOS_MUST_USE custos_status budgets_window(struct db *d, struct terms *t,
                                             size_t analyst, int64_t now,
                                             const struct sums *own,
                                             const struct filter **limits,
                                             struct sums *out, custos_err *err);

/* Adds a charge of this transaction to the window; own includes it already. */
void window_count(struct terms *t, size_t analyst, const struct sums *own,
                  const struct charge *c, int64_t time);
struct charge
window_charge(const struct filter *limits, const struct charge *c);

/* The sums that decide whether a charge is admitted. */
struct standing {
    struct sums common, own;
    size_t analyst; /* the asker's index; n_analysts: the owner */
};

/*
 * Reads the sums into *s, and admits the charge if common budget, own budget
 * and window all admit it; a shared answer needs no common budget. Adds
 * nothing: ledger_append does. May fail: CUSTOS_ESPENT, CUSTOS_ENAME, and as
 * reading does.
 */
CUSTOS_MUST_USE custos_status budgets_admit(struct db *d, struct terms *t,
                                            const struct ledger_request *r,
                                            struct standing *s,
                                            custos_err *err);

#endif
