/*
 * Plans by their privacy-loss distribution, through the public interface:
 * against the closed curve of the Gaussian, against sums, and plans that get a
 * reason instead of a bound.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/plan_pld.h"
#include "support/fresh_bounds.h"
#include "support/pld_of.h"
#include "support/support.h"

static custos_plan *
plan_of(const char *const *mechanisms, size_t n)
{
    custos_plan *plan = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, &err),
                     CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(custos_plan_add(plan, mechanisms[i], &err), CUSTOS_OK);
    return plan;
}

static custos_interval
epsilon_of_all(const char *const *mechanisms, size_t n)
{
    custos_plan *plan = plan_of(mechanisms, n);
    custos_interval got = CUSTOS_INTERVAL_INIT;

    assert_int_equal(pld_epsilon_of(plan, "0.01", "1e-4", &got, NULL),
                     CUSTOS_OK);
    assert_null(got.reason);
    custos_plan_free(plan);
    return got;
}

static custos_interval
epsilon_of(const char *mechanism, const char *delta, const char *width)
{
    custos_plan *plan = plan_of(&mechanism, 1);
    custos_interval got = CUSTOS_INTERVAL_INIT;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(pld_epsilon_of(plan, delta, width, &got, &err), CUSTOS_OK);
    custos_plan_free(plan);
    return got;
}

/* The true values come from the analytic curve with 200 bits. */
static void
plan_pld_encloses_the_gaussian(void **state)
{
    static const struct {
        const char *delta;
        double epsilon;
    } known[] = {{"1e-5", 2.594383381},
                 {"1e-10", 3.984191991},
                 {"1e-20", 5.870004179},
                 {"1e-30", 7.287484745}};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        custos_interval got =
            epsilon_of("gaussian:sigma=50:count=1000", known[i].delta, "5e-5");

        assert_null(got.reason);
        assert_true(strtod(got.low, NULL) <= known[i].epsilon + 5e-10);
        assert_true(strtod(got.high, NULL) >= known[i].epsilon - 5e-10);
        assert_true(strtod(got.high, NULL) - strtod(got.low, NULL) <= 5e-5);
    }
}

static void
plan_pld_encloses_both_orders(void **state)
{
    custos_interval got =
        epsilon_of("gaussian:sigma=1:sample=0.01:count=10000", "1e-6", "1e-3");

    (void)state;
    assert_true(strtod(got.low, NULL) <= 6.9073845);
    assert_true(strtod(got.high, NULL) >= 6.9073844); /* the worse order */
    assert_true(strtod(got.high, NULL) - strtod(got.low, NULL) <= 1.1e-3);
}

/*
 * Rare large losses beside common ones on the same lattice: rounding once moved
 * more mass of the common ones up than the rare ones had. Then a narrow
 * Gaussian on a wide lattice, which needs a steep tilt to resolve.
 */
static void
plan_pld_is_sharp_on_lattices(void **state)
{
    const char *mixed[] = {"gaussian:sigma=370.37:count=82",
                           "discrete-laplace:epsilon=10.67:count=23"};
    custos_interval got = epsilon_of(
        "randomized-response:epsilon=0.00157:values=4294967295:count=6",
        "1e-30", NULL);
    custos_plan *plan = plan_of(mixed, 2);

    (void)state;
    /* Two of six responses may have a loss; a third is rarer than delta. */
    assert_true(strtod(got.low, NULL) <= 2 * 0.00157);
    assert_true(strtod(got.high, NULL) >= 2 * 0.00157 - 1e-9);
    assert_true(strtod(got.high, NULL) - strtod(got.low, NULL) < 1e-6);
    assert_int_equal(pld_epsilon_of(plan, "1e-38", NULL, &got, NULL),
                     CUSTOS_OK);
    /* By RDP epsilon is at most 245.7201. */
    assert_true(strtod(got.low, NULL) > 245.7 &&
                strtod(got.low, NULL) < 245.7201);
    assert_true(strtod(got.high, NULL) < 245.75);
    custos_plan_free(plan);
    /* A grid with few points far apart, and no mass beyond the last. */
    got = epsilon_of("randomized-response:epsilon=3.6997489899429641:count=66",
                     "7.9228008793739576e-19", NULL);
    assert_true(strtod(got.low, NULL) > 244.18343);
    assert_true(strtod(got.high, NULL) < 244.18344);
}

