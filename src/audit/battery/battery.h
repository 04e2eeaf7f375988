/*
 * The battery: published mechanisms, correct and broken ones, with what is
 * claimed, what is true, and what an auditor must find. It shows how strong the
 * auditor is, and that it keeps quiet where nothing is wrong.
 *
 * The published results are those of Bichsel et al. 2021 (DP-Sniper) and, as
 * they measured it, of StatDP (Ding et al. 2018).
 */
#ifndef AUDIT_BATTERY_BATTERY_H
#define AUDIT_BATTERY_BATTERY_H

#include "audit/audit.h"
#include "audit/patterns.h"

enum soundness { CORRECT, BROKEN };

/* Outputs of each neighbour; goals stated for more are shown, but need not be
   reached. */
#define BATTERY_GOAL_SAMPLES ((uint64_t)10000000)

struct battery_entry {
    const struct audit_target *target;
    const char *name; /* of the row: one target may have two */
    struct claim claim;
    double truth; /* the true epsilon at the claim's delta, or a bound on it;
                     may be INFINITY */
    enum soundness soundness;
    const char *sniper, *statdp; /* epsilon found by them; "" if not known */
    double goal;                 /* what must be found; 0: nothing */
    uint64_t goal_samples;       /* of each neighbour, for the goal */
    uint64_t samples;            /* of each neighbour, in a full run */
    const char *source;
    /* Pairs: patterns, and those of `more` */
    enum adjacency adjacency;
    size_t dimensions[4]; /* ends with 0 */
    double step;
    custos_status (*more)(struct pairs *pairs, custos_err *err); /* or NULL */
};

extern const struct battery_entry battery_entries[];
extern const size_t battery_n_entries;

/* NULL if there is none. */
const struct battery_entry *battery_find(const char *name);

/* May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status battery_pairs(const struct battery_entry *entry,
                                            struct pairs *out, custos_err *err);

/* Must the goal be reached with so many outputs of each neighbour? */
bool battery_goal_required(const struct battery_entry *entry, uint64_t n);

enum battery_verdict {
    BATTERY_CAUGHT,      /* broken, refuted, goal reached */
    BATTERY_QUIET,       /* correct, not refuted, goal reached */
    BATTERY_MISSED,      /* a required goal is not reached */
    BATTERY_FALSE_ALARM, /* correct, refuted */
    BATTERY_NOT_CAUGHT,  /* broken, not refuted, and nothing was required */
};

enum battery_verdict
battery_judge(const struct battery_entry *entry, const struct finding *finding);

/* Would the finding's counts refute the claim at another level? */
bool battery_accuses(const struct battery_entry *entry,
                     const struct finding *finding, double level);

/*
 * Audits one entry with options->samples outputs (0: the entry's own number). The
 * finding's pair has no numbers: they were freed. Fails as audit_run.
 */
CUSTOS_MUST_USE custos_status battery_run(const struct battery_entry *entry,
                                          const struct audit_options *options,
                                          struct finding *out, custos_err *err);

#endif
