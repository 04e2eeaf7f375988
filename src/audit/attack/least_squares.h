/*
 * Subset counts as linear equations, and their least-squares solution by
 * conjugate gradients.
 */
#ifndef AUDIT_ATTACK_LEAST_SQUARES_H
#define AUDIT_ATTACK_LEAST_SQUARES_H

#include "audit/coins.h"
#include "custos.h"

#include <stddef.h>

/* Subsets of people, one bit each. Owns `bits`. */
struct subsets {
    size_t people, count;
    size_t words; /* of one subset */
    uint64_t *bits;
};

/* Draws subsets; each person is in each of them with probability 1/2. May fail:
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status subsets_init(struct subsets *s, size_t people,
                                           size_t count, struct coins *coins,
                                           custos_err *err);
void subsets_clear(struct subsets *s);

static inline bool
subsets_has(const struct subsets *s, size_t subset, size_t person)
{
    return s->bits[subset * s->words + person / 64] >> (person % 64) & 1;
}

/* How many of the people in each of the first m subsets have the secret bit. */
void subsets_count(const struct subsets *s, size_t m, const bool *secret,
                   int64_t *out);

/*
 * Guesses the bits from answers to the first m subsets: minimises
 * |A x - answers|^2 + ridge |x - 1/2|^2 and rounds. With noise of standard
 * deviation sigma on each answer, ridge = 4 sigma^2 is what the prior of fair
 * coins adds. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status guess_bits(const struct subsets *s, size_t m,
                                         const double *answers, double ridge,
                                         bool *out, custos_err *err);

#endif
