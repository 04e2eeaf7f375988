/*
 * What to expect of an answer: sentences from public facts.
 */
#include "plan/explain/useful.h"

#include "plan/hospital.h"

struct judged {
    struct planned t;
    struct useful u;
};

static void
judge(struct judged *j, const char *sql, const char *epsilon, const char *delta)
{
    struct asked asked = {.epsilon = epsilon, .delta = delta};

    plan_good(&j->t, sql, &asked);
    assert_true(plan_useful(j->t.a, j->t.plan, &j->u));
}

static void
the_error_is_a_share_of_an_average_group(void **state)
{
    static const struct {
        const char *sql, *epsilon;
        uint64_t relative;
        const char *expected;
    } cases[] = {
        {"SELECT count(*) FROM patients", "0.1", 300,
         "count(*): an error of 3.00 % at best, ±30 of at most 1000 rows"},
        {"SELECT city, count(*) FROM patients GROUP BY city", "0.1", 1200,
         "count(*): an error of 12 % in an average group at best, ±30 of at "
         "most 250 rows"},
        {"SELECT count(DISTINCT patient_id) FROM visits", "0.1", 300,
         "count(DISTINCT patient_id): an error of 3.00 % at best, ±30 of at "
         "most 1000 units"},
        {"SELECT sum(level) FROM visits", "1", 30,
         "sum(level): an error of 0.30 % at best, ±300 of at most 100000"},
        {"SELECT avg(age) FROM patients", "1", 29,
         "avg(age): an error of 0.29 % of its range at best, ±0.359 in a "
         "range of 120"},
    };
    struct judged j;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        judge(&j, cases[i].sql, cases[i].epsilon, NULL);
        assert_int_equal(j.u.n_expected, 1);
        assert_string_equal(j.u.expected[0], cases[i].expected);
        assert_int_equal(j.u.relative[0], cases[i].relative);
        assert_int_equal(j.u.n_warnings, 0);
        plan_done(&j.t);
    }
}

static void
many_groups_over_few_people_are_noise(void **state)
{
    static const struct {
        const char *sql, *epsilon, *warning;
    } cases[] = {
        {"SELECT age, city, count(*) FROM patients GROUP BY age, city", "0.1",
         "484 groups over about 1000 people: most values of count(*) will be "
         "noise, ±30 of at most 2.1 rows in an average group"},
        {"SELECT count(*) FROM patients", "0.002",
         "about 1000 people: count(*) will be noise, ±1498 of at most 1000 "
         "rows"},
        {"SELECT avg(age) FROM patients", "0.002",
         "about 1000 people: the interval of avg(age) will cover its whole "
         "range: no information"},
        {"SELECT age, city, stddev(weight) FROM patients GROUP BY age, city",
         "0.1",
         "484 groups over about 1000 people: the interval of "
         "stddev_samp(weight) will cover its whole range in most groups: no "
         "information"},
        {"SELECT city, ward, median(age) FROM patients GROUP BY city, ward",
         "0.01",
         "8 groups over about 1000 people: the interval of median(age) will "
         "cover its whole range in most groups: no information"},
        {"SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis", "0.01",
         "about 1000 people: few groups or none will be shown, since one of "},
    };
    struct judged j;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        judge(&j, cases[i].sql, cases[i].epsilon, "1e-6");
        assert_true(j.u.n_warnings > 0);
        if (strncmp(j.u.warnings[0], cases[i].warning,
                    strlen(cases[i].warning)) != 0)
            fail_msg("%s\n%s", cases[i].sql, j.u.warnings[0]);
        plan_done(&j.t);
    }
}

/* Many aggregates share a limited number of warnings. */
static void
warnings_are_few(void **state)
{
    struct judged j;

    (void)state;
    judge(&j,
          "SELECT sum(level), sum(level + 1), sum(level + 2), sum(level + 3), "
          "sum(level + 4), sum(level + 5), sum(level + 6), sum(level + 7), "
          "sum(level + 8), sum(level + 9), sum(level + 10) FROM visits",
          "0.001", NULL);
    assert_int_equal(j.u.n_warnings, USEFUL_WARNINGS_MAX);
    assert_int_equal(j.u.n_expected, 11);
    plan_done(&j.t);
}

static void
nothing_is_said_without_a_number_of_people(void **state)
{
    struct judged j;

    (void)state;
    judge(&j, "SELECT age, city, count(*) FROM patients GROUP BY age, city",
          "0.1", NULL);
    j.t.policy->has_people = false;
    assert_true(plan_useful(j.t.a, j.t.plan, &j.u));
    assert_int_equal(j.u.n_expected, 0);
    assert_int_equal(j.u.n_warnings, 0);
    assert_true(j.u.relative[0] == USEFUL_UNKNOWN);
    plan_done(&j.t);
    judge(&j, "SELECT count(*) FROM cities", NULL, NULL); /* exact */
    assert_int_equal(j.u.n_expected, 0);
    plan_done(&j.t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_a_share_of_an_average_group),
        cmocka_unit_test(many_groups_over_few_people_are_noise),
        cmocka_unit_test(warnings_are_few),
        cmocka_unit_test(nothing_is_said_without_a_number_of_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
