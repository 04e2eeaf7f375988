/*
 * Running sums over cells: what one unit can change, what the sums are, where
 * the noise is, and what the coefficients of the noise are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "mech/i128.h"
#include "mech/running.h"
#include "support/support.h"

enum { N = 70 };

/* Strategy `which` for n elements; false: there is no more. */
static bool
strategy(arena *a, size_t n, size_t stride, size_t which, struct running *r)
{
    static const struct {
        size_t base, levels;
    } trees[] = {{2, 1}, {2, 2}, {2, 7}, {3, 2}, {3, 4}, {5, 3}, {16, 2}};

    if (which < COUNT_OF(trees))
        assert_true(running_tree(a, n, stride, trees[which].base,
                                 trees[which].levels, r));
    else
        assert_true(running_root(a, n, stride, r));
    return which <= COUNT_OF(trees);
}

static arena *
memory(void)
{
    arena *a = arena_new(NULL, (size_t)1 << 26);

    assert_non_null(a);
    return a;
}

/* ------------------------------------------------------------ sensitivity -- */

/* All ways to put at most `rows` rows of a unit into n cells. */
static size_t
units_of(size_t n, int rows, i128 (*out)[4], size_t most)
{
    size_t count = 0;
    int x[4] = {0};

    for (;;) {
        int sum = 0;
        size_t i = 0;

        for (size_t k = 0; k < n; k++)
            sum += x[k];
        if (sum <= rows) {
            assert_true(count < most);
            for (size_t k = 0; k < n; k++)
                out[count][k] = x[k];
            count++;
        }
        while (i < n && ++x[i] > rows)
            x[i++] = 0;
        if (i == n)
            return count;
    }
}

static void
change_of(const struct running *r, const i128 *a, const i128 *b, u128 *l1,
          u128 *l2)
{
    i128 d[4], line[8];

    for (size_t k = 0; k < 4; k++)
        d[k] = k < r->n * r->stride ? (b ? b[k] : 0) - a[k] : 0;
    running_multiply(r, d, r->n * r->stride, line);
    *l1 = *l2 = 0;
    for (size_t k = 0; k < r->n * r->stride; k++) {
        *l1 += (u128)(d[k] < 0 ? -d[k] : d[k]);
        *l2 += (u128)(d[k] * d[k]);
    }
}

/* Every unit of at most m rows, and every pair of them. */
static void
check_changes(const struct running *r, int m)
{
    i128 units[100][4] = {{0}};
    size_t n = units_of(r->n * r->stride, m, units, COUNT_OF(units));
    u128 l1, l2, most_l1 = 0, most_l2 = 0, square = (u128)m * (u128)m, energy;
    uint64_t column;

    running_sensitivity(r, &column, &energy);
    for (size_t i = 0; i < n; i++) {
        change_of(r, units[i], NULL, &l1, &l2);
        most_l1 = l1 > most_l1 ? l1 : most_l1;
        most_l2 = l2 > most_l2 ? l2 : most_l2;
        for (size_t j = 0; j < n; j++) {
            change_of(r, units[i], units[j], &l1, &l2);
            assert_true(l1 <= 2 * (u128)m * column);
            assert_true(l2 <= 2 * square * energy);
        }
    }
    assert_true(most_l1 <= (u128)m * column && most_l2 <= square * energy);
    if (r->kind == RUNNING_ROOT) { /* reached, by the first cell */
        assert_true(most_l1 == (u128)m * column);
        assert_true(most_l2 == square * energy);
    }
}

static void
running_sensitivity_is_the_largest_change(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 4; n++)
        for (size_t stride = 1; stride * n <= 4; stride++) {
            arena *a = memory();
            struct running r;

            for (size_t k = 0; strategy(a, n, stride, k, &r); k++)
                for (int m = 1; m <= 3; m++)
                    check_changes(&r, m);
            arena_free(a);
        }
}

