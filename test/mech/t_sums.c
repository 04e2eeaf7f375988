/*
 * Partial sums: where the noise is added and how large it is, that the
 * square-root factor is rounded before noise is calibrated, and which method is
 * best.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mech/gauss_delta.h"
#include "mech/i128.h"
#include "mech/sums.h"
#include "support/support.h"

static const custos_sums_method methods[] = {
    CUSTOS_EVERY_PREFIX, CUSTOS_EVERY_ELEMENT, CUSTOS_BINARY_TREE,
    CUSTOS_SQUARE_ROOT};

enum { METHODS = 4 };

static custos_sums *
make(custos_sums_method method, size_t n, const char *epsilon,
     const char *sensitivity)
{
    custos_sums_options o = {.size = sizeof o,
                             .method = method,
                             .elements = n,
                             .epsilon = epsilon,
                             .sensitivity = sensitivity};
    custos_sums *s = NULL;

    if (method == CUSTOS_SQUARE_ROOT)
        o.delta = "1e-6";
    assert_int_equal(custos_sums_new(NULL, &o, &s, NULL), CUSTOS_OK);
    return s;
}

static custos_status
release(const custos_sums *s, custos_rng *rng, const int64_t *elements,
        size_t n, int64_t *out)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_int_equal(custos_seal_ints(NULL, elements, n, &sealed, NULL), 0);
    st = custos_sums_release(s, rng, sealed, out, n, NULL);
    custos_sealed_free(sealed);
    return st;
}

/* The entries of the square root: f_k = C(2k, k) / 4^k. */
static void
root_entries(double *f, size_t n)
{
    f[0] = 1;
    for (size_t k = 1; k < n; k++)
        f[k] = f[k - 1] * (2 * (double)k - 1) / (2 * (double)k);
}

/* The noise that the draws z add to sum t, by each method's definition. */
static double
noise_of_sum(const custos_sums *s, const i128 *z, const double *f, size_t t)
{
    double sum = 0;

    switch (s->method) {
    case CUSTOS_EVERY_PREFIX: return (double)z[t - 1];
    case CUSTOS_EVERY_ELEMENT:
        for (size_t i = 0; i < t; i++)
            sum += (double)z[i];
        return sum;
    case CUSTOS_BINARY_TREE:
        for (size_t block = t; block; block -= block & -block)
            sum += (double)z[block - 1];
        return sum;
    default: /* A C^-1 z = C z */
        for (size_t i = 0; i < t; i++)
            sum += f[t - 1 - i] * ldexp((double)z[i], -(int)factor_bits(s->n));
        return sum;
    }
}

/*
 * The same words give the same draws: the released sums are the exact ones plus
 * the draws that belong to them (for the square root, up to its rounding).
 */
static void
sums_noise_is_where_it_belongs(void **state)
{
    enum { N = 100 };
    int64_t elements[N], out[N];
    double f[N];

    (void)state;
    root_entries(f, N);
    for (size_t i = 0; i < N; i++)
        elements[i] = (int64_t)(i * i % 37) * 1000 - 5000;
    for (size_t k = 0; k < METHODS; k++)
        for (size_t n = 1; n <= N;
             n = n * (size_t)test_size(5, 2) + n / 7 + 1) {
            custos_sums *s = make(methods[k], n, "1/2", "3");
            custos_rng *rng = test_rng_seeded(n);
            custos_rng *same = test_rng_seeded(n);
            i128 z[N];
            int64_t exact = 0;

            assert_int_equal(release(s, rng, elements, n, out), CUSTOS_OK);
            assert_int_equal(noise_draw(s->noise, same, z, n), CUSTOS_OK);
            for (size_t t = 1; t <= n; t++) {
                double off = (double)(out[t - 1] - (exact += elements[t - 1])) -
                             noise_of_sum(s, z, f, t);

                if (methods[k] == CUSTOS_SQUARE_ROOT)
                    assert_true(fabs(off) < 0.8);
                else
                    assert_true(off == 0);
            }
            custos_sums_free(s);
            test_rng_free(rng);
            test_rng_free(same);
        }
}

/*
 * The largest number of blocks that contain an element of 1 .. n, by counting.
 */
static int64_t
most_blocks(size_t n)
{
    int64_t most = 0;

    for (size_t i = 1; i <= n; i++) {
        int64_t in = 0;

        for (size_t t = i; t <= n; t++)
            in += t - (t & -t) < i;
        most = in > most ? in : most;
    }
    return most;
}