/*
 * Delta at the epsilon found is the delta asked for: each curve inverts the
 * other.
 */
static void
plan_pld_delta_inverts_epsilon(void **state)
{
    const char *mechanisms[] = {"laplace:epsilon=0.1:count=100",
                                "gaussian:sigma=20:count=50"};
    custos_plan *plan = plan_of(mechanisms, 2);
    custos_interval e = CUSTOS_INTERVAL_INIT;
    custos_interval d = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(pld_epsilon_of(plan, "1e-6", NULL, &e, NULL), CUSTOS_OK);
    assert_int_equal(pld_delta_of(plan, e.high, NULL, &d, NULL), CUSTOS_OK);
    assert_true(strtod(d.low, NULL) <= 1e-6);
    assert_true(strtod(d.low, NULL) > 0.99e-6);
    assert_int_equal(pld_delta_of(plan, e.low, NULL, &d, NULL), CUSTOS_OK);
    assert_true(strtod(d.high, NULL) >= 1e-6);
    custos_plan_free(plan);
}

/*
 * A sampled plan at the epsilons whose delta is known to be 1e-6, one for each
 * order. Grids made for an epsilon once missed the many small losses of samples
 * and gave [0, 1].
 */
static void
plan_pld_delta_in_both_orders(void **state)
{
    static const double known[2] = {6.907384495, 6.207484379};
    const struct pld_part part = {
        .loss = {.base = BASE_GAUSSIAN, .rate = 0.01, .size = 1},
        .count = 10000};

    (void)state;
    for (int order = 0; order < 2; order++) {
        struct bounds both[2];

        assert_int_equal(
            fresh_bounds(NULL, &part, 1,
                         (struct pld_aim){AIM_EPSILON, known[order]}, 1e-3,
                         both),
            CUSTOS_OK);
        assert_true(both[order].low < 1e-6 && both[order].high > 1e-6);
        assert_true(both[order].high - both[order].low <= 1e-9);
    }
}

/*
 * A plan costs what its worse order costs; the bounds are close together at
 * epsilon 0 too.
 */
static void
plan_pld_delta_of_a_sample(void **state)
{
    static const char *const epsilons[] = {"0", "0.1",         "1",
                                           "3", "6.907384495", "12"};
    const char *one = "gaussian:sigma=1:sample=0.01:count=10000";
    custos_plan *plan = plan_of(&one, 1);
    custos_interval got = CUSTOS_INTERVAL_INIT;
    custos_interval back = CUSTOS_INTERVAL_INIT;
    double low, high, last = 1;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(pld_delta_of(plan, epsilons[i], NULL, &got, NULL),
                         CUSTOS_OK);
        assert_null(got.reason);
        low = strtod(got.low, NULL);
        high = strtod(got.high, NULL);
        assert_true(low > 0 && low <= high && high - low <= 1.5e-3 * high);
        assert_true(high < last);
        last = high;
        if (i == 4)
            assert_true(low < 1e-6 && high > 1e-6);
        assert_int_equal(pld_epsilon_of(plan, got.low, "1e-2", &back, NULL),
                         CUSTOS_OK);
        assert_true(strtod(back.high, NULL) >= strtod(epsilons[i], NULL));
    }
    custos_plan_free(plan);
}

