/*
 * Arithmetic on amounts that are still the owner's text. Only for texts that
 * policy_read has checked; none of it can fail.
 */
#ifndef POLICY_AMOUNTS_H
#define POLICY_AMOUNTS_H

#include "base/str.h"
#include "num/rat.h"

/* sum += amount */
void amounts_add(rat *sum, str amount);

/* <0, 0, >0 */
int amounts_cmp(str a, str b);

#endif
