/*
 * The search for an event that refutes a claim: many pairs and statistics on few
 * outputs, then the best of them on more. What it finds is only a suspicion; the
 * certificate decides, on fresh outputs.
 */
#ifndef AUDIT_SEARCH_H
#define AUDIT_SEARCH_H

#include "audit/event.h"

enum {
    FINALISTS_MAX = 3,
    SEARCH_SEEDS = 1 << 24, /* seeds that a search uses, from its own on */
};

/* An event to certify: one side of events[i]. */
struct finalist {
    struct events events; /* owned */
    enum arm more;
};

struct suspicion {
    size_t pair; /* index */
    size_t n;
    struct finalist finalist[FINALISTS_MAX];
};

struct search {
    const struct audit_target *target;
    const struct pair *pairs;
    size_t n_pairs;
    uint64_t size;   /* outputs of each arm in the last round of learning */
    uint64_t choose; /* outputs of each arm by which finalists are chosen */
    uint64_t seed;
    struct event_goal goal;
    struct parallel parallel; /* its progress is that of the whole search */
    uint64_t drawn;           /* so far, for the progress */
    double each; /* seconds to draw and count one output of each arm,
                                 if that was measured */
};

CUSTOS_MUST_USE custos_status search_run(struct search *search,
                                         struct suspicion *out,
                                         custos_err *err);
void suspicion_clear(struct suspicion *suspicion);

/* How many outputs of each arm are drawn to learn from. */
uint64_t search_outputs(const struct audit_target *target, uint64_t size,
                        size_t n_pairs);

#endif
