/* One more owner of a mechanism: custos_mech_free by each, in one thread. */
#ifndef MECH_HOLD_H
#define MECH_HOLD_H

#include "custos.h"

custos_mech *mech_hold(custos_mech *mech);

#endif
