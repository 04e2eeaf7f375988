/*
 * One query asked of both stores, with and without a person, through the front
 * door; and what tells the two apart, or is a fault by itself.
 */
#ifndef AUDIT_CURATOR_PAIR_H
#define AUDIT_CURATOR_PAIR_H

#include <stdatomic.h>

#include "audit/curator/claims.h"
#include "audit/stranger/client.h"

enum pair_side { SIDE_WITH, SIDE_WITHOUT, N_SIDES };

enum verdict {
    VERDICT_SAME,
    VERDICT_REJECTED, /* before any charge, by public facts, and on both sides */
    VERDICT_SPENT,    /* the budget is used up: begin with new stores */
    /* faults: */
    VERDICT_FAILED,  /* an error after the charge */
    VERDICT_DIFFERS, /* status, message, remarks or shape differ */
    VERDICT_MOVED,   /* one person moved a number further than EXPLAIN claims */
    VERDICT_SHOWN,   /* a group that only one person is in is shown */
    VERDICT_LATE,    /* one person takes more time than the policy allows */
};

bool verdict_is_fault(enum verdict verdict);
const char *verdict_words(enum verdict verdict);

enum { SAID_MAX = 400 };

/* Where and as whom questions are asked. */
struct pair_sides {
    struct client client[N_SIDES];
    const char *person;
    uint64_t serial;   /* a new price for each question */
    unsigned flip;     /* which side is asked first */
    int reply_seconds; /* a reply that has not come by then does not come: the
                          engine may be where nothing interrupts it */
    /* For pair_watch, which another thread calls: */
    _Atomic int socket;       /* that a reply is awaited on; 0: none */
    _Atomic int64_t until_ms; /* until then */
};

enum { PAIR_REPLY_SECONDS = 20 }; /* for reply_seconds, on most machines */

/* Hangs up if a reply is that late; the question then ends with CLIENT_LOST. */
void pair_watch(struct pair_sides *sides);

struct pair_question {
    const char *sql; /* with $P */
    double epsilon;
};

struct outcome {
    enum verdict verdict;
    char what[SAID_MAX];          /* the fault in words */
    char said[N_SIDES][SAID_MAX]; /* the replies, shortened */
    double seconds[N_SIDES];
    size_t at; /* of a rejection: which byte of the query; SIZE_MAX: none */
    bool lost; /* a connection was lost, or given up */
    bool tables_checked; /* EXPLAIN says enough of several tables to compare how
                            far their numbers moved */
    struct claims claims;
};

/* EXPLAIN: is the query accepted, and what is claimed about it? */
CUSTOS_MUST_USE custos_status pair_explain(struct pair_sides *sides,
                                           const struct pair_question *q,
                                           struct outcome *out,
                                           custos_err *err);

/* Asks both; needs the claims of pair_explain in `out`. */
CUSTOS_MUST_USE custos_status pair_ask(struct pair_sides *sides,
                                       const struct pair_question *q,
                                       struct outcome *out, custos_err *err);

/*
 * Asks alternately until a suspicion about time is refuted or certain: no time of
 * one side lies within those of the other, which has a probability below 1e-6
 * if they have the same law. May fail as client_ask does.
 */
CUSTOS_MUST_USE custos_status pair_time(struct pair_sides *sides,
                                        const struct pair_question *q,
                                        struct outcome *out, custos_err *err);

/* Are these times so far apart that pair_time should look? */
bool pair_is_slow(const struct outcome *outcome);

/* Asks again at a price at which noise hides nothing; VERDICT_SAME: the
   suspicion was wrong. */
CUSTOS_MUST_USE custos_status pair_sharpen(struct pair_sides *sides,
                                           const struct pair_question *q,
                                           struct outcome *out,
                                           custos_err *err);

#endif