static void
check_scale(const custos_sums *s, int64_t times)
{
    rat want;

    rat_init(&want);
    rat_set_i64(&want, times * 3 * 7, 2); /* times D / (2/7) */
    assert_int_equal(rat_cmp(&want, noise_parameter(s->noise)), 0);
    assert_int_equal(noise_law(s->noise), CUSTOS_DISCRETE_LAPLACE);
    rat_clear(&want);
}

static void
sums_scales_are_exact(void **state)
{
    (void)state;
    for (size_t n = 1; n < 200; n += 13) {
        custos_sums *s = make(CUSTOS_EVERY_PREFIX, n, "2/7", "3");

        check_scale(s, (int64_t)n);
        assert_string_equal(custos_sums_facts(s)->theorem, "sums-every-prefix");
        custos_sums_free(s);
        s = make(CUSTOS_EVERY_ELEMENT, n, "2/7", "3");
        check_scale(s, 1);
        assert_string_equal(custos_sums_facts(s)->scale, "10.5");
        assert_string_equal(custos_sums_facts(s)->sensitivity, "3");
        assert_string_equal(custos_sums_facts(s)->delta, "0");
        assert_string_equal(custos_sums_facts(s)->grid, "1");
        custos_sums_free(s);
    }
}

static void
sums_tree_blocks_cover(void **state)
{
    (void)state;
    for (size_t n = 1; n < 70; n++) {
        custos_sums *s = make(CUSTOS_BINARY_TREE, n, "2/7", "3");

        check_scale(s, most_blocks(n));
        custos_sums_free(s);
    }
}

/*
 * The square of the root is the matrix of partial sums up to rounding, and
 * solving returns whole elements exactly.
 */
static void
sums_root_squares_to_sums(void **state)
{
    static const size_t ns[] = {1, 2, 3, 64, 65, 1000};
    static uint64_t c[1000];
    static i128 x[1000], y[1000];

    (void)state;
    for (size_t k = 0; k < sizeof ns / sizeof ns[0]; k++) {
        size_t n = ns[k];
        unsigned m = factor_bits(n);

        assert_true((size_t)1 << m >= n << FACTOR_GUARD_BITS);
        factor_fill(c, n);
        assert_int_equal(c[0], (uint64_t)1 << m);
        for (size_t t = 0; t < n; t++) {
            double sum = 0;

            for (size_t j = 0; j <= t; j++)
                sum += ldexp((double)c[j], -(int)m) *
                       ldexp((double)c[t - j], -(int)m);
            assert_true(fabs(sum - 1) < 1e-3);
        }
        for (size_t t = 0; t < n; t++)
            x[t] = t % 3 == 0   ? INT64_MAX
                   : t % 3 == 1 ? INT64_MIN
                                : (int64_t)(t * t) - 7777;
        for (size_t t = 0; t < n; t++) {
            y[t] = factor_solve(c, m, t, factor_row(c, t, x), y);
            assert_true(y[t] == x[t] * (1 << FACTOR_FRACTION));
        }
    }
    /* Rounded to nearest, not down: 2^-17 is half of 2^-FACTOR_FRACTION. */
    assert_int_equal(factor_bits(32), 17);
    factor_fill(c, 32);
    assert_true(factor_solve(c, 17, 0, 1, y) == 1);
}

/*
 * Changing any single element by D moves the vector that gets the noise by at
 * most the sensitivity that sigma was calibrated for, computed from the whole
 * numbers of the rounded root. A millionth less variance would not be enough.
 */
