/*
 * Adds an owner to a mechanism or a selection of keys. Each owner must free
 * it; all owners are in one thread.
 */
#ifndef MECH_HOLD_H
#define MECH_HOLD_H

#include "custos.h"

custos_mech *mech_hold(custos_mech *mech);
custos_keys *keys_hold(custos_keys *keys);

#endif
