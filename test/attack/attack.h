/*
 * What the attacks do to the library, through its public interface only: make a
 * mechanism, seal a value and release it.
 */
#ifndef TEST_ATTACK_H
#define TEST_ATTACK_H

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "random/rng.h"
#include "support/audit.h"
#include "support/support.h"

static inline custos_mech *
attack_mech(const custos_mech_options *options)
{
    custos_mech *mech = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (custos_mech_new(NULL, options, &mech, &err))
        fail_msg("%s", err.said);
    return mech;
}

static inline double
attack_real(const custos_mech *mech, custos_rng *rng, double x)
{
    custos_sealed *sealed = NULL;
    double y = 0;

    assert_int_equal(custos_seal_reals(NULL, &x, 1, &sealed, NULL), CUSTOS_OK);
    assert_int_equal(custos_release_reals(mech, rng, sealed, &y, 1, NULL),
                     CUSTOS_OK);
    custos_sealed_free(sealed);
    return y;
}

static inline int64_t
attack_int(const custos_mech *mech, custos_rng *rng, int64_t x)
{
    custos_sealed *sealed = NULL;
    int64_t y = 0;

    assert_int_equal(custos_seal_ints(NULL, &x, 1, &sealed, NULL), CUSTOS_OK);
    assert_int_equal(custos_release_ints(mech, rng, sealed, &y, 1, NULL),
                     CUSTOS_OK);
    custos_sealed_free(sealed);
    return y;
}

/* The grid of a mechanism, a power of two, from a text such as "1/8" or "4". */
static inline double
attack_grid(const custos_mech *mech)
{
    const char *text = custos_mech_facts(mech)->grid;
    const char *slash = strchr(text, '/');

    return slash ? 1 / strtod(slash + 1, NULL) : strtod(text, NULL);
}

/* A random word, for the twins. */
static inline uint64_t
attack_word(custos_rng *rng)
{
    uint64_t w;

    assert_int_equal(rng_words(rng, &w, 1), CUSTOS_OK);
    return w;
}

/* A double in (0, 1] as most programs draw it: k 2^-53. */
static inline double
attack_uniform(custos_rng *rng)
{
    return (double)((attack_word(rng) >> 11) + 1) * 0x1p-53;
}

/* Laplace noise as most programs draw it, from the given uniform and sign. */
static inline double
attack_float_laplace(double scale, double u, bool minus)
{
    double noise = -scale * log(u);

    return minus ? -noise : noise;
}

#endif
