/*
 * An audit attacks a mechanism from outside. It runs the mechanism on two
 * neighbouring data sets, looks for an event that is more likely on one of them
 * than the claimed epsilon and delta allow, and certifies what it found on fresh
 * outputs. It refutes, and never proves: an event that it did not look for, or
 * that is too rare for its samples, stays unseen.
 *
 * Nothing here knows the inside of what it audits: libcustos is used through
 * custos.h, the curator through its server, other programs through a pipe.
 */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/coins.h"
#include "custos.h"

enum {
    AUDIT_NAME_MAX = 64,
    AUDIT_WIDTH_MAX = 64,  /* numbers of one output */
    AUDIT_EVENT_MAX = 320, /* an event in words */
    AUDIT_BARS_MAX = 64,   /* of the drawing of an event */
};

/* A data set: numbers, one a row (for a mechanism that takes the answers of
   queries, one a query). Borrowed. */
struct data {
    const double *value;
    size_t n;
};

/* Two neighbours. */
struct pair {
    char name[AUDIT_NAME_MAX];
    struct data a, b;
};

/* How the numbers of a printed output are written. */
struct written {
    uint32_t form;   /* a hash of signs, points and exponents */
    uint32_t digits; /* how many there are */
};

/*
 * Outputs of a mechanism, as anyone outside sees them: `n` outputs, each with
 * at most `width` numbers; numbers that an output does not have are 0.
 */
struct batch {
    size_t n, width;
    double *number;   /* n x width, one output after another */
    uint32_t *length; /* how many numbers each output has */
    uint32_t *code;  /* what else is visible: an error code, an exit status, the
                         hash of a text; 0 if nothing is */
    double *seconds; /* how long each took; only if the target is timed */
    struct written *written; /* only if the target prints */
};

/*
 * What is audited. Threads sample at the same time, each with its own state;
 * `open` and `close` may be NULL if there is none. `sample` fills out->n
 * outputs on one data set; `number` and `code` are zero before. What goes wrong
 * because of the data is an output with a code; a failure ends the audit.
 */
struct audit_target {
    const char *name;
    size_t width;
    bool timed;  /* `seconds` is filled, and a feature */
    bool prints; /* the same of `written` */
    bool slow; /* an output takes a millisecond or more: the two arms alternate
                   after every output, and the search uses few of them */
    const void *self;
    custos_status (*open)(const struct audit_target *target, void **state,
                          custos_err *err);
    custos_status (*sample)(const struct audit_target *target, void *state,
                            const struct data *data, struct coins *coins,
                            struct batch *out, custos_err *err);
    void (*close)(void *state);
};

/*
 * What is claimed, and audited: epsilon and delta; or if mu > 0, mu-GDP; or if
 * rho > 0, rho-zCDP at delta. The last is weaker than sqrt(2 rho)-GDP: noise on
 * a lattice, such as the discrete Gaussian, has it and yet a larger mu.
 */
struct claim {
    double epsilon, delta, mu, rho;
};

/* Called now and then by the thread that called audit_run; done is 0 to 1. */
typedef void (*audit_progress)(void *context, double done, const char *stage);

struct audit_options {
    uint64_t samples; /* of each neighbour for the certificate */
    uint64_t search;  /* of each neighbour to learn events from; 0: chosen */
    double seconds; /* 0: as long as the samples take; else samples may be 0 */
    double level;   /* the most probability of a false claim: 0.05, or 1e-6 */
    unsigned threads; /* 0: one for each processor */
    uint64_t seed;
    audit_progress progress; /* may be NULL */
    void *context;
};

/* One bar of the drawing: a range of the feature, how often it was seen. */
struct bar {
    double least, most;
    uint64_t a, b;
    bool in_event;
};

/*
 * What was found: the event with the largest certified bound. With probability
 * at least 1 - level, epsilon (at the claim's delta), mu and rho are not above
 * the true ones. They are 0 if nothing was refuted.
 */
struct finding {
    char target[AUDIT_NAME_MAX];
    struct pair pair; /* the more likely neighbour is pair.a; values borrowed */
    char event[AUDIT_EVENT_MAX]; /* in words */
    char feature[AUDIT_NAME_MAX];
    uint64_t hits, other_hits, n; /* in the certificate's outputs */
    double p_low, other_high;     /* Clopper-Pearson */
    double epsilon, mu, rho;
    struct claim claim;
    double level;
    size_t finalists;      /* events that shared the level */
    size_t pairs;          /* pairs that were searched */
    uint64_t search, seed; /* with these and n it can be run again */
    double seconds;
    struct bar bars[AUDIT_BARS_MAX];
    size_t n_bars;
    bool refuted; /* epsilon, mu or rho above the claim */
};

/*
 * Audits a target on the given pairs. May fail: CUSTOS_ENOMEM, CUSTOS_EINVAL,
 * what `sample` fails with.
 */
CUSTOS_MUST_USE custos_status audit_run(const struct audit_target *target,
                                        const struct claim *claim,
                                        const struct pair *pairs,
                                        size_t n_pairs,
                                        const struct audit_options *options,
                                        struct finding *out, custos_err *err);

#endif
