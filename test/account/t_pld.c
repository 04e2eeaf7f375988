/*
 * Composed distributions against closed forms and binomial sums, at every
 * delta from 1/2 down to 10^-40; and the driver that chooses grids.
 */
#include <math.h>
#include <stdlib.h>

#include "account/pld_bounds.h"
#include "account/weights.h"
#include "support/fresh_bounds.h"
#include "support/ref_curve.h"
#include "support/support.h"

static const double deltas[] = {0.5, 1e-2, 1e-6, 1e-15, 1e-30, 1e-40};

/*
 * One plan at one delta: the bounds enclose the curve and are as narrow as
 * requested.
 */
static void
check(const struct ref_mechanism *m, size_t n, double delta, double width)
{
    struct loss_of owner[4];
    struct pld_part parts[4];
    struct bounds b[2];
    double loose;

    for (size_t i = 0; i < n; i++)
        parts[i] = ref_part(&m[i], &owner[i]);
    assert_int_equal(fresh_bounds(NULL, parts, n,
                                  (struct pld_aim){AIM_DELTA, delta}, width, b),
                     CUSTOS_OK);
    for (int order = 0; order < 2; order++) {
        struct ref_curve c;
        const char *wrong;

        ref_curve_init(&c, (enum loss_order)order);
        for (size_t i = 0; i < n; i++)
            ref_curve_add(&c, &m[i]);
        wrong = ref_curve_check(&c, delta, b[order], &loose);
        if (wrong)
            fail_msg("%s: kind %d a %g x %lu delta %g: [%.15g, %.15g]", wrong,
                     m->kind, m->a, (unsigned long)m->count, delta,
                     b[order].low, b[order].high);
        assert_true(b[order].high - b[order].low <= width);
        ref_curve_clear(&c);
    }
    for (size_t i = 0; i < n; i++)
        loss_of_clear(&owner[i]);
}

static void
pld_encloses_gaussian(void **state)
{
    const struct ref_mechanism m[] = {
        {REF_GAUSSIAN, 0.02, 0, 0, 1, 1000},
        {REF_GAUSSIAN, 8, 0, 0, 1, 1},
        {REF_GAUSSIAN, 1e-5, 0, 0, 1, 1},
        {REF_GAUSSIAN, 1e-3, 0, 0, 1, 1},
        {REF_GAUSSIAN, 1, 0, 0, 1, 16},
        {REF_GAUSSIAN, 1e-4, 0, 0, 1, 1u << 30},
    };

    (void)state;
    for (size_t i = 0; i < sizeof m / sizeof *m; i++)
        for (size_t j = 0; j < 6; j += (size_t)test_size(3, 1))
            check(&m[i], 1, deltas[j], 3e-3);
    check(&m[0], 1, 1e-6, 5e-5);
    mpfr_free_cache();
}

/* Reference values, computed with contour integrals and extrapolation. */
static void
pld_encloses_subsampled(void **state)
{
    struct pld_part part = {{.base = BASE_GAUSSIAN, .rate = 0.01, .size = 1},
                            10000};
    const struct ref_mechanism one[] = {
        {REF_GAUSSIAN, 1, 0, 0, 0.01, 1},     {REF_GAUSSIAN, 4, 0, 0, 0.3, 1},
        {REF_GAUSSIAN, 1, 0, 0, 1 - 1e-6, 1}, {REF_LAPLACE, 1, 0, 0, 0.05, 1},
        {REF_EXPONENTIAL, 2, 0, 0, 0.2, 1},
    };
    struct bounds b[2];

    (void)state;
    assert_int_equal(fresh_bounds(NULL, &part, 1,
                                  (struct pld_aim){AIM_DELTA, 1e-6}, 1e-3, b),
                     CUSTOS_OK);
    assert_true(b[0].low <= 6.907384495 && b[0].high >= 6.907384495);
    assert_true(b[1].low <= 6.207484379 && b[1].high >= 6.207484379);
    assert_true(b[0].high - b[0].low <= 1e-3 && b[1].high - b[1].low <= 1e-3);
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        for (size_t j = 0; j < 5; j += (size_t)test_size(3, 1))
            check(&one[i], 1, deltas[j], 1e-2);
    mpfr_free_cache();
}

/*
 * The exact composition of KOV15, pure and with deltas; at a tiny delta it is
 * the sum of the epsilons.
 */
