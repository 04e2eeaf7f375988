/*
 * The contents of a handle of a privacy-loss distribution.
 */
#ifndef ACCOUNT_PLD_PUBLIC_H
#define ACCOUNT_PLD_PUBLIC_H

#include "account/plan_pld.h"
#include "custos.h"

struct custos_pld {
    custos_alloc alloc;
    custos_adjacency adjacency;
    struct plan_parts parts;
};

#endif
