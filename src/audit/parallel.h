/*
 * Runs numbered jobs on several threads. The caller's thread waits, and reports
 * the progress.
 */
#ifndef AUDIT_PARALLEL_H
#define AUDIT_PARALLEL_H

#include "audit/audit.h"

/* One job; `state` belongs to the thread. A failure ends all jobs. */
typedef custos_status (*parallel_job)(void *context, void *state, size_t job,
                                      custos_err *err);

struct parallel {
    unsigned threads; /* 0: one for each processor */
    parallel_job job;
    void *context;
    const struct audit_target
        *target;             /* whose states the threads open; may be NULL */
    audit_progress progress; /* may be NULL */
    void *progress_context;
    const char *stage;
    double from, to; /* progress of the first and after the last job */
};

CUSTOS_MUST_USE custos_status parallel_do(const struct parallel *p, size_t jobs,
                                          custos_err *err);

unsigned parallel_threads(unsigned wanted);

#endif
