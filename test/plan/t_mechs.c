/*
 * Cached mechanisms: equal options get the same mechanism, different options
 * another one; callers may free theirs in any order.
 */
#include "plan/price/mechs.h"

#include <stdio.h>

#include "base/base.h"
#include "support/support.h"

static custos_mech *
take(struct mechs *m, const custos_mech_options *o)
{
    custos_mech *out = NULL;

    assert_int_equal(mechs_take(m, o, &out, NULL), CUSTOS_OK);
    return out;
}

static void
every_option_counts(void **state)
{
    const custos_mech_options base = {.size = sizeof base,
                                      .kind = CUSTOS_GAUSSIAN,
                                      .domain = CUSTOS_WIDE,
                                      .values = 4,
                                      .epsilon = "1",
                                      .delta = "1e-6",
                                      .sensitivity = "2"};
    custos_mech_options o[9];
    struct mechs *m = mechs_new();
    custos_mech *first = take(m, &base), *again = take(m, &base);

    (void)state;
    assert_ptr_equal(first, again);
    for (size_t i = 0; i < COUNT_OF(o); i++)
        o[i] = base;
    o[0].epsilon = "1.0"; /* the same number in another text: not found */
    o[1].delta = "1e-7";
    o[2].sensitivity = "3";
    o[3].values = 5;
    o[4].kind = CUSTOS_LAPLACE;
    o[4].delta = NULL;
    o[5].sensitivity = NULL;
    o[5].sensitivity_squared = "2";
    o[6].changes = CUSTOS_CHANGES_ONE;
    o[7].upper = "1000";
    o[8].epsilon = o[8].delta = NULL;
    o[8].rho = "1";
    for (size_t i = 0; i < COUNT_OF(o); i++) {
        custos_mech *other = take(m, &o[i]), *fresh = NULL;

        assert_ptr_not_equal(other, first);
        assert_int_equal(custos_mech_new(NULL, &o[i], &fresh, NULL), CUSTOS_OK);
        assert_string_equal(custos_mech_facts(other)->scale,
                            custos_mech_facts(fresh)->scale);
        custos_mech_free(fresh);
        custos_mech_free(other);
    }
    custos_mech_free(first);
    mechs_free(m);
    assert_string_equal(custos_mech_facts(again)->epsilon, "1");
    custos_mech_free(again);
}

static custos_keys *
take_keys(struct mechs *m, const custos_keys_options *o)
{
    custos_keys *out = NULL;

    assert_int_equal(mechs_take_keys(m, o, &out, NULL), CUSTOS_OK);
    return out;
}

static void
every_option_of_keys_counts(void **state)
{
    const custos_keys_options base = {.size = sizeof base,
                                      .rule = CUSTOS_KEYS_GAUSSIAN,
                                      .adjacency = CUSTOS_ADD_REMOVE,
                                      .keys_per_unit = 4,
                                      .min_units = 2,
                                      .epsilon = "1",
                                      .delta = "1e-6"};
    custos_keys_options o[6];
    struct mechs *m = mechs_new();
    custos_keys *first = take_keys(m, &base), *again = take_keys(m, &base);

    (void)state;
    assert_ptr_equal(first, again);
    for (size_t i = 0; i < COUNT_OF(o); i++)
        o[i] = base;
    o[0].epsilon = "2";
    o[1].delta = "1e-7";
    o[2].rule = CUSTOS_KEYS_LAPLACE;
    o[3].keys_per_unit = 5;
    o[4].min_units = 3;
    o[5].adjacency = CUSTOS_CHANGE_ONE;
    for (size_t i = 0; i < COUNT_OF(o); i++) {
        custos_keys *other = take_keys(m, &o[i]), *fresh = NULL;

        assert_ptr_not_equal(other, first);
        assert_int_equal(custos_keys_new(NULL, &o[i], &fresh, NULL), CUSTOS_OK);
        assert_int_equal(custos_keys_report(other)->threshold,
                         custos_keys_report(fresh)->threshold);
        custos_keys_free(fresh);
        custos_keys_free(other);
    }
    custos_keys_free(first);
    mechs_free(m);
    assert_string_equal(custos_keys_report(again)->epsilon, "1");
    custos_keys_free(again);
}

static void
room_is_made(void **state)
{
    struct mechs *m = mechs_new();
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .sensitivity = "1"};
    custos_mech *held = NULL;
    char epsilon[32];

    (void)state;
    for (int i = 0; i < 150; i++) {
        custos_mech *one;

        snprintf(epsilon, sizeof epsilon, "1.%03d", i);
        o.epsilon = epsilon;
        one = take(m, &o);
        assert_string_equal(custos_mech_facts(one)->sensitivity, "1");
        if (i == 0)
            held = one;
        else
            custos_mech_free(one);
    }
    o.epsilon = "1.149";
    {
        custos_mech *a = take(m, &o), *b = take(m, &o);

        assert_ptr_equal(a, b);
        custos_mech_free(a);
        custos_mech_free(b);
    }
    mechs_free(m);
    assert_non_null(custos_mech_facts(held));
    custos_mech_free(held);
}

/* Errors are the same as without the cache, and are not cached. */
static void
refusals_stay_refusals(void **state)
{
    struct mechs *m = mechs_new();
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .sensitivity = "1",
                             .epsilon = "-1"};
    custos_mech *out = NULL;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_not_equal(mechs_take(i ? m : NULL, &o, &out, NULL),
                             CUSTOS_OK);
    assert_null(out);
    mechs_free(m);
    mechs_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_counts),
        cmocka_unit_test(every_option_of_keys_counts),
        cmocka_unit_test(room_is_made),
        cmocka_unit_test(refusals_stay_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