static void
pld_encloses_randomized_response(void **state)
{
    const struct ref_mechanism m[] = {
        {REF_RESPONSE, 0.1, 2, 0, 1, 1},
        {REF_RESPONSE, 0.1, 2, 0, 1, 100},
        {REF_RESPONSE, 0.01, 2, 0, 1, 1000},
        {REF_RESPONSE, 3, 2, 0, 1, 24},
        {REF_RESPONSE, 0.5, 5, 0, 1, 6},
        {REF_RESPONSE, 1, 2, 0, 0.3, 5},
        {REF_APPROXIMATE, 0.1, 0, 1e-45, 1, 1000},
        {REF_DLAPLACE, 0.4, 1, 0, 1, 500},
        {REF_DLAPLACE, 0.4, 3, 0, 1, 5},
        {REF_DGAUSSIAN, 2, 1, 0, 1, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof m / sizeof *m; i++)
        for (size_t j = i % 6 * (size_t)test_size(1, 0); j < 6;
             j += (size_t)test_size(6, 1))
            check(&m[i], 1, deltas[j], 1e-3);
    mpfr_free_cache();
}

static void
mixtures_are_enclosed(void **state)
{
    const struct ref_mechanism m[][3] = {
        {{REF_GAUSSIAN, 0.05, 0, 0, 1, 50},
         {REF_RESPONSE, 0.1, 2, 0, 1, 20},
         {REF_GAUSSIAN, 0.1, 0, 0, 1, 3}},
        {{REF_LAPLACE, 0.3, 0, 0, 1, 1},
         {REF_RESPONSE, 0.2, 2, 0, 1, 30},
         {REF_DLAPLACE, 0.5, 2, 0, 0.3, 1}},
        {{REF_EXPONENTIAL, 0.3, 0, 0, 1, 1},
         {REF_APPROXIMATE, 0.05, 0, 1e-50, 1, 100},
         {REF_RESPONSE, 0.0123, 2, 0, 1, 11}},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 1; j < 5; j += (size_t)test_size(4, 1))
            check(m[i], 3, deltas[j], 5e-3);
    mpfr_free_cache();
}

/* delta(epsilon) from a PLD made for another delta, and by the driver. */
static void
delta_of_epsilon_is_enclosed(void **state)
{
    const struct ref_mechanism m = {REF_GAUSSIAN, 0.5, 0, 0, 1, 9};
    struct loss_of owner;
    struct pld_part part = ref_part(&m, &owner);
    struct bounds b[2], d;
    struct ref_curve c;
    struct sketch s;
    struct pld p;
    mpfr_t exact;

    (void)state;
    mpfr_init2(exact, CURVE_BITS);
    ref_curve_init(&c, ORDER_REMOVE);
    ref_curve_add(&c, &m);
    assert_int_equal(
        sketch_init(&s, NULL, &part, 1, (struct pld_aim){AIM_DELTA, 1e-6}),
        CUSTOS_OK);
    assert_int_equal(pld_init(&p, &s, 1e-3), CUSTOS_OK);
    for (double e = 0; e < 40; e += 0.37 * test_size(10, 1)) {
        ref_curve_delta(&c, e, exact);
        d = pld_delta(&p, e);
        assert_true(mpfr_cmp_d(exact, d.low) >= 0);
        assert_true(mpfr_cmp_d(exact, d.high) <= 0);
        if (e > 18)
            continue;
        assert_int_equal(fresh_bounds(NULL, &part, 1,
                                      (struct pld_aim){AIM_EPSILON, e}, 1e-2,
                                      b),
                         CUSTOS_OK);
        assert_true(mpfr_cmp_d(exact, b[0].low) >= 0);
        assert_true(mpfr_cmp_d(exact, b[0].high) <= 0);
        assert_true(b[0].high - b[0].low <= 1e-2 * b[0].high);
    }
    for (double delta = 1e-40; delta < 1; delta *= 97) {
        double loose;

        assert_null(ref_curve_check(&c, delta, pld_epsilon(&p, delta), &loose));
    }
    pld_clear(&p);
    sketch_clear(&s);
    ref_curve_clear(&c);
    mpfr_clear(exact);
    loss_of_clear(&owner);
    mpfr_free_cache();
}

/*
 * A grid so coarse that the tilt is e^32 per step: a value that underflows at the
 * top of the window must not stay 0 further down.
 */
static void
steep_tilts_are_enclosed(void **state)
{
    const struct ref_mechanism m = {
        REF_APPROXIMATE,        0.61592488626975306,  0,
        7.3637754607270182e-08, 0.055996786542193026, 6};
    struct loss_of owner;
    struct pld_part part = ref_part(&m, &owner);
    struct ref_curve c;

    (void)state;
    part.loss.order = ORDER_ADD;
    ref_curve_init(&c, ORDER_ADD);
    ref_curve_add(&c, &m);
    for (double delta = 1e-4; delta > 1e-50; delta /= 1000) {
        struct sketch s;
        struct pld p;
        double loose;

        assert_int_equal(
            sketch_init(&s, NULL, &part, 1, (struct pld_aim){AIM_DELTA, delta}),
            CUSTOS_OK);
        for (double h = 0.25; h > 1e-3; h /= 1.7) {
            assert_int_equal(pld_init(&p, &s, h), CUSTOS_OK);
            assert_null(
                ref_curve_check(&c, delta, pld_epsilon(&p, delta), &loose));
            pld_clear(&p);
        }
        sketch_clear(&s);
    }
    ref_curve_clear(&c);
    loss_of_clear(&owner);
    mpfr_free_cache();
}

/*
 * More mass is lost than delta: no epsilon is enough, and both bounds are
 * infinite.
 */
static void
what_is_lost_is_infinite(void **state)
{
    const struct ref_mechanism m = {REF_APPROXIMATE, 0.1, 0, 1e-6, 1, 10};
    struct loss_of owner;
    struct pld_part part = ref_part(&m, &owner);
    struct bounds b[2];

    (void)state;
    assert_int_equal(fresh_bounds(NULL, &part, 1,
                                  (struct pld_aim){AIM_DELTA, 9e-6}, 1e-3, b),
                     CUSTOS_OK);
    assert_true(isinf(b[0].low) && isinf(b[0].high));
    assert_int_equal(fresh_bounds(NULL, &part, 1,
                                  (struct pld_aim){AIM_DELTA, 1.1e-5}, 1e-3, b),
                     CUSTOS_OK);
    assert_true(isfinite(b[0].high) && b[0].high <= 1 + 1e-9);
    loss_of_clear(&owner);
}

static void
bad_questions_are_refused(void **state)
{
    struct pld_part part = {{.base = BASE_GAUSSIAN, .rate = 1, .size = 1}, 1};
    struct pld_part far = part, many = part;
    struct bounds b[2];
    const struct pld_aim aims[] = {
        {AIM_DELTA, 0},          {AIM_DELTA, 1},      {AIM_DELTA, -1},
        {AIM_DELTA, NAN},        {AIM_EPSILON, -1},   {AIM_EPSILON, NAN},
        {AIM_EPSILON, INFINITY}, {AIM_DELTA, 1e-300},
    };

    (void)state;
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++)
        assert_int_equal(fresh_bounds(NULL, &part, 1, aims[i], 1e-3, b),
                         CUSTOS_EINVAL);
    assert_int_equal(
        fresh_bounds(NULL, &part, 1, (struct pld_aim){AIM_DELTA, 0.1}, 0, b),
        CUSTOS_EINVAL);
    assert_int_equal(
        fresh_bounds(NULL, &part, 0, (struct pld_aim){AIM_DELTA, 0.1}, 1, b),
        CUSTOS_EINVAL);
    far.loss.size = 50;
    assert_int_equal(
        fresh_bounds(NULL, &far, 1, (struct pld_aim){AIM_DELTA, 0.1}, 1, b),
        CUSTOS_EOVERFLOW);
    many.count = UINT64_MAX;
    many.loss.base = BASE_LAPLACE;
    many.loss.size = 1e-9;
    assert_int_equal(
        fresh_bounds(NULL, &many, 1, (struct pld_aim){AIM_DELTA, 0.1}, 1, b),
        CUSTOS_EOVERFLOW);
    many.count = 0; /* without a release the cost is 0 */
    assert_int_equal(
        fresh_bounds(NULL, &many, 1, (struct pld_aim){AIM_DELTA, 0.1}, 1, b),
        CUSTOS_OK);
    assert_true(b[0].high == 0 && b[1].high == 0);
}

