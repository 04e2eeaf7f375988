/*
 * A4, Casacuberta and others 2022: a sum that wraps at 2^63 has sensitivity
 * 2^64 whatever the records' bounds say.
 *
 * For two data sets that differ by one step, and the same coins, the releases
 * may differ by one step at most, at every limit of every type. (Privacy needs
 * less than that, but this is easy to check.) The twin sums in 64 bits that
 * wrap.
 */
#include "attack/attack.h"

/* Number of coin streams to try. */
static uint64_t
streams(void)
{
    return audit_size(10, 200, 20000);
}

static uint64_t
distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void
one_step_stays_one_step(custos_mech_kind kind, const char *scale)
{
    static const int64_t at[] = {INT64_MIN, INT64_MIN + 1, -1, 0,
                                 1,         INT64_MAX - 1};
    custos_mech_options options = {
        .size = sizeof options,
        .kind = kind,
        .domain = CUSTOS_INTS,
        .scale = scale,
        .delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL,
        .sensitivity = "1",
    };
    custos_mech *mech = attack_mech(&options);
    size_t cut = 0;

    for (uint64_t seed = 0; seed < streams(); seed++)
        for (size_t i = 0; i < COUNT_OF(at); i++) {
            custos_rng *r = test_rng_seeded(seed), *s = test_rng_seeded(seed);
            int64_t y = attack_int(mech, r, at[i]);
            int64_t z = attack_int(mech, s, at[i] + 1);

            assert_true(distance(y, z) <= 1);
            cut += y == INT64_MIN || y == INT64_MAX;
            test_rng_free(r);
            test_rng_free(s);
        }
    assert_true(cut > streams() / 2); /* the limits were reached */
    custos_mech_free(mech);
}

static void
released_ints_stop_at_the_limits(void **state)
{
    (void)state;
    one_step_stays_one_step(CUSTOS_LAPLACE, "3");
    one_step_stays_one_step(CUSTOS_LAPLACE, "1000000000000000000");
    one_step_stays_one_step(CUSTOS_GAUSSIAN, "3");
    one_step_stays_one_step(CUSTOS_GAUSSIAN, "1000000000000000000");
}

/* Reals: adjacent doubles, at the limit of the grid (2^123 steps) and below. */
static void
released_reals_stop_at_the_limits(void **state)
{
    const double limit = 0x1p123;
    const double at[] = {limit, -limit, nextafter(limit, 0), 0x1p52, 0.0};
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_REALS,
        .epsilon = "1",
        .sensitivity = "1",
        .grid = "1",
    };
    custos_mech *mech = attack_mech(&options);

    (void)state;
    for (uint64_t seed = 0; seed < streams(); seed++)
        for (size_t i = 0; i < COUNT_OF(at); i++) {
            custos_rng *r = test_rng_seeded(seed), *s = test_rng_seeded(seed);
            double a = at[i], b = nextafter(a, INFINITY);
            double y = attack_real(mech, r, a), z = attack_real(mech, s, b);

            /* y <= z, and they are no further apart than a and b. */
            assert_true(fabs(y) <= limit && fabs(z) <= limit);
            assert_true(y <= z && z - y <= fmax(b - a, 1));
            test_rng_free(r);
            test_rng_free(s);
        }
    custos_mech_free(mech);
}

/* ---------------------------------------------------------------- sums -- */

enum { ELEMENTS = 4 };

static const int64_t here[ELEMENTS] = {INT64_MAX, 0, 1, -1};
static const int64_t there[ELEMENTS] = {INT64_MAX, 1, 1, -1};

static void
sums_release(const custos_sums *sums, uint64_t seed, const int64_t *x,
             int64_t *out)
{
    custos_rng *rng = test_rng_seeded(seed);
    custos_sealed *sealed = NULL;

    assert_int_equal(custos_seal_ints(NULL, x, ELEMENTS, &sealed, NULL), 0);
    assert_int_equal(
        custos_sums_release(sums, rng, sealed, out, ELEMENTS, NULL), 0);
    custos_sealed_free(sealed);
    test_rng_free(rng);
}

static void
partial_sums_do_not_wrap(void **state)
{
    (void)state;
    for (custos_sums_method m = CUSTOS_EVERY_PREFIX; m <= CUSTOS_SQUARE_ROOT;
         m++) {
        custos_sums_options options = {
            .size = sizeof options,
            .method = m,
            .elements = ELEMENTS,
            .epsilon = "1",
            .delta = m == CUSTOS_SQUARE_ROOT ? "1e-6" : NULL,
        };
        custos_sums *sums = NULL;

        assert_int_equal(custos_sums_new(NULL, &options, &sums, NULL), 0);
        for (uint64_t seed = 0; seed < streams(); seed++) {
            int64_t y[ELEMENTS], z[ELEMENTS];

            sums_release(sums, seed, here, y);
            sums_release(sums, seed, there, z);
            for (int i = 0; i < ELEMENTS; i++)
                assert_true(distance(y[i], z[i]) <= 1);
        }
        custos_sums_free(sums);
    }
}

static int64_t
twin_sum(const int64_t *x, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)x[i];
    return (int64_t)sum;
}

/*
 * The attacker picks the event that the second sum is positive. Epsilon 1 is
 * claimed. For the twin the event refutes it, although the twin's noise is
 * perfect. The probability of a false alarm is 1e-6.
 */
static void
twin_is_caught(void **state)
{
    const uint64_t n = 2000;
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_INTS,
        .epsilon = "1",
        .sensitivity = "1",
    };
    custos_sums_options prefixes = {
        .size = sizeof prefixes,
        .method = CUSTOS_EVERY_ELEMENT,
        .elements = ELEMENTS,
        .epsilon = "1",
    };
    custos_mech *mech = attack_mech(&options);
    custos_rng *rng = test_rng_seeded(401);
    custos_sums *sums = NULL;
    uint64_t hits[2] = {0}, ours[2] = {0};

    (void)state;
    assert_int_equal(custos_sums_new(NULL, &prefixes, &sums, NULL), CUSTOS_OK);
    assert_true(distance(twin_sum(here, 2), twin_sum(there, 2)) > 1);
    for (uint64_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            const int64_t *x = side ? there : here;
            int64_t y[ELEMENTS];

            hits[side] += attack_int(mech, rng, twin_sum(x, 2)) > 0;
            sums_release(sums, 2 * i + (uint64_t)side, x, y);
            ours[side] += y[1] > 0;
        }
    assert_true(audit_epsilon_low(hits[0], hits[1], n, 1e-6) > 1);
    assert_true(audit_epsilon_low(ours[0], ours[1], n, 1e-6) <= 1);
    assert_true(audit_epsilon_low(n - ours[1], n - ours[0], n, 1e-6) <= 1);
    test_rng_free(rng);
    custos_sums_free(sums);
    custos_mech_free(mech);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_ints_stop_at_the_limits),
        cmocka_unit_test(released_reals_stop_at_the_limits),
        cmocka_unit_test(partial_sums_do_not_wrap),
        cmocka_unit_test(twin_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
