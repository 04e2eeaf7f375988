/*
 * The strongest attacker of a count: somebody who knows everybody else and wants one
 * person's bit. Against discrete Laplace noise this attacker reaches the ceiling of
 * the promise exactly, and nobody can exceed it.
 */
#ifndef AUDIT_ATTACK_GUESS_ONE_H
#define AUDIT_ATTACK_GUESS_ONE_H

#include "audit/attack/attack.h"

/*
 * Flips a fair coin for the person's bit `trials` times and has libcustos release
 * the count of all. *right is how often the bit was guessed. May fail: as
 * attack_counts_new and attack_counts_release.
 */
CUSTOS_MUST_USE custos_status guess_one(const char *epsilon, uint64_t trials,
                                        struct coins *coins, uint64_t *right,
                                        custos_err *err);

#endif
