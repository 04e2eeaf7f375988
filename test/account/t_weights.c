/*
 * The upper and the lower grid of one mechanism against its exact curve: at,
 * near and far from grid points, for fine to extremely coarse grids.
 */
#include <math.h>
#include <stdio.h>

#include "account/weights.h"
#include "support/ref_curve.h"
#include "support/support.h"

static const struct ref_mechanism mechanisms[] = {
    {REF_GAUSSIAN, 0.02, 0, 0, 1, 1},
    {REF_GAUSSIAN, 1, 0, 0, 1, 1},
    {REF_GAUSSIAN, 7, 0, 0, 1, 1},
    {REF_GAUSSIAN, 1, 0, 0, 0.01, 1},
    {REF_GAUSSIAN, 3, 0, 0, 0.9, 1},
    {REF_GAUSSIAN, 1, 0, 0, 1e-6, 1},
    {REF_GAUSSIAN, 2, 0, 0, 1 - 1e-6, 1},
    {REF_LAPLACE, 0.1, 0, 0, 1, 1},
    {REF_LAPLACE, 5, 0, 0, 1, 1},
    {REF_LAPLACE, 1, 0, 0, 0.1, 1},
    {REF_LAPLACE, 1e-8, 0, 0, 1, 1},
    {REF_LAPLACE, 40, 0, 0, 1, 1},
    {REF_EXPONENTIAL, 0.7, 0, 0, 1, 1},
    {REF_EXPONENTIAL, 2, 0, 0, 0.3, 1},
    {REF_RESPONSE, 1.1, 2, 0, 1, 1},
    {REF_RESPONSE, 0.3, 7, 0, 0.2, 1},
    {REF_APPROXIMATE, 0.5, 0, 1e-3, 1, 1},
    {REF_APPROXIMATE, 0.5, 0, 1e-3, 0.5, 1},
    {REF_DLAPLACE, 1, 5, 0, 1, 1},
    {REF_DLAPLACE, 1, 5, 0, 0.4, 1},
    {REF_DGAUSSIAN, 4, 1, 0, 1, 1},
    {REF_DGAUSSIAN, 400, 3, 0, 1, 1},
    {REF_DGAUSSIAN, 400, 3, 0, 0.05, 1},
    {REF_DGAUSSIAN, 0.1, 1, 0, 1, 1},
};

enum { COUNT = sizeof mechanisms / sizeof *mechanisms };

#define TAIL 1e-16

/* delta at epsilon of one of the two grids, as the theorems state it. */
static double
grid_delta(const struct weights *w, bool up, double epsilon)
{
    double sum = 0;

    for (size_t i = 0; i < w->n; i++) {
        double x = (double)(w->first + (long)i) * w->h + w->offset;

        x += up ? w->shift : -w->shift;
        if (x > epsilon)
            sum += (up ? w->up[i] : w->low[i]) * -expm1(epsilon - x);
    }
    return up ? w->infinite + (1 + w->error + 1e-12) * sum
              : (1 - w->error - 1e-12) * sum;
}

/* Checks one grid; returns the largest gap between it and the exact curve. */
static double
check_grid(const struct ref_mechanism *m, enum loss_order order, double h,
           bool up, int stride)
{
    struct loss_of owner;
    struct pld_part part = ref_part(m, &owner);
    struct ref_curve c;
    struct weights w;
    double worst = 0, most;
    mpfr_t d;

    part.loss.order = order;
    ref_curve_init(&c, order);
    ref_curve_add(&c, m);
    mpfr_init2(d, CURVE_BITS);
    assert_int_equal(weights_init(&w, NULL, &part.loss, h, TAIL), CUSTOS_OK);
    most = w.most;
    for (int i = -20; i <= 45; i += stride) {
        double at = grid_delta(&w, up, most * i / 40), gap;

        ref_curve_delta(&c, most * i / 40, d);
        if (up)
            assert_true(mpfr_cmp_d(d, at) <= 0);
        else
            assert_true(mpfr_cmp_d(d, at) >= 0);
        gap = fabs(at - mpfr_get_d(d, MPFR_RNDN));
        worst = fmax(worst, gap);
    }
    weights_clear(&w);
    ref_curve_clear(&c);
    mpfr_clear(d);
    loss_of_clear(&owner);
    return worst;
}

