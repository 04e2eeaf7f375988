/* The part of a threshold that other mechanisms use: its noise. */
#ifndef MECH_THRESHOLD_H
#define MECH_THRESHOLD_H

#include "custos.h"

const custos_noise *threshold_noise(const custos_threshold *t); /* borrowed */

#endif
