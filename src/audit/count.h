/*
 * Counts how often outputs fall into the bins of events, without keeping the
 * outputs: as many as one likes, on all threads.
 */
#ifndef AUDIT_COUNT_H
#define AUDIT_COUNT_H

#include "audit/event.h"

enum { COUNTED_MAX = 8 };

/* Bins x arms of each of the events; owned. */
struct counts {
    size_t n;
    uint64_t *count[COUNTED_MAX];
};

struct counting {
    const struct audit_target *target;
    const struct pair *pair;
    const struct events *const *events;
    size_t n;         /* events, at most COUNTED_MAX */
    uint64_t samples; /* of each arm */
    uint64_t seed;
    struct parallel parallel; /* job, context and target are set here */
};

CUSTOS_MUST_USE custos_status count_outputs(const struct counting *counting,
                                            struct counts *out,
                                            custos_err *err);
void counts_clear(struct counts *counts);

#endif
