/*
 * Events: a statistic falls into one of some bins. An event is learned from one
 * half of the outputs, chosen by the other half, and certified on outputs drawn
 * afterwards. The bins of a statistic give two events: one that is likelier on
 * the first neighbour, one that is likelier on the second.
 */
#ifndef AUDIT_EVENT_H
#define AUDIT_EVENT_H

#include "audit/claim.h"
#include "audit/statistic.h"

enum event_shape {
    EVENT_UPPER, /* the statistic is above an edge */
    EVENT_LOWER, /* at or below an edge */
    EVENT_SET,   /* in one of the bins with the largest ratios */
};

/* An output of the event, for people. */
struct example {
    size_t n;
    double number[AUDIT_WIDTH_MAX];
};

/* One of the two events. */
struct side {
    bool *inside; /* for each bin */
    enum event_shape shape;
    double promise;         /* the bound to expect from the certificate */
    struct example example; /* if the statistic is the whole output */
};

struct events {
    struct statistic statistic;
    struct bins bins;
    double *order; /* for each bin: the log ratio of A to B that was learned */
    struct side side[ARMS]; /* by the arm in which the event is likelier */
};

/* What the certificate will be: how many outputs, at which delta, how many
   standard deviations its bounds keep away; and in which unit. */
struct event_goal {
    double samples, delta, deviations;
    enum claim_unit unit;
};

/*
 * Learns the best events of a statistic that is not learned yet. May fail:
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status events_learn(struct events *out,
                                           const struct statistic *statistic,
                                           const struct batch learn[ARMS],
                                           const struct batch choose[ARMS],
                                           const struct event_goal *goal,
                                           custos_err *err);
void events_clear(struct events *events);

/* Counts the bin of each output; `count` is bins x arms. */
void events_count(const struct events *events, const struct batch arms[ARMS],
                  uint64_t *count);

/*
 * Chooses both events again, from new counts of n outputs of each arm. May fail:
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status events_choose(struct events *events,
                                            const uint64_t *count, uint64_t n,
                                            const struct event_goal *goal,
                                            custos_err *err);

/* The event that is likelier in arm `more`, in words. */
void events_words(const struct events *events, enum arm more,
                  char words[AUDIT_EVENT_MAX]);

#endif