/* Losses of a millionth have a small delta although they are common. */
static void
plan_pld_is_sharp_for_small_losses(void **state)
{
    custos_interval got =
        epsilon_of("exponential:epsilon=1.57e-6", "3.7e-7", NULL);

    (void)state;
    assert_null(got.reason);
    assert_true(strtod(got.low, NULL) > 4.56e-8);
    assert_true(strtod(got.low, NULL) <= 4.566409642e-8);
    assert_true(strtod(got.high, NULL) >= 4.566409641e-8);
    assert_true(strtod(got.high, NULL) < 4.57e-8);
}

/*
 * A mechanism run once costs at most its epsilon, run five times at most five
 * times that, and never 0. Every mechanism has a bound.
 */
static void
plan_pld_prices_every_mechanism(void **state)
{
    static const char *const names[] = {
        "laplace:epsilon=0.5",
        "discrete-laplace:epsilon=0.5",
        "geometric:epsilon=0.5:sensitivity=3",
        "randomized-response:epsilon=0.5",
        "randomized-response:epsilon=0.5:values=7",
        "exponential:epsilon=0.5",
        "permute-and-flip:epsilon=0.5",
        "noisy-max:epsilon=0.5",
        "sparse-vector:epsilon=0.5",
        "generic:epsilon=0.5",
        "generic:epsilon=0.5:delta=1e-9",
    };
    static const char *const gaussians[] = {
        "gaussian:sigma=4", "gaussian:sigma=4:sensitivity-squared=1",
        "discrete-gaussian:sigma=4",
        "discrete-gaussian:sigma=4:sensitivity-squared=1"};
    char text[100];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        custos_interval got = epsilon_of(names[i], "1e-6", NULL);

        assert_null(got.reason);
        assert_true(strtod(got.low, NULL) > 0.4);
        assert_true(strtod(got.low, NULL) <= 0.5);
        assert_true(strtod(got.high, NULL) <= 0.5 + 1e-3);
        snprintf(text, sizeof text, "%s:count=5", names[i]);
        got = epsilon_of(text, "1e-6", NULL);
        assert_true(strtod(got.high, NULL) <= 2.5 + 1e-3);
        assert_true(strtod(got.low, NULL) > 0.5);
    }
    for (size_t i = 0; i < sizeof gaussians / sizeof *gaussians; i++) {
        custos_interval got = epsilon_of(gaussians[i], "1e-6", NULL);
        char exact[CUSTOS_NUMBER_MAX];

        assert_int_equal(
            custos_gauss_epsilon(i < 2 ? CUSTOS_ANALYTIC : CUSTOS_EXACT, "4",
                                 "1e-6", "1", exact, NULL),
            CUSTOS_OK);
        assert_true(strtod(got.low, NULL) <= strtod(exact, NULL));
        assert_true(strtod(got.high, NULL) >= strtod(exact, NULL) * 0.99999);
        assert_true(strtod(got.high, NULL) <= strtod(exact, NULL) * 1.001);
    }
}

static void
plan_pld_says_why_not(void **state)
{
    static const char *const without[] = {
        "discrete-gaussian:sigma=4:sensitivity-squared=2",
        "discrete-gaussian:sigma=1000000",
        "laplace:epsilon=1000",
        "laplace:epsilon=0.1:count=9223372036854775807",
        "generic:epsilon=0.1:delta=1e-6",
    };

    (void)state;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        custos_interval got = epsilon_of(without[i], "1e-6", NULL);

        assert_non_null(got.reason);
        assert_string_equal(got.low, "");
        assert_string_equal(got.high, "");
        assert_string_equal(got.theorem, "plan-pld");
    }
}

