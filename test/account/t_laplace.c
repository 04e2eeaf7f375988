/*
 * The rho of Laplace noise against its definition: sums over the integers with
 * 200 bits, at orders from near 1 to 1000, for one coordinate and for vectors.
 */
#include "account/laplace.h"

#include "account/convert.h"
#include "account/cost.h"
#include "account/mp.h"

/* The divergence of order a between noise e^(-h |x|) around 0 and around d. */
static void
divergence(mpfr_t r, const mpfr_t h, long d, const mpfr_t a)
{
    long most = 60 + (long)(160 / mpfr_get_d(h, MPFR_RNDN)) + d;
    mpfr_t p, q, all;

    mpfr_inits2(MP_BITS, p, q, all, (mpfr_ptr)0);
    mpfr_set_zero(r, 1);
    mpfr_set_zero(all, 1);
    for (long x = -most; x <= most; x++) {
        mpfr_mul_si(p, h, -labs(x), MPFR_RNDN);
        mpfr_mul_si(q, h, -labs(x - d), MPFR_RNDN);
        mpfr_sub(p, p, q, MPFR_RNDN);
        mpfr_mul(p, p, a, MPFR_RNDN);
        mpfr_add(p, p, q, MPFR_RNDN);
        mpfr_exp(p, p, MPFR_RNDN);
        mpfr_add(r, r, p, MPFR_RNDN);
        mpfr_exp(q, q, MPFR_RNDN);
        mpfr_add(all, all, q, MPFR_RNDN);
    }
    mpfr_div(r, r, all, MPFR_RNDN);
    mpfr_log(r, r, MPFR_RNDN);
    mpfr_sub_ui(p, a, 1, MPFR_RNDN);
    mpfr_div(r, r, p, MPFR_RNDN);
    mpfr_clears(p, q, all, (mpfr_ptr)0);
}

/* The largest moves of each coordinate, in all and squared. */
static void
sizes_of(const int *move, size_t n, rat *l1, rat *l2_squared)
{
    int64_t sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += move[i];
        squares += (int64_t)move[i] * move[i];
    }
    rat_set_i64(l1, sum, 1);
    rat_set_i64(l2_squared, squares, 1);
}

/* Is rho at or above the divergence over a at all these orders? How near the
   nearest comes, as a share of rho, is returned. */
static double
nearest_order(const int *move, size_t n, const mpfr_t h, const rat *rho)
{
    static const double orders[] = {1 + 0x1p-40, 1.01, 1.5, 2,   3,
                                    7,           30,   200, 1000};
    double nearest = 0;
    mpfr_t a, sum, one;

    mpfr_inits2(MP_BITS, a, sum, one, (mpfr_ptr)0);
    for (size_t k = 0; k < COUNT_OF(orders); k++) {
        double share;

        mpfr_set_d(a, orders[k], MPFR_RNDN);
        mpfr_set_zero(sum, 1);
        for (size_t i = 0; i < n; i++)
            if (move[i] > 0) {
                divergence(one, h, move[i], a);
                mpfr_add(sum, sum, one, MPFR_RNDN);
            }
        mpfr_div(sum, sum, a, MPFR_RNDN);
        if (mpfr_cmp_q(sum, rho->q) > 0)
            fail_msg("order %g: %.20g above rho %.20g", orders[k],
                     mpfr_get_d(sum, MPFR_RNDN), mpq_get_d(rho->q));
        share = mpfr_get_d(sum, MPFR_RNDN) / mpq_get_d(rho->q);
        nearest = share > nearest ? share : nearest;
    }
    mpfr_clears(a, sum, one, (mpfr_ptr)0);
    return nearest;
}

static const char *const rates[] = {"3", "1", "1/4", "1/20"};

/* At every order the divergence is at most a rho, and near order 1 it is rho. */
static void
laplace_rho_is_the_supremum(void **state)
{
    static const int moves[] = {1, 2, 3, 5, 8, 20};
    mpfr_t h;

    (void)state;
    mpfr_init2(h, MP_BITS);
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (size_t k = 0; k < COUNT_OF(moves); k++) {
            rat rate = mp_rat(rates[i]), d, epsilon, rho, pure;

            rat_init(&d);
            rat_init(&epsilon);
            rat_init(&rho);
            rat_init(&pure);
            rat_set_i64(&d, moves[k], 1);
            rat_mul(&epsilon, &rate, &d);
            mp_set(h, &rate);
            laplace_rho_up(&epsilon, &d, NULL, &rho);
            assert_true(nearest_order(&moves[k], 1, h, &rho) > 1 - 1e-9);
            pure_rho_up(&epsilon, &pure);
            assert_true(moves[k] == 1 ? rat_cmp(&rho, &pure) == 0
                                      : rat_cmp(&rho, &pure) < 0);
            rat_clear(&rate);
            rat_clear(&d);
            rat_clear(&epsilon);
            rat_clear(&rho);
            rat_clear(&pure);
        }
    mpfr_clear(h);
}

