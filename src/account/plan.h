/*
 * A plan: a list of mechanisms with parameters fixed in advance. Only
 * mechanisms can be added, never the charges that a filter has admitted.
 */
#ifndef ACCOUNT_PLAN_H
#define ACCOUNT_PLAN_H

#include <stddef.h>

#include "account/mechanism.h"
#include "custos.h"

struct custos_plan {
    custos_alloc alloc;
    custos_adjacency adjacency;
    struct mechanism *items; /* owned */
    size_t n, room;
};

#endif
