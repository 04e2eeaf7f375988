/*
 * Sums of elements that arrive one after the other: the same noise at the same
 * places as in a release of all sums at once, and nothing is used up by a call
 * that fails.
 */
#include <math.h>

#include "base/base.h"
#include "mech/sums.h"
#include "support/support.h"

static const custos_sums_method methods[] = {
    CUSTOS_EVERY_PREFIX, CUSTOS_EVERY_ELEMENT, CUSTOS_BINARY_TREE,
    CUSTOS_SQUARE_ROOT};

enum { N = 70 };

static int64_t elements[N];

static custos_sums_options
options(custos_sums_method method)
{
    return (custos_sums_options){.size = sizeof(custos_sums_options),
                                 .method = method,
                                 .elements = N,
                                 .epsilon = "1/2",
                                 .delta = method == CUSTOS_SQUARE_ROOT ? "1e-6"
                                                                       : NULL,
                                 .sensitivity = "3"};
}

static custos_stream *
make(custos_sums_method method)
{
    custos_sums_options o = options(method);
    custos_stream *s = NULL;

    for (int i = 0; i < N; i++)
        elements[i] = i * i % 37 * 1000 - 5000;
    assert_int_equal(custos_stream_new(NULL, &o, &s, NULL), CUSTOS_OK);
    return s;
}

static custos_status
add(custos_stream *s, custos_rng *rng, const int64_t *from, size_t n,
    int64_t *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_int_equal(custos_seal_ints(NULL, from, n, &sealed, NULL), 0);
    st = custos_stream_add(s, rng, sealed, out, n, err);
    custos_sealed_free(sealed);
    return st;
}

/* All elements in one call: bit by bit what custos_sums_release gives. */
static void
stream_is_the_release(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        custos_stream *s = make(methods[k]);
        custos_rng *rng = test_rng_seeded(k), *same = test_rng_seeded(k);
        custos_sealed *sealed = NULL;
        int64_t out[N], all[N];

        assert_int_equal(custos_seal_ints(NULL, elements, N, &sealed, NULL), 0);
        assert_int_equal(custos_sums_release(custos_stream_sums(s), same,
                                             sealed, all, N, NULL),
                         CUSTOS_OK);
        assert_int_equal(add(s, rng, elements, N, out, NULL), CUSTOS_OK);
        assert_memory_equal(out, all, sizeof out);
        assert_int_equal(test_rng_used(rng), test_rng_used(same));
        custos_sealed_free(sealed);
        custos_stream_free(s);
        test_rng_free(rng);
        test_rng_free(same);
    }
}

/* The noise of sum t, from draws made in calls of any sizes. */
static double
noise_of_sum(custos_sums_method method, const i128 *z, size_t t)
{
    const double unit = ldexp(1, -(int)factor_bits(N));
    double sum = 0, f = 1;

    switch (method) {
    case CUSTOS_EVERY_PREFIX: return (double)z[t - 1];
    case CUSTOS_EVERY_ELEMENT:
        for (size_t i = 0; i < t; i++)
            sum += (double)z[i];
        return sum;
    case CUSTOS_BINARY_TREE:
        for (size_t block = t; block; block -= block & -block)
            sum += (double)z[block - 1];
        return sum;
    default: /* A C^-1 z = C z, whose entries are C(2k, k) / 4^k */
        for (size_t k = 0; k < t; k++) {
            sum += f * unit * (double)z[t - 1 - k];
            f *= (2 * (double)k + 1) / (2 * (double)k + 2);
        }
        return sum;
    }
}

static void
stream_noise_is_where_it_belongs(void **state)
{
    static const size_t sizes[] = {1, 1, 5, 1, 20, 2, 40};

    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        custos_stream *s = make(methods[k]);
        custos_rng *rng = test_rng_seeded(9), *same = test_rng_seeded(9);
        size_t done = 0;
        int64_t out[N];
        i128 z[N];
        double exact = 0;

        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            assert_int_equal(custos_stream_left(s), N - done);
            assert_int_equal(
                add(s, rng, elements + done, sizes[i], out + done, NULL),
                CUSTOS_OK);
            assert_int_equal(noise_draw(custos_stream_sums(s)->noise, same,
                                        z + done, sizes[i]),
                             CUSTOS_OK);
            done += sizes[i];
        }
        assert_int_equal(done, N);
        assert_int_equal(custos_stream_left(s), 0);
        for (size_t t = 1; t <= N; t++) {
            double off;

            exact += (double)elements[t - 1];
            off = (double)out[t - 1] - exact - noise_of_sum(methods[k], z, t);
            assert_true(methods[k] == CUSTOS_SQUARE_ROOT ? fabs(off) < 0.8
                                                         : off == 0);
        }
        custos_stream_free(s);
        test_rng_free(rng);
        test_rng_free(same);
    }
}

static void
stream_ends_after_its_elements(void **state)
{
    custos_stream *s = make(CUSTOS_BINARY_TREE);
    custos_rng *rng = test_rng_seeded(1);
    int64_t out[N] = {77};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(add(s, rng, elements, N - 2, out, NULL), CUSTOS_OK);
    out[0] = 77;
    assert_int_equal(add(s, rng, elements, 3, out, &err), CUSTOS_ESPENT);
    assert_string_equal(err.said,
                        "the stream takes only 2 more elements, not 3");
    assert_int_equal(out[0], 77);
    assert_int_equal(add(s, rng, elements, 2, out, NULL), CUSTOS_OK);
    assert_int_equal(add(s, rng, elements, 1, out, NULL), CUSTOS_ESPENT);
    custos_stream_free(s);
    test_rng_free(rng);
}

