/*
 * With q = exp(-r 16^j), the tails of digit j (geometric-digits) are
 *
 *     P[D_j > d] = q^(d+1) (1 - q^(15-d)) / (1 - q^16)
 *
 * and 2q / (1 + q) is the probability of a draw that is not 0. Each power is
 * computed from the one before, and so is its distance to 1:
 * 1 - q^(k+1) = (1 - q^k) + q^k (1 - q). There are only sums, products and
 * quotients of positive numbers, so a digit loses only about 4 bits. If an
 * enclosure is too wide, dials.c notices that when it reads the first bits.
 */
#include "noise/tails.h"

/* Computes everything else from power[1] and rest[1]. */
static void
derive_powers(struct tails *t)
{
    ival step;

    ival_init(&step, TAILS_BITS);
    for (size_t k = 1; k < DIAL_CUTS; k++) {
        ival_mul(&t->power[k + 1], &t->power[k], &t->power[1]);
        ival_mul(&step, &t->power[k], &t->rest[1]);
        ival_add(&t->rest[k + 1], &t->rest[k], &step);
    }
    ival_div(&t->share, &t->power[0], &t->rest[DIAL_CUTS]);
    ival_add(&step, &t->power[0], &t->power[1]);
    ival_div(&t->some, &t->power[1], &step);
    ival_mul_pow2(&t->some, &t->some, 1);
    ival_clear(&step);
}

void
tails_init(struct tails *t, const rat *rate)
{
    ival x;

    for (size_t k = 0; k <= DIAL_CUTS; k++) {
        ival_init(&t->power[k], TAILS_BITS);
        ival_init(&t->rest[k], TAILS_BITS);
    }
    ival_init(&t->share, TAILS_BITS);
    ival_init(&t->some, TAILS_BITS);
    ival_init(&x, TAILS_BITS);
    ival_set_rat(&x, rate);
    ival_neg(&x, &x);
    ival_set_i64(&t->power[0], 1);
    ival_exp(&t->power[1], &x);
    ival_expm1(&x, &x);
    ival_neg(&t->rest[1], &x);
    ival_clear(&x);
    derive_powers(t);
}

void
tails_clear(struct tails *t)
{
    ival_clear(&t->some);
    ival_clear(&t->share);
    for (size_t k = 0; k <= DIAL_CUTS; k++) {
        ival_clear(&t->power[k]);
        ival_clear(&t->rest[k]);
    }
}

void
tails_next(struct tails *t)
{
    ival_set(&t->power[1], &t->power[DIAL_CUTS]);
    ival_set(&t->rest[1], &t->rest[DIAL_CUTS]);
    derive_powers(t);
}

void
tails_digit(const struct tails *t, size_t cut, ival *out)
{
    ival_mul(out, &t->rest[DIAL_CUTS - 1 - cut], &t->share);
    ival_mul(out, out, &t->power[cut + 1]);
}

void
tails_top(const struct tails *t, size_t cut, ival *out)
{
    ival_set(out, &t->power[cut + 1]);
}

void
tails_zero(const struct tails *t, size_t cut, ival *out)
{
    if (cut == 0) {
        ival_set(out, &t->some);
        return;
    }
    tails_digit(t, cut - 1, out);
    ival_mul(out, out, &t->some);
}
