/*
 * The rounded square root and its inverse. C x = y is solved row by row, with
 * rounding; if y = C x for an integer x, the solution is exactly x.
 */
#include "mech/factor.h"

#include "base/ck.h"

unsigned
factor_bits(size_t n)
{
    unsigned bits = FACTOR_GUARD_BITS;

    CUSTOS_REQUIRE(n >= 1 && n <= FACTOR_MAX);
    while ((size_t)1 << (bits - FACTOR_GUARD_BITS) < n)
        bits++;
    return bits;
}

/*
 * f_0 = 1, f_k = f_(k-1) (2k-1) / 2k, with 62 fraction bits. Each step loses
 * less than one unit, so 2^16 steps lose less than 2^-46.
 */
void
factor_fill(uint64_t *c, size_t n)
{
    const unsigned drop = 62 - factor_bits(n);
    uint64_t f = (uint64_t)1 << 62;

    for (size_t k = 0; k < n; k++) {
        if (k > 0)
            f = (uint64_t)((u128)f * ((u128)2 * k - 1) / ((u128)2 * k));
        c[k] = (f + ((uint64_t)1 << (drop - 1))) >> drop;
    }
}

u128
factor_energy(const uint64_t *c, size_t n)
{
    u128 sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += (u128)c[k] * c[k];
    return sum;
}

i128
factor_row(const uint64_t *c, size_t t, const i128 *x)
{
    i128 sum = 0;

    for (size_t j = 0; j <= t; j++)
        sum += (i128)c[j] * x[t - j];
    return sum;
}

/*
 * Limits: |C x| < 2^63 * sum of c < 2^101, so clamping at 2^108 only affects
 * values that noise of scale 2^60 cannot reach; |x| < 2^84 in units of 2^-16.
 * So the sum below stays within 2^124 + 2^84 * 2^38.
 */
i128
factor_solve(const uint64_t *c, unsigned m, size_t t, i128 y, const i128 *x)
{
    const i128 y_max = (i128)1 << 108, x_max = (i128)1 << 84;
    i128 rest = clamp_i128(y, -y_max, y_max) * ((i128)1 << FACTOR_FRACTION);

    for (size_t j = 1; j <= t; j++)
        rest -= (i128)c[j] * x[t - j];
    rest = (rest + ((i128)1 << (m - 1))) >> m;
    return clamp_i128(rest, -x_max, x_max);
}
