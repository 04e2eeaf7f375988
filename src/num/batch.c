/* Loops around single operations, and short combinations of them. */
#include "num/batch.h"

#include "num/ival_more.h"

void
ivals_init(ival *x, size_t n, long bits)
{
    for (size_t i = 0; i < n; i++)
        ival_init(&x[i], bits);
}

void
ivals_clear(ival *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ival_clear(&x[i]);
}

void
rats_init(rat *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rat_init(&r[i]);
}

void
rats_clear(rat *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rat_clear(&r[i]);
}

void
rat_set_u64(rat *r, uint64_t value)
{
    rat_set_i128(r, (i128)value);
}

void
ival_mul_rat(ival *r, const ival *a, const rat *b)
{
    ival x;

    ival_init(&x, ival_bits(r));
    ival_set_rat(&x, b);
    ival_mul(r, a, &x);
    ival_clear(&x);
}

void
ival_add_rat(ival *r, const ival *a, const rat *b)
{
    ival x;

    ival_init(&x, ival_bits(r));
    ival_set_rat(&x, b);
    ival_add(r, a, &x);
    ival_clear(&x);
}

bool
ival_is_at_most_zero(const ival *a)
{
    return mpfr_sgn(a->hi) <= 0;
}

void
ival_max(ival *r, const ival *a, const ival *b)
{
    mpfr_max(r->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_max(r->hi, a->hi, b->hi, MPFR_RNDU);
}
