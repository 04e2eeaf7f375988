/*
 * Answers a question from a synopsis: the reconstruction procedure. Free.
 */
#ifndef SYNOPSIS_ANSWER_H
#define SYNOPSIS_ANSWER_H

#include "curator/curator.h"
#include "synopsis/synopsis.h"

/* The most steps (evaluate/effort.h) that a question may take: a few seconds. */
#define SYNOPSIS_STEPS ((uint64_t)1 << 27)

/*
 * Answers a plan over the synopsis's policy (synopsis_policy), which it changes: it
 * cannot be used again. The bars of each value hold at 95 %. Values without one
 * come from the model alone, which a remark says. May fail: CUSTOS_EUNSUPPORTED,
 * CUSTOS_EOVERFLOW (also: it takes too many steps or too much memory), CUSTOS_ENOMEM, CUSTOS_EENGINE (stopped, where `stop` is not
 * NULL). On success the caller owns *out.
 */
CUSTOS_MUST_USE custos_status synopsis_answer(const struct synopsis *s,
                                              struct plan *p,
                                              const _Atomic int *stop,
                                              struct answer **out,
                                              custos_err *err);

/* Reads, plans and answers ask->sql, with its parameters, by p, the policy of the
   synopsis. Also fails as sql_read and plan_make; with CUSTOS_EENGINE once
   ask->stop is set. */
CUSTOS_MUST_USE custos_status synopsis_ask(const struct synopsis *s,
                                           const struct policy *p,
                                           const struct ask *ask,
                                           struct answer **out,
                                           custos_err *err);

#endif
