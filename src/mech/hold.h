/*
 * One more owner of a mechanism or a selection: custos_mech_free and
 * custos_keys_free by each, in one thread.
 */
#ifndef MECH_HOLD_H
#define MECH_HOLD_H

#include "custos.h"

custos_mech *mech_hold(custos_mech *mech);
custos_keys *keys_hold(custos_keys *keys);

#endif
