/*
 * Outputs of a target on a pair of neighbours, in memory. The two arms are drawn
 * in turns, in an order that changes from turn to turn, so that a machine that
 * becomes slower or faster changes both alike.
 */
#ifndef AUDIT_OUTPUTS_H
#define AUDIT_OUTPUTS_H

#include "audit/parallel.h"

enum arm { ARM_A, ARM_B, ARMS };

CUSTOS_MUST_USE custos_status batch_new(struct batch *out,
                                        const struct audit_target *target,
                                        size_t n, custos_err *err);
void batch_clear(struct batch *batch);

/* Outputs `from` ... `from + n - 1`, borrowed. */
struct batch batch_part(const struct batch *whole, size_t from, size_t n);

/*
 * Fills one turn: arms[0] with outputs on pair->a, arms[1] on pair->b, of equal
 * n. Outputs are a function of seed and turn if the target has no other coins.
 */
CUSTOS_MUST_USE custos_status outputs_take_turn(
    const struct audit_target *target, void *state, const struct pair *pair,
    uint64_t seed, uint64_t turn, struct batch arms[ARMS], custos_err *err);

/* How many outputs of each arm make a turn. */
size_t outputs_turn_size(const struct audit_target *target);

/* Fills two batches of equal n on several threads. Of `p`, job and context are
   set here. */
CUSTOS_MUST_USE custos_status outputs_draw(
    const struct audit_target *target, const struct pair *pair, uint64_t seed,
    const struct parallel *p, struct batch arms[ARMS], custos_err *err);

#endif
