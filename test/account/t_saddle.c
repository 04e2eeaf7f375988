/*
 * Saddle-point bounds against those of a grid, and against exact curves.
 */
#include <math.h>
#include <stdlib.h>

#include "account/pld_bounds.h"
#include "account/saddle.h"
#include "support/fresh_bounds.h"
#include "support/ref_curve.h"
#include "support/support.h"

enum { MANY = 200 };

/* Laplace and Gaussian of all sizes, and a response. */
static void
fill(struct pld_part *parts, const struct loss_atom *atoms)
{
    for (size_t i = 0; i < MANY; i++)
        parts[i] =
            (struct pld_part){{.base = i % 2 ? BASE_LAPLACE : BASE_GAUSSIAN,
                               .rate = 1,
                               .size = 0.01 + 0.0003 * (double)i},
                              1 + i % 3};
    parts[7] = (struct pld_part){
        {.base = BASE_ATOMS, .rate = 1, .atoms = atoms, .n_atoms = 2}, 20};
}

/* Both intervals are correct, so they overlap; both are narrow. */
static void
saddle_encloses_the_pld(void **state)
{
    const double e = 0.05;
    const struct loss_atom atoms[] = {{1 / (1 + exp(-e)), -e},
                                      {1 / (1 + exp(e)), e}};
    static struct pld_part parts[MANY];

    (void)state;
    fill(parts, atoms);
    for (double delta = 1e-3; delta > test_size(1, 0) * 1e-4 + 1e-12;
         delta /= 100) {
        struct bounds s, grid;
        struct sketch sketch;
        struct pld p;

        assert_int_equal(saddle_epsilon(parts, MANY, delta, &s), CUSTOS_OK);
        assert_int_equal(sketch_init(&sketch, NULL, parts, MANY,
                                     (struct pld_aim){AIM_DELTA, delta}),
                         CUSTOS_OK);
        assert_int_equal(pld_init(&p, &sketch, 1e-3), CUSTOS_OK);
        grid = pld_epsilon(&p, delta);
        assert_true(s.low <= grid.high && grid.low <= s.high);
        assert_true(s.high - s.low < 0.05 * s.high);
        assert_true(grid.high - grid.low < 0.01 * grid.high);
        assert_true(s.low <= grid.low && s.high >= grid.high);
        pld_clear(&p);
        sketch_clear(&sketch);
    }
}

/* Against exact curves: Gaussians, randomized responses, and both. */
static void
saddle_encloses_exact_curves(void **state)
{
    const struct ref_mechanism m[][2] = {
        {{REF_GAUSSIAN, 0.02, 0, 0, 1, 1000}, {REF_GAUSSIAN, 1, 0, 0, 1, 1}},
        {{REF_GAUSSIAN, 0.1, 0, 0, 1, 10}, {REF_RESPONSE, 0.02, 2, 0, 1, 60}},
        {{REF_RESPONSE, 0.1, 2, 0, 1, 1000},
         {REF_APPROXIMATE, 0.01, 0, 1e-30, 1, 1}},
        {{REF_RESPONSE, 2, 2, 0, 1, 3}, {REF_RESPONSE, 1, 2, 0, 1, 1}},
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct loss_of owner[2];
        struct pld_part parts[2] = {ref_part(&m[i][0], &owner[0]),
                                    ref_part(&m[i][1], &owner[1])};
        struct ref_curve c;

        ref_curve_init(&c, ORDER_REMOVE);
        ref_curve_add(&c, &m[i][0]);
        ref_curve_add(&c, &m[i][1]);
        for (double delta = 0.01; delta > 1e-190; delta /= 1e12) {
            struct bounds b;
            double loose;

            assert_int_equal(saddle_epsilon(parts, 2, delta, &b), CUSTOS_OK);
            assert_null(ref_curve_check(&c, delta, b, &loose));
            if (i == 0) /* Gaussians have no Berry-Esseen term */
                assert_true(loose < 1e-2 * b.high);
        }
        ref_curve_clear(&c);
        loss_of_clear(&owner[0]);
        loss_of_clear(&owner[1]);
    }
    mpfr_free_cache();
}

/*
 * With so many mechanisms the bounds are sharp enough that an error in any
 * cumulant shows.
 */