static void
sums_root_sensitivity_is_rounded(void **state)
{
    enum { N = 150, D = 5 };
    custos_sums *s = make(CUSTOS_SQUARE_ROOT, N, "1", "5");
    i128 energy = 0, x[N];
    struct gauss_point p;
    rat delta, less;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        i128 norm = 0;

        memset(x, 0, sizeof x);
        x[i] = D;
        for (size_t t = 0; t < N; t++) {
            i128 row = factor_row(s->root, t, x);

            norm += row * row;
        }
        energy = norm > energy ? norm : energy;
    }
    assert_true(energy == (i128)factor_energy(s->root, N) * D * D);
    gauss_point_init(&p);
    rat_init(&delta);
    rat_init(&less);
    rat_set_i64(&delta, 1, 1000000);
    rat_set_i64(&p.epsilon, 1, 1);
    rat_set_i128(&p.sensitivity_squared, energy);
    rat_set(&p.variance, noise_parameter(s->noise));
    assert_true(gauss_delta_at_most(GAUSS_VECTOR, &p, &delta));
    rat_set_i64(&less, 999999, 1000000);
    rat_mul(&p.variance, &p.variance, &less);
    assert_false(gauss_delta_at_most(GAUSS_VECTOR, &p, &delta));
    assert_int_equal(noise_law(s->noise), CUSTOS_DISCRETE_GAUSSIAN);
    assert_string_equal(custos_sums_facts(s)->theorem, "sums-square-root");
    assert_string_equal(custos_sums_facts(s)->grid, "1/1048576");
    assert_string_equal(custos_sums_facts(s)->delta, "0.000001");
    assert_true(fabs(strtod(custos_sums_facts(s)->sensitivity, NULL) /
                         sqrt((double)energy) * 1048576 -
                     1) < 1e-12);
    {
        double sigma = strtod(custos_sums_facts(s)->scale, NULL);

        assert_true(fabs(sigma * 1048576 /
                             sqrt(mpq_get_d(noise_parameter(s->noise)->q)) -
                         1) < 1e-12);
    }
    rat_clear(&less);
    rat_clear(&delta);
    gauss_point_clear(&p);
    custos_sums_free(s);
}

/* Root mean square error over all sums and a few releases. */
static double
measured_error(custos_sums_method method, size_t n, int times)
{
    custos_sums *s = make(method, n, "1", "1");
    custos_rng *rng = test_rng_seeded(18);
    int64_t *elements = calloc(n, sizeof *elements);
    int64_t *out = calloc(n, sizeof *out);
    double sum = 0;

    assert_non_null(elements);
    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        elements[i] = (int64_t)(i % 5);
    for (int k = 0; k < times; k++) {
        int64_t exact = 0;

        assert_int_equal(release(s, rng, elements, n, out), CUSTOS_OK);
        for (size_t t = 0; t < n; t++) {
            double off = (double)(out[t] - (exact += elements[t]));

            sum += off * off;
        }
    }
    free(out);
    free(elements);
    test_rng_free(rng);
    custos_sums_free(s);
    return sqrt(sum / (double)n / times);
}

/*
 * At n = 4096 and epsilon = 1 (delta 1e-6), the error is about sqrt(2) n with
 * noise on every prefix, sqrt(n) with noise on every element, (log n)^1.5 for
 * the tree and log n for the square root. The differences are large compared
 * with the spread of the measurements.
 */
static void
sums_tree_and_root_beat_both(void **state)
{
    enum { N = 4096 };
    double prefix = measured_error(CUSTOS_EVERY_PREFIX, N, 4);
    double element = measured_error(CUSTOS_EVERY_ELEMENT, N, 60);
    double tree = measured_error(CUSTOS_BINARY_TREE, N, 20);
    double root =
        measured_error(CUSTOS_SQUARE_ROOT, N, getenv("CUSTOS_QUICK") ? 1 : 4);

    (void)state;
    print_message("# rms error, n = 4096: every prefix %.0f, every element "
                  "%.1f, tree %.1f, square root %.1f\n",
                  prefix, element, tree, root);
    assert_true(fabs(prefix / (sqrt(2) * N) - 1) < 0.1);
    assert_true(prefix > 50 * element);
    assert_true(element > 1.15 * tree);
    assert_true(tree > 1.5 * root);
}

enum { PLACES = 4, LENGTH = 63 };

/* How many releases miss each 90 % bar, and how many a bar half as wide. */
static void
count_misses(size_t k, int releases, int *missed, int *missed_half)
{
    static const size_t places[PLACES] = {1, 3, 31, LENGTH};
    int64_t elements[LENGTH] = {0}, out[LENGTH];
    custos_sums *s = make(methods[k], LENGTH, "1/3", "2");
    custos_rng *rng = test_rng_seeded(40 + k);
    i128 bar[PLACES];

    for (int p = 0; p < PLACES; p++) {
        missed[p] = missed_half[p] = 0;
        assert_int_equal(sums_error_i128(s, places[p], "0.1", &bar[p], NULL),
                         CUSTOS_OK);
    }
    for (int r = 0; r < releases; r++) {
        assert_int_equal(release(s, rng, elements, LENGTH, out), CUSTOS_OK);
        for (int p = 0; p < PLACES; p++) {
            int64_t off = llabs(out[places[p] - 1]);

            missed[p] += off > bar[p];
            missed_half[p] += 2 * off > bar[p];
        }
    }
    test_rng_free(rng);
    custos_sums_free(s);
}

