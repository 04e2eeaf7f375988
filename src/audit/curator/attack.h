/*
 * `custos audit curator`: asks generated queries of two stores that differ in
 * one person, through a real server, and looks for anything that tells the two
 * apart, fails after the charge, takes too long, or moves further than EXPLAIN
 * claims. It finds faults and never shows that there are none.
 *
 * Replies leave as soon as they can, not at their public time: so the attack sees
 * more of the time than any client of a private server can, and asks more.
 */
#ifndef AUDIT_CURATOR_ATTACK_H
#define AUDIT_CURATOR_ATTACK_H

#include "audit/curator/corpus.h"
#include "audit/curator/crowd.h"
#include "audit/curator/grammar.h"
#include "audit/curator/pair.h"

/* A schema to attack, with small or large tables. */
struct curator_target {
    const char *name;
    const struct schema *schema;
    enum crowd_size size;
    const struct corpus *standing; /* asked of this target first, or NULL */
};

struct curator_counts {
    uint64_t queries;     /* that were made or read */
    uint64_t pairs;       /* asked of both stores */
    uint64_t rejected;    /* queries of which nothing was accepted */
    uint64_t expressions; /* items of the select lists that were asked */
    uint64_t tables;      /* pairs whose several tables were compared with what
                             EXPLAIN claims */
    uint64_t suspicions;  /* that were not confirmed */
    uint64_t findings;
    double seconds;
};

struct curator_finding {
    const char *target;
    enum crowd_size size;
    const char *sql;   /* minimal */
    const char *first; /* that showed it first */
    double epsilon;
    double seconds; /* from the beginning until it was first seen */
    const struct outcome *outcome;
};

struct curator_options {
    const struct curator_target *targets;
    size_t n_targets;
    const struct corpus *corpus; /* asked of every target before anything is
                                    generated for it */
    bool only_corpus;            /* generate nothing */
    const char *program;         /* the command; NULL: the running one */
    double seconds;              /* from when the first servers answer */
    uint64_t queries; /* 0: as many as the seconds allow; else seconds do not
                         matter */
    uint64_t seed;
    unsigned threads; /* 0: chosen */
    bool keep_going;  /* after a finding */
    /* Called by one thread at a time. */
    void (*progress)(void *context, const struct curator_counts *counts);
    void (*found)(void *context, const struct curator_finding *finding);
    void *context;
};

/*
 * May fail: what starting servers fails with, CUSTOS_ENOMEM. Findings are no
 * failures.
 */
CUSTOS_MUST_USE custos_status
curator_attack(const struct curator_options *options,
               struct curator_counts *out, custos_err *err);

#endif
