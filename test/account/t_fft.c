/*
 * The Fourier transform against exact sums in MPFR, within its stated error.
 */
#include <math.h>
#include <mpfr.h>

#include "account/fft.h"
#include "support/support.h"

enum { BITS = 160, MOST = 64 };

/* A fixed sequence in [-1, 1]. */
static double
noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static size_t
mirrored(size_t i, size_t n)
{
    size_t r = 0;

    for (; n > 1; n /= 2, i /= 2)
        r = 2 * r + i % 2;
    return r;
}

/* cos and sin of 2 pi k / n */
static void
circle(mpfr_t c, mpfr_t s, size_t k, size_t n)
{
    mpfr_const_pi(c, MPFR_RNDN);
    mpfr_mul_ui(c, c, 2 * (unsigned long)k, MPFR_RNDN);
    mpfr_div_ui(c, c, (unsigned long)n, MPFR_RNDN);
    mpfr_sin(s, c, MPFR_RNDN);
    mpfr_cos(c, c, MPFR_RNDN);
}

/* Frequency f of (re, im), exactly. */
static void
exact(const double *re, const double *im, size_t n, size_t f, mpfr_t x,
      mpfr_t y)
{
    mpfr_t c, s, t;

    mpfr_inits2(BITS, c, s, t, (mpfr_ptr)0);
    mpfr_set_zero(x, 1);
    mpfr_set_zero(y, 1);
    for (size_t k = 0; k < n; k++) {
        circle(c, s, f * k % n, n);
        mpfr_mul_d(t, c, re[k], MPFR_RNDN);
        mpfr_add(x, x, t, MPFR_RNDN);
        mpfr_mul_d(t, s, im[k], MPFR_RNDN);
        mpfr_add(x, x, t, MPFR_RNDN);
        mpfr_mul_d(t, c, im[k], MPFR_RNDN);
        mpfr_add(y, y, t, MPFR_RNDN);
        mpfr_mul_d(t, s, re[k], MPFR_RNDN);
        mpfr_sub(y, y, t, MPFR_RNDN);
    }
    mpfr_clears(c, s, t, (mpfr_ptr)0);
}

static void
check_size(size_t n)
{
    double re[MOST], im[MOST], fre[MOST], fim[MOST], off = 0, all = 0, back = 0;
    uint64_t seed = n;
    struct fft f;
    mpfr_t x, y;

    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    assert_int_equal(fft_init(&f, NULL, n), CUSTOS_OK);
    for (size_t i = 0; i < n; i++) {
        fre[i] = re[i] = noise(&seed);
        fim[i] = im[i] = noise(&seed);
    }
    fft_forward(&f, fre, fim);
    for (size_t i = 0; i < n; i++) {
        exact(re, im, n, mirrored(i, n), x, y);
        all +=
            pow(mpfr_get_d(x, MPFR_RNDN), 2) + pow(mpfr_get_d(y, MPFR_RNDN), 2);
        mpfr_sub_d(x, x, fre[i], MPFR_RNDN);
        mpfr_sub_d(y, y, fim[i], MPFR_RNDN);
        off +=
            pow(mpfr_get_d(x, MPFR_RNDN), 2) + pow(mpfr_get_d(y, MPFR_RNDN), 2);
    }
    assert_true(sqrt(off) <= fft_error(n) * sqrt(all));
    assert_true(sqrt(off) > 0); /* the check does see errors */
    fft_inverse(&f, fre, fim);
    for (size_t i = 0; i < n; i++)
        back += pow(fre[i] / (double)n - re[i], 2) +
                pow(fim[i] / (double)n - im[i], 2);
    /* |x| = |y| / sqrt n, and the errors of both directions add up. */
    assert_true(sqrt(back) <= 3 * fft_error(n) * sqrt(all / (double)n));
    fft_clear(&f);
    mpfr_clears(x, y, (mpfr_ptr)0);
}

static void
fft_agrees_with_exact_sums(void **state)
{
    (void)state;
    for (size_t n = 4; n <= MOST; n *= 2)
        check_size(n);
    assert_true(fft_error(1 << 20) < 1e-13);
    assert_true(fft_error(1 << 20) > 20 * 0x1p-53);
    mpfr_free_cache();
}

/* The factors of every pass are within the 4 * 2^-53 that fft_error assumes. */
static void
fft_twiddles_are_accurate(void **state)
{
    const size_t n = 4096;
    struct fft f;
    mpfr_t c, s;
    double worst = 0;

    (void)state;
    mpfr_inits2(BITS, c, s, (mpfr_ptr)0);
    assert_int_equal(fft_init(&f, NULL, n), CUSTOS_OK);
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            circle(c, s, k, 2 * half);
            mpfr_sub_d(c, c, f.cos[half + k], MPFR_RNDN);
            mpfr_sub_d(s, s, f.sin[half + k], MPFR_RNDN);
            worst = fmax(worst, hypot(mpfr_get_d(c, MPFR_RNDN),
                                      mpfr_get_d(s, MPFR_RNDN)));
        }
    }
    assert_true(worst > 0 && worst <= 4 * 0x1p-53);
    fft_clear(&f);
    mpfr_clears(c, s, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void
fft_gives_memory_back(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc alloc = test_alloc(&memory);
        struct fft f;

        assert_int_equal(fft_init(&f, &alloc, 16),
                         fail_at <= 2 ? CUSTOS_ENOMEM : CUSTOS_OK);
        if (fail_at > 2)
            fft_clear(&f);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fft_agrees_with_exact_sums),
        cmocka_unit_test(fft_twiddles_are_accurate),
        cmocka_unit_test(fft_gives_memory_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
