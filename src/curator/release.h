/*
 * The work below the charge, in the process that has the data open: a worker of
 * the server, or the command itself.
 */
#ifndef CURATOR_RELEASE_H
#define CURATOR_RELEASE_H

#include "curator/curator.h"

struct releaser {
    struct engine *engine;
    custos_rng *rng;
};

/*
 * Answers a private plan that was charged: selects its bound, releases its
 * parts, and evaluates the expressions around them. The answer depends on the
 * data only through what mechanisms released. May fail: CUSTOS_EENGINE,
 * CUSTOS_EENTROPY, CUSTOS_ENOMEM; on success the caller owns *out.
 */
CUSTOS_MUST_USE custos_status release_answer(const struct releaser *r,
                                             const struct plan *p,
                                             const struct receipt *receipt,
                                             struct answer **out,
                                             custos_err *err);

/* Answers a plan over public tables alone, exactly. Fails likewise. */
CUSTOS_MUST_USE custos_status release_public(struct engine *e,
                                             const struct plan *p,
                                             struct answer **out,
                                             custos_err *err);

#endif
