/*
 * Convolutions against exact ones in MPFR, within the error they state.
 */
#include <math.h>
#include <mpfr.h>

#include "account/spectrum.h"
#include "support/support.h"

enum { N = 64, BITS = 300 };

struct exact {
    mpfr_t at[N];
};

static void
exact_init(struct exact *e)
{
    for (size_t i = 0; i < N; i++) {
        mpfr_init2(e->at[i], BITS);
        mpfr_set_zero(e->at[i], 1);
    }
    mpfr_set_ui(e->at[0], 1, MPFR_RNDN);
}

static void
exact_clear(struct exact *e)
{
    for (size_t i = 0; i < N; i++)
        mpfr_clear(e->at[i]);
}

/* e := e * w, modulo N points. */
static void
exact_multiply(struct exact *e, const double *w)
{
    struct exact old;
    mpfr_t t;

    mpfr_init2(t, BITS);
    exact_init(&old);
    for (size_t i = 0; i < N; i++) {
        mpfr_set(old.at[i], e->at[i], MPFR_RNDN);
        mpfr_set_zero(e->at[i], 1);
    }
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            mpfr_mul_d(t, old.at[i], w[j], MPFR_RNDN);
            mpfr_add(e->at[(i + j) % N], e->at[(i + j) % N], t, MPFR_RNDN);
        }
    }
    exact_clear(&old);
    mpfr_clear(t);
}

/* Positive weights with a sum a little below 1, on few points or on many. */
static void
fill(double *w, int few, uint64_t *seed)
{
    double sum = 0;

    for (size_t i = 0; i < N; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        w[i] = few && i % 8 ? 0 : (double)(*seed >> 11) * 0x1p-53;
        if (few)
            w[i] *= exp(-(double)i);
        sum += w[i];
    }
    for (size_t i = 0; i < N; i++)
        w[i] /= sum * (1 + 1e-12);
}

static double
distance(const struct exact *e, const double *x)
{
    double sum = 0;
    mpfr_t t;

    mpfr_init2(t, BITS);
    for (size_t i = 0; i < N; i++) {
        assert_true(x[i] >= 0);
        mpfr_sub_d(t, e->at[i], x[i], MPFR_RNDN);
        sum += pow(mpfr_get_d(t, MPFR_RNDN), 2);
    }
    mpfr_clear(t);
    return sum;
}

static void
check(int few, const uint64_t *counts, size_t parts)
{
    double up[N], low[N], off;
    uint64_t seed = (uint64_t)few + 1;
    struct spectrum s;
    struct exact exact_up, exact_low;

    exact_init(&exact_up);
    exact_init(&exact_low);
    assert_int_equal(spectrum_init(&s, NULL, N, parts), CUSTOS_OK);
    for (size_t p = 0; p < parts; p++) {
        fill(up, few, &seed);
        fill(low, few, &seed);
        memcpy(s.re, up, sizeof up);
        memcpy(s.im, low, sizeof low);
        spectrum_multiply(&s, counts[p]);
        for (uint64_t k = 0; k < counts[p]; k++) {
            exact_multiply(&exact_up, up);
            exact_multiply(&exact_low, low);
        }
    }
    spectrum_invert(&s);
    off = sqrt(distance(&exact_up, s.re) + distance(&exact_low, s.im));
    assert_true(off <= s.error);
    assert_true(off > 0 && s.error < 1e-11);
    spectrum_clear(&s);
    exact_clear(&exact_up);
    exact_clear(&exact_low);
}

static void
spectrum_error_holds(void **state)
{
    const uint64_t many[] = {100}, mixed[] = {3, 1, 7};

    (void)state;
    for (int few = 0; few < 2; few++) {
        check(few, many, 1);
        check(few, mixed, 3);
    }
    mpfr_free_cache();
}

static void
spectrum_gives_memory_back(void **state)
{
    (void)state;
    for (size_t parts = 1; parts <= 2; parts++) {
        for (size_t fail_at = 1;; fail_at++) {
            struct test_memory memory = {.fail_at = fail_at};
            custos_alloc alloc = test_alloc(&memory);
            struct spectrum s;
            custos_status st = spectrum_init(&s, &alloc, N, parts);

            if (!st)
                spectrum_clear(&s);
            assert_int_equal(memory.live, 0);
            if (!st)
                break;
            assert_int_equal(st, CUSTOS_ENOMEM);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrum_error_holds),
        cmocka_unit_test(spectrum_gives_memory_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
