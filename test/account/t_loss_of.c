/*
 * Constructors: for every mechanism, the curve of its atoms and densities
 * against exact sums; and what the constructors reject.
 */
#include <math.h>

#include "account/line.h"
#include "account/loss_of.h"
#include "support/ref_curve.h"
#include "support/support.h"

static const struct ref_mechanism discrete[] = {
    {REF_RESPONSE, 1.0986122886681098, 2, 0, 1, 1},
    {REF_RESPONSE, 0.01, 12, 0, 1, 1},
    {REF_RESPONSE, 3, 3, 0, 0.25, 1},
    {REF_APPROXIMATE, 0.7, 0, 1e-5, 1, 1},
    {REF_APPROXIMATE, 0, 0, 1e-5, 1, 1},
    {REF_APPROXIMATE, 0.7, 0, 0.25, 0.5, 1},
    {REF_DLAPLACE, 1, 1, 0, 1, 1},
    {REF_DLAPLACE, 2, 30, 0, 1, 1},
    {REF_DLAPLACE, 2, 3, 0, 0.01, 1},
    {REF_DGAUSSIAN, 1, 1, 0, 1, 1},
    {REF_DGAUSSIAN, 0.02, 1, 0, 1, 1},
    {REF_DGAUSSIAN, 2500, 7, 0, 1, 1},
    {REF_DGAUSSIAN, 9, 2, 0, 0.1, 1},
};

/* sum of masses (1 - e^(epsilon - L))+ */
static double
atoms_delta(const struct loss *l, double epsilon)
{
    double sum = loss_infinite(l), value, mass;

    for (size_t i = 0; loss_atom(l, i, &value, &mass); i++)
        if (value > epsilon)
            sum += mass * -expm1(epsilon - value);
    return sum;
}

static void
curves_of_mechanisms_agree_with_exact_sums(void **state)
{
    mpfr_t d;

    (void)state;
    mpfr_init2(d, CURVE_BITS);
    for (size_t i = 0; i < sizeof discrete / sizeof *discrete; i++) {
        for (int order = 0; order < 2; order++) {
            struct loss_of owner;
            struct pld_part part = ref_part(&discrete[i], &owner);
            struct ref_curve c;

            part.loss.order = (enum loss_order)order;
            ref_curve_init(&c, (enum loss_order)order);
            ref_curve_add(&c, &discrete[i]);
            for (double e = -3; e <= 3; e += test_size(16, 1) / 16.0) {
                double at = atoms_delta(&part.loss, e), exact;

                ref_curve_delta(&c, e, d);
                exact = mpfr_get_d(d, MPFR_RNDN);
                assert_true(fabs(at - exact) <= 1e-12 * (exact + 1e-3) + 1e-50);
            }
            if (discrete[i].rate == 1)
                assert_true(loss_is_symmetric(&part.loss));
            else
                assert_false(loss_is_symmetric(&part.loss));
            ref_curve_clear(&c);
            loss_of_clear(&owner);
        }
    }
    mpfr_clear(d);
    mpfr_free_cache();
}

/* exp(-x^2 / 2v) */
static void
gauss_term(long x, double v, mpfr_t t)
{
    mpfr_set_d(t, -0.5 * (double)(x * x), MPFR_RNDN);
    mpfr_div_d(t, t, v, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
}

/*
 * The first sensitivity is small. The others are 20 standard deviations or
 * more, so that Q0 has tiny probabilities near the centre of P0.
 */
static const struct {
    double v;
    uint64_t move;
    long step;
} wide[] = {{30000.25, 3, 7}, {1, 22, 1},     {1, 24, 1},
            {100, 220, 3},    {0.0009, 1, 1}, {0.04, 4, 1}};

/* Every q0 and l0 is within the stated error, and no mass is missing. */
static void
discrete_gaussian_atoms_are_accurate(void **state)
{
    mpfr_t sum, lost, t;

    (void)state;
    mpfr_inits2(CURVE_BITS, sum, lost, t, (mpfr_ptr)0);
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
        const double v = wide[k].v;
        const long move = (long)wide[k].move;
        struct ref_mechanism m = {REF_DGAUSSIAN, v, wide[k].move, 0, 1, 1};
        struct loss_of owner;
        struct pld_part part = ref_part(&m, &owner);
        long reach = ((long)owner.n - 1 - move) / 2;

        mpfr_set_zero(sum, 1);
        mpfr_set_zero(lost, 1);
        for (long x = -2 * reach - 9; x <= 2 * reach + 9; x++) {
            gauss_term(x, v, t);
            mpfr_add(sum, sum, t, MPFR_RNDN);
            if (x < -reach - move || x > reach) /* of P0, centred at move */
                mpfr_add(lost, lost, t, MPFR_RNDN);
        }
        mpfr_div(lost, lost, sum, MPFR_RNDN);
        assert_true(mpfr_get_d(lost, MPFR_RNDU) <= part.loss.lost);
        assert_true(part.loss.lost < 1e-39);
        for (size_t i = 0; i < owner.n; i += (size_t)wide[k].step) {
            long x = (long)i - reach;

            gauss_term(x, v, t);
            mpfr_div(t, t, sum, MPFR_RNDN);
            mpfr_d_div(t, owner.atoms[i].q0, t, MPFR_RNDN);
            mpfr_sub_ui(t, t, 1, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(t, MPFR_RNDN)) <= part.loss.error);
            mpfr_set_d(t, 0.5 * (double)(move * (2 * x - move)), MPFR_RNDN);
            mpfr_div_d(t, t, v, MPFR_RNDN);
            mpfr_sub_d(t, t, owner.atoms[i].l0, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(t, MPFR_RNDN)) <= part.loss.error);
        }
        loss_of_clear(&owner);
    }
    mpfr_clears(sum, lost, t, (mpfr_ptr)0);
    mpfr_free_cache();
}

