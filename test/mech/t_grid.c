/*
 * The grid: compared with exact rationals, at the extremes of doubles; and the
 * theorem on which the sensitivity on the grid depends.
 */
#include <float.h>
#include <math.h>

#include "mech/grid.h"
#include "num/rat_round.h"
#include "support/support.h"

static uint64_t
bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double
double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t seed = 20240607;

static uint64_t
next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* floor(x / 2^k + 1/2) clamped to the limits, by GMP. */
static i128
expected(double x, long k)
{
    rat q, g;
    i128 r;

    rat_init(&q);
    rat_init(&g);
    mpq_set_d(q.q, x);
    rat_set_pow2(&g, -k);
    rat_mul(&q, &q, &g);
    rat_set_i64(&g, 1, 2);
    rat_add(&q, &q, &g);
    if (!rat_floor_i128(&q, &r) || r > GRID_MAX || r < -GRID_MAX)
        r = rat_sign(&q) > 0 ? GRID_MAX : -GRID_MAX;
    rat_clear(&q);
    rat_clear(&g);
    return r;
}

static void
grid_index_is_the_rounded_quotient(void **state)
{
    static const double edges[] = {0,
                                   0.25,
                                   0.5,
                                   0.75,
                                   1,
                                   1.5,
                                   2.5,
                                   1e300,
                                   DBL_MAX,
                                   DBL_MIN,
                                   DBL_TRUE_MIN,
                                   DBL_MIN - DBL_TRUE_MIN,
                                   4503599627370495.5,
                                   9007199254740993.0};
    static const long grids[] = {-400, -123, -53, -20, -1, 0, 1, 10, 52, 400};

    (void)state;
    for (size_t g = 0; g < COUNT_OF(grids); g++) {
        for (size_t i = 0; i < COUNT_OF(edges); i++) {
            double x = edges[i], y = ldexp(x, (int)grids[g]);

            assert_true(grid_index(bits_of(x), grids[g]) ==
                        expected(x, grids[g]));
            assert_true(grid_index(bits_of(-x), grids[g]) ==
                        expected(-x, grids[g]));
            if (isfinite(y)) {
                assert_true(grid_index(bits_of(y), grids[g]) ==
                            expected(y, grids[g]));
                assert_true(grid_index(bits_of(-y), grids[g]) ==
                            expected(-y, grids[g]));
            }
        }
    }
    for (int i = 0; i < 200000; i++) {
        long k = (long)(next() % 801) - 400;
        double x = double_of(next());

        if (i % 2 && isfinite(x)) /* near the grid, where rounding matters */
            x = ldexp((double)(int64_t)(next() >> (next() % 64)), (int)k - 3);
        if (isfinite(x))
            assert_true(grid_index(bits_of(x), k) == expected(x, k));
    }
}

/*
 * Values that are at most n steps apart have indices at most n apart. Rounding
 * ties to even would violate this.
 */
static void
grid_index_is_lipschitz(void **state)
{
    (void)state;
    for (int a = -64; a <= 64; a++)
        for (int b = a; b <= 64; b++) {
            i128 ra = grid_index(bits_of(a / 8.0), 0);
            i128 rb = grid_index(bits_of(b / 8.0), 0);

            assert_true(rb >= ra && rb - ra <= (b - a + 7) / 8);
        }
    assert_true(grid_index(bits_of(0.5), 0) == 1);
    assert_true(grid_index(bits_of(1.5), 0) == 2);
    assert_true(grid_index(bits_of(-0.5), 0) == 0);
    /* At the limit, and up to the largest double. */
    assert_true(grid_index(bits_of(ldexp(1, 123)), 0) == GRID_MAX);
    assert_true(grid_index(bits_of(nextafter(ldexp(1, 123), 0)), 0) < GRID_MAX);
    assert_true(grid_index(bits_of(DBL_MAX), 0) == GRID_MAX);
}

static void
grid_index_is_total(void **state)
{
    uint64_t infinity = UINT64_C(0x7ff) << 52, minus = UINT64_C(1) << 63;

    (void)state;
    for (long k = -400; k <= 400; k += 50) {
        assert_true(grid_index(infinity, k) == GRID_MAX);
        assert_true(grid_index(infinity | minus, k) == -GRID_MAX);
        assert_true(grid_index(infinity | 1, k) == 0);
        assert_true(grid_index(infinity | minus | 1, k) == 0);
        assert_true(grid_index(UINT64_MAX, k) == 0);
        assert_true(grid_index(minus, k) == 0);
        assert_true(grid_index(0, k) == 0);
    }
}

/*
 * From the grid back to a double: to nearest as the processor rounds, and up,
 * checked without MPFR.
 */
static void
grid_value_is_rounded_as_said(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        i128 index = (i128)((u128)next() << 64 | next()) >> (next() % 128);
        long k = (long)(next() % 801) - 400;
        u128 size = index < 0 ? -(u128)index : (u128)index;
        double near = ldexp(index < 0 ? -(double)size : (double)size, (int)k);
        double up = double_of(grid_value(index, k, GRID_UP));
        rat exact, other;

        assert_true(double_of(grid_value(index, k, GRID_NEAREST)) == near);
        rat_init(&exact);
        rat_init(&other);
        rat_set_i128(&exact, index);
        rat_set_pow2(&other, k);
        rat_mul(&exact, &exact, &other);
        mpq_set_d(other.q, up);
        assert_true(rat_cmp(&other, &exact) >= 0);
        mpq_set_d(other.q, nextafter(up, -INFINITY));
        assert_true(rat_cmp(&other, &exact) < 0);
        if (size < UINT64_C(1) << 53)
            assert_true(up == near);
        rat_clear(&exact);
        rat_clear(&other);
    }
}

static void
grid_value_reaches_its_ends(void **state)
{
    (void)state;
    assert_true(grid_value(0, 0, GRID_NEAREST) == 0);
    assert_true(double_of(grid_value(1, -1074, GRID_NEAREST)) == DBL_TRUE_MIN);
    assert_true(double_of(grid_value(-3, -1074, GRID_UP)) == -3 * DBL_TRUE_MIN);
    assert_true(double_of(grid_value((i128)1 << 60, -1074, GRID_NEAREST)) ==
                ldexp(1, -1014));
    assert_true(double_of(grid_value(1, 1023, GRID_NEAREST)) == ldexp(1, 1023));
    assert_true(double_of(grid_value(1, 1024, GRID_NEAREST)) == DBL_MAX);
    assert_true(double_of(grid_value(-1, 2000, GRID_NEAREST)) == -DBL_MAX);
    /* The carry of rounding may also exceed the range. */
    assert_true(double_of(grid_value(((i128)1 << 54) - 1, 970, GRID_NEAREST)) ==
                DBL_MAX);
    assert_true(double_of(grid_value(((i128)1 << 54) - 1, 969, GRID_NEAREST)) ==
                ldexp(1, 1023));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_index_is_the_rounded_quotient),
        cmocka_unit_test(grid_index_is_lipschitz),
        cmocka_unit_test(grid_index_is_total),
        cmocka_unit_test(grid_value_is_rounded_as_said),
        cmocka_unit_test(grid_value_reaches_its_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
