/*
 * Shared by the files of the attack.
 */
#ifndef AUDIT_CURATOR_ATTACK_INSIDE_H
#define AUDIT_CURATOR_ATTACK_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "audit/curator/attack.h"
#include "audit/stranger/server.h"

/* State shared by the threads. */
struct curator_state {
    const struct curator_options *options;
    const struct curator_target *target;
    struct stranger_server server[N_SIDES];
    char person[32];
    struct curator_counts counts;
    double began, slice_ends, ends;
    size_t *corpus_next; /* of this target: how many were asked */
    /* Threads read these while others set them. */
    atomic_bool stop;       /* the whole attack */
    atomic_bool slice_over; /* new stores are needed */
    _Atomic custos_status status;
    custos_err err;            /* set once, with the status */
    pthread_mutex_t lock;      /* counts, corpus_next, the first failure */
    pthread_mutex_t turnstile; /* so that who wants the gate alone gets it */
    pthread_rwlock_t gate;     /* asking; alone while a fault is examined */
};

/* One thread: an analyst of both stores. */
struct attacker {
    struct curator_state *shared;
    size_t number;
    pthread_t thread;
    struct pair_sides sides;
    struct grammar grammar;
    struct made made;
    bool started;
    bool done; /* nothing is left to ask */
};

/*
 * Confirms and minimizes what looks like a fault, and reports it. The caller has
 * the gate alone.
 */
CUSTOS_MUST_USE custos_status examine(struct attacker *a,
                                      const struct pair_question *q,
                                      struct outcome *outcome, custos_err *err);

/* Ends suspensions and connects again where the connection was lost. */
CUSTOS_MUST_USE custos_status attacker_recover(struct attacker *a,
                                               custos_err *err);

#endif
