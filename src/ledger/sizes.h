/*
 * How much of the disk stored answers and each analyst's rows take: counted in
 * the table `sizes`, in the transaction that writes them.
 */
#ifndef LEDGER_SIZES_H
#define LEDGER_SIZES_H

#include "ledger/inside.h"

/* A name of the table `sizes`: stored answers, or the rows of an analyst. */
enum size_of { SIZE_ANSWERS, SIZE_ROWS };
CUSTOS_MUST_USE custos_status size_load(struct db *d, enum size_of what,
                                        str who, uint64_t *out,
                                        custos_err *err);
CUSTOS_MUST_USE custos_status size_add(struct db *d, enum size_of what, str who,
                                       int64_t bytes, custos_err *err);

/*
 * May this charge's row be added? CUSTOS_EOVERFLOW: the analyst's rows would
 * take more than the request's limits, in all or in this minute.
 */
CUSTOS_MUST_USE custos_status growth_judge(struct ledger *l,
                                           const struct ledger_request *r,
                                           size_t analyst, custos_err *err);

/* Counts it, once it was added. */
CUSTOS_MUST_USE custos_status growth_count(struct ledger *l,
                                           const struct ledger_request *r,
                                           size_t analyst, custos_err *err);

/*
 * Drops the oldest stored answers, at most `most`, while they are older than
 * retention allows at `now` or take more than it allows. *dropped and *bytes
 * are added to. Asking again then costs again.
 */
CUSTOS_MUST_USE custos_status answers_trim(
    struct db *d, const struct ledger_retention *retention, int64_t now,
    size_t most, uint64_t *dropped, uint64_t *bytes, custos_err *err);

/* What a stored answer is counted as. */
uint64_t answer_size(size_t len);

#endif
