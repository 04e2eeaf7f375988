/*
 * Exact integer convolution against the tilted transform.
 */
#include <math.h>

#include "account/pld_bounds.h"
#include "support/verify.h"
#include "support/convolve.h"
#include "support/ref_curve.h"
#include "support/support.h"

/* The same weights computed in two ways agree within the rounding of both. */
static void
compare(const struct ref_mechanism *m, size_t n, double h, double delta)
{
    struct loss_of owner[2];
    struct pld_part parts[2];
    struct sketch s;
    struct pld p;
    struct verify v;
    struct bounds b;
    double up;

    for (size_t i = 0; i < n; i++)
        parts[i] = ref_part(&m[i], &owner[i]);
    assert_int_equal(
        sketch_init(&s, NULL, parts, n, (struct pld_aim){AIM_DELTA, delta}),
        CUSTOS_OK);
    assert_int_equal(pld_init(&p, &s, h), CUSTOS_OK);
    assert_int_equal(verify_init(&v, NULL, parts, n, h, s.tail), CUSTOS_OK);
    b = pld_epsilon(&p, delta);
    up = verify_epsilon(&v, delta);
    assert_true(up >= b.low);
    assert_true(fabs(up - b.high) <= 2e-5 * (1 + b.high));
    for (double e = b.high * 0.7; e < b.high * 1.2; e += b.high / 7) {
        struct bounds d = pld_delta(&p, e);
        double exact = verify_delta(&v, e);

        assert_true(exact >= d.low);
        assert_true(fabs(exact - d.high) <= 1e-6 * d.high + 1e-13);
    }
    assert_true(isinf(verify_epsilon(&v, 1e-300)));
    assert_true(verify_epsilon(&v, 1) == 0);
    verify_clear(&v);
    pld_clear(&p);
    sketch_clear(&s);
    for (size_t i = 0; i < n; i++)
        loss_of_clear(&owner[i]);
}

static void
verify_agrees_with_the_pld(void **state)
{
    const struct ref_mechanism m[][2] = {
        {{REF_GAUSSIAN, 0.5, 0, 0, 1, 30}, {REF_LAPLACE, 0.2, 0, 0, 1, 9}},
        {{REF_GAUSSIAN, 1, 0, 0, 0.05, 60}, {REF_RESPONSE, 0.3, 4, 0, 1, 5}},
        {{REF_DGAUSSIAN, 9, 2, 0, 1, 12},
         {REF_APPROXIMATE, 0.1, 0, 1e-12, 1, 20}},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        if (!test_size(0, 1)) {
            compare(m[i], 2, 0.1, 1e-5);
            continue;
        }
        compare(m[i], 2, 0.01, 1e-5);
        compare(m[i], 2, 0.03, 1e-9);
        compare(m[i], 1, 0.01, 1e-3);
    }
}

static void
verify_encloses_randomized_response(void **state)
{
    const struct ref_mechanism m = {REF_RESPONSE, 0.1, 2, 0, 1, 1000};
    struct loss_of owner;
    struct pld_part part = ref_part(&m, &owner);
    struct ref_curve c;
    struct verify v;
    mpfr_t d;

    (void)state;
    mpfr_init2(d, CURVE_BITS);
    ref_curve_init(&c, ORDER_REMOVE);
    ref_curve_add(&c, &m);
    assert_int_equal(verify_init(&v, NULL, &part, 1, 0.2, 1e-20), CUSTOS_OK);
    for (double e = 0; e < 30; e += 0.71 * test_size(8, 1)) {
        double up = verify_delta(&v, e);

        ref_curve_delta(&c, e, d);
        assert_true(mpfr_cmp_d(d, up) <= 0);
        mpfr_d_sub(d, up, d, MPFR_RNDN);
        assert_true(mpfr_get_d(d, MPFR_RNDN) <=
                    1e-6 * up + 1000 * 3000 * 0x1p-63);
    }
    verify_clear(&v);
    ref_curve_clear(&c);
    loss_of_clear(&owner);
    mpfr_clear(d);
    mpfr_free_cache();
}

static void
verify_fails_cleanly(void **state)
{
    struct pld_part part = {{.base = BASE_LAPLACE, .rate = 1, .size = 1}, 3};
    struct verify v;

    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc alloc = test_alloc(&memory);
        custos_status st = verify_init(&v, &alloc, &part, 1, 0.1, 1e-20);

        if (!st)
            verify_clear(&v);
        assert_int_equal(memory.live, 0);
        if (!st)
            break;
        assert_int_equal(st, CUSTOS_ENOMEM);
    }
    part.count = 1 << 19; /* too large for the exact convolution */
    assert_int_equal(
        verify_init(&v, NULL, &part, 1, test_size(0, 1) ? 0.1 : 3e-6, 1e-20),
        CUSTOS_EOVERFLOW);
    part.count = UINT64_MAX;
    assert_int_equal(verify_init(&v, NULL, &part, 1, 0.1, 1e-20),
                     CUSTOS_EOVERFLOW);
    part.count = 1;
    part.loss.size = 1000;
    assert_int_equal(verify_init(&v, NULL, &part, 1, 0.1, 1e-20),
                     CUSTOS_EOVERFLOW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verify_agrees_with_the_pld),
        cmocka_unit_test(verify_encloses_randomized_response),
        cmocka_unit_test(verify_fails_cleanly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
