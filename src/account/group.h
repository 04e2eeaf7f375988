/* Group privacy: what a promise for one unit implies for several at once. */
#ifndef ACCOUNT_GROUP_H
#define ACCOUNT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "num/rat.h"

/* size * epsilon, exactly. */
void group_epsilon(const rat *epsilon, uint64_t size, rat *out);

/* size^2 * rho, exactly. */
void group_rho(const rat *rho, uint64_t size, rat *out);

/* The group's delta, by the geometric series; at most 1. */
void
group_delta_up(const rat *epsilon, const rat *delta, uint64_t size, rat *out);

/* The same by the coarser textbook bound. */
void group_delta_textbook_up(const rat *epsilon, const rat *delta,
                             uint64_t size, rat *out);

#endif
