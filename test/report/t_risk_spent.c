/*
 * The reported risk of spending, against mechanisms that spend this much: no
 * test of their output may succeed more often than reported.
 */
#include "report/risk.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "support/support.h"

static double
told(const char *epsilon, const char *rho, const char *delta, const char *at,
     struct risk_told *t)
{
    static char e[RISK_TEXT_MAX], d[RISK_TEXT_MAX];
    struct risk_spent spent = {epsilon, rho, delta, delta, at};
    custos_risk *risk = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (risk_of_spent(&spent, &risk, e, d, &err))
        fail_msg("%s", err.said);
    *t = (struct risk_told){.epsilon = e, .delta = d, .of = RISK_OF_ANSWERS};
    assert_int_equal(risk_report(risk, t, &err), CUSTOS_OK);
    custos_risk_free(risk);
    return strtod(t->facts.guess, NULL);
}

static double
success(const char *epsilon, const char *rho, const char *delta)
{
    struct risk_told t;

    return told(epsilon, rho, delta, "1e-6", &t);
}

static double
normal(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* The exact success probability of the best test on k randomized responses,
   each with this epsilon. */
static double
response_success(int k, double epsilon)
{
    double p = exp(epsilon) / (1 + exp(epsilon)), distance = 0;

    for (int i = 0; i <= k; i++) {
        double ways = lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1);
        double a = exp(ways + i * log(p) + (k - i) * log(1 - p));
        double b = exp(ways + (k - i) * log(p) + i * log(1 - p));

        distance += fabs(a - b) / 2;
    }
    return (1 + distance) / 2;
}

static void
risk_of_spending_is_an_upper_bound(void **state)
{
    static const double epsilons[] = {0.01, 0.1, 0.5, 1, 2};
    static const int counts[] = {1, 3, 10, 100};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(epsilons); i++)
        for (size_t j = 0; j < COUNT_OF(counts); j++) {
            double e = epsilons[i], sum = e * counts[j];
            char epsilon[64], rho[64];
            double exact = response_success(counts[j], e), got;

            snprintf(epsilon, sizeof epsilon, "%.12f", sum);
            snprintf(rho, sizeof rho, "%.12f", sum * tanh(e / 2));
            got = success(epsilon, rho, "0");
            assert_true(got >= exact - 1e-9);
            assert_true(got <= 1 / (1 + exp(-sum)) + 1e-9);
            /*
             * the risk of many small charges is far below what the sum of
             * epsilons implies
             */
            if (counts[j] == 100 && e <= 0.1)
                assert_true(got - 0.5 < 2 * (exact - 0.5));
        }
}

/* Gaussian noise is bounded in rho only. */
static void
risk_of_gaussian_spending(void **state)
{
    static const double mus[] = {0.01, 0.1, 0.5, 1, 2, 4};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(mus); i++) {
        double exact = normal(mus[i] / 2), got;
        char rho[64];

        snprintf(rho, sizeof rho, "%.12f", mus[i] * mus[i] / 2);
        got = success("infinity", rho, "0");
        assert_true(got >= exact - 1e-9);
        assert_true(got < exact + 0.15);
    }
}

static void
risk_of_nothing_is_a_coin(void **state)
{
    struct risk_told t;

    (void)state;
    assert_true(told("0", "0", "0", "1e-6", &t) == 0.5);
    assert_string_equal(t.facts.guess, "0.5");
    assert_string_equal(t.epsilon, "0");
    assert_string_equal(t.delta, "0");
    assert_int_equal(t.n_corners, 2);
}

static void
risk_of_spending_is_never_less_than_its_parts(void **state)
{
    double alone, with;

    (void)state;
    /* a release that publishes everything with probability delta */
    assert_true(success("0", "0", "0.25") >= 0.625);
    alone = success("1", "0.1", "0");
    with = success("1", "0.1", "0.05");
    assert_true(with > alone && with <= alone + 0.05);
    assert_true(success("1.1", "0.2", "0") > alone);
    /* without a bound there is no promise */
    assert_true(success("infinity", "infinity", "0") == 1);
    assert_true(success("99999", "99999", "0") == 1);
    assert_true(success("1", "1", "infinity") == 1);
    assert_true(success("1", "1", "0.9999") == 1);
    assert_true(success("infinity", "1e30", "0") == 1);
}