static custos_status
status_of(struct ref_mechanism m, const custos_alloc *alloc)
{
    struct loss_of owner;
    rat a, d, rate;
    custos_status st;

    rat_init(&a);
    rat_init(&d);
    rat_init(&rate);
    mpq_set_d(a.q, m.a);
    mpq_set_d(d.q, m.delta);
    mpq_set_d(rate.q, m.rate);
    st = m.kind == REF_GAUSSIAN      ? loss_of_gaussian(&a, &rate, &owner)
         : m.kind == REF_LAPLACE     ? loss_of_laplace(&a, &rate, &owner)
         : m.kind == REF_EXPONENTIAL ? loss_of_exponential(&a, &rate, &owner)
         : m.kind == REF_RESPONSE
             ? loss_of_response(alloc, &a, m.b, &rate, &owner)
         : m.kind == REF_APPROXIMATE
             ? loss_of_approximate(alloc, &a, &d, &rate, &owner)
         : m.kind == REF_DLAPLACE
             ? loss_of_discrete_laplace(alloc, &a, m.b, &rate, &owner)
             : loss_of_discrete_gaussian(alloc, &a, m.b, &rate, &owner);
    if (!st)
        loss_of_clear(&owner);
    rat_clear(&a);
    rat_clear(&d);
    rat_clear(&rate);
    return st;
}

static void
mechanisms_out_of_reach_are_refused(void **state)
{
    const struct ref_mechanism bad[] = {
        {REF_GAUSSIAN, 1e4, 0, 0, 1, 1},
        {REF_LAPLACE, 1e-120, 0, 0, 1, 1},
        {REF_EXPONENTIAL, 1, 0, 0, 1 - 1e-14, 1},
        {REF_RESPONSE, 1e4, 2, 0, 1, 1},
        {REF_RESPONSE, 1, 2, 0, 1 - 1e-14, 1},
        {REF_APPROXIMATE, 1e4, 0, 0, 1, 1},
        {REF_APPROXIMATE, 1, 0, 1e-300, 1, 1},
        {REF_DLAPLACE, 1, 1 << 20, 0, 1, 1},
        {REF_DLAPLACE, 1e4, 1, 0, 1, 1},
        {REF_DLAPLACE, 1, (1 << 20) - 1, 0, 1, 1},
        {REF_DGAUSSIAN, 1e13, 1, 0, 1, 1},
        {REF_DGAUSSIAN, 1e11, 1, 0, 1, 1},
        {REF_DGAUSSIAN, 1, 1 << 20, 0, 1, 1},
        {REF_DGAUSSIAN, 1, 26, 0, 1, 1}, /* Q0 at 26 + 13 underflows */
        {REF_DGAUSSIAN, 1, 40, 0, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(status_of(bad[i], NULL), CUSTOS_EOVERFLOW);
    for (size_t i = 0; i < sizeof discrete / sizeof *discrete; i++) {
        struct test_memory memory = {.fail_at = 1};
        custos_alloc alloc = test_alloc(&memory);

        assert_int_equal(status_of(discrete[i], &alloc), CUSTOS_ENOMEM);
        assert_int_equal(memory.live, 0);
        assert_int_equal(status_of(discrete[i], &alloc), CUSTOS_OK);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_of_mechanisms_agree_with_exact_sums),
        cmocka_unit_test(discrete_gaussian_atoms_are_accurate),
        cmocka_unit_test(mechanisms_out_of_reach_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
