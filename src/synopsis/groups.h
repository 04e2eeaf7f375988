/*
 * The groups of a reading: all combinations of values of its columns, those that
 * WHERE keeps, by their keys.
 */
#ifndef SYNOPSIS_GROUPS_H
#define SYNOPSIS_GROUPS_H

#include "synopsis/question.h"

/* Needs the question's columns and the reading's aggregates. May fail:
   CUSTOS_EOVERFLOW (too many combinations, or groups), CUSTOS_ENOMEM (also where the
   effort has ended). */
CUSTOS_MUST_USE custos_status groups_make(struct question *q, struct reading *r,
                                          custos_err *err);

#endif
