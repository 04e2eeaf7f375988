/*
 * A5, Casacuberta and others 2022: sums of doubles depend on the order of the
 * records and round after every one. The difference between neighbours exceeds
 * the sensitivity that was proved for real numbers.
 *
 * Ours: each record is rounded to the grid by itself, then whole numbers are
 * added. The twin adds doubles.
 */
#include "attack/attack.h"
#include "mech/grid.h"

enum { RECORDS = 1024 };

static i128
our_sum(const double *x, size_t n, long k)
{
    i128 sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        sum += grid_index(bits, k);
    }
    return sum;
}

static double
twin_sum(const double *x, size_t n)
{
    volatile double sum = 0; /* in doubles, whatever registers the CPU has */

    for (size_t i = 0; i < n; i++)
        sum = sum + x[i];
    return sum;
}

static void
shuffle(custos_rng *rng, double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = attack_word(rng) % i;
        double t = x[i - 1];

        x[i - 1] = x[k];
        x[k] = t;
    }
}

/*
 * Records of adversarial sizes: 2^53, then many ones; near 2^50 with alternating
 * signs; of very different magnitudes.
 */
static void
make_records(double *x, int kind)
{
    for (size_t i = 0; i < RECORDS; i++)
        x[i] = kind == 0   ? (i ? 1 : 0x1p53)
               : kind == 1 ? (i % 2 ? 0x1p50 - 0.125 : -0x1p50 + 0.375)
                           : ldexp((double)(i * 2654435761U % 1000003) - 5e5,
                                   (int)(i % 60) - 30);
}

static void
sums_are_free_of_order(void **state)
{
    const size_t n = audit_size(20, 2000, 100000);
    custos_rng *rng = test_rng_seeded(501);

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        double x[RECORDS], lowest, highest;
        i128 sum;

        make_records(x, kind);
        sum = our_sum(x, RECORDS, -20);
        lowest = highest = twin_sum(x, RECORDS);
        for (size_t i = 0; i < n; i++) {
            double other;

            shuffle(rng, x, RECORDS);
            assert_true(our_sum(x, RECORDS, -20) == sum);
            other = twin_sum(x, RECORDS);
            lowest = fmin(lowest, other);
            highest = fmax(highest, other);
        }
        assert_true(lowest < highest); /* the twin is caught */
    }
    test_rng_free(rng);
}

/*
 * Neighbours: one record in [0, M], M = 2^50, is present or not among 1023
 * others with the same bounds. The claimed sensitivity is M.
 */
static void
neighbours_keep_their_distance(void **state)
{
    const double bound = 0x1p50;
    const i128 most = (i128)1 << (50 + 3); /* M in steps of 1/8 */
    const size_t n = audit_size(50, 1000, 100000);
    custos_rng *rng = test_rng_seeded(502);
    size_t caught = 0;

    (void)state;
    for (size_t run = 0; run < n; run++) {
        double x[RECORDS];
        i128 ours;

        x[0] = bound; /* the record in question comes first */
        for (size_t i = 1; i < RECORDS; i++)
            x[i] = bound - (double)(attack_word(rng) % 4096) / 8;
        ours = our_sum(x, RECORDS, -3) - our_sum(x + 1, RECORDS - 1, -3);
        assert_true(ours >= 0 && ours <= most);
        caught += twin_sum(x, RECORDS) - twin_sum(x + 1, RECORDS - 1) > bound;
    }
    assert_true(caught > 0);
    test_rng_free(rng);
}

/* The extreme case: records for which every rounding goes the same way. */
static void
twin_passes_its_sensitivity_by_far(void **state)
{
    double x[RECORDS];
    double apart;

    (void)state;
    x[0] = 0x1p53;
    for (size_t i = 1; i < RECORDS; i++)
        x[i] = 1;
    /* Without the large record all ones count; after it none does. */
    apart = twin_sum(x, RECORDS) - twin_sum(x + 1, RECORDS - 1);
    assert_true(fabs(apart - 0x1p53) >= RECORDS - 1);
    assert_true(our_sum(x, RECORDS, 0) - our_sum(x + 1, RECORDS - 1, 0) ==
                (i128)1 << 53);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_free_of_order),
        cmocka_unit_test(neighbours_keep_their_distance),
        cmocka_unit_test(twin_passes_its_sensitivity_by_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
