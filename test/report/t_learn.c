/*
 * The introductory example shows the law of the noise, and accepts only valid
 * epsilons.
 */
#include "report/learn.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "support/support.h"

static const char *const epsilons[] = {"0.01", "0.1", "1/3", "1",
                                       "2.5",  "7",   "10"};

static struct learn l;

static void
make(const char *epsilon)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (learn_make(&l, epsilon, &err))
        fail_msg("%s: %s", epsilon, err.said);
}

static double
chance(int k)
{
    return strtod(l.chance[abs(k)], NULL);
}

/* P[|noise| > m] */
static double
tail(double epsilon, int m)
{
    double q = exp(-epsilon);

    return 2 * pow(q, m + 1) / (1 + q);
}

static void
learn_is_the_law_that_is_drawn(void **state)
{
    enum { CELLS = 41, MIDDLE = CELLS / 2 };
    size_t n = (size_t)test_size(20000, 200000);
    uint64_t counts[CELLS] = {0};
    double expected[CELLS];
    custos_noise *noise = NULL;
    custos_rng *rng = test_rng_seeded(5);
    int64_t value;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    make("0.2");
    assert_true(l.half > MIDDLE);
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_LAPLACE, "5", &noise, &err),
        CUSTOS_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(custos_noise_draw_i64(noise, rng, &value, 1, &err),
                         CUSTOS_OK);
        if (value >= -MIDDLE && value <= MIDDLE)
            counts[value + MIDDLE]++;
    }
    for (int k = -MIDDLE; k <= MIDDLE; k++)
        expected[k + MIDDLE] = (double)n * chance(k);
    assert_true(test_chi_square_p(counts, expected, CELLS) > 1e-4);
    custos_noise_free(noise);
    test_rng_free(rng);
}

static void
learn_grid_misses_little(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(epsilons); i++) {
        double e, sum = 0;

        make(epsilons[i]);
        e = strtod(l.epsilon, NULL);
        for (int k = -l.half; k <= l.half; k++)
            sum += chance(k);
        assert_true(sum >= 0.999 && sum <= 1);
        assert_true(fabs(1 - sum - tail(e, l.half)) < 1e-12);
        assert_true(tail(e, l.within) <= 0.05);
        assert_true(l.within == 0 || tail(e, l.within - 1) > 0.05);
        /* the probabilities with and without one person: a factor e^epsilon */
        for (int k = 0; k <= l.half; k++)
            assert_true(fabs(chance(k) / chance(k + 1) / exp(e) - 1) < 1e-12);
    }
}

static void
learn_knows_its_people(void **state)
{
    int yes = 0, with_the_name = 0;

    (void)state;
    make("1");
    for (size_t i = 0; i < LEARN_PEOPLE; i++) {
        yes += learn_people[i].answer;
        with_the_name += !strcmp(learn_people[i].name, learn_one->name);
    }
    assert_int_equal(with_the_name, 1);
    assert_true(learn_one->answer);
    assert_int_equal(l.with, yes);
    assert_int_equal(l.without, yes - 1);
    assert_true(fabs(strtod(l.risk.facts.guess, NULL) - 1 / (1 + exp(-1.0))) <
                1e-15);
    assert_string_equal(l.risk.delta, "0");
}

static void
learn_refuses_what_is_no_epsilon(void **state)
{
    static const struct {
        const char *text;
        custos_status status;
    } cases[] = {
        {"", CUSTOS_EPARSE},           {"nan", CUSTOS_EPARSE},
        {"inf", CUSTOS_EPARSE},        {"-1", CUSTOS_ERANGE},
        {"0", CUSTOS_ERANGE},          {"0.0099999999", CUSTOS_ERANGE},
        {"10.0000001", CUSTOS_ERANGE}, {"1e400", CUSTOS_ERANGE},
        {"1e-400", CUSTOS_ERANGE},     {"1e999999999", CUSTOS_EPARSE},
        {"1 ", CUSTOS_EPARSE},         {"0x1", CUSTOS_EPARSE},
        {"1/0", CUSTOS_EPARSE},        {"1,5", CUSTOS_EPARSE},
    };
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(learn_make(&l, cases[i].text, &err), cases[i].status);
    make("0.010000000000000000000000000000000000000000000000000000000001");
    make("99999999999999999999999999999999999999999/"
         "10000000000000000000000000000000000000001");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learn_is_the_law_that_is_drawn),
        cmocka_unit_test(learn_grid_misses_little),
        cmocka_unit_test(learn_knows_its_people),
        cmocka_unit_test(learn_refuses_what_is_no_epsilon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
