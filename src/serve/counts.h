/*
 * Counters for /metrics and the owner's status: numbers of events, nothing that
 * is derived from data. Any thread may count.
 */
#ifndef SERVE_COUNTS_H
#define SERVE_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>

#define COUNTS_LIST(X)                                                         \
    X(connections_total, "connections accepted")                               \
    X(connections_refused_total, "connections refused: too many")              \
    X(logins_total, "successful logins")                                       \
    X(logins_failed_total, "failed logins")                                    \
    X(questions_total, "questions handed to a worker thread")                  \
    X(answers_charged_total, "answers that were charged")                      \
    X(answers_stored_total, "cached answers given again, free")                \
    X(refusals_total, "questions refused before a charge")                     \
    X(failures_total, "questions that failed after a charge")                  \
    X(cancels_total, "questions cancelled by the client")                      \
    X(cancels_wrong_total, "cancel requests with a wrong key")                 \
    X(cancels_ignored_total, "cancel requests ignored: too many wrong keys")   \
    X(timeouts_total, "questions that exceeded the owner's time limit")        \
    X(busy_total, "questions refused: too many are waiting")                   \
    X(busy_share_total,                                                        \
      "questions refused: too many of the analyst's are waiting")              \
    X(requests_refused_total, "requests refused: too many per minute")         \
    X(unread_refused_total, "requests refused: replies wait to be read")       \
    X(strangers_evicted_total, "connections ended: too many without a login")  \
    X(logins_refused_total, "logins refused: too many per minute")             \
    X(slow_readers_total, "connections ended: a reply was not received")       \
    X(receipts_exported_total, "receipts exported")                            \
    X(receipts_failed_total, "attempts to send receipts that failed")          \
    X(log_lines_dropped_total, "log lines dropped: standard error is not "     \
                               "read")

struct counts {
#define COUNTS_FIELD(name, words) _Atomic uint64_t name;
    COUNTS_LIST(COUNTS_FIELD)
#undef COUNTS_FIELD
};

#define COUNT_ONE(counts, name)                                                \
    ((void)atomic_fetch_add_explicit(&(counts)->name, 1, memory_order_relaxed))

#endif