/* After a failure the same seal and the same stream go on as if it had not
   been. */
static void
stream_is_not_used_up_by_a_failure(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        custos_stream *s = make(methods[k]), *other = make(methods[k]);
        custos_rng *dry = test_rng_failing(1, 0);
        custos_rng *rng = test_rng_seeded(2), *same = test_rng_seeded(2);
        custos_sealed *sealed = NULL;
        int64_t out[N] = {77}, want[N];

        assert_int_equal(custos_seal_ints(NULL, elements, 9, &sealed, NULL), 0);
        assert_int_equal(custos_stream_add(s, dry, sealed, out, 9, NULL),
                         CUSTOS_EENTROPY);
        assert_int_equal(custos_stream_add(s, rng, sealed, out, 8, NULL),
                         CUSTOS_EINVAL); /* another number is sealed */
        assert_int_equal(out[0], 77);
        assert_int_equal(custos_stream_left(s), N);
        test_rng_free(rng);
        rng = test_rng_seeded(2);
        assert_int_equal(custos_stream_add(s, rng, sealed, out, 9, NULL),
                         CUSTOS_OK);
        assert_int_equal(add(other, same, elements, 9, want, NULL), CUSTOS_OK);
        assert_memory_equal(out, want, 9 * sizeof out[0]);
        assert_int_equal(custos_stream_add(s, rng, sealed, out, 9, NULL),
                         CUSTOS_ETAKEN);
        assert_int_equal(custos_stream_left(s), N - 9);
        custos_sealed_free(sealed);
        custos_stream_free(s);
        custos_stream_free(other);
        test_rng_free(dry);
        test_rng_free(rng);
        test_rng_free(same);
    }
}

static void
stream_reports_its_mechanism(void **state)
{
    custos_stream *s = make(CUSTOS_BINARY_TREE);
    const custos_facts *f = custos_sums_facts(custos_stream_sums(s));
    int64_t bar = 0;

    (void)state;
    assert_string_equal(f->epsilon, "0.5");
    assert_string_equal(f->theorem, "sums-binary-tree");
    assert_int_equal(
        custos_sums_error_i64(custos_stream_sums(s), N, "0.05", &bar, NULL),
        CUSTOS_OK);
    assert_true(bar > 0);
    assert_null(custos_stream_sums(NULL));
    assert_int_equal(custos_stream_left(NULL), 0);
    custos_stream_free(s);
    custos_stream_free(NULL);
}

static void
stream_needs_its_arguments(void **state)
{
    custos_stream *s = make(CUSTOS_EVERY_PREFIX), *none = NULL;
    custos_sums_options o = options(CUSTOS_EVERY_PREFIX);
    custos_rng *rng = test_rng_seeded(3);
    custos_sealed *sealed = NULL;
    int64_t out = 77;

    (void)state;
    assert_int_equal(custos_stream_new(NULL, NULL, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_stream_new(NULL, &o, NULL, NULL), CUSTOS_EINVAL);
    assert_null(none);
    assert_int_equal(custos_seal_ints(NULL, elements, 1, &sealed, NULL), 0);
    assert_int_equal(custos_stream_add(NULL, rng, sealed, &out, 1, NULL), 1);
    assert_int_equal(custos_stream_add(s, NULL, sealed, &out, 1, NULL), 1);
    assert_int_equal(custos_stream_add(s, rng, NULL, &out, 1, NULL), 1);
    assert_int_equal(custos_stream_add(s, rng, sealed, NULL, 1, NULL), 1);
    assert_int_equal(custos_stream_add(s, rng, sealed, &out, 0, NULL), 1);
    assert_int_equal(out, 77);
    custos_sealed_free(sealed);
    custos_stream_free(s);
    test_rng_free(rng);
}

static void
stream_survives_want_of_memory(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++)
        for (size_t fail_at = 1; fail_at < 12; fail_at++) {
            struct test_memory memory = {.fail_at = fail_at};
            custos_alloc alloc = test_alloc(&memory);
            custos_sums_options o = options(methods[k]);
            custos_rng *rng = test_rng_seeded(4);
            custos_stream *s = NULL;
            int64_t out = 77;
            custos_status st = custos_stream_new(&alloc, &o, &s, NULL);

            if (!st)
                st = add(s, rng, elements, 1, &out, NULL);
            assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
            assert_true(!st || out == 77);
            custos_stream_free(s);
            assert_int_equal(memory.live, 0);
            test_rng_free(rng);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_the_release),
        cmocka_unit_test(stream_noise_is_where_it_belongs),
        cmocka_unit_test(stream_ends_after_its_elements),
        cmocka_unit_test(stream_is_not_used_up_by_a_failure),
        cmocka_unit_test(stream_reports_its_mechanism),
        cmocka_unit_test(stream_needs_its_arguments),
        cmocka_unit_test(stream_survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