/* A tree of base b and L levels: some element is in L blocks. */
static void
running_tree_reaches_its_levels(void **state)
{
    arena *a = memory();

    (void)state;
    for (size_t levels = 1; levels <= 4; levels++) {
        i128 x[81] = {1}, line[162];
        struct running r;
        i128 sum = 0;

        assert_true(running_tree(a, 81, 1, 3, levels, &r));
        running_multiply(&r, x, 81, line);
        for (size_t t = 0; t < 81; t++)
            sum += x[t];
        assert_int_equal(sum, levels);
    }
    arena_free(a);
}

/* ------------------------------------------------------------------- sums -- */

static void
running_sums_are_exact(void **state)
{
    (void)state;
    for (size_t n = 1; n <= N; n += n < 20 ? 1 : 7)
        for (size_t stride = 1; stride <= 3; stride++) {
            i128 cells[2 * 3 * N], line[2 * N];
            arena *a = memory();
            struct running r;

            for (size_t k = 0; strategy(a, n, stride, k, &r); k++) {
                size_t all = 2 * stride * n;

                for (size_t i = 0; i < all; i++)
                    cells[i] = (i128)(i * i % 37) * 1000 - 5000;
                running_multiply(&r, cells, all, line);
                running_add_up(&r, cells, all, line);
                for (size_t i = 0; i < all; i++) {
                    size_t t = i / stride % n;
                    i128 want = 0;

                    for (size_t j = i - t * stride; j <= i; j += stride)
                        want += (i128)(j * j % 37) * 1000 - 5000;
                    assert_true(cells[i] == want);
                }
            }
            arena_free(a);
        }
}

/* One draw of 2^40 steps at place i changes sum t by 2^40 times its coefficient:
   their squares add up to weight[t]. */
static void
running_weights_are_those_of_the_noise(void **state)
{
    enum { FAR = 40 };
    arena *a = memory();
    struct running r;

    (void)state;
    for (size_t k = 0; strategy(a, N, 1, k, &r); k++) {
        double sums[N] = {0};

        for (size_t i = 0; i < N; i++) {
            i128 z[N] = {0}, line[2 * N];

            z[i] = (i128)1 << (FAR + running_bits(&r));
            running_add_up(&r, z, N, line);
            for (size_t t = 0; t < N; t++)
                sums[t] += pow(ldexp((double)z[t], -FAR), 2);
        }
        for (size_t t = 0; t < N; t++) {
            double weight = ldexp((double)r.weight[t], -32);

            assert_true(weight >= sums[t] * (1 - 1e-12));
            assert_true(weight <= sums[t] * (1 + 1e-3));
        }
    }
    arena_free(a);
}

/* ------------------------------------------------------------------ noise -- */

static custos_mech *
mechanism(custos_mech_kind kind, size_t values)
{
    custos_mech_options o = {.size = sizeof o,
                             .kind = kind,
                             .domain = CUSTOS_WIDE,
                             .values = values,
                             .sensitivity = "12"};
    custos_mech *mech = NULL;

    if (kind == CUSTOS_GAUSSIAN)
        o.rho = "1/2";
    else
        o.epsilon = "1/2";
    assert_int_equal(custos_mech_new(NULL, &o, &mech, NULL), CUSTOS_OK);
    return mech;
}

/* The same words give the same draws z: what is released is a function of
   C x + z, and of nothing else of x. */
