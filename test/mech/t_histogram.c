/*
 * Histograms: the sensitivity under both adjacencies, and one charge for all
 * bins.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "support/support.h"

static custos_mech *
histogram_make(custos_histogram_options o)
{
    custos_mech *m = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    o.size = sizeof o;
    if (custos_histogram_new(NULL, &o, &m, &err))
        fail_msg("%s", err.said);
    return m;
}

/*
 * The largest norms of the change, over all ways to spread a unit's rows over 3
 * bins and, under change-one, over all ways to spread them after the change.
 */
static void
worst(int rows, custos_adjacency adjacency, int *l1, int *l2)
{
    *l1 = *l2 = 0;
    for (int a = 0; a <= rows; a++)
        for (int b = 0; a + b <= rows; b++)
            for (int c = 0; c <= rows; c++)
                for (int d = 0; c + d <= rows; d++) {
                    /* rows per bin: a, b, the rest; after the change: c, d */
                    int e = adjacency == CUSTOS_CHANGE_ONE;
                    int x = a - e * c, y = b - e * d;
                    int z = (rows - a - b) - e * (rows - c - d);

                    if (abs(x) + abs(y) + abs(z) > *l1)
                        *l1 = abs(x) + abs(y) + abs(z);
                    if (x * x + y * y + z * z > *l2)
                        *l2 = x * x + y * y + z * z;
                }
}

static void
histogram_sensitivity_is_attained_and_never_passed(void **state)
{
    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (int rows = 1; rows <= test_size(2, 4); rows++) {
            custos_histogram_options o = {.kind = CUSTOS_LAPLACE,
                                          .adjacency = (custos_adjacency)a,
                                          .bins = 3,
                                          .rows_per_unit = (uint64_t)rows,
                                          .epsilon = "1"};
            custos_mech *m = histogram_make(o);
            int l1, l2;
            double told;

            worst(rows, (custos_adjacency)a, &l1, &l2);
            assert_int_equal(atoi(custos_mech_facts(m)->sensitivity), l1);
            assert_int_equal(atoi(custos_mech_facts(m)->scale), l1);
            custos_mech_free(m);
            o.kind = CUSTOS_GAUSSIAN;
            o.delta = "1e-5";
            m = histogram_make(o);
            told = strtod(custos_mech_facts(m)->sensitivity, NULL);
            assert_true(fabs(told * told - l2) < 1e-9);
            /* Only under add/remove with one row does a single count change. */
            assert_string_equal(custos_mech_facts(m)->theorem,
                                a == CUSTOS_ADD_REMOVE && rows == 1
                                    ? "gauss-discrete-exact"
                                    : "gauss-vector");
            custos_mech_free(m);
        }
}

/* 1000 bins cost one epsilon, and one band covers all of them. */
static void
histogram_costs_one_charge(void **state)
{
    enum { BINS = 1000 };
    static int64_t counts[BINS], out[BINS];
    custos_mech *m = histogram_make(
        (custos_histogram_options){.kind = CUSTOS_LAPLACE,
                                   .adjacency = CUSTOS_ADD_REMOVE,
                                   .bins = BINS,
                                   .epsilon = "1"});
    custos_rng *rng = test_rng_seeded(4);
    custos_sealed *s = NULL;
    double width;
    int off = 0;

    (void)state;
    assert_string_equal(custos_mech_facts(m)->epsilon, "1");
    assert_string_equal(custos_mech_facts(m)->scale, "1");
    assert_int_equal(custos_mech_error(m, "0.05", BINS, &width, NULL), 0);
    /* ln(1000/0.05) = 9.9 for the continuous law. */
    assert_true(width >= 9 && width <= 11);
    for (int i = 0; i < BINS; i++)
        counts[i] = i;
    assert_int_equal(custos_seal_ints(NULL, counts, BINS, &s, NULL), 0);
    assert_int_equal(custos_release_ints(m, rng, s, out, BINS, NULL), 0);
    for (int i = 0; i < BINS; i++)
        off += llabs(out[i] - counts[i]) > (long long)width;
    assert_int_equal(off, 0);
    custos_sealed_free(s);
    custos_mech_free(m);
    test_rng_free(rng);
}

static void
histogram_refuses(void **state)
{
    custos_histogram_options o = {.size = sizeof o,
                                  .kind = CUSTOS_LAPLACE,
                                  .adjacency = CUSTOS_ADD_REMOVE,
                                  .bins = 2,
                                  .epsilon = "1"};
    custos_histogram_options bad = o;
    custos_mech *m = NULL;

    (void)state;
    assert_int_equal(custos_histogram_new(NULL, NULL, &m, NULL), CUSTOS_EINVAL);
    bad.bins = 0;
    assert_int_equal(custos_histogram_new(NULL, &bad, &m, NULL), CUSTOS_EINVAL);
    bad = o;
    bad.adjacency = (custos_adjacency)3;
    assert_int_equal(custos_histogram_new(NULL, &bad, &m, NULL), CUSTOS_EINVAL);
    bad = o;
    bad.rows_per_unit = UINT64_MAX;
    assert_int_equal(custos_histogram_new(NULL, &bad, &m, NULL), CUSTOS_ERANGE);
    bad = o;
    bad.kind = (custos_mech_kind)7;
    assert_int_equal(custos_histogram_new(NULL, &bad, &m, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_histogram_new(NULL, &o, NULL, NULL), CUSTOS_EINVAL);
    assert_null(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histogram_sensitivity_is_attained_and_never_passed),
        cmocka_unit_test(histogram_costs_one_charge),
        cmocka_unit_test(histogram_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