/* Moves spread over coordinates: at most rho of their l1 alone, and at most
   that of their l1 and l2. */
static void
laplace_rho_of_vectors(void **state)
{
    static const int moves[][4] = {{1, 1, 1, 1}, {3, 1, 0, 0}, {2, 2, 1, 0},
                                   {5, 5, 5, 5}, {9, 1, 1, 0}, {1, 1, 0, 0}};
    size_t less = 0;
    mpfr_t h;

    (void)state;
    mpfr_init2(h, MP_BITS);
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (size_t k = 0; k < COUNT_OF(moves); k++) {
            rat rate = mp_rat(rates[i]), l1, l2, epsilon, rho, both;

            rat_init(&l1);
            rat_init(&l2);
            rat_init(&epsilon);
            rat_init(&rho);
            rat_init(&both);
            sizes_of(moves[k], 4, &l1, &l2);
            rat_mul(&epsilon, &rate, &l1);
            mp_set(h, &rate);
            laplace_rho_up(&epsilon, &l1, NULL, &rho);
            laplace_rho_up(&epsilon, &l1, &l2, &both);
            (void)nearest_order(moves[k], 4, h, &both);
            assert_true(rat_cmp(&both, &rho) <= 0);
            less += rat_cmp(&both, &rho) < 0;
            rat_clear(&rate);
            rat_clear(&l1);
            rat_clear(&l2);
            rat_clear(&epsilon);
            rat_clear(&rho);
            rat_clear(&both);
        }
    assert_true(less >= 12);
    mpfr_clear(h);
}

/* e^-epsilon - 1 + epsilon, and many steps come near it. */
static void
laplace_rho_of_continuous_noise(void **state)
{
    static const char *const eps[] = {"1e-18", "1e-6", "0.1", "1", "7", "9e5"};
    mpfr_t x, y;

    (void)state;
    mpfr_inits2(400, x, y, (mpfr_ptr)0);
    for (size_t i = 0; i < COUNT_OF(eps); i++) {
        rat epsilon = mp_rat(eps[i]), many = mp_rat("1000000000000"), rho, d;

        rat_init(&rho);
        rat_init(&d);
        mp_set(x, &epsilon);
        mpfr_neg(y, x, MPFR_RNDN);
        mpfr_expm1(y, y, MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
        laplace_continuous_rho_up(&epsilon, &rho);
        mp_check_up(&rho, x, 1e-15);
        laplace_rho_up(&epsilon, &many, NULL, &d);
        assert_true(rat_cmp(&d, &rho) >= 0);
        assert_true(mpq_get_d(d.q) <= mpq_get_d(rho.q) * (1 + 1e-9));
        rat_clear(&epsilon);
        rat_clear(&many);
        rat_clear(&rho);
        rat_clear(&d);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* The accountant charges it: 20 % less than epsilon tanh(epsilon/2) at 1. */
static void
laplace_rho_is_charged(void **state)
{
    static const struct {
        const char *text;
        double rho;
    } cases[] = {
        {"laplace:epsilon=1", 0.36787944117144233},
        {"discrete-laplace:epsilon=1:sensitivity=1000", 0.3678795465},
        {"discrete-laplace:epsilon=1", 0.46211715726000976},
    };
    struct mechanism m;
    rat rho;

    (void)state;
    mechanism_init(&m);
    rat_init(&rho);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(
            mechanism_read(cases[i].text, CUSTOS_ADD_REMOVE, &m, NULL),
            CUSTOS_OK);
        cost_rho_up(&m, &rho);
        assert_true(fabs(mpq_get_d(rho.q) - cases[i].rho) < 1e-9);
    }
    mechanism_clear(&m);
    rat_clear(&rho);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_rho_is_the_supremum),
        cmocka_unit_test(laplace_rho_of_vectors),
        cmocka_unit_test(laplace_rho_of_continuous_noise),
        cmocka_unit_test(laplace_rho_is_charged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