static void
running_noise_is_on_the_lattice(void **state)
{
    enum { STRIDE = 2, ALL = 2 * STRIDE * 13 };
    arena *a = memory();
    struct running r;

    (void)state;
    for (size_t k = 0; strategy(a, 13, STRIDE, k, &r); k++)
        for (int gauss = 0; gauss < 2; gauss++) {
            custos_mech *mech = mechanism(
                gauss ? CUSTOS_GAUSSIAN : CUSTOS_LAPLACE, (size_t)ALL);
            i128 x[ALL], want[ALL] = {0}, out[ALL], line[26];
            custos_sealed *sealed = NULL;
            custos_rng *rng = test_rng_seeded(7);

            for (size_t i = 0; i < ALL; i++)
                x[i] = (i128)(i * 17 % 29);
            assert_int_equal(seal_i128(NULL, want, ALL, &sealed, NULL), 0);
            assert_int_equal(release_i128(mech, rng, sealed, want, ALL, NULL),
                             0);
            custos_sealed_free(sealed);
            test_rng_free(rng);
            rng = test_rng_seeded(7);
            assert_int_equal(seal_i128(NULL, x, ALL, &sealed, NULL), 0);
            assert_int_equal(
                running_release(&r, mech, rng, sealed, out, ALL, NULL), 0);
            assert_int_equal(
                running_release(&r, mech, rng, sealed, out, ALL, NULL),
                CUSTOS_ETAKEN);
            custos_sealed_free(sealed);
            test_rng_free(rng);
            running_multiply(&r, x, ALL, line);
            for (size_t i = 0; i < ALL; i++)
                want[i] += x[i];
            running_add_up(&r, want, ALL, line);
            assert_memory_equal(out, want, sizeof out);
            custos_mech_free(mech);
        }
    arena_free(a);
}

static void
running_refuses_other_cells(void **state)
{
    arena *a = memory();
    custos_mech *mech = mechanism(CUSTOS_LAPLACE, 10);
    custos_rng *rng = test_rng_seeded(1);
    custos_sealed *sealed = NULL;
    i128 x[10] = {0}, out[10];
    struct running r;

    (void)state;
    assert_true(running_tree(a, 3, 1, 2, 2, &r));
    assert_int_equal(seal_i128(NULL, x, 10, &sealed, NULL), 0);
    assert_int_equal(running_release(&r, mech, rng, sealed, out, 10, NULL),
                     CUSTOS_EINVAL);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    custos_mech_free(mech);
    arena_free(a);
}

/*
 * The error of all ranges and of all running sums at rho = 1/2, computed from what noise
 * on each number does: within 2 % of the square root over the reals (Fichtenberger,
 * Henzinger, Upadhyay 2022). A range is the difference of two of the sums 0 .. n.
 */
static void
ranges_err_as_over_the_reals(void **state)
{
    static const struct {
        size_t n;
        double ranges, prefixes;
    } wanted[] = {{256, 3.263, 2.669}, {1024, 3.896, 3.110}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        const size_t n = wanted[i].n;
        arena *a = memory();
        i128 *y = arena_take(a, n, sizeof *y);
        i128 *line = arena_take(a, 2 * n, sizeof *line);
        double ranges = 0, prefixes = 0;
        struct running r;
        uint64_t l1;
        u128 l2;

        assert_true(y && line && running_root(a, n, 1, &r));
        running_sensitivity(&r, &l1, &l2);
        for (size_t k = 0; k < n; k++) {
            const double one = ldexp(1, (int)running_bits(&r) + 20);
            double squares = 0, sum = 0;

            memset(y, 0, n * sizeof *y);
            y[k] = (i128)one;
            running_add_up(&r, y, n, line);
            for (size_t t = 0; t < n; t++) {
                const double e = (double)y[t] / one;

                squares += e * e;
                sum += e;
            }
            prefixes += squares / (double)n;
            ranges += 2 * (squares / (double)n -
                           sum * sum / ((double)n * (double)(n + 1)));
        }
        prefixes = sqrt(prefixes * (double)l2);
        ranges = sqrt(ranges * (double)l2);
        assert_true(fabs(ranges / wanted[i].ranges - 1) < 0.02);
        assert_true(fabs(prefixes / wanted[i].prefixes - 1) < 0.02);
        arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_sensitivity_is_the_largest_change),
        cmocka_unit_test(running_tree_reaches_its_levels),
        cmocka_unit_test(running_sums_are_exact),
        cmocka_unit_test(running_weights_are_those_of_the_noise),
        cmocka_unit_test(running_noise_is_on_the_lattice),
        cmocka_unit_test(running_refuses_other_cells),
        cmocka_unit_test(ranges_err_as_over_the_reals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
