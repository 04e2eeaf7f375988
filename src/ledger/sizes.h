/*
 * The space that cached answers and each analyst's rows take, counted in the
 * table `sizes` in the transaction that writes them.
 */
#ifndef LEDGER_SIZES_H
#define LEDGER_SIZES_H

#include "ledger/inside.h"

/* What the table `sizes` counts: cached answers, or the rows of an analyst. */
enum size_of { SIZE_ANSWERS, SIZE_ROWS };
CUSTOS_MUST_USE custos_status size_load(struct db *d, enum size_of what,
                                        str who, uint64_t *out,
                                        custos_err *err);
CUSTOS_MUST_USE custos_status size_add(struct db *d, enum size_of what, str who,
                                       int64_t bytes, custos_err *err);

/*
 * May the rows of these n charges of one analyst be added? CUSTOS_EOVERFLOW: the
 * analyst's rows would take more than the request's limits, in total or in this minute (for which
 * only the rows that this handle has added count).
 */
CUSTOS_MUST_USE custos_status growth_judge(struct ledger *l,
                                           const struct ledger_request *r,
                                           size_t n, size_t analyst,
                                           custos_err *err);

/* Counts the row after it was added. */
CUSTOS_MUST_USE custos_status growth_count(struct ledger *l,
                                           const struct ledger_request *r,
                                           size_t analyst, custos_err *err);

/*
 * Drops the oldest cached answers, at most `most`, while they are older or take
 * more space than retention allows at `now`. Adds to *dropped and *bytes.
 * Asking for them again costs again.
 */
CUSTOS_MUST_USE custos_status answers_trim(
    struct db *d, const struct ledger_retention *retention, int64_t now,
    size_t most, uint64_t *dropped, uint64_t *bytes, custos_err *err);

/* The bytes that are counted for a cached answer of this length. */
uint64_t answer_size(size_t len);

#endif
