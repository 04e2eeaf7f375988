/*
 * Exact convolution compared with the sum that defines it; rationals as doubles.
 */
#include "support/convolve.h"
#include "num/rat_double.h"
#include "support/support.h"

enum { MOST = 12 };

static uint64_t seed = 7;

static u128
mass(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed % 5 == 0   ? 0
           : seed % 7 == 0 ? ((u128)1 << 65) - 1
                           : (u128)seed << (seed >> 63);
}

/* ceil(sum a[i] b[k - i] / 2^64), term by term in GMP. */
static u128
expected(const u128 *a, size_t n, const u128 *b, size_t m, size_t k)
{
    mpz_t sum, x, y;
    u128 out;

    mpz_inits(sum, x, y, (mpz_ptr)0);
    for (size_t i = 0; i < n; i++) {
        if (k < i || k - i >= m)
            continue;
        mpz_import(x, 1, -1, sizeof a[i], 0, 0, &a[i]);
        mpz_import(y, 1, -1, sizeof b[0], 0, 0, &b[k - i]);
        mpz_addmul(sum, x, y);
    }
    mpz_cdiv_q_2exp(sum, sum, 64);
    out = 0;
    mpz_export(&out, NULL, -1, sizeof out, 0, 0, sum);
    mpz_clears(sum, x, y, (mpz_ptr)0);
    return out;
}

static void
convolution_agrees_with_the_sum(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t m = 1; m <= MOST; m++) {
            u128 a[MOST], b[MOST], out[2 * MOST];

            for (size_t i = 0; i < MOST; i++) {
                a[i] = mass();
                b[i] = mass();
            }
            assert_int_equal(convolve_up(NULL, a, n, b, m, out), CUSTOS_OK);
            for (size_t k = 0; k < n + m - 1; k++)
                assert_true(out[k] == expected(a, n, b, m, k));
        }
    }
}

static void
convolution_has_limits(void **state)
{
    u128 a[2] = {1, (u128)1 << 65}, out[4];

    (void)state;
    assert_int_equal(convolve_up(NULL, a, 2, a, 1, out), CUSTOS_EOVERFLOW);
    assert_int_equal(convolve_up(NULL, a, 1, a, CONVOLVE_MAX, out),
                     CUSTOS_EOVERFLOW);
    assert_int_equal(convolve_up(NULL, a, (size_t)CONVOLVE_MAX + 1, a, 1, out),
                     CUSTOS_EOVERFLOW);
    for (size_t fail_at = 1; fail_at <= 4; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc alloc = test_alloc(&memory);

        assert_int_equal(convolve_up(&alloc, a, 1, a, 1, out),
                         fail_at < 4 ? CUSTOS_ENOMEM : CUSTOS_OK);
        assert_int_equal(memory.live, 0);
    }
}

static void
doubles_lie_below(void **state)
{
    rat a;

    (void)state;
    rat_init(&a);
    rat_set_i64(&a, 1, 10);
    assert_true(rat_double(&a) <= 0.1 && rat_double(&a) >= 0.1 - 0x1p-56);
    rat_set_i64(&a, -3, 8);
    assert_true(rat_double(&a) == -0.375);
    rat_clear(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_agrees_with_the_sum),
        cmocka_unit_test(convolution_has_limits),
        cmocka_unit_test(doubles_lie_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
