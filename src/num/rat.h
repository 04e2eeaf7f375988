/*
 * Exact rationals, the only form of a privacy parameter.
 *
 * They are read from text or from machine integers, both small (RAT_TEXT_MAX,
 * RAT_EXPONENT_MAX), so the few operations that a mechanism does on them stay
 * far from GMP's limits. That is why the operations cannot fail.
 */
#ifndef NUM_RAT_H
#define NUM_RAT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/str.h"
#include "custos.h"

enum {
    RAT_TEXT_MAX = 128,     /* characters of a number's text */
    RAT_EXPONENT_MAX = 400, /* limit of |e|; e is -6 in 1e-6 */
};

typedef struct rat {
    mpq_t q; /* canonical */
} rat;

void rat_init(rat *r);
void rat_clear(rat *r);

/*
 * Reads only forms such as "12", "-0.5", "1e-6" or "1/3": no spaces, no hex,
 * no names, independent of the locale. The message calls the number `name`
 * ("epsilon"). May fail: CUSTOS_EPARSE; *r is then unchanged.
 */
CUSTOS_MUST_USE custos_status rat_read(const char *text, const char *name,
                                       rat *r, custos_err *err);

/*
 * The same, but the number must be > 0. May also fail with CUSTOS_ERANGE, and
 * *r has then been set.
 */
CUSTOS_MUST_USE custos_status rat_read_positive(const char *text,
                                                const char *name, rat *r,
                                                custos_err *err);

/* The same, but the number must be in [0, 1). */
CUSTOS_MUST_USE custos_status rat_read_delta(const char *text, const char *name,
                                             rat *r, custos_err *err);

/* The same, but the number must be in (0, 1). */
CUSTOS_MUST_USE custos_status rat_read_open_unit(const char *text,
                                                 const char *name, rat *r,
                                                 custos_err *err);

void rat_set(rat *r, const rat *a);
void rat_set_i64(rat *r, int64_t num, uint64_t den); /* den >= 1 */
void rat_set_i128(rat *r, i128 value);
void rat_set_pow2(rat *r, long exponent); /* 2^exponent, |exponent| <= 2^14 */

/* Results may alias operands. */
void rat_add(rat *r, const rat *a, const rat *b);
void rat_sub(rat *r, const rat *a, const rat *b);
void rat_mul(rat *r, const rat *a, const rat *b);
void rat_div(rat *r, const rat *a, const rat *b); /* b != 0 */
void rat_abs(rat *r, const rat *a);

int rat_sign(const rat *a);
int rat_cmp(const rat *a, const rat *b);
int rat_cmp_i64(const rat *a, int64_t b);
bool rat_is_whole(const rat *a);

/* The largest e with 2^e <= a. Needs a > 0. */
long rat_log2_floor(const rat *a);

/* Rounded as named; false if the result does not fit in *out. */
bool rat_floor_i128(const rat *a, i128 *out);
bool rat_ceil_i128(const rat *a, i128 *out);
bool rat_floor_u64(const rat *a, uint64_t *out);

/* Clamps x to [low, high]. */
void rat_clamp(rat *x, const rat *low, const rat *high);

/*
 * floor(n a); false if it exceeds 128 bits. Faster than a product of
 * rationals, which reduces its fraction.
 */
bool rat_floor_times(const rat *a, i128 n, i128 *out);

/*
 * Word k of `bits` <= 64 bits (k = 0 is the first) of the binary expansion of
 * a in [0, 1).
 */
uint64_t rat_word(const rat *a, unsigned bits, size_t k);

/* Writes exact text: a decimal if that is finite and short, else a fraction. */
void rat_write(const rat *a, struct buf *out);

/* The same into an array, with a NUL; false if it does not fit. */
bool rat_write_into(const rat *a, char *text, size_t room);

#endif