/*
 * A bar may be missed by 10 % of the releases. A correct bar is missed by more
 * than 13 % of 2000 releases with probability below 1e-5 over seeds.
 */
static void
sums_error_covers(void **state)
{
    int releases = getenv("CUSTOS_QUICK") ? 200 : 2000;

    (void)state;
    for (size_t k = 0; k < METHODS; k++) {
        int missed[PLACES], half[PLACES];

        count_misses(k, releases, missed, half);
        for (int p = 0; p < PLACES; p++)
            assert_true(missed[p] * 100 <=
                        (releases < 2000 ? 25 : 13) * releases);
    }
}

/*
 * A bar half as wide is missed by more than 10 % of the releases, and the bound
 * by moments is at most 1.6 times the quantile of a normal law with the same
 * variance.
 */
static void
sums_error_is_not_wide(void **state)
{
    enum { N = 4096 };
    custos_sums *s = make(CUSTOS_EVERY_ELEMENT, N, "1", "1");
    i128 bar;
    double deviation = sqrt(2 * N * 0.92); /* of a sum of scale 1 draws */

    (void)state;
    assert_int_equal(sums_error_i128(s, N, "0.05", &bar, NULL), CUSTOS_OK);
    assert_true((double)bar < 1.6 * 1.96 * deviation);
    custos_sums_free(s);
    for (size_t k = 0; k < METHODS; k++) {
        int missed[PLACES], half[PLACES];

        count_misses(k, 300, missed, half);
        for (int p = 0; p < PLACES; p++)
            assert_true(half[p] > 30);
    }
}

/* The bounds of theorem sums-error, computed again in doubles. */
static double
laplace_bound(double a, double k, double l)
{
    double q = exp(-1 / a), best = INFINITY;

    for (double x = 0.001; x < 1; x += 0.001) {
        double cumulant =
            2 * log(1 - q) - log(1 - q * exp(x / a)) - log(1 - q * exp(-x / a));

        best = fmin(best, a * (k * cumulant + l) / x);
    }
    return best;
}

static void
sums_error_follows_its_bounds(void **state)
{
    enum { N = 500 };
    static const char *const betas[] = {"0.5", "0.1", "1e-9"};
    custos_sums *element = make(CUSTOS_EVERY_ELEMENT, N, "1/4", "1");
    custos_sums *root = make(CUSTOS_SQUARE_ROOT, N, "1/4", "1");
    double sigma = strtod(custos_sums_facts(root)->scale, NULL), f[N];

    (void)state;
    root_entries(f, N);
    for (size_t i = 0; i < 3; i++)
        for (size_t t = 3; t <= N; t = t * 5 + 2) {
            double l = log(2 / strtod(betas[i], NULL)), w = 0;
            double want = laplace_bound(4, (double)t, l);
            i128 bar;

            assert_int_equal(sums_error_i128(element, t, betas[i], &bar, NULL),
                             0);
            assert_true((double)bar >= want && (double)bar < 1.02 * want + 1);
            for (size_t k = 0; k < t; k++)
                w += f[k] * f[k];
            want = sigma * sqrt(2 * w * l) + 1;
            assert_int_equal(sums_error_i128(root, t, betas[i], &bar, NULL), 0);
            assert_true((double)bar > want - 0.1 &&
                        (double)bar < 1.001 * want + 1);
        }
    custos_sums_free(root);
    custos_sums_free(element);
}

/* The bar of a single draw is its exact quantile; bars grow with confidence. */
static void
sums_error_of_one_draw_is_exact(void **state)
{
    custos_sums *s = make(CUSTOS_EVERY_PREFIX, 10, "1", "1");
    i128 m = 0, wide = 0;
    double q = exp(-0.1);

    (void)state;
    assert_int_equal(sums_error_i128(s, 5, "0.05", &m, NULL), CUSTOS_OK);
    assert_true(2 * pow(q, (double)m + 1) / (1 + q) <= 0.05);
    assert_true(2 * pow(q, (double)m) / (1 + q) > 0.05);
    assert_int_equal(sums_error_i128(s, 5, "1e-9", &wide, NULL), CUSTOS_OK);
    assert_true(wide > 5 * m);
    custos_sums_free(s);
}