static void
plan_pld_refuses_what_is_no_question(void **state)
{
    const char *one = "laplace:epsilon=1";
    custos_plan *plan = plan_of(&one, 1), *empty = plan_of(&one, 0);
    custos_interval got = CUSTOS_INTERVAL_INIT;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(pld_epsilon_of(NULL, "1e-6", NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(pld_epsilon_of(plan, NULL, NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(pld_epsilon_of(empty, "1e-6", NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(pld_epsilon_of(plan, "0", NULL, &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(pld_epsilon_of(plan, "1", NULL, &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(pld_epsilon_of(plan, "nan", NULL, &got, &err),
                     CUSTOS_EPARSE);
    assert_int_equal(pld_epsilon_of(plan, "1e-6", "0", &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(pld_epsilon_of(plan, "1e-6", "1e-300", &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(pld_delta_of(plan, "-1", NULL, &got, &err), CUSTOS_ERANGE);
    assert_int_equal(pld_delta_of(plan, "x", NULL, &got, &err), CUSTOS_EPARSE);
    assert_int_equal(pld_delta_of(plan, "1", NULL, NULL, &err), CUSTOS_EINVAL);
    assert_int_equal(pld_delta_of(plan, "1", "1e300", &got, &err),
                     CUSTOS_ERANGE);
    custos_plan_free(plan);
    custos_plan_free(empty);
}

/*
 * Only equal mechanisms are merged: a plan of two different ones costs the same
 * in either order, and not what twice the first costs.
 */
static void
plan_pld_merges_only_equals(void **state)
{
    static const char *const pairs[][2] = {
        {"laplace:epsilon=1", "laplace:epsilon=0.5"},
        {"gaussian:sigma=2", "gaussian:sigma=2:sample=0.5"},
        {"gaussian:sigma=2:sensitivity=2", "gaussian:sigma=2"},
        {"generic:epsilon=1:delta=1e-7", "generic:epsilon=1"},
        {"randomized-response:epsilon=1",
         "randomized-response:epsilon=1:values=9"},
        {"discrete-gaussian:sigma=2:sensitivity=2",
         "discrete-gaussian:sigma=2"},
        {"geometric:epsilon=1:sensitivity=1",
         "geometric:epsilon=1:sensitivity=3"},
        {"laplace:epsilon=1", "exponential:epsilon=1"},
        {"gaussian:sigma=2:sensitivity-squared=2",
         "gaussian:sigma=2:sensitivity-squared=3"},
    };
    const char *twice[] = {"laplace:epsilon=0.5", "laplace:epsilon=0.5"};
    custos_interval one =
        epsilon_of("laplace:epsilon=0.5:count=2", "0.01", "1e-4");
    custos_interval two = epsilon_of_all(twice, 2);

    (void)state;
    assert_string_equal(one.low, two.low);
    assert_string_equal(one.high, two.high);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *back[] = {pairs[i][1], pairs[i][0]};
        custos_interval a = epsilon_of_all(pairs[i], 2),
                        b = epsilon_of_all(back, 2),
                        c = epsilon_of_all(
                            (const char *const[]){pairs[i][0], pairs[i][0]}, 2);

        assert_true(strtod(a.low, NULL) <= strtod(b.high, NULL));
        assert_true(strtod(b.low, NULL) <= strtod(a.high, NULL));
        assert_true(strtod(a.high, NULL) - strtod(a.low, NULL) < 5e-4);
        /* Neither is mistaken for the other. */
        assert_true(strtod(a.low, NULL) > strtod(c.high, NULL) ||
                    strtod(a.high, NULL) < strtod(c.low, NULL));
    }
}

/* Where no grid is possible, the interval has a reason instead of bounds. */
static void
plan_pld_knows_its_reach(void **state)
{
    const char *one = "laplace:epsilon=1", *most = "gaussian:sigma=1:count="
                                                   "1099511627776";
    custos_plan *plan = plan_of(&one, 1), *large = plan_of(&most, 1);
    custos_interval got = CUSTOS_INTERVAL_INIT;

    (void)state;
    assert_int_equal(pld_epsilon_of(plan, "1e-250", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_non_null(got.reason);
    assert_int_equal(pld_delta_of(plan, "1e6", NULL, &got, NULL), CUSTOS_OK);
    assert_non_null(got.reason);
    assert_int_equal(pld_epsilon_of(large, "1e-6", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_non_null(got.reason);
    custos_plan_free(plan);
    custos_plan_free(large);
}

/*
 * Many different mechanisms: the interval is wider, but still encloses a known
 * value, that of the composed Gaussians.
 */
static void
plan_pld_of_many_kinds(void **state)
{
    char text[40][32];
    const char *mechanisms[40];

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], "gaussian:sigma=%zu", 20 + i);
        mechanisms[i] = text[i];
    }
    for (size_t n = 12; n <= 40; n += 28) {
        double sum = 0;
        char one[64];
        custos_interval all = CUSTOS_INTERVAL_INIT;
        custos_interval merged = CUSTOS_INTERVAL_INIT;
        custos_plan *plan = plan_of(mechanisms, n);

        for (size_t i = 0; i < n; i++)
            sum += 1 / ((20. + (double)i) * (20. + (double)i));
        snprintf(one, sizeof one, "gaussian:sigma=%.15f", 1 / sqrt(sum));
        merged = epsilon_of(one, "1e-6", "1e-5");
        assert_int_equal(pld_epsilon_of(plan, "1e-6", NULL, &all, NULL),
                         CUSTOS_OK);
        assert_true(strtod(all.low, NULL) <= strtod(merged.high, NULL) + 1e-9);
        assert_true(strtod(all.high, NULL) >= strtod(merged.low, NULL) - 1e-9);
        assert_true(strtod(all.high, NULL) < 1.02 * strtod(all.low, NULL));
        custos_plan_free(plan);
    }
}

static void
plan_pld_survives_want_of_memory(void **state)
{
    (void)state;
    for (size_t at = 1; at < 400; at += at < 20 ? 1 : 37) {
        struct test_memory memory = {.fail_at = at};
        custos_alloc alloc = test_alloc(&memory);
        custos_plan *plan = NULL;
        custos_interval got = {.size = sizeof got, .low = "unset"};
        custos_status st;

        st = custos_plan_new(&alloc, CUSTOS_ADD_REMOVE, &plan, NULL);
        if (!st)
            st = custos_plan_add(plan, "geometric:epsilon=0.5", NULL);
        if (!st)
            st = pld_epsilon_of(plan, "1e-6", "1e-2", &got, NULL);
        if (st) {
            assert_int_equal(st, CUSTOS_ENOMEM);
            assert_string_equal(got.low, "unset");
        }
        custos_plan_free(plan);
        assert_int_equal(memory.live, 0);
    }
}

/* A written plan reads back as the same plan, with more noise if requested. */
static void
plan_writes_what_it_reads(void **state)
{
    static const struct {
        const char *in, *factor, *out;
    } known[] = {
        {"laplace:epsilon=1:count=3", "4", "laplace:epsilon=0.25:count=3"},
        {"laplace:scale=2:sensitivity=1", NULL, "laplace:epsilon=0.5"},
        {"gaussian:sigma=2:sample=0.5", "1.5", "gaussian:sigma=3:sample=0.5"},
        {"discrete-gaussian:sigma=2:sensitivity-squared=2", NULL,
         "discrete-gaussian:sigma=2:sensitivity-squared=2"},
        {"geometric:epsilon=1:sensitivity=2", NULL,
         "discrete-laplace:epsilon=1:sensitivity=2"},
        {"gaussian:sigma=2:sensitivity=3", NULL,
         "gaussian:sigma=2:sensitivity=3"},
        {"randomized-response:epsilon=1:values=9", "2",
         "randomized-response:epsilon=0.5:values=9"},
        {"generic:epsilon=1:delta=0.25", "2", "generic:epsilon=0.5:delta=0.25"},
        {"laplace:epsilon=1", "3", "laplace:epsilon=0.33333333333333333"},
        {"gaussian:sigma=1", "1/3", "gaussian:sigma=0.33333333333333334"},
    };
    char text[CUSTOS_MECHANISM_MAX], again[CUSTOS_MECHANISM_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *out = text;
        custos_plan *plan = plan_of(&known[i].in, 1), *back;

        assert_int_equal(custos_plan_size(plan), 1);
        assert_int_equal(
            custos_plan_write(plan, 0, known[i].factor, text, NULL), CUSTOS_OK);
        assert_string_equal(text, known[i].out);
        back = plan_of(&out, 1);
        assert_int_equal(custos_plan_write(back, 0, NULL, again, NULL),
                         CUSTOS_OK);
        assert_string_equal(again, text);
        assert_int_equal(custos_plan_write(plan, 1, NULL, text, NULL),
                         CUSTOS_EINVAL);
        assert_int_equal(custos_plan_write(plan, 0, "0", text, NULL),
                         CUSTOS_ERANGE);
        custos_plan_free(plan);
        custos_plan_free(back);
    }
    assert_int_equal(custos_plan_size(NULL), 0);
}

static void
bounds_are_written_outwards(void **state)
{
    static const struct {
        double x;
        const char *down, *up;
    } known[] = {
        {0, "0", "0"},
        {2.5, "2.5", "2.5"},
        {0.1, "0.1", "0.10000000000000001"}, /* a little above one tenth */
        {1.0 / 3, "0.33333333333333331", "0.33333333333333332"},
        {1e-30, "1e-30", "1.0000000000000001e-30"}, /* 1.00000000000000008 */
        {INFINITY, "infinity", "infinity"},
    };
    char text[CUSTOS_NUMBER_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bound_write_down(known[i].x, text);
        assert_string_equal(text, known[i].down);
        bound_write_up(known[i].x, text);
        assert_string_equal(text, known[i].up);
    }
}

static custos_plan *
group_of(const char *mechanism, uint64_t size)
{
    custos_plan *plan = plan_of(&mechanism, 1), *group = NULL;

    assert_int_equal(custos_plan_group(plan, size, &group, NULL), CUSTOS_OK);
    custos_plan_free(plan);
    return group;
}

static void
group_of_a_plan_is_known(void **state)
{
    static const struct {
        const char *in, *out;
    } known[] = {
        {"laplace:epsilon=0.1:count=4", "laplace:epsilon=0.3:count=4"},
        {"gaussian:sigma=10", "gaussian:sigma=10:sensitivity=3"},
        {"gaussian:sigma=10:sensitivity-squared=2",
         "gaussian:sigma=10:sensitivity-squared=18"},
        {"discrete-gaussian:sigma=10",
         "discrete-gaussian:sigma=10:sensitivity-squared=9"},
        {"geometric:epsilon=0.5", "generic:epsilon=1.5"},
        {"randomized-response:epsilon=0.5", "generic:epsilon=1.5"},
        {"exponential:epsilon=0.5", "exponential:epsilon=1.5"},
    };
    char text[CUSTOS_MECHANISM_MAX];
    custos_plan *group;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        group = group_of(known[i].in, 3);
        assert_int_equal(custos_plan_write(group, 0, NULL, text, NULL),
                         CUSTOS_OK);
        assert_string_equal(text, known[i].out);
        custos_plan_free(group);
    }
    group = group_of("generic:epsilon=0.5:delta=1e-6", 3);
    assert_int_equal(custos_plan_write(group, 0, NULL, text, NULL), CUSTOS_OK);
    assert_non_null(strstr(text, "generic:epsilon=1.5:delta=0.0000053670"));
    custos_plan_free(group);
}

/*
 * A Gaussian at three times the sensitivity, against the promise that group
 * privacy derives for three units from the promise for one.
 */
static void
group_of_a_plan_beats_the_promise(void **state)
{
    custos_plan *group = group_of("gaussian:sigma=10", 3);
    custos_interval one = epsilon_of("gaussian:sigma=10", "1e-6", NULL);
    custos_interval three = CUSTOS_INTERVAL_INIT;
    char exact[CUSTOS_NUMBER_MAX];
    custos_group promise = CUSTOS_GROUP_INIT;

    (void)state;
    assert_int_equal(pld_epsilon_of(group, "1e-6", NULL, &three, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_ANALYTIC, "10", "1e-6", "9", exact, NULL),
        CUSTOS_OK);
    assert_true(strtod(three.low, NULL) <= strtod(exact, NULL));
    assert_true(strtod(three.high, NULL) >= strtod(exact, NULL) * 0.99999);
    assert_int_equal(custos_group_approx(one.high, "1e-6", 3, &promise, NULL),
                     CUSTOS_OK);
    assert_true(strtod(promise.delta, NULL) > 3e-6);
    assert_true(strtod(three.high, NULL) < strtod(promise.epsilon, NULL) * 1.1);
    custos_plan_free(group);
}

static void
group_of_a_plan_refuses(void **state)
{
    const char *sampled = "gaussian:sigma=1:sample=0.1",
               *dear = "laplace:epsilon=9",
               *leaky = "generic:epsilon=9:delta=0.1";
    custos_plan *plan = plan_of(&sampled, 1), *none = NULL;

    (void)state;
    assert_int_equal(custos_plan_group(plan, 3, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_plan_group(plan, 0, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_plan_group(NULL, 3, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_plan_group(plan, 3, NULL, NULL), CUSTOS_EINVAL);
    custos_plan_free(plan);
    plan = plan_of(&dear, 0);
    assert_int_equal(custos_plan_group(plan, 3, &none, NULL), CUSTOS_EINVAL);
    custos_plan_free(plan);
    plan = plan_of(&dear, 1);
    assert_int_equal(custos_plan_group(plan, 1 << 20, &none, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_plan_group(plan, UINT64_MAX, &none, NULL),
                     CUSTOS_ERANGE);
    custos_plan_free(plan);
    plan = plan_of(&leaky, 1);
    assert_int_equal(custos_plan_group(plan, 3, &none, NULL), CUSTOS_ERANGE);
    custos_plan_free(plan);
    assert_null(none);
    for (size_t at = 1; at < 5; at++) {
        struct test_memory memory = {0};
        custos_alloc alloc = test_alloc(&memory);

        assert_int_equal(
            custos_plan_new(&alloc, CUSTOS_ADD_REMOVE, &plan, NULL), CUSTOS_OK);
        assert_int_equal(custos_plan_add(plan, dear, NULL), CUSTOS_OK);
        memory.fail_at = memory.takes + at;
        if (custos_plan_group(plan, 2, &none, NULL) == CUSTOS_OK)
            custos_plan_free(none);
        none = NULL;
        custos_plan_free(plan);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_pld_encloses_the_gaussian),
        cmocka_unit_test(plan_pld_encloses_both_orders),
        cmocka_unit_test(plan_pld_delta_inverts_epsilon),
        cmocka_unit_test(plan_pld_delta_in_both_orders),
        cmocka_unit_test(plan_pld_delta_of_a_sample),
        cmocka_unit_test(plan_pld_is_sharp_for_small_losses),
        cmocka_unit_test(plan_pld_is_sharp_on_lattices),
        cmocka_unit_test(plan_pld_prices_every_mechanism),
        cmocka_unit_test(plan_pld_says_why_not),
        cmocka_unit_test(plan_pld_refuses_what_is_no_question),
        cmocka_unit_test(plan_pld_merges_only_equals),
        cmocka_unit_test(plan_pld_knows_its_reach),
        cmocka_unit_test(plan_pld_of_many_kinds),
        cmocka_unit_test(plan_pld_survives_want_of_memory),
        cmocka_unit_test(bounds_are_written_outwards),
        cmocka_unit_test(plan_writes_what_it_reads),
        cmocka_unit_test(group_of_a_plan_is_known),
        cmocka_unit_test(group_of_a_plan_beats_the_promise),
        cmocka_unit_test(group_of_a_plan_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
