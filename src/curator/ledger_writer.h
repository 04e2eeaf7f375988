/*
 * The ledger writer: the one writer of a process to the ledger, but for doors, which are
 * changed as another process would. What waits when it turns
 * to the ledger is one group: each request is admitted on the balance that
 * those before it left, one commit makes all of them durable, and nobody's
 * answer begins before that commit returned.
 *
 * Alone (before ledger_writer_start) a call does its own group, in the caller's thread.
 * From ledger_writer_start on a thread does them, and any number of threads may call.
 */
#ifndef CURATOR_LEDGER_WRITER_H
#define CURATOR_LEDGER_WRITER_H

#include "ledger/ledger.h"

struct ledger_writer;

CUSTOS_MUST_USE custos_status ledger_writer_open(const char *ledger,
                                                 const char *lock,
                                                 struct ledger_writer **out,
                                                 custos_err *err);

/* May fail: CUSTOS_ENOMEM. Once it has started, nothing happens. */
CUSTOS_MUST_USE custos_status ledger_writer_start(struct ledger_writer *t,
                                                  custos_err *err);

/* Writes what waits, and ends. Nobody may be calling. */
void ledger_writer_close(struct ledger_writer *t);

/* ledger_charge: returns when it is durable, or was refused. */
CUSTOS_MUST_USE custos_status
ledger_writer_charge(struct ledger_writer *t, const struct ledger_request *r,
                     struct receipt *out, custos_err *err);

/* ledger_act, the same. */
CUSTOS_MUST_USE custos_status ledger_writer_act(struct ledger_writer *t,
                                                const char *act, str words,
                                                str who, int64_t now,
                                                struct receipt *out,
                                                custos_err *err);

/*
 * ledger_answer_store. Alone it is durable on return. With a thread it returns
 * at once, and whoever looks for the key by ledger_writer_settle first finds it; should
 * it fail or the process die before, the answer is not free the next time, and
 * that is all. May fail: CUSTOS_ENOMEM; alone also as ledger_answer_store.
 */
CUSTOS_MUST_USE custos_status ledger_writer_store(
    struct ledger_writer *t, const uint8_t key[32], const struct receipt *r,
    str answer, const struct ledger_retention *keep, custos_err *err);

/* Waits until no answer under this key is on its way. */
void ledger_writer_settle(struct ledger_writer *t, const uint8_t key[32]);

/*
 * An answer was given again, free. Told to the owner by a row for each analyst
 * and batch ("given again": which receipts, how often), at most once a second
 * and without anybody waiting.
 */
void ledger_writer_count_cached(struct ledger_writer *t, str who, uint64_t seq,
                                int64_t now);

#endif
