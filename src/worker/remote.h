/*
 * An executor (curator/executor.h) whose work is done by worker processes. Each
 * handle of the curator has one executor; all of them use one pool.
 */
#ifndef WORKER_REMOTE_H
#define WORKER_REMOTE_H

#include "worker/pool.h"

struct remote;

CUSTOS_MUST_USE custos_status remote_new(struct pool *pool, struct remote **out,
                                         custos_err *err);
void remote_free(struct remote *r); /* while none of its work runs */

/* Lives as long as r. */
const struct executor *remote_executor(const struct remote *r);

/* Succeeds if a worker of this lane answers, or if none comes free by until_us
   while some are at work. May fail: CUSTOS_EBUSY. */
CUSTOS_MUST_USE custos_status remote_ping(struct pool *p, enum pool_lane lane,
                                          int64_t until_us, custos_err *err);

#endif
