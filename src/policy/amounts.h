/*
 * Exact arithmetic on amounts in the owner's notation. Only for texts that
 * policy_read has checked; cannot fail.
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