/* Sums beyond 64 bits saturate at the limits. */
static void
sums_saturate(void **state)
{
    enum { N = 40 };
    int64_t high[N], low[N], out[N];

    (void)state;
    for (int i = 0; i < N; i++) {
        high[i] = INT64_MAX;
        low[i] = INT64_MIN;
    }
    for (size_t k = 0; k < METHODS; k++) {
        custos_sums *s = make(methods[k], N, "1", "1");
        custos_rng *rng = test_rng_seeded(60);

        assert_int_equal(release(s, rng, high, N, out), CUSTOS_OK);
        for (int t = 1; t < N; t++)
            assert_true(out[t] == INT64_MAX);
        assert_int_equal(release(s, rng, low, N, out), CUSTOS_OK);
        for (int t = 1; t < N; t++)
            assert_true(out[t] == INT64_MIN);
        custos_sums_free(s);
        test_rng_free(rng);
    }
}

static void
sums_refuse_bad_options(void **state)
{
    struct {
        custos_sums_options o;
        custos_status want;
    } bad[] = {
        {{.size = 1, .method = 1, .elements = 1, .epsilon = "1"},
         CUSTOS_EINVAL},
        {{.elements = 1, .epsilon = "1"}, CUSTOS_EINVAL},
        {{.method = (custos_sums_method)5, .elements = 1, .epsilon = "1"},
         CUSTOS_EINVAL},
        {{.method = 1, .elements = 0, .epsilon = "1"}, CUSTOS_EINVAL},
        {{.method = 1, .elements = ((size_t)1 << 32) + 1, .epsilon = "1"},
         CUSTOS_EOVERFLOW},
        {{.method = 4,
          .elements = CUSTOS_SUMS_ROOT_MAX + 1,
          .epsilon = "1",
          .delta = "1e-6"},
         CUSTOS_EOVERFLOW},
        {{.method = 1, .elements = 1}, CUSTOS_EPARSE},
        {{.method = 1, .elements = 1, .epsilon = "-1"}, CUSTOS_ERANGE},
        {{.method = 1, .elements = 1, .epsilon = "1", .sensitivity = "0"},
         CUSTOS_ERANGE},
        {{.method = 1, .elements = 1, .epsilon = "1", .sensitivity = "1.5"},
         CUSTOS_ERANGE},
        {{.method = 1, .elements = 1, .epsilon = "1", .delta = "0.1"},
         CUSTOS_EINVAL},
        {{.method = 1, .elements = 1, .epsilon = "1", .delta = "2"},
         CUSTOS_ERANGE},
        {{.method = 1, .elements = 1, .epsilon = "1e-30"}, CUSTOS_ERANGE},
        {{.method = 2,
          .elements = 1,
          .epsilon = "1000e400",
          .sensitivity = "1000e400"},
         CUSTOS_ERANGE},
        {{.method = 2,
          .elements = 1,
          .epsilon = "100",
          .sensitivity = "18446744073709551616"},
         CUSTOS_ERANGE},
        {{.size = sizeof(custos_sums_options) + 1, .method = 1}, CUSTOS_EINVAL},
        {{.method = 4, .elements = 1, .epsilon = "1e-300", .delta = "0.1"},
         CUSTOS_ERANGE},
        {{.method = 4, .elements = 1, .epsilon = "1"}, CUSTOS_EPARSE},
        {{.method = 4, .elements = 1, .epsilon = "1", .delta = "0"},
         CUSTOS_ERANGE},
        {{.method = 4,
          .elements = 1,
          .epsilon = "1",
          .delta = "1e-6",
          .sensitivity = "1e30"},
         CUSTOS_ERANGE},
    };
    custos_sums *s = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        if (!bad[i].o.size)
            bad[i].o.size = sizeof bad[i].o;
        assert_int_equal(custos_sums_new(NULL, &bad[i].o, &s, &err),
                         bad[i].want);
        assert_int_equal(err.code, bad[i].want);
        assert_null(s);
    }
    assert_int_equal(custos_sums_new(NULL, NULL, &s, NULL), CUSTOS_EINVAL);
    bad[0].o.size = sizeof bad[0].o;
    assert_int_equal(custos_sums_new(NULL, &bad[0].o, NULL, NULL),
                     CUSTOS_EINVAL);
    custos_sums_free(NULL);
    assert_null(custos_sums_facts(NULL));
    /* A delta of 0 is accepted and changes nothing. */
    bad[0].o.delta = "0";
    assert_int_equal(custos_sums_new(NULL, &bad[0].o, &s, NULL), CUSTOS_OK);
    custos_sums_free(s);
}

