/*
 * The handle of a privacy-loss distribution: composing handles is composing
 * plans, what was computed is kept, and arrays that leave and enter again are
 * above the distribution they came from, and close to it.
 */
#include <math.h>
#include <stdlib.h>

#include "account/loss_of.h"
#include "base/base.h"
#include "support/fresh_bounds.h"
#include "support/pld_of.h"
#include "support/support.h"

static custos_plan *
plan_with(const custos_alloc *alloc, const char *const *mechanisms, size_t n)
{
    custos_plan *plan = NULL;

    assert_int_equal(custos_plan_new(alloc, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(custos_plan_add(plan, mechanisms[i], NULL), CUSTOS_OK);
    return plan;
}

static custos_pld *
pld_with(const char *mechanism)
{
    custos_plan *plan = plan_with(NULL, &mechanism, 1);
    custos_pld *pld = NULL;

    assert_int_equal(custos_pld_new(plan, &pld, NULL), CUSTOS_OK);
    custos_plan_free(plan);
    return pld;
}

static custos_interval
epsilon(custos_pld *pld, const char *delta, const char *width)
{
    custos_interval got = CUSTOS_INTERVAL_INIT;

    assert_int_equal(custos_pld_epsilon(pld, delta, width, &got, NULL),
                     CUSTOS_OK);
    assert_null(got.reason);
    return got;
}

static void
assert_same(custos_interval a, custos_interval b)
{
    assert_string_equal(a.low, b.low);
    assert_string_equal(a.high, b.high);
}

/* ---------------------------------------------------------- composing -- */

static void
composing_is_that_of_plans(void **state)
{
    const char *both[] = {"laplace:epsilon=0.1:count=20",
                          "gaussian:sigma=20:count=10"};
    custos_plan *plan = plan_with(NULL, both, 2);
    custos_pld *a = pld_with(both[0]), *b = pld_with(both[1]), *ab = NULL;
    custos_interval whole = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(custos_pld_compose(a, b, &ab, NULL), CUSTOS_OK);
    custos_pld_free(a); /* the result does not borrow from them */
    custos_pld_free(b);
    assert_int_equal(pld_epsilon_of(plan, "1e-6", "1e-3", &whole, NULL),
                     CUSTOS_OK);
    assert_same(epsilon(ab, "1e-6", "1e-3"), whole);
    custos_pld_free(ab);
    custos_plan_free(plan);
}

static void
self_composing_is_counting(void **state)
{
    custos_pld *one = pld_with("discrete-gaussian:sigma=5");
    custos_pld *many = pld_with("discrete-gaussian:sigma=5:count=12");
    custos_pld *self = NULL, *six = NULL, *sum = NULL;

    (void)state;
    assert_int_equal(custos_pld_self_compose(one, 12, &self, NULL), CUSTOS_OK);
    assert_int_equal(custos_pld_self_compose(one, 6, &six, NULL), CUSTOS_OK);
    assert_int_equal(custos_pld_compose(six, six, &sum, NULL), CUSTOS_OK);
    assert_same(epsilon(self, "1e-6", "1e-3"), epsilon(many, "1e-6", "1e-3"));
    assert_same(epsilon(sum, "1e-6", "1e-3"), epsilon(many, "1e-6", "1e-3"));
    custos_pld_free(one);
    custos_pld_free(many);
    custos_pld_free(self);
    custos_pld_free(six);
    custos_pld_free(sum);
}

/* Past the highest count, and for what cannot be computed, there is a reason
   instead of bounds, and composing keeps it. */
static void
reasons_are_passed_on(void **state)
{
    custos_pld *one = pld_with("laplace:epsilon=1"), *many = NULL, *both = NULL;
    custos_interval got = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(
        custos_pld_self_compose(one, ((uint64_t)1 << 40) + 1, &many, NULL),
        CUSTOS_OK);
    assert_int_equal(custos_pld_compose(one, many, &both, NULL), CUSTOS_OK);
    assert_int_equal(custos_pld_epsilon(both, "1e-6", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_string_equal(got.reason, "a count is past 2^40");
    assert_string_equal(got.high, "");
    custos_pld_free(many);
    assert_int_equal(custos_pld_self_compose(one, UINT64_MAX, &many, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_pld_epsilon(many, "1e-6", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_string_equal(got.reason, "a count is past 2^40");
    custos_pld_free(one);
    custos_pld_free(many);
    custos_pld_free(both);
}

/* ------------------------------------------------------------- keeping -- */

/* A second question needs the memory of no second grid; its answer encloses
   what a fresh handle finds. */
static void
what_was_computed_is_kept(void **state)
{
    static const char *const mechanism = "gaussian:sigma=3:sample=0.1:count=50";
    struct test_memory memory = {.fail_at = 0};
    custos_alloc alloc = test_alloc(&memory);
    custos_plan *plan = plan_with(&alloc, &mechanism, 1);
    custos_pld *pld = NULL, *fresh = pld_with(mechanism);
    custos_interval first, again, near, other;
    size_t takes;

    (void)state;
    assert_int_equal(custos_pld_new(plan, &pld, NULL), CUSTOS_OK);
    takes = memory.takes;
    first = epsilon(pld, "1e-6", "1e-3");
    assert_true(memory.takes - takes > 10);
    takes = memory.takes;
    again = epsilon(pld, "1e-6", "1e-3");
    near = epsilon(pld, "1.1e-6", "1e-3");
    assert_true(memory.takes - takes <= 4);
    assert_same(first, again);
    other = epsilon(fresh, "1.1e-6", "1e-3");
    assert_true(strtod(near.low, NULL) <= strtod(other.high, NULL));
    assert_true(strtod(near.high, NULL) >= strtod(other.low, NULL));
    assert_true(strtod(near.high, NULL) - strtod(near.low, NULL) <= 1e-3);
    /* A narrower width is computed anew. */
    near = epsilon(pld, "1e-6", "1e-4");
    assert_true(memory.takes - takes > 10);
    assert_true(strtod(near.high, NULL) - strtod(near.low, NULL) <= 1e-4);
    custos_pld_free(pld);
    custos_pld_free(fresh);
    custos_plan_free(plan);
    assert_int_equal(memory.live, 0);
}

/* -------------------------------------------------------------- arrays -- */

enum { N = 4001 };

static double losses[N], masses[N];

/* The curve of the arrays at epsilon. */
static double
curve_of_arrays(double infinite, double at)
{
    long double sum = infinite;

    for (size_t i = 0; i < N; i++)
        if (losses[i] > at)
            sum +=
                (long double)masses[i] * -expm1l((long double)at - losses[i]);
    return (double)sum;
}

/* delta of a Gaussian of mean difference mu in units of its deviation. */
static double
gauss_delta(double mu, double at)
{
    const double a = (at / mu - mu / 2) / sqrt(2),
                 b = (at / mu + mu / 2) / sqrt(2);

    return (erfc(a) - exp(at) * erfc(b)) / 2;
}

static void
arrays_lie_above_the_curve(void **state)
{
    custos_pld *pld = pld_with("gaussian:sigma=2:count=4"); /* mu = 1 */
    double infinite = -1, total;

    (void)state;
    assert_int_equal(
        custos_pld_arrays(pld, "1e-6", losses, masses, N, &infinite, NULL),
        CUSTOS_OK);
    assert_true(infinite >= 0 && infinite < 1e-9);
    total = infinite;
    for (size_t i = 0; i < N; i++) {
        assert_true(masses[i] >= 0 && (i == 0 || losses[i] > losses[i - 1]));
        total += masses[i];
    }
    assert_true(fabs(total - 1) < 1e-6);
    for (double at = -4; at < 5; at += 0.0371) {
        double true_delta = gauss_delta(1, at);
        double got = curve_of_arrays(infinite, at);

        assert_true(got >= true_delta * (1 - 1e-12));
        if (at < 4.9) /* epsilon at 1e-6 is about 4.9 */
            assert_true(got <= true_delta * 1.01 + 1e-12);
    }
    custos_pld_free(pld);
}

/*
 * Arrays of one plan, composed, against the composed plan: for a plan whose
 * orders are alike and for one whose orders differ.
 */
static void
arrays_compose_above_the_plan(void **state)
{
    static const struct {
        const char *mechanism;
        uint64_t times;
        double loose;
    } rows[] = {
        {"gaussian:sigma=5", 20, 1.01},
        {"gaussian:sigma=1:sample=0.05", 20, 1.05},
        {"generic:epsilon=0.5:delta=1e-9", 10, 1.01},
        {"randomized-response:epsilon=1:values=3", 5, 1.02},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_pld *one = pld_with(rows[i].mechanism), *array = NULL;
        custos_pld *plan = NULL, *arrays = NULL;
        custos_interval true_epsilon, got;
        double infinite = 0;

        assert_int_equal(
            custos_pld_arrays(one, "1e-8", losses, masses, N, &infinite, NULL),
            CUSTOS_OK);
        assert_int_equal(custos_pld_of_arrays(NULL, CUSTOS_ADD_REMOVE, losses,
                                              masses, N, infinite, &array,
                                              NULL),
                         CUSTOS_OK);
        assert_int_equal(
            custos_pld_self_compose(one, rows[i].times, &plan, NULL),
            CUSTOS_OK);
        assert_int_equal(
            custos_pld_self_compose(array, rows[i].times, &arrays, NULL),
            CUSTOS_OK);
        true_epsilon = epsilon(plan, "1e-6", "1e-4");
        got = epsilon(arrays, "1e-6", "1e-4");
        assert_true(strtod(got.high, NULL) >= strtod(true_epsilon.low, NULL));
        assert_true(strtod(got.low, NULL) <=
                    rows[i].loose * strtod(true_epsilon.high, NULL));
        custos_pld_free(one);
        custos_pld_free(array);
        custos_pld_free(plan);
        custos_pld_free(arrays);
    }
}

/* Two atoms by hand: a response of epsilon 1 that is revealed with probability
   1/1000. Composed with a Laplace mechanism, it is a generic mechanism. */
static void
arrays_can_be_written_by_hand(void **state)
{
    const double rest = 0.999, e = exp(1);
    const double at[] = {-1, 1};
    const double p[] = {rest / (1 + e), rest * e / (1 + e)};
    custos_pld *array = NULL, *noise = pld_with("laplace:epsilon=0.5");
    custos_pld *generic = pld_with("generic:epsilon=1:delta=0.001");
    custos_pld *a = NULL, *b = NULL;
    custos_interval got = CUSTOS_INTERVAL_INIT, want = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(custos_pld_of_arrays(NULL, CUSTOS_ADD_REMOVE, at, p, 2,
                                          0.001, &array, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_pld_compose(array, noise, &a, NULL), CUSTOS_OK);
    assert_int_equal(custos_pld_compose(noise, generic, &b, NULL), CUSTOS_OK);
    got = epsilon(a, "0.01", "1e-4");
    want = epsilon(b, "0.01", "1e-4");
    assert_true(fabs(strtod(got.high, NULL) - strtod(want.high, NULL)) < 2e-4);
    assert_int_equal(custos_pld_delta(a, "0.3", NULL, &got, NULL), CUSTOS_OK);
    assert_int_equal(custos_pld_delta(b, "0.3", NULL, &want, NULL), CUSTOS_OK);
    assert_true(strtod(got.low, NULL) <= strtod(want.high, NULL));
    assert_true(strtod(got.high, NULL) >= strtod(want.low, NULL));
    custos_pld_free(array);
    custos_pld_free(noise);
    custos_pld_free(generic);
    custos_pld_free(a);
    custos_pld_free(b);
}

/* Losses that are not evenly spaced, beyond the largest that is computed, and
   probabilities near the end of a double. */
static void
odd_arrays_are_bounded(void **state)
{
    const double at[] = {-700, -1, 0.1, 0.35, 1, 2000};
    const double p[] = {1e-305, 0.2, 0.3, 0.3, 0.19999, 1e-5};
    custos_pld *array = NULL;
    custos_interval got = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(custos_pld_of_arrays(NULL, CUSTOS_CHANGE_ONE, at, p, 6, 0,
                                          &array, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_pld_delta(array, "0.2", "1e-4", &got, NULL),
                     CUSTOS_OK);
    {
        double want =
            1e-5 + 0.19999 * -expm1(0.2 - 1) + 0.3 * -expm1(0.2 - 0.35);

        assert_true(strtod(got.high, NULL) >= want * (1 - 1e-12));
        assert_true(strtod(got.high, NULL) <= want * 1.001);
        assert_true(strtod(got.low, NULL) <= want);
        assert_true(strtod(got.low, NULL) >= (want - 1e-5) * 0.999);
    }
    custos_pld_free(array);
}

/* An array stands for its mechanism in both orders of the neighbours. Swapped,
   this one would have no loss of 1; a sampled part makes both orders count. */
static void
arrays_hold_in_both_orders(void **state)
{
    static const double at[] = {-0.05, 3}, p[] = {0.95, 0.05};
    struct pld_part parts[2] = {
        {.count = 1}, {{.base = BASE_GAUSSIAN, .rate = 0.5, .size = 1e-4}, 1}};
    const double want = p[1] * -expm1(1 - at[1]);
    struct loss_of array;
    struct bounds b[2];

    (void)state;
    assert_int_equal(loss_of_arrays(NULL, at, p, 2, 0, &array), CUSTOS_OK);
    parts[0].loss = array.loss;
    assert_int_equal(
        fresh_bounds(NULL, parts, 2, (struct pld_aim){AIM_EPSILON, 1}, 1e-3, b),
        CUSTOS_OK);
    for (int order = 0; order < 2; order++) {
        assert_true(b[order].low <= want * 1.001);
        assert_true(b[order].high >= want * 0.999);
        assert_true(b[order].high <= want * 1.01);
    }
    loss_of_clear(&array);
}

/* ------------------------------------------------------------ refusals -- */

static void
handles_need_their_arguments(void **state)
{
    const char *one = "laplace:epsilon=1";
    const double at[] = {0, 1}, falling[] = {1, 0}, equal[] = {1, 1};
    const double odd[] = {0, NAN};
    const double p[] = {0.5, 0.5}, negative[] = {1.5, -0.5};
    custos_plan *plan = plan_with(NULL, &one, 1), *empty = NULL;
    custos_pld *pld = pld_with(one), *changed = NULL, *out = NULL;
    custos_interval got = {.size = sizeof got, .low = "unset"};
    double infinite = 7;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    empty = plan_with(NULL, &one, 0);
    assert_int_equal(custos_pld_new(NULL, &out, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_pld_new(plan, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_pld_new(empty, &out, NULL), CUSTOS_EINVAL);

#define OF(losses, masses, n, rest)                                            \
    custos_pld_of_arrays(NULL, CUSTOS_ADD_REMOVE, losses, masses, n, rest,     \
                         &out, &err)
    assert_int_equal(OF(NULL, p, 2, 0), CUSTOS_EINVAL);
    assert_int_equal(OF(at, NULL, 2, 0), CUSTOS_EINVAL);
    assert_int_equal(OF(at, p, 0, 0), CUSTOS_EINVAL);
    assert_int_equal(OF(falling, p, 2, 0), CUSTOS_ERANGE);
    assert_string_equal(err.said,
                        "losses must be finite and rise, as number 1 does not");
    assert_int_equal(OF(equal, p, 2, 0), CUSTOS_ERANGE);
    assert_int_equal(OF(odd, p, 2, 0), CUSTOS_ERANGE);
    assert_int_equal(OF(at, negative, 2, 0), CUSTOS_ERANGE);
    assert_int_equal(OF(at, odd, 2, 0), CUSTOS_ERANGE);
    assert_int_equal(OF(at, p, 2, -0.1), CUSTOS_ERANGE);
    assert_int_equal(OF(at, p, 2, NAN), CUSTOS_ERANGE);
    assert_int_equal(OF(at, p, 2, 0.1), CUSTOS_ERANGE);
    assert_string_equal(err.said, "the probabilities must add up to 1, not to "
                                  "1.1");
    assert_int_equal(OF(at, p, 1, 0), CUSTOS_ERANGE);
#undef OF
    assert_int_equal(custos_pld_of_arrays(NULL, (custos_adjacency)0, at, p, 2,
                                          0, &out, NULL),
                     CUSTOS_EINVAL);

    assert_int_equal(custos_pld_of_arrays(NULL, CUSTOS_CHANGE_ONE, at, p, 2, 0,
                                          &changed, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_pld_compose(pld, changed, &out, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(err.said, "the two distributions have different "
                                  "adjacencies");
    assert_int_equal(custos_pld_compose(NULL, pld, &out, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_pld_compose(pld, NULL, &out, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_pld_compose(pld, pld, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_pld_self_compose(pld, 0, &out, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_pld_self_compose(NULL, 1, &out, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_pld_self_compose(pld, 1, NULL, NULL),
                     CUSTOS_EINVAL);

    assert_int_equal(custos_pld_epsilon(NULL, "0.1", NULL, &got, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_pld_delta(NULL, "0.1", NULL, &got, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(
        custos_pld_arrays(NULL, "0.1", losses, masses, N, &infinite, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_pld_arrays(pld, "0.1", losses, masses, 1, &infinite, NULL),
        CUSTOS_ERANGE);
    assert_int_equal(
        custos_pld_arrays(pld, "0.1", losses, NULL, N, &infinite, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_pld_arrays(pld, "0", losses, masses, N, &infinite, NULL),
        CUSTOS_ERANGE);
    assert_true(infinite == 7 && !strcmp(got.low, "unset") && !out);
    custos_pld_free(pld);
    custos_pld_free(changed);
    custos_pld_free(NULL);
    custos_plan_free(plan);
    custos_plan_free(empty);
}

/* A plan without an epsilon at the delta asked for has no arrays there. */
static void
arrays_need_an_epsilon(void **state)
{
    custos_pld *shame = pld_with("generic:epsilon=1:delta=0.01"), *wide = NULL;
    double infinite = 7;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(
        custos_pld_arrays(shame, "1e-6", losses, masses, N, &infinite, &err),
        CUSTOS_ERANGE);
    assert_int_equal(custos_pld_self_compose(shame, UINT64_MAX, &wide, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        custos_pld_arrays(wide, "0.5", losses, masses, N, &infinite, &err),
        CUSTOS_ERANGE);
    assert_string_equal(err.said, "there is no epsilon at this delta: a count "
                                  "is past 2^40");
    assert_true(infinite == 7);
    custos_pld_free(shame);
    custos_pld_free(wide);
}

static void
handles_survive_want_of_memory(void **state)
{
    static const char *const mechanism = "discrete-laplace:epsilon=0.5";

    (void)state;
    for (size_t fail_at = 1; fail_at < 300; fail_at += fail_at < 30 ? 1 : 23) {
        struct test_memory memory = {.fail_at = 0};
        custos_alloc alloc = test_alloc(&memory);
        custos_plan *plan = plan_with(&alloc, &mechanism, 1);
        custos_pld *one = NULL, *two = NULL, *three = NULL;
        custos_interval got = CUSTOS_INTERVAL_INIT;
        double infinite;
        custos_status st;

        memory.fail_at = memory.takes + fail_at;
        st = custos_pld_new(plan, &one, NULL);
        if (!st)
            st = custos_pld_self_compose(one, 3, &two, NULL);
        if (!st)
            st = custos_pld_compose(one, two, &three, NULL);
        if (!st)
            st = custos_pld_epsilon(three, "1e-6", "1e-2", &got, NULL);
        if (!st)
            st = custos_pld_arrays(three, "1e-6", losses, masses, 101,
                                   &infinite, NULL);
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        custos_pld_free(one);
        custos_pld_free(two);
        custos_pld_free(three);
        custos_plan_free(plan);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composing_is_that_of_plans),
        cmocka_unit_test(self_composing_is_counting),
        cmocka_unit_test(reasons_are_passed_on),
        cmocka_unit_test(what_was_computed_is_kept),
        cmocka_unit_test(arrays_lie_above_the_curve),
        cmocka_unit_test(arrays_compose_above_the_plan),
        cmocka_unit_test(arrays_can_be_written_by_hand),
        cmocka_unit_test(odd_arrays_are_bounded),
        cmocka_unit_test(arrays_hold_in_both_orders),
        cmocka_unit_test(handles_need_their_arguments),
        cmocka_unit_test(arrays_need_an_epsilon),
        cmocka_unit_test(handles_survive_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