/* The promise shown is the better of two: by epsilon, or by rho at a delta. */
static void
the_promise_that_is_shown(void **state)
{
    struct risk_told t;

    (void)state;
    told("0.5", "0.12245933120185456464", "0", "1e-6", &t);
    assert_string_equal(t.epsilon, "0.5");
    assert_string_equal(t.delta, "0");
    told("50", "0.25", "1e-9", "1e-6", &t);
    assert_true(strtod(t.epsilon, NULL) < 4);
    assert_string_equal(t.delta, "0.000001001");
    told("50", "0.25", "0", "0", &t); /* a pure budget ignores rho */
    assert_string_equal(t.epsilon, "50");
    told("infinity", "0.5", "0", "0", &t);
    assert_string_equal(t.epsilon, "infinity");
    assert_string_equal(t.delta, "1");
    told("infinity", "infinity", "0", "1e-6", &t);
    assert_string_equal(t.epsilon, "infinity");
}

static void
texts_that_are_no_sums_are_refused(void **state)
{
    static const char *const bad[] = {"", "nan", "inf", "x", "1e999", "0x1"};
    char e[RISK_TEXT_MAX], d[RISK_TEXT_MAX];
    custos_risk *risk = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        for (int at = 0; at < 4; at++) {
            const char *texts[] = {"1", "1", "0", "0"};
            struct risk_spent spent;

            texts[at] = bad[i];
            spent = (struct risk_spent){texts[0], texts[1], texts[2], texts[2],
                                        texts[3]};
            assert_int_equal(risk_of_spent(&spent, &risk, e, d, &err),
                             CUSTOS_EPARSE);
            assert_null(risk);
        }
}

struct heard {
    char text[4096];
    int n;
};

static void
hear(void *ctx, const char *under, const char *sentence)
{
    struct heard *h = ctx;

    assert_true(strlen(under) > 0 && strlen(sentence) < 400);
    snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text),
             "%s\n", sentence);
    h->n++;
}

static void
sentences_say_whom_they_are_of(void **state)
{
    struct heard of_answers = {0}, of_nothing = {0}, of_change = {0};
    struct heard of_own = {0}, of_own_nothing = {0};
    struct risk_told t;

    (void)state;
    told("0.5", "0.2", "0", "1e-6", &t);
    risk_sentences(&t, hear, &of_answers);
    assert_non_null(strstr(of_answers.text,
                           "Someone who sees all answers so far can tell "
                           "whether you took part with at most 62.25 % "
                           "success"));
    assert_non_null(strstr(of_answers.text, "fixed in advance"));
    assert_null(strstr(of_answers.text, "With probability"));
    t.of = RISK_OF_NOTHING;
    risk_sentences(&t, hear, &of_nothing);
    assert_int_equal(of_nothing.n, 1);
    t.own = true;
    risk_sentences(&t, hear, &of_own_nothing);
    assert_non_null(
        strstr(of_own_nothing.text, "to this analyst yet: apart from"));
    t.of = RISK_OF_ANSWERS;
    risk_sentences(&t, hear, &of_own);
    assert_non_null(strstr(of_own.text,
                           "Someone who sees all answers to this analyst so "
                           "far, and no others, can tell whether you took"));
    t.own = false;
    t.of = RISK_OF_PROMISE;
    t.adjacency = CUSTOS_CHANGE_ONE;
    risk_sentences(&t, hear, &of_change);
    assert_null(strstr(of_change.text, "took part"));
    assert_non_null(strstr(of_change.text, "which of two"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(risk_of_spending_is_an_upper_bound),
        cmocka_unit_test(risk_of_gaussian_spending),
        cmocka_unit_test(risk_of_nothing_is_a_coin),
        cmocka_unit_test(risk_of_spending_is_never_less_than_its_parts),
        cmocka_unit_test(the_promise_that_is_shown),
        cmocka_unit_test(texts_that_are_no_sums_are_refused),
        cmocka_unit_test(sentences_say_whom_they_are_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
