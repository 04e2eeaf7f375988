/*
 * Stages for tests that run the engine on a plan, whether it was planned or made by
 * hand.
 */
#ifndef SUPPORT_STAGES_H
#define SUPPORT_STAGES_H

#include "plan/plan.h"

/* The values of a plan that was planned: its last stage. */
static inline const struct stage *
stage_values(const struct plan *p)
{
    return &p->stages[p->n_stages - 1];
}

/* All parts of a plan over its own space; lives as long as the block it is in. */
#define STAGE_OF(of)                                                           \
    (&(const struct stage){.kind = STAGE_VALUES,                               \
                           .plan = (of),                                       \
                           .space = &(of)->space,                              \
                           .parts = (of)->parts,                               \
                           .n_parts = (of)->n_parts})

#endif