static void
saddle_is_sharp_for_many(void **state)
{
    struct pld_part part = {{.base = BASE_LAPLACE, .rate = 1, .size = 1e-3},
                            10000000};

    (void)state;
    for (double delta = 1e-2; delta > 1e-20; delta /= 1e6) {
        struct bounds s, grid;
        struct sketch sketch;
        struct pld p;

        assert_int_equal(saddle_epsilon(&part, 1, delta, &s), CUSTOS_OK);
        assert_int_equal(sketch_init(&sketch, NULL, &part, 1,
                                     (struct pld_aim){AIM_DELTA, delta}),
                         CUSTOS_OK);
        assert_int_equal(pld_init(&p, &sketch, 2e-4), CUSTOS_OK);
        grid = pld_epsilon(&p, delta);
        assert_true(s.low <= grid.high && grid.low <= s.high);
        assert_true(s.high - s.low < 2e-2 * s.high);
        assert_true(grid.high - grid.low < 1e-2 * grid.high);
        pld_clear(&p);
        sketch_clear(&sketch);
    }
}

static void
saddle_refuses_sampled_parts(void **state)
{
    struct pld_part p = {{.base = BASE_GAUSSIAN, .rate = 0.5, .size = 1}, 1};
    struct bounds b;

    (void)state;
    assert_int_equal(saddle_epsilon(&p, 1, 1e-6, &b), CUSTOS_EINVAL);
    p.loss.base = BASE_LAPLACE;
    assert_int_equal(saddle_epsilon(&p, 1, 1e-6, &b), CUSTOS_EINVAL);
    p.loss.base = BASE_EXPONENTIAL;
    p.loss.rate = 1;
    assert_int_equal(saddle_epsilon(&p, 1, 1e-6, &b), CUSTOS_EINVAL);
}

/* 10^5 mechanisms, all different, in one plan. */
static void
very_many_parts_need_no_grid(void **state)
{
    enum { N = 100000 };
    struct pld_part *parts = calloc(N, sizeof *parts);
    struct bounds b[2];

    (void)state;
    assert_non_null(parts);
    for (size_t i = 0; i < N; i++)
        parts[i] =
            (struct pld_part){{.base = i % 2 ? BASE_LAPLACE : BASE_GAUSSIAN,
                               .rate = 1,
                               .size = 1e-3 + 2e-8 * (double)i},
                              1};
    assert_int_equal(fresh_bounds(NULL, parts, N,
                                  (struct pld_aim){AIM_DELTA, 1e-6}, 1e-3, b),
                     CUSTOS_OK);
    assert_true(b[0].high - b[0].low <= 0.01 * b[0].high);
    assert_true(b[0].low > 1 && b[1].low == b[0].low);
    free(parts);
}

/*
 * saddle_laplace_up against ln(((t+1) e^(te) + t e^(-(t+1)e)) / (2t+1)) with
 * 300 bits: at or above it, by no more than the allowance for rounding.
 */
static void
laplace_moments_are_rounded_up(void **state)
{
    mpfr_t m, x;

    (void)state;
    mpfr_inits2(300, m, x, (mpfr_ptr)0);
    for (double e = 1e-5; e < 100; e *= 3.1) {
        for (double t = 0x1p-20; t < 1e6; t *= 2.7) {
            double got = saddle_laplace_up(e, t), room = 0x1p-47 * (1 + t) * e;

            mpfr_set_d(x, e, MPFR_RNDN);
            mpfr_mul_d(x, x, t, MPFR_RNDN);
            mpfr_exp(m, x, MPFR_RNDN);
            mpfr_mul_d(m, m, t, MPFR_RNDN);
            mpfr_exp(x, x, MPFR_RNDN);
            mpfr_add(m, m, x, MPFR_RNDN);
            mpfr_set_d(x, t, MPFR_RNDN);
            mpfr_add_ui(x, x, 1, MPFR_RNDN);
            mpfr_mul_d(x, x, -e, MPFR_RNDN);
            mpfr_exp(x, x, MPFR_RNDN);
            mpfr_mul_d(x, x, t, MPFR_RNDN);
            mpfr_add(m, m, x, MPFR_RNDN);
            mpfr_set_d(x, t, MPFR_RNDN);
            mpfr_mul_ui(x, x, 2, MPFR_RNDN);
            mpfr_add_ui(x, x, 1, MPFR_RNDN);
            mpfr_div(m, m, x, MPFR_RNDN);
            mpfr_log(m, m, MPFR_RNDN);
            assert_true(mpfr_cmp_d(m, got) <= 0);
            assert_true(mpfr_cmp_d(m, got - room) >= 0);
        }
    }
    mpfr_clears(m, x, (mpfr_ptr)0);
    mpfr_free_cache();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saddle_encloses_the_pld),
        cmocka_unit_test(saddle_encloses_exact_curves),
        cmocka_unit_test(saddle_is_sharp_for_many),
        cmocka_unit_test(saddle_refuses_sampled_parts),
        cmocka_unit_test(very_many_parts_need_no_grid),
        cmocka_unit_test(laplace_moments_are_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
