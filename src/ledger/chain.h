/*
 * The chain: append-only rows, each hashed together with the hash of the row
 * before.
 */
#ifndef LEDGER_CHAIN_H
#define LEDGER_CHAIN_H

#include "ledger/ledger.h"
#include "ledger/sqlite.h"

/* The hash of a row; `before` is the hash of the row before it, or zeros. A row
   without a delta_rho has the hash that earlier formats gave it. */
void chain_hash(const struct ledger_row *row,
                const uint8_t before[LEDGER_HASH_BYTES],
                uint8_t out[LEDGER_HASH_BYTES]);

/* Add a field to a hash: bytes preceded by their length, or a number in 8
   bytes. */
struct sha256;
void chain_add_bytes(struct sha256 *h, const void *ptr, size_t len);
void chain_add_int(struct sha256 *h, uint64_t x);

/* The last row; seq 0 and zeros if there is none. */
CUSTOS_MUST_USE custos_status chain_head(struct db *d, struct receipt *out,
                                         custos_err *err);

/* The hash of row seq. CUSTOS_ENAME: there is no such row. */
CUSTOS_MUST_USE custos_status chain_find(struct db *d, uint64_t seq,
                                         struct receipt *out, custos_err *err);

/* Appends a row after *head and moves *head to it; sets seq and receipt of
   row. */
CUSTOS_MUST_USE custos_status chain_append(struct db *d, struct ledger_row *row,
                                           struct receipt *head,
                                           custos_err *err);

/* The columns of a row, for a SELECT that chain_read reads. */
#define CHAIN_COLUMNS                                                          \
    "seq, time, kind, who, query, plan, theorems, words, epsilon, rho, delta," \
    " data_version, policy, version, hash, delta_rho"

/* The current row of q; its texts are borrowed until the next step. */
void chain_read(struct query *q, struct ledger_row *out);

/* The amounts of a charge; false if the row has no valid ones. A row without a
   delta_rho counts its delta in both lanes. */
bool chain_charge(const struct ledger_row *row, struct charge *out);

/* Checks that row follows *head and matches its hash; moves *head to it. */
CUSTOS_MUST_USE custos_status chain_follow(const struct ledger_row *row,
                                           struct receipt *head,
                                           custos_err *err);

/* Is the row the charge for a cached answer that another analyst has paid
   for? */
bool chain_is_shared(const struct ledger_row *row);
#define CHAIN_SHARED "shared" /* the words of such a row */

/* CUSTOS_ECORRUPT with "the ledger is damaged: row 17 ..." */
custos_status chain_fail(custos_err *err, uint64_t seq, const char *how);

#endif
