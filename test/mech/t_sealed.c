/* Sealed values: copied, opened once, wiped. */
#include "mech/sealed.h"
#include "support/said.h"
#include "support/support.h"

static void
sealed_opens_once(void **state)
{
    int64_t ints[3] = {5, INT64_MIN, INT64_MAX};
    double reals[2] = {-0.0, 1.5};
    custos_sealed *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    i128 *values = NULL;
    uint64_t bits;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, ints, 3, &s, NULL), CUSTOS_OK);
    ints[0] = 7; /* the sealed value is a copy */
    assert_int_equal(sealed_open(s, SEALED_INTS, 3, &values, NULL), CUSTOS_OK);
    assert_true(values[0] == 5 && values[1] == INT64_MIN &&
                values[2] == INT64_MAX);
    values = NULL;
    assert_int_equal(sealed_open(s, SEALED_INTS, 3, &values, &err),
                     CUSTOS_ETAKEN);
    assert_null(values);
    assert_string_equal(whole_said(&err),
                        "the sealed values were already released");
    custos_sealed_free(s);
    assert_int_equal(custos_seal_reals(NULL, reals, 2, &s, NULL), CUSTOS_OK);
    assert_int_equal(sealed_open(s, SEALED_REALS, 2, &values, NULL), CUSTOS_OK);
    memcpy(&bits, &reals[1], sizeof bits);
    assert_true((uint64_t)values[1] == bits);
    assert_true((uint64_t)values[0] == UINT64_C(1) << 63);
    sealed_wipe(s);
    assert_true(values[0] == 0 && values[1] == 0);
    custos_sealed_free(s);
    custos_sealed_free(NULL);
}

static void
sealed_refuses_what_it_is_not(void **state)
{
    int64_t ints[2] = {1, 2};
    custos_sealed *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    i128 *values = NULL;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, NULL, 2, &s, &err), CUSTOS_EINVAL);
    assert_int_equal(custos_seal_ints(NULL, ints, 0, &s, &err), CUSTOS_EINVAL);
    assert_int_equal(custos_seal_ints(NULL, ints, 2, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_seal_ints(NULL, ints, SIZE_MAX / 2, &s, NULL),
                     CUSTOS_ENOMEM);
    assert_null(s);
    assert_int_equal(custos_seal_ints(NULL, ints, 2, &s, NULL), CUSTOS_OK);
    assert_int_equal(sealed_open(NULL, SEALED_REALS, 2, &values, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(sealed_open(s, SEALED_REALS, 2, &values, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(whole_said(&err), "the release needs sealed reals");
    assert_int_equal(sealed_open(s, SEALED_INTS, 3, &values, &err),
                     CUSTOS_EINVAL);
    assert_null(values);
    /* None of these calls used up the sealed value. */
    assert_int_equal(sealed_open(s, SEALED_INTS, 2, &values, NULL), CUSTOS_OK);
    custos_sealed_free(s);
}

/* Whether freed memory was wiped. */
static bool all_zero;

static void
give_watched(void *ctx, void *p, size_t bytes)
{
    custos_alloc *inner = ctx;

    for (size_t i = 0; i < bytes; i++)
        all_zero &= ((unsigned char *)p)[i] == 0;
    inner->give(inner->ctx, p, bytes);
}

static void *
take_watched(void *ctx, size_t bytes)
{
    custos_alloc *inner = ctx;

    return inner->take(inner->ctx, bytes);
}

static void
sealed_wipes_and_gives_back(void **state)
{
    int64_t ints[2] = {-1, -1};
    struct test_memory memory = {0};
    custos_alloc inner = test_alloc(&memory);
    custos_alloc watched = {take_watched, give_watched, &inner};
    custos_sealed *s = NULL;

    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        memory = (struct test_memory){.fail_at = n};
        assert_int_equal(custos_seal_ints(&inner, ints, 2, &s, NULL),
                         CUSTOS_ENOMEM);
        assert_null(s);
        assert_int_equal(memory.live, 0);
    }
    memory = (struct test_memory){0};
    assert_int_equal(custos_seal_ints(&watched, ints, 2, &s, NULL), CUSTOS_OK);
    assert_int_equal(memory.live, 2);
    all_zero = true;
    custos_sealed_free(s);
    assert_true(all_zero);
    assert_int_equal(memory.live, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_opens_once),
        cmocka_unit_test(sealed_refuses_what_it_is_not),
        cmocka_unit_test(sealed_wipes_and_gives_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
