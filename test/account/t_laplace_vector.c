/*
 * Laplace noise on vectors: enumeration shows that the worst case is one
 * coordinate that moves the entire l1 distance.
 */
#include <math.h>

#include "account/loss_of.h"
#include "account/pld_bounds.h"
#include "support/fresh_bounds.h"
#include "support/support.h"

enum { DIMENSIONS = 3, MOVE_MAX = 6, WINDOW = 26 };

/*
 * (1 + q) times the probability that min(max(x, 0), s) is c, where x is
 * discrete Laplace noise around 0 and q = e^-a: q^c at the ends, (1 - q) q^c
 * between them.
 */
static void
clamp_mass(const rat *q, const rat *powers, int s, int c, rat *out)
{
    rat rest;

    rat_set(out, &powers[c]);
    if (c == 0 || c == s)
        return;
    rat_init(&rest);
    rat_set_i64(&rest, 1, 1);
    rat_sub(&rest, &rest, q);
    rat_mul(out, out, &rest);
    rat_clear(&rest);
}

/* As clamp_mass; if s is 0, one outcome has all the mass, 1 + q. */
static void
coordinate_mass(const rat *q, const rat *powers, int s, int c, rat *out)
{
    if (s > 0) {
        clamp_mass(q, powers, s, c, out);
        return;
    }
    rat_set_i64(out, 1, 1);
    rat_add(out, out, q);
}

/*
 * (1 + q)^3 sum (P - q^-m Q)+ over all outcomes of three coordinates, exactly.
 * Q is P mirrored.
 */
static void
exact_delta(const rat *q, const rat *powers, const int s[DIMENSIONS], int m,
            rat *out)
{
    rat p, r, one;

    rat_init(&p);
    rat_init(&r);
    rat_init(&one);
    rat_set_i64(out, 0, 1);
    for (int i = 0; i <= s[0]; i++) {
        for (int j = 0; j <= s[1]; j++) {
            for (int k = 0; k <= s[2]; k++) {
                const int c[DIMENSIONS] = {i, j, k};

                rat_set_i64(&p, 1, 1);
                rat_set_i64(&r, 1, 1);
                for (int d = 0; d < DIMENSIONS; d++) {
                    coordinate_mass(q, powers, s[d], c[d], &one);
                    rat_mul(&p, &p, &one);
                    coordinate_mass(q, powers, s[d], s[d] - c[d], &one);
                    rat_mul(&r, &r, &one);
                }
                if (m >= 0)
                    rat_div(&r, &r, &powers[m]);
                else
                    rat_mul(&r, &r, &powers[-m]);
                rat_sub(&p, &p, &r);
                if (rat_sign(&p) > 0)
                    rat_add(out, out, &p);
            }
        }
    }
    rat_clear(&p);
    rat_clear(&r);
    rat_clear(&one);
}

/*
 * Every way to split a distance over three coordinates, against one coordinate.
 * Between the points e^eps = q^-m the curves are linear in e^eps, so checking
 * these points is enough.
 */
static void
one_coordinate_is_the_worst_exactly(void **state)
{
    static const int64_t parts[][2] = {{1, 2}, {9, 10}, {1, 7}};
    rat q, powers[MOVE_MAX + 1], whole, split;
    size_t strictly = 0;

    (void)state;
    rat_init(&q);
    rat_init(&whole);
    rat_init(&split);
    for (int i = 0; i <= MOVE_MAX; i++)
        rat_init(&powers[i]);
    for (size_t n = 0; n < 3; n++) {
        rat_set_i64(&q, parts[n][0], (uint64_t)parts[n][1]);
        rat_set_i64(&powers[0], 1, 1);
        for (int i = 1; i <= MOVE_MAX; i++)
            rat_mul(&powers[i], &powers[i - 1], &q);
        for (int d = 1; d <= MOVE_MAX; d++) {
            for (int m = -d; m <= d; m++) {
                exact_delta(&q, powers, (int[]){d, 0, 0}, m, &whole);
                for (int a = 0; a <= d; a++) {
                    for (int b = 0; a + b <= d; b++) {
                        exact_delta(&q, powers, (int[]){a, b, d - a - b}, m,
                                    &split);
                        assert_true(rat_cmp(&split, &whole) <= 0);
                        strictly += rat_cmp(&split, &whole) < 0;
                    }
                }
            }
        }
    }
    assert_true(strictly > 100);
    for (int i = 0; i <= MOVE_MAX; i++)
        rat_clear(&powers[i]);
    rat_clear(&q);
    rat_clear(&whole);
    rat_clear(&split);
}

