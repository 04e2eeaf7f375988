/*
 * Intervals that certainly contain a real number: two MPFR floats, every
 * operation rounded outward. In the folders that tools/nofloat checks, only
 * the fixed point of noise/ computes exp in another way.
 *
 * All results may alias operands. If an operation is undefined at an end of
 * the interval (log of a negative number), that end of the result is infinite;
 * after a division by an interval that contains 0, both ends are. A certified
 * comparison that depends on such an end answers "not certain".
 */
#ifndef NUM_IVAL_H
#define NUM_IVAL_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "custos.h"
#include "num/rat.h"

enum {
    IVAL_BITS_MIN = 64,
    IVAL_BITS_MAX = 1 << 22, /* the precision at which refinement gives up */
};

typedef struct ival {
    mpfr_t lo, hi; /* lo <= the number <= hi */
} ival;

void ival_init(ival *x, long bits);
void ival_clear(ival *x);

void ival_set(ival *r, const ival *a);
void ival_set_rat(ival *r, const rat *a);
void ival_set_i64(ival *r, int64_t a);

void ival_add(ival *r, const ival *a, const ival *b);
void ival_sub(ival *r, const ival *a, const ival *b);
void ival_mul(ival *r, const ival *a, const ival *b);
void ival_div(ival *r, const ival *a, const ival *b);
void ival_neg(ival *r, const ival *a);
void ival_mul_pow2(ival *r, const ival *a, long exponent);

void ival_exp(ival *r, const ival *a);
void ival_expm1(ival *r, const ival *a);
void ival_log(ival *r, const ival *a);
void ival_log1p(ival *r, const ival *a);
void ival_sqrt(ival *r, const ival *a);
void ival_tanh(ival *r, const ival *a);
void ival_erfc(ival *r, const ival *a);

/* "Certainly": true only if it holds for every point of the intervals. */
bool ival_certainly_less(const ival *a, const ival *b);
bool ival_certainly_less_rat(const ival *a, const rat *b);
bool ival_certainly_above_rat(const ival *a, const rat *b);

/* The end points as exact rationals. Needs finite ends. */
void ival_down(const ival *a, rat *out);
void ival_up(const ival *a, rat *out);

/* floor or ceil(a * 2^k) if it is the same for every point of a, else false. */
bool ival_floor_pow2(const ival *a, long k, mpz_t out);
bool ival_ceil_pow2(const ival *a, long k, mpz_t out);

/* Frees the constants that MPFR caches for this thread. */
void ival_forget_caches(void);

/*
 * A real number that can be enclosed to any precision. eval gets an initialised
 * *out and encloses the number as tightly as the precision of *out allows. A
 * number close to 1 is given by its distance to 1, which takes far fewer bits.
 */
struct real {
    enum { REAL_ITSELF, REAL_ONE_MINUS } is; /* what eval encloses */
    void (*eval)(const void *of, ival *out);
    const void *of;
};

/*
 * The `bits` <= 64 bits after the first `skip` of the binary expansion of x in
 * [0, 1). May fail: CUSTOS_EINTERNAL, if IVAL_BITS_MAX bits of precision do
 * not decide them (x is dyadic, or extremely close to a dyadic number), or if
 * skip >= IVAL_BITS_MAX / 2.
 */
CUSTOS_MUST_USE custos_status real_bits(struct real x, size_t skip,
                                        unsigned bits, uint64_t *out);

/*
 * The first `bits` <= 64 bits of 1 - x, for the x in (0, 1] that `near`
 * encloses; false if `near` is too wide to decide them.
 */
bool ival_bits_one_minus(const ival *near, unsigned bits, uint64_t *out);

#endif