static void
check_all(bool up)
{
    const double steps[] = {1e-3, 0.04, 0.25, 3};

    for (size_t i = 0; i < COUNT; i++) {
        for (int order = 0; order < 2; order++) {
            for (size_t j = (size_t)test_size(2, 0); j < 4;
                 j += (size_t)test_size(2, 1)) {
                double h = steps[j] * (mechanisms[i].a < 0.001 ? 1e-7 : 1);

                check_grid(&mechanisms[i], (enum loss_order)order, h, up,
                           test_size(13, 1));
            }
        }
    }
    mpfr_free_cache();
}

static void
upper_curve_lies_above(void **state)
{
    (void)state;
    check_all(true);
}

static void
lower_curve_lies_below(void **state)
{
    (void)state;
    check_all(false);
}

/* Both curves approach the exact one as h squared. */
static void
curves_close_in_as_h_squared(void **state)
{
    const struct ref_mechanism smooth[] = {
        {REF_GAUSSIAN, 1, 0, 0, 1, 1},
        {REF_GAUSSIAN, 1, 0, 0, 0.2, 1},
        {REF_EXPONENTIAL, 2, 0, 0, 1, 1},
        {REF_LAPLACE, 1, 0, 0, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (int up = 0; up < 2; up++) {
            double h = 1.0 / 16;
            double coarse = check_grid(&smooth[i], ORDER_REMOVE, h, up, 1);
            double fine = check_grid(&smooth[i], ORDER_REMOVE, h / 16, up, 1);

            assert_true(fine <= coarse / 100);
            assert_true(fine <= h / 16 * h / 16);
        }
    }
    mpfr_free_cache();
}

/* Lattices that fit the grid are exact. */
static void
lattices_are_exact(void **state)
{
    const struct ref_mechanism m[] = {
        {REF_RESPONSE, 1.1, 2, 0, 1, 1},
        {REF_DLAPLACE, 1.5, 3, 0, 1, 1},
        {REF_DGAUSSIAN, 4, 1, 0, 1, 1},
    };
    const double steps[] = {2.2, 1, 0.25};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int up = 0; up < 2; up++)
            assert_true(check_grid(&m[i], ORDER_REMOVE, steps[i], up, 1) <
                        1e-10);
    mpfr_free_cache();
}

static void
weights_fail_cleanly(void **state)
{
    struct loss l = {.base = BASE_GAUSSIAN, .rate = 1, .size = 1};
    const struct loss_atom two[] = {{0.7, -1}, {0.3, 1}};
    struct loss a = {.base = BASE_ATOMS, .rate = 1, .atoms = two, .n_atoms = 2};
    struct weights w;

    (void)state;
    assert_int_equal(weights_init(&w, NULL, &l, 1e-6, TAIL), CUSTOS_EOVERFLOW);
    for (int which = 0; which < 2; which++) {
        for (size_t fail_at = 1;; fail_at++) {
            struct test_memory memory = {.fail_at = fail_at};
            custos_alloc alloc = test_alloc(&memory);
            custos_status st =
                weights_init(&w, &alloc, which ? &a : &l, 0.1, TAIL);

            if (!st)
                weights_clear(&w);
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
        cmocka_unit_test(upper_curve_lies_above),
        cmocka_unit_test(lower_curve_lies_below),
        cmocka_unit_test(curves_close_in_as_h_squared),
        cmocka_unit_test(lattices_are_exact),
        cmocka_unit_test(weights_fail_cleanly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
