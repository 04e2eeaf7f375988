/*
 * A3, Jin and others 2022: two attacks on Gaussian noise.
 *
 * Support: many pairs of doubles are never the result of Box-Muller on two
 * uniforms of 53 bits. For a released pair the attacker recovers the uniforms
 * and asks whether they give exactly this pair. With the neighbour's values
 * they often do not.
 *
 * Time: where the number of coins depends on the value, so does the time. This
 * test counts the coins used, which needs no clock; `make bench-timing`
 * measures cycles, and test/noise runs the samplers under valgrind with secret
 * coins.
 */
#include "attack/attack.h"
#include "noise/noise.h"

/* ------------------------------------------------------------- support -- */

struct pair {
    double first, second;
};

static struct pair
box_muller(struct pair x, double u, double v)
{
    const double two_pi = 6.283185307179586;
    double r = sqrt(-2 * log(u));

    return (struct pair){x.first + r * cos(two_pi * v),
                         x.second + r * sin(two_pi * v)};
}

/* Whether any two uniforms near the recovered ones produce y from x. */
static bool
pair_could(struct pair y, struct pair x)
{
    const long double two_pi = 6.28318530717958647692528676655900577L;
    long double a = (long double)y.first - x.first;
    long double b = (long double)y.second - x.second;
    long double angle = atan2l(b, a) / two_pi;
    int64_t u = (int64_t)(expl(-(a * a + b * b) / 2) * 0x1p53L);
    int64_t v = (int64_t)((angle <= 0 ? angle + 1 : angle) * 0x1p53L);

    for (int64_t i = u - 8; i <= u + 8; i++)
        for (int64_t j = v - 8; j <= v + 8; j++) {
            struct pair z;

            if (i < 1)
                continue;
            z = box_muller(x, (double)i * 0x1p-53, (double)j * 0x1p-53);
            if (z.first == y.first && z.second == y.second)
                return true;
        }
    return false;
}

static void
box_muller_twin_is_caught(void **state)
{
    const uint64_t n = audit_size(50, 2000, 20000);
    const struct pair here = {1, 0}, there = {0, 0};
    custos_rng *rng = test_rng_seeded(301);
    uint64_t own = 0, other = 0, tried = 0;

    (void)state;
    while (tried < n) {
        double u = attack_uniform(rng), v = attack_uniform(rng);
        struct pair y = box_muller(here, u, v);

        if (u > 0.9) /* too near the centre: the angle is not recovered */
            continue;
        tried++;
        own += !pair_could(y, here);
        other += !pair_could(y, there);
    }
    assert_int_equal(own, 0);
    assert_true(bound_p_low(other, n, 1e-6) > 0.4);
    test_rng_free(rng);
}

/* Ours: both neighbours release multiples of the same grid. */
static void
gaussian_pairs_lie_on_the_grid(void **state)
{
    const size_t n = audit_size(2000, 50000, 10000000);
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_GAUSSIAN,
        .domain = CUSTOS_REALS,
        .values = 2,
        .changes = CUSTOS_CHANGES_SEVERAL,
        .epsilon = "0.5",
        .delta = "1e-6",
        .sensitivity = "1",
    };
    custos_mech *mech = attack_mech(&options);
    custos_rng *rng = test_rng_seeded(302);
    double g = attack_grid(mech);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        double x[2] = {i % 2 ? 0.1 : 1.1, -0.3}, y[2];
        custos_sealed *sealed = NULL;

        assert_int_equal(custos_seal_reals(NULL, x, 2, &sealed, NULL), 0);
        assert_int_equal(custos_release_reals(mech, rng, sealed, y, 2, NULL),
                         0);
        custos_sealed_free(sealed);
        assert_true(y[0] / g == floor(y[0] / g));
        assert_true(y[1] / g == floor(y[1] / g));
    }
    test_rng_free(rng);
    custos_mech_free(mech);
}

/* --------------------------------------------------------------- coins -- */

static uint64_t
magnitude(i128 x)
{
    return (uint64_t)(x < 0 ? -x : x);
}

/*
 * Discrete Laplace the natural way, after Canonne, Kamath and Steinke: a
 * geometric number of full scales, and a remainder. Exact but for the rounding
 * of doubles; the number of coins grows with the value.
 */
static i128
twin_laplace(custos_rng *rng, uint64_t scale)
{
    for (;;) {
        uint64_t rest = attack_word(rng) % scale, whole = 0;
        bool minus;

        if (attack_uniform(rng) > exp(-(double)rest / (double)scale))
            continue;
        while (attack_uniform(rng) <= exp(-1))
            whole++;
        minus = attack_word(rng) & 1;
        if (!minus || rest + whole > 0)
            return minus ? -(i128)(rest + whole * scale)
                         : (i128)(rest + whole * scale);
    }
}

/*
 * How well the number of coins used tells the larger half of |X| from the
 * smaller, as an AUC. If `noise` is NULL, the twin draws.
 */
static double
coins_auc(const custos_noise *noise, uint64_t seed, size_t n, uint64_t middle)
{
    struct audit_point *points = calloc(n, sizeof *points);
    custos_rng *rng = test_rng_seeded(seed);
    double auc;

    assert_non_null(points);
    for (size_t i = 0; i < n; i++) {
        size_t before = test_rng_used(rng);
        i128 x;

        if (!noise)
            x = twin_laplace(rng, 10);
        else
            assert_int_equal(noise_draw(noise, rng, &x, 1), CUSTOS_OK);
        points[i].value = (double)(test_rng_used(rng) - before);
        points[i].large = magnitude(x) > middle;
    }
    auc = audit_auc(points, n);
    test_rng_free(rng);
    free(points);
    return auc;
}

static custos_noise *
noise_of(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL), 0);
    return noise;
}

/*
 * If there is nothing to see, the AUC's standard deviation is at most
 * sqrt(1/3n) for two equal classes; it is off by 6 of them once in 5e8 tests.
 */
static void
coins_tell_nothing(void **state)
{
    const size_t n = audit_size(1000, 100000, 3000000);
    const double most = 6 * sqrt(1.0 / 3 / (double)n);
    custos_noise *laplace = noise_of(CUSTOS_DISCRETE_LAPLACE, "10");
    custos_noise *gauss = noise_of(CUSTOS_DISCRETE_GAUSSIAN, "10");

    (void)state;
    /* Discrete Laplace always uses the same number of coins: all are tied. */
    assert_true(coins_auc(laplace, 303, n, 7) == 0.5);
    assert_true(fabs(coins_auc(gauss, 304, n, 6) - 0.5) < most);
    custos_noise_free(laplace);
    custos_noise_free(gauss);
}

static void
coins_of_the_twin_are_caught(void **state)
{
    (void)state;
    assert_true(coins_auc(NULL, 305, audit_size(1000, 20000, 20000), 9) > 0.7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_muller_twin_is_caught),
        cmocka_unit_test(gaussian_pairs_lie_on_the_grid),
        cmocka_unit_test(coins_tell_nothing),
        cmocka_unit_test(coins_of_the_twin_are_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