static void
pld_gives_memory_back(void **state)
{
    const struct loss_atom two[] = {{0.7, -1}, {0.3, 1}};
    struct pld_part parts[] = {
        {{.base = BASE_GAUSSIAN, .rate = 0.5, .size = 1}, 3},
        {{.base = BASE_ATOMS, .rate = 1, .atoms = two, .n_atoms = 2}, 2},
    };

    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc alloc = test_alloc(&memory);
        struct bounds b[2] = {{-1, -1}, {-1, -1}};
        custos_status st = fresh_bounds(
            &alloc, parts, 2, (struct pld_aim){AIM_DELTA, 1e-6}, 0.1, b);

        assert_int_equal(memory.live, 0);
        if (!st)
            break;
        assert_int_equal(st, CUSTOS_ENOMEM);
        assert_true(b[0].low == -1 && b[1].high == -1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pld_encloses_gaussian),
        cmocka_unit_test(pld_encloses_subsampled),
        cmocka_unit_test(pld_encloses_randomized_response),
        cmocka_unit_test(mixtures_are_enclosed),
        cmocka_unit_test(delta_of_epsilon_is_enclosed),
        cmocka_unit_test(steep_tilts_are_enclosed),
        cmocka_unit_test(what_is_lost_is_infinite),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(pld_gives_memory_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
