/*
 * Kronecker substitution on GMP's limbs, three for each digit.
 */
#include "support/convolve.h"

#include <assert.h>
#include <gmp.h>

#include "base/alloc.h"

enum { DIGIT = 3 }; /* limbs */

static_assert(GMP_LIMB_BITS == 64, "digits are made of limbs of 64 bits");

/* The masses as limbs; sets *status if one is too large or memory is short. */
static mp_limb_t *
pack_masses(const custos_alloc *alloc, const u128 *a, size_t n,
            custos_status *status)
{
    mp_limb_t *x = alloc_take(alloc, n, DIGIT * sizeof *x);

    if (!x) {
        *status = CUSTOS_ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (a[i] >> 65)
            *status = CUSTOS_EOVERFLOW;
        x[DIGIT * i] = (mp_limb_t)a[i];
        x[DIGIT * i + 1] = (mp_limb_t)(a[i] >> 64);
    }
    return x;
}

custos_status
convolve_up(const custos_alloc *alloc, const u128 *a, size_t n, const u128 *b,
            size_t m, u128 *out)
{
    custos_alloc hooks = alloc_or_default(alloc);
    mp_limb_t *x = NULL, *y = NULL, *z = NULL;
    custos_status st = CUSTOS_OK;

    CUSTOS_REQUIRE(n > 0 && m > 0);
    if (n > CONVOLVE_MAX || m > CONVOLVE_MAX - n)
        return CUSTOS_EOVERFLOW;
    x = pack_masses(&hooks, a, n, &st);
    y = pack_masses(&hooks, b, m, &st);
    z = alloc_take(&hooks, n + m, DIGIT * sizeof *z);
    if (!z)
        st = CUSTOS_ENOMEM;
    if (st)
        goto out;
    if (n >= m)
        mpn_mul(z, x, (mp_size_t)(DIGIT * n), y, (mp_size_t)(DIGIT * m));
    else
        mpn_mul(z, y, (mp_size_t)(DIGIT * m), x, (mp_size_t)(DIGIT * n));
    for (size_t i = 0; i < n + m - 1; i++) {
        u128 high = (u128)z[DIGIT * i + 2] << 64 | z[DIGIT * i + 1];

        out[i] = high + (z[DIGIT * i] != 0);
    }
out:
    alloc_give(&hooks, x, n, DIGIT * sizeof *x);
    alloc_give(&hooks, y, m, DIGIT * sizeof *y);
    alloc_give(&hooks, z, n + m, DIGIT * sizeof *z);
    return st;
}
