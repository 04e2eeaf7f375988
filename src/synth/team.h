/*
 * Two threads, for work that is cut into two halves beforehand: what is computed
 * does not depend on whether there is a second thread.
 */
#ifndef SYNTH_TEAM_H
#define SYNTH_TEAM_H

#include <stddef.h>

#include "custos.h"

struct team;

/* Starts the second thread, which takes no signals; *out is NULL if there is none to
   be had. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status team_new(const custos_alloc *alloc,
                                       struct team **out, custos_err *err);
void team_free(struct team *t);

/* half(of, 0) and half(of, 1), at the same time if there is a team; otherwise one
   after the other. Returns after both. */
void team_run(struct team *t, void (*half)(void *of, size_t which), void *of);

/* The hooks that the team was made with, for one thread at a time. */
custos_alloc team_alloc(struct team *t);

#endif
