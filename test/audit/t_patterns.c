/*
 * Neighbouring inputs: that every pair is one of neighbours, and that the
 * patterns are all there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "audit/patterns.h"
#include "base/base.h"

static const size_t sweep[] = {1, 2, 3, 5, 10, 20, 0};

/* How many numbers differ, and by how much at most. */
static size_t
count_changes(const struct pair *pair, double *most)
{
    size_t n = 0;

    *most = 0;
    assert_int_equal(pair->a.n, pair->b.n);
    for (size_t i = 0; i < pair->a.n; i++) {
        double by = fabs(pair->a.value[i] - pair->b.value[i]);

        n += by != 0;
        *most = fmax(*most, by);
    }
    return n;
}

static void
patterns_are_neighbours(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;
    double most;

    (void)state;
    assert_int_equal(patterns_sweep(&pairs, ADJACENT_ONE, sweep, 3, &err), 0);
    assert_int_equal(pairs.n, 2 * 6);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_int_equal(count_changes(&pairs.pair[i], &most), 1);
        assert_true(most == 3);
    }
    pairs_clear(&pairs);
    assert_int_equal(patterns_sweep(&pairs, ADJACENT_EACH, sweep, 2, &err), 0);
    assert_int_equal(pairs.n, 2 + 5 * 10);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_true(count_changes(&pairs.pair[i], &most) >= 1);
        assert_true(most == 2);
    }
    pairs_clear(&pairs);
    assert_int_equal(pairs.n, 0);
}

static const struct pair *
find_pair(const struct pairs *pairs, const char *name)
{
    for (size_t i = 0; i < pairs->n; i++)
        if (!strcmp(pairs->pair[i].name, name))
            return &pairs->pair[i];
    fail_msg("there is no pair %s", name);
    return NULL;
}

static void
check_numbers(struct data data, const double *expected)
{
    for (size_t i = 0; i < data.n; i++)
        assert_true(data.value[i] == expected[i]);
}

static void
patterns_have_their_shapes(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;
    const struct pair *pair;

    (void)state;
    assert_int_equal(patterns_add(&pairs, ADJACENT_EACH, 4, 1, &err), 0);
    pair = find_pair(&pairs, "half half, 4 numbers");
    check_numbers(pair->a, (double[]){1, 1, 1, 1});
    check_numbers(pair->b, (double[]){2, 2, 0, 0});
    pair = find_pair(&pairs, "X shape, 4 numbers");
    check_numbers(pair->a, (double[]){1, 1, 0, 0});
    check_numbers(pair->b, (double[]){0, 0, 1, 1});
    pair = find_pair(&pairs, "one above, rest below, 4 numbers");
    check_numbers(pair->b, (double[]){2, 0, 0, 0});
    pair = find_pair(&pairs, "rest below, last above, 4 numbers");
    check_numbers(pair->b, (double[]){0, 0, 0, 2});
    pair = find_pair(&pairs, "all below, 4 numbers");
    check_numbers(pair->b, (double[]){0, 0, 0, 0});
    pairs_clear(&pairs);
}

static void
extremes_change_by_one_step(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;
    double most;

    (void)state;
    assert_int_equal(patterns_add_extremes(&pairs, 1, 1, &err), 0);
    assert_int_equal(patterns_add_extremes(&pairs, 3, 1, &err), 0);
    assert_int_equal(pairs.n, 4);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_int_equal(count_changes(&pairs.pair[i], &most), 1);
        assert_true(most == 1);
    }
    assert_true(pairs.pair[1].a.value[0] == -0x1p53);
    assert_true(pairs.pair[3].b.value[2] == -0x1p63);
    pairs_clear(&pairs);
}

static void
rows_differ_by_the_last(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;
    bool empty = false;

    (void)state;
    assert_int_equal(patterns_add_rows(&pairs, -5, 7, &err), 0);
    for (size_t i = 0; i < pairs.n; i++) {
        const struct pair *pair = &pairs.pair[i];

        assert_int_equal(pair->a.n + 1, pair->b.n);
        check_numbers(pair->a, pair->b.value);
        empty |= pair->a.n == 0;
    }
    assert_true(empty);
    pairs_clear(&pairs);
}

static void
values_meet_the_first(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(patterns_add_values(&pairs, (double[]){4, 5, 6}, 3, &err),
                     0);
    assert_int_equal(pairs.n, 2);
    assert_true(pairs.pair[1].a.value[0] == 4);
    assert_true(pairs.pair[1].b.value[0] == 6);
    assert_string_equal(pairs.pair[1].name, "4 or 6");
    pairs_clear(&pairs);
}

static void
wrong_dimensions_are_rejected(void **state)
{
    struct pairs pairs = {0};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(patterns_add(&pairs, ADJACENT_ONE, 0, 1, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(patterns_add(&pairs, ADJACENT_ONE, 65, 1, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(err.said, "a pattern has 1 to 64 numbers, not 65");
    assert_int_equal(patterns_add_extremes(&pairs, 0, 1, &err), CUSTOS_EINVAL);
    assert_int_equal(pairs.n, 0);
    pairs_clear(&pairs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_neighbours),
        cmocka_unit_test(patterns_have_their_shapes),
        cmocka_unit_test(extremes_change_by_one_step),
        cmocka_unit_test(rows_differ_by_the_last),
        cmocka_unit_test(values_meet_the_first),
        cmocka_unit_test(wrong_dimensions_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
