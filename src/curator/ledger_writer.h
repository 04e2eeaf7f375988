/*
 * The ledger writer: the only writer to the ledger in a process, except for
 * changes of credentials and rows about crashes (tripwire.h), which use a
 * connection of their own as another process would. It commits in groups: each
 * waiting request is checked against the balance that the requests before it
 * leave, one commit makes a whole group durable, and no work on an answer begins
 * before that commit has returned.
 *
 * Before ledger_writer_start each call commits in the caller's thread.
 * Afterwards the writer's own thread commits, and any number of threads may
 * call.
 */
#ifndef CURATOR_LEDGER_WRITER_H
#define CURATOR_LEDGER_WRITER_H

#include "ledger/ledger.h"

struct ledger_writer;

CUSTOS_MUST_USE custos_status ledger_writer_open(const char *ledger,
                                                 const char *lock,
                                                 struct ledger_writer **out,
                                                 custos_err *err);

/* No-op if already started. Fails with CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status ledger_writer_start(struct ledger_writer *t,
                                                  custos_err *err);

/* Writes all waiting jobs, and frees the writer. No other call may be in
   progress. */
void ledger_writer_close(struct ledger_writer *t);

/* Returns when the charge is durable, or was rejected (ledger_post). */
CUSTOS_MUST_USE custos_status
ledger_writer_charge(struct ledger_writer *t, const struct ledger_request *r,
                     struct receipt *out, custos_err *err);

/* The same for the charges of a batch, of which all are admitted or none;
   receipts: set to one each. */
CUSTOS_MUST_USE custos_status ledger_writer_charge_all(
    struct ledger_writer *t, const struct ledger_request *requests, size_t n,
    struct receipt *receipts, custos_err *err);

/* The same for a row that charges nothing, such as an act of the owner
   (ledger_act). */
CUSTOS_MUST_USE custos_status ledger_writer_act(struct ledger_writer *t,
                                                const char *act, str words,
                                                str who, int64_t now,
                                                struct receipt *out,
                                                custos_err *err);

/*
 * Stores an answer (ledger_post). Before ledger_writer_start the answer is
 * durable on return. Afterwards the call returns at once, unless too many bytes
 * are waiting, and ledger_writer_settle waits for the write; if that fails, or
 * the process dies first, asking again costs again. Fails with CUSTOS_ENOMEM,
 * and before ledger_writer_start as ledger_post does.
 */
CUSTOS_MUST_USE custos_status ledger_writer_store(
    struct ledger_writer *t, const uint8_t key[32], const struct receipt *r,
    str answer, const struct ledger_retention *keep, custos_err *err);

/* Waits until no answer under this key is being stored. */
void ledger_writer_settle(struct ledger_writer *t, const uint8_t key[32]);

/*
 * Counts a cached answer, which was free. For each analyst and batch the owner
 * sees one row ("given again": which receipts, how often), written about once a
 * second; the call waits for it only if too many counts are pending.
 */
void ledger_writer_count_cached(struct ledger_writer *t, str who, uint64_t seq,
                                int64_t now);

#endif
