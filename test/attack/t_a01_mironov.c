/*
 * A1, Mironov 2012: noise added in doubles cannot produce every double. If x
 * and its neighbour miss different doubles, the low bits of one release tell
 * them apart.
 *
 * Ours: a release is a multiple of a grid fixed by the parameters, and
 * neighbours have the same support. The twin draws Laplace noise by inverse CDF
 * in doubles. For each released value the attack searches for a uniform that
 * could have produced it, and often finds none for the wrong neighbour.
 */
#include "attack/attack.h"

enum { SEEN_OFTEN = 100 };

/*
 * Counts by grid index, -HALF .. HALF - 1; the first and last include the
 * tails.
 */
enum { HALF = 4096 };

static uint64_t counts[2][2 * HALF];

static void
count(int side, double steps)
{
    double at = fmin(fmax(steps, -HALF), HALF - 1);

    counts[side][(int)at + HALF]++;
}

/* Number of values seen often on one side and never on the other. */
static size_t
one_sided(void)
{
    size_t found = 0;

    for (size_t i = 0; i < 2 * HALF; i++)
        for (int side = 0; side < 2; side++)
            found += counts[side][i] > SEEN_OFTEN && counts[1 - side][i] == 0;
    return found;
}

/* Number of values seen often: the check above needs some. */
static size_t
often(void)
{
    size_t found = 0;

    for (size_t i = 0; i < 2 * HALF; i++)
        found += counts[0][i] > SEEN_OFTEN;
    return found;
}

/*
 * False alarms: at epsilon 1, a value seen more than 100 times on one side has
 * an expectation above 20 on the other with high probability. Then it is
 * missing with probability below e^-20, for each of a few dozen values. The
 * seeds are fixed in any case.
 */
static void
releases_share_a_grid(const custos_mech_options *options, double x, double y)
{
    const size_t n = audit_size(6000, 100000, 10000000);
    custos_mech *mech = attack_mech(options);
    custos_rng *rng = test_rng_seeded(101);
    double g = attack_grid(mech);
    size_t off = 0;

    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            double steps = attack_real(mech, rng, side ? y : x) / g;

            off += steps != floor(steps);
            count(side, steps);
        }
    assert_int_equal(off, 0);
    assert_int_equal(one_sided(), 0);
    assert_true(often() >= 5);
    test_rng_free(rng);
    custos_mech_free(mech);
}

static custos_mech_options
laplace(void)
{
    return (custos_mech_options){
        .size = sizeof(custos_mech_options),
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_REALS,
        .epsilon = "1",
        .sensitivity = "1",
        .grid = "1/4",
    };
}

static void
laplace_reals_share_a_grid(void **state)
{
    custos_mech_options options = laplace();

    (void)state;
    releases_share_a_grid(&options, 0, 1);
    releases_share_a_grid(&options, 0.3, -0.7);
}

static void
gaussian_reals_share_a_grid(void **state)
{
    custos_mech_options options = laplace();

    (void)state;
    options.kind = CUSTOS_GAUSSIAN;
    options.delta = "1e-6";
    if (!audit_quick())
        releases_share_a_grid(&options, 0x1p-1074, 1);
    releases_share_a_grid(&options, 0.1, 1.1);
}

static void
ints_share_a_support(void **state)
{
    const size_t n = audit_size(6000, 100000, 10000000);
    custos_mech_options options = laplace();
    custos_rng *rng = test_rng_seeded(102);

    (void)state;
    options.domain = CUSTOS_INTS;
    options.grid = NULL;
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech *mech;

        options.kind = kind;
        options.delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL;
        mech = attack_mech(&options);
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < n; i++)
            for (int side = 0; side < 2; side++)
                count(side, (double)attack_int(mech, rng, 40 + side));
        assert_int_equal(one_sided(), 0);
        assert_true(often() >= 5);
        custos_mech_free(mech);
    }
    test_rng_free(rng);
}

/* The grid depends on the parameters only, not on the data. */
static void
grid_is_public(void **state)
{
    static const double nasty[] = {0,       -0.0,    0x1p-1074, 1e-300, 0.1,
                                   1 / 3.0, 12345.6, 0x1p52,    1e300};
    custos_mech_options options = laplace();
    custos_rng *rng = test_rng_seeded(103);
    custos_mech *mech;
    double g;

    (void)state;
    options.grid = NULL;
    options.epsilon = "0.1";
    mech = attack_mech(&options);
    g = attack_grid(mech);
    for (size_t i = 0; i < COUNT_OF(nasty); i++)
        for (int k = 0; k < 200; k++) {
            double y = attack_real(mech, rng, nasty[i]);

            assert_true(y / g == floor(y / g));
        }
    assert_true(attack_grid(mech) == g);
    custos_mech_free(mech);
    test_rng_free(rng);
}

/* ------------------------------------------------------------ the twin -- */

static double
twin(custos_rng *rng, double x, double scale)
{
    double u = attack_uniform(rng);

    return x + attack_float_laplace(scale, u, attack_word(rng) & 1);
}

/* Whether any uniform makes the twin release y for x. */
static bool
twin_could(double y, double x, double scale)
{
    bool minus = y < x;
    long double u = expl(-fabsl((long double)y - x) / scale);
    int64_t near = (int64_t)(u * 0x1p53L);

    for (int64_t k = near - 32; k <= near + 32; k++)
        if (k >= 1 && k <= INT64_C(1) << 53)
            for (int m = 0; m < 2; m++)
                if ((m == minus || y == x) &&
                    x + attack_float_laplace(scale, (double)k * 0x1p-53, m) ==
                        y)
                    return true;
    return false;
}

static void
twin_is_caught(void **state)
{
    const uint64_t n = audit_size(200, 10000, 100000);
    custos_rng *rng = test_rng_seeded(104);
    uint64_t own = 0, other = 0;

    (void)state;
    for (uint64_t i = 0; i < n; i++) {
        double y = twin(rng, 1, 10);

        own += !twin_could(y, 1, 10);
        other += !twin_could(y, 0, 10);
    }
    /*
     * The attack never rules out the true value and often rules out the other.
     */
    assert_int_equal(own, 0);
    assert_true(bound_p_low(other, n, 1e-6) > 0.2);
    test_rng_free(rng);
}

/* The twin's releases are not multiples of a public grid. */
static void
twin_lies_off_the_grid(void **state)
{
    custos_rng *rng = test_rng_seeded(105);
    size_t off = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double steps = twin(rng, 0, 10) * 0x1p20;

        off += steps != floor(steps);
    }
    assert_true(off > 900);
    test_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_reals_share_a_grid),
        cmocka_unit_test(gaussian_reals_share_a_grid),
        cmocka_unit_test(ints_share_a_support),
        cmocka_unit_test(grid_is_public),
        cmocka_unit_test(twin_is_caught),
        cmocka_unit_test(twin_lies_off_the_grid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