/* sum (P - e^eps Q)+ over the integer vectors near 0, term by term. */
static double
enumerated_delta(double a, const int s[DIMENSIONS], double epsilon)
{
    const double c = tanh(a / 2);
    double sum = 0;
    int from[DIMENSIONS], to[DIMENSIONS];

    for (int d = 0; d < DIMENSIONS; d++) { /* no move, no loss */
        from[d] = s[d] > 0 ? -WINDOW : 0;
        to[d] = s[d] > 0 ? s[d] + WINDOW : 0;
    }
    for (int x = from[0]; x <= to[0]; x++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int z = from[2]; z <= to[2]; z++) {
                const int v[DIMENSIONS] = {x, y, z};
                double p = 1, r = exp(epsilon);

                for (int d = 0; d < DIMENSIONS; d++) {
                    p *= s[d] > 0 ? c * exp(-a * abs(v[d])) : 1;
                    r *= s[d] > 0 ? c * exp(-a * abs(v[d] - s[d])) : 1;
                }
                sum += fmax(p - r, 0);
            }
    return sum;
}

static double
claimed_delta(const struct loss *l, double epsilon)
{
    double sum = 0, value, mass;

    for (size_t i = 0; loss_atom(l, i, &value, &mass); i++)
        if (value > epsilon)
            sum += mass * -expm1(epsilon - value);
    return sum;
}

/*
 * The curve that plans use for a distance of 3 holds for every split of it, and
 * a move of one coordinate alone attains it.
 */
static void
vectors_stay_below_the_claimed_curve(void **state)
{
    static const int moves[][DIMENSIONS] = {{3, 0, 0}, {0, 3, 0}, {2, 1, 0},
                                            {1, 0, 2}, {1, 1, 1}, {1, 1, 0}};
    struct loss_of l;
    rat epsilon, one;

    (void)state;
    rat_init(&epsilon);
    rat_init(&one);
    rat_set_i64(&epsilon, 3, 1);
    rat_set_i64(&one, 1, 1);
    assert_int_equal(loss_of_discrete_laplace(NULL, &epsilon, 3, &one, &l),
                     CUSTOS_OK);
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        for (double e = -2.75; e < 3; e += 1.25) {
            double claimed = claimed_delta(&l.loss, e);
            double found = enumerated_delta(1, moves[i], e);

            assert_true(found <= claimed + 1e-9);
            if (i < 2)
                assert_true(found >= claimed - 1e-9);
            else
                assert_true(found < claimed - 1e-4);
        }
    }
    loss_of_clear(&l);
    rat_clear(&epsilon);
    rat_clear(&one);
}

/* Continuous noise: moves of 0.3 and 0.7 against one move of 1, by the PLD. */
static void
continuous_vectors_stay_below(void **state)
{
    const struct pld_part whole = {
        .loss = {.base = BASE_LAPLACE, .rate = 1, .size = 1}, .count = 1};
    const struct pld_part split[2] = {
        {.loss = {.base = BASE_LAPLACE, .rate = 1, .size = 0.3}, .count = 1},
        {.loss = {.base = BASE_LAPLACE, .rate = 1, .size = 0.7}, .count = 1}};

    (void)state;
    for (double e = 0; e < 1; e += 0.125) {
        struct pld_aim aim = {AIM_EPSILON, e};
        struct bounds one[2], two[2];

        assert_int_equal(fresh_bounds(NULL, &whole, 1, aim, 1e-4, one),
                         CUSTOS_OK);
        assert_int_equal(fresh_bounds(NULL, split, 2, aim, 1e-4, two),
                         CUSTOS_OK);
        assert_true(two[0].high < one[0].low);
        assert_true(one[0].high - one[0].low < 1e-3);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_coordinate_is_the_worst_exactly),
        cmocka_unit_test(vectors_stay_below_the_claimed_curve),
        cmocka_unit_test(continuous_vectors_stay_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
