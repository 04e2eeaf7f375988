/*
 * A question in progress, and the steps of its path that a single question
 * (curator.c) and a batch (batch.c) have in common.
 */
#ifndef CURATOR_COURSE_H
#define CURATOR_COURSE_H

#include "curator/executor.h"
#include "curator/key.h"
#include "curator/shared_state.h"
#include "plan/plan.h"

struct course {
    const struct ask *asked; /* with its parameter values separate */
    struct ask ask;          /* with the values inserted in its text */
    struct query *q;
    struct plan *p;
};

/*
 * Reads and plans k->asked, in a: a function of the question, the policy and row
 * counts of public tables, here as in a worker. steps: what remains of the
 * planning steps of a batch; NULL: a question by itself. The caller frees k->p,
 * also after a failure.
 */
CUSTOS_MUST_USE custos_status course_plan(struct curator *c, arena *a,
                                          uint64_t *steps, struct course *k,
                                          custos_err *err);

/*
 * The request to charge a plan, with its texts; cleared by course_request_clear,
 * also after a failure. shared: only the asker's own budget is charged, for an
 * answer that another analyst has paid for.
 */
struct course_request {
    struct ledger_request r;
    struct buf plan, theorems;
};
CUSTOS_MUST_USE custos_status course_request(struct curator *c,
                                             const struct course *k,
                                             bool shared,
                                             struct course_request *out,
                                             custos_err *err);
void course_request_clear(struct course_request *r);

/* Find the answer that this analyst has paid for before, or that another analyst
   has paid for. CUSTOS_ENAME: there is none. */
CUSTOS_MUST_USE custos_status course_find_own(struct curator *c,
                                              const struct answer_keys *keys,
                                              struct answer **out,
                                              custos_err *err);
CUSTOS_MUST_USE custos_status course_find_shared(struct curator *c,
                                                 const struct course *k,
                                                 const struct answer_keys *keys,
                                                 struct answer **out,
                                                 custos_err *err);

/* May what comes next be done here? (struct ask, check_point) */
CUSTOS_MUST_USE custos_status course_check_point(const struct ask *ask,
                                                 enum ask_point at,
                                                 custos_err *err);

/* Answers a public question, in this thread or by the handle's executor, which
   was allowed by course_check_point. */
CUSTOS_MUST_USE custos_status course_run_public(struct curator *c,
                                                const struct course *k,
                                                struct answer **out,
                                                custos_err *err);

/* Computes the public parts of a private query by the executor, as a trial: the
   worker that gets the charged query computes them again. */
CUSTOS_MUST_USE custos_status course_try_public(struct curator *c,
                                                const struct work *w,
                                                custos_err *err);

/* The class of a time (ASK_LONG_US), and the rejection of one that is longer than
   the server allows; `what` would take that long. */
enum work_time course_time(int64_t class_us);
CUSTOS_MUST_USE custos_status course_check_class(const struct ask *ask,
                                                 int64_t class_us,
                                                 const char *what,
                                                 custos_err *err);

/*
 * Stores an answer that was paid for. If its reply leaves at a fixed time, only
 * prepares that for curator_store_answer. If storing fails (the disk is full), the
 * answer is still given, since it was charged, with a remark.
 */
enum keeping { KEEP_NOW, KEEP_LATER };
void course_keep(struct curator *c, const struct answer_keys *keys,
                 enum keeping when, struct answer *answer);

/* The same for an answer that another analyst has paid for. */
void course_keep_own(struct curator *c, const struct answer_keys *keys,
                     struct answer *answer);

#endif