static void
sums_refuse_bad_questions(void **state)
{
    static const int64_t elements[3] = {1, 2, 3};
    custos_sums *s = make(CUSTOS_BINARY_TREE, 3, "1", "1");
    custos_rng *rng = test_rng_seeded(61);
    custos_sealed *sealed = NULL;
    int64_t out[3] = {7, 7, 7};
    i128 m = 7;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, elements, 3, &sealed, NULL), 0);
    assert_int_equal(custos_sums_release(NULL, rng, sealed, out, 3, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sums_release(s, NULL, sealed, out, 3, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sums_release(s, rng, NULL, out, 3, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sums_release(s, rng, sealed, NULL, 3, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sums_release(s, rng, sealed, out, 2, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(out[0], 7);
    assert_int_equal(custos_sums_release(s, rng, sealed, out, 3, NULL),
                     CUSTOS_OK);
    out[0] = 7;
    assert_int_equal(custos_sums_release(s, rng, sealed, out, 3, NULL),
                     CUSTOS_ETAKEN);
    assert_int_equal(out[0], 7);
    assert_int_equal(sums_error_i128(NULL, 1, "0.1", &m, NULL), CUSTOS_EINVAL);
    assert_int_equal(sums_error_i128(s, 0, "0.1", &m, NULL), CUSTOS_ERANGE);
    assert_int_equal(sums_error_i128(s, 4, "0.1", &m, NULL), CUSTOS_ERANGE);
    assert_int_equal(sums_error_i128(s, 1, "1", &m, NULL), CUSTOS_ERANGE);
    assert_int_equal(sums_error_i128(s, 1, "x", &m, NULL), CUSTOS_EPARSE);
    assert_true(m == 7);
    custos_sealed_free(sealed);
    custos_sums_free(s);
    test_rng_free(rng);
}

/* Every allocation and every random word fails once. */
static void
sums_survive_faults(void **state)
{
    static const int64_t elements[3] = {1, 2, 3};

    (void)state;
    for (size_t k = 0; k < METHODS; k++) {
        custos_sums_options o = {.size = sizeof o,
                                 .method = methods[k],
                                 .elements = 3,
                                 .epsilon = "1"};
        custos_status st = CUSTOS_ENOMEM;
        custos_sums *s;

        o.delta = methods[k] == CUSTOS_SQUARE_ROOT ? "1e-6" : NULL;
        for (size_t fail = 1; st; fail++) {
            struct test_memory memory = {.fail_at = fail};
            custos_alloc alloc = test_alloc(&memory);
            custos_rng *rng = test_rng_seeded(62);
            int64_t out[3] = {7, 7, 7};

            s = NULL;
            st = custos_sums_new(&alloc, &o, &s, NULL);
            assert_true(st == CUSTOS_OK || s == NULL);
            if (!st)
                st = release(s, rng, elements, 3, out);
            assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
            assert_true(st == CUSTOS_OK || out[0] == 7);
            custos_sums_free(s);
            assert_int_equal(memory.live, 0);
            test_rng_free(rng);
        }
        s = make(methods[k], 3, "1", "1");
        st = CUSTOS_EENTROPY;
        for (size_t words = 0; st; words++) {
            custos_rng *rng = test_rng_failing(62, words);
            int64_t out[3] = {7, 7, 7};

            st = release(s, rng, elements, 3, out);
            assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
            assert_true(st == CUSTOS_OK || out[0] == 7);
            test_rng_free(rng);
        }
        custos_sums_free(s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_noise_is_where_it_belongs),
        cmocka_unit_test(sums_scales_are_exact),
        cmocka_unit_test(sums_tree_blocks_cover),
        cmocka_unit_test(sums_root_squares_to_sums),
        cmocka_unit_test(sums_root_sensitivity_is_rounded),
        cmocka_unit_test(sums_tree_and_root_beat_both),
        cmocka_unit_test(sums_error_covers),
        cmocka_unit_test(sums_error_is_not_wide),
        cmocka_unit_test(sums_error_follows_its_bounds),
        cmocka_unit_test(sums_error_of_one_draw_is_exact),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(sums_refuse_bad_options),
        cmocka_unit_test(sums_refuse_bad_questions),
        cmocka_unit_test(sums_survive_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
