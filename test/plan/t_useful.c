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
        {"SELECT median(age) FROM patients", "1", 220,
         "median(age): an error of 2.20 % of the values at best, ±22 of at "
         "most 1000 places"},
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

/* Each table of grouping sets is judged by its own groups and its own error. */
static void
tables_are_judged_one_by_one(void **state)
{
    static const char *const expected[] = {
        "sum(age) by (ward): an error of ", "sum(age) by (): an error of ",
        "count(*) by (ward): an error of ", "count(*) by (): an error of "};
    struct judged j;

    (void)state;
    judge(&j,
          "SELECT ward, sum(age), count(*) FROM patients GROUP BY ROLLUP "
          "(ward)",
          "0.5", NULL);
    assert_int_equal(j.u.n_expected, 4);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        bool said = false;

        for (size_t k = 0; k < j.u.n_expected; k++)
            said = said || strncmp(j.u.expected[k], expected[i],
                                   strlen(expected[i])) == 0;
        assert_true(said);
    }
    assert_int_equal(j.u.n_warnings, 0);
    plan_done(&j.t);
    judge(&j,
          "SELECT level, room, count(*) FROM visits GROUP BY GROUPING SETS "
          "((room), (level))",
          "0.2", NULL);
    assert_int_equal(j.u.n_expected, 2);
    assert_int_equal(j.u.n_warnings, 1);
    assert_non_null(strstr(j.u.warnings[0],
                           "600 groups over about 1000 people: most values of "
                           "count(*) by (room) will be noise, "));
    assert_true(j.u.relative[0] > 10000);
    plan_done(&j.t);
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

/* A share of a range that is found is the same for most ranges, and least for the
   first. What needs no range has its own error. */
static void
a_found_range_is_only_in_its_own_errors(void **state)
{
    static const char *const expected[] = {
        "count(*): an error of 1.60 % at best, ±48 of at most 3000 rows",
        "sum(outlay): an error of 1.26 % at best, whatever range is found",
        "avg(outlay): an error of 1.26 % of its range at best, whatever range "
        "is found",
        "sum(outlay, contribution_bounds_per_row => (0, 9)): an error of 1.59 "
        "% at best, ±430 of at most 27000"};
    static const char *const warnings[] = {
        "3 groups over about 1000 people: most values of count(*) will be "
        "noise, ±36510 of at most 1000 rows in an average group",
        "3 groups over about 1000 people: most values of sum(outlay) will be "
        "noise, whatever range is found",
        "3 groups over about 1000 people: the interval of avg(outlay) will "
        "cover its whole range in most groups: no information"};
    struct judged j;

    (void)state;
    judge(&j,
          "SELECT count(*), sum(outlay), avg(outlay), sum(outlay, "
          "contribution_bounds_per_row => (0, 9)) FROM claims",
          "1", NULL);
    assert_int_equal(j.u.n_expected, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        assert_string_equal(j.u.expected[i], expected[i]);
    plan_done(&j.t);
    judge(&j,
          "SELECT open, count(*), sum(outlay), avg(outlay) FROM claims GROUP "
          "BY open",
          "0.001", NULL);
    assert_int_equal(j.u.n_warnings, COUNT_OF(warnings));
    for (size_t i = 0; i < COUNT_OF(warnings); i++)
        assert_string_equal(j.u.warnings[i], warnings[i]);
    plan_done(&j.t);
}

/* The warnings of a query that has only those about literals, one a line. */
static void
assert_warnings(const char *sql, const char *warnings)
{
    struct judged j;
    struct buf b;

    judge(&j, sql, "1", NULL);
    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < j.u.n_warnings; i++)
        buf_printf(&b, "%s%s", i ? "\n" : "", j.u.warnings[i]);
    if (strcmp(buf_text(&b), warnings) != 0)
        fail_msg("%s\n%s\n%s", sql, buf_text(&b), warnings);
    buf_clear(&b);
    plan_done(&j.t);
}

#define COUNT_PATIENTS "SELECT count(*) FROM patients WHERE "
#define NOT_A_CITY " is not among the public values of city"
#define ROMA "'Roma'" NOT_A_CITY "; nearest: 'Rome'"

static void
a_literal_that_no_row_has_gets_its_nearest_value(void **state)
{
    static const char *const cases[][2] = {
        {COUNT_PATIENTS "city = 'Rome'", ""},
        {COUNT_PATIENTS "city = 'Roma'", ROMA},
        {COUNT_PATIENTS "'Roma' = city", ROMA},
        {COUNT_PATIENTS "city <> 'Roma'", ROMA},
        {COUNT_PATIENTS "city = 'ROME'",
         "'ROME'" NOT_A_CITY "; nearest: 'Rome'"},
        {COUNT_PATIENTS "city = 'Reykjavik'", "'Reykjavik'" NOT_A_CITY},
        {COUNT_PATIENTS "city IS NULL", ""},
        {COUNT_PATIENTS "city = NULL", ""},
        {COUNT_PATIENTS "city IN ('Rome', 'Roma', 'Oslo', 'Grax')",
         ROMA "\n'Grax'" NOT_A_CITY "; nearest: 'Graz'"},
        {COUNT_PATIENTS "city NOT IN ('Roma')", ROMA},
        {COUNT_PATIENTS "age > 3 AND (smoker OR NOT city = 'Roma')", ROMA},
        {COUNT_PATIENTS "city = 'Roma' OR city = 'Roma'", ROMA},
        {COUNT_PATIENTS "diagnosis = 'Roma'", ""}, /* no public values */
        {COUNT_PATIENTS "city = E'a\nb'", "'a b'" NOT_A_CITY},
        {"SELECT sum(CASE WHEN city = 'Roma' THEN age ELSE 0 END) FROM "
         "patients",
         ROMA},
        {"SELECT city = 'Roma', count(*) FROM patients GROUP BY city = 'Roma'",
         ROMA},
        {"SELECT count(*) FROM (SELECT age FROM patients WHERE city = 'Roma') "
         "p",
         ROMA},
        {"SELECT count(*) FROM visits JOIN patients ON id = patient_id AND "
         "city = 'Roma'",
         ROMA},
        {"SELECT count(*) FROM doses WHERE drug IN (SELECT code FROM drugs "
         "WHERE price > 100)",
         "price > 100 is never true: the public range of price is 0.00 to "
         "90.00"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_warnings(cases[i][0], cases[i][1]);
}

static void
numbers_and_dates_outside_their_range(void **state)
{
    static const char *const cases[][2] = {
        {COUNT_PATIENTS "age = 120", ""},
        {COUNT_PATIENTS "age = 121",
         "121 is outside the public range of age, 0 to 120"},
        {COUNT_PATIENTS "age = -1",
         "-1 is outside the public range of age, 0 to 120"},
        {COUNT_PATIENTS "age >= 120 OR age <= 0", ""},
        {COUNT_PATIENTS "age > 120",
         "age > 120 is never true: the public range of age is 0 to 120"},
        {COUNT_PATIENTS "0 > age",
         "0 > age is never true: the public range of age is 0 to 120"},
        {COUNT_PATIENTS "age < 500 AND age > -7", ""}, /* always true */
        {COUNT_PATIENTS "weight BETWEEN 400.5 AND 500",
         "weight BETWEEN 400.5 AND 500 is never true: the public range of "
         "weight is 0 to 400"},
        {COUNT_PATIENTS "age BETWEEN 20 AND 500", ""},
        {COUNT_PATIENTS "age BETWEEN -7 AND -1",
         "age BETWEEN -7 AND -1 is never true: the public range of age is 0 "
         "to 120"},
        {COUNT_PATIENTS "born = '2000-01-01'",
         "'2000-01-01' is outside the public range of born, '1990-01-01' to "
         "'1999-12-31'"},
        {COUNT_PATIENTS "born < '2000-01-01'", ""},
        {COUNT_PATIENTS "born >= DATE '2000-01-01'",
         "born >= DATE '2000-01-01' is never true: the public range of born is "
         "'1990-01-01' to '1999-12-31'"},
        {COUNT_PATIENTS "income = 1000000000", ""}, /* no public range */
        {"SELECT count(*) FROM visits WHERE cost > 5000",
         "cost > 5000 is never true: the public range of cost is 0.00 to "
         "5000.00"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_warnings(cases[i][0], cases[i][1]);
}

static void
the_nearest_number_or_date_is_suggested(void **state)
{
    static struct datum values[2];
    static const struct {
        const char *column, *low, *high, *literal, *nearest;
        enum data_type type;
    } cases[] = {
        {"age", "1", "100", "2", "1", TYPE_INT},
        {"age", "1", "100", "50.5", "1", TYPE_INT},
        {"age", "1", "100", "50.51", "100", TYPE_INT},
        {"age", "1", "100", "120", "100", TYPE_INT},
        {"age", "1", "100", "0", "1", TYPE_INT},
        {"weight", "0.25", "3.5", "2", "3.5", TYPE_DECIMAL},
        {"born", "1990-01-01", "1999-12-31", "1990-01-02", "1990-01-01",
         TYPE_DATE},
        {"born", "1990-01-01", "1999-12-31", "1999-12-30", "1999-12-31",
         TYPE_DATE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *quote = cases[i].type == TYPE_DATE ? "'" : "";
        char sql[256], expected[256];
        struct judged j;

        snprintf(sql, sizeof sql, COUNT_PATIENTS "%s = %s%s%s", cases[i].column,
                 quote, cases[i].literal, quote);
        snprintf(expected, sizeof expected,
                 "%s%s%s is not among the public values of %s; nearest: "
                 "%s%s%s",
                 quote, cases[i].literal, quote, cases[i].column, quote,
                 cases[i].nearest, quote);
        judge(&j, sql, "1", NULL);
        assert_true(
            datum_read(cases[i].type, str_of(cases[i].low), &values[0]));
        assert_true(
            datum_read(cases[i].type, str_of(cases[i].high), &values[1]));
        for (size_t k = 0; k < j.t.plan->table->n_columns; k++) {
            struct policy_column *c = &j.t.plan->table->columns[k];

            if (str_equal(c->name, str_of(cases[i].column))) {
                c->values = values;
                c->n_values = COUNT_OF(values);
            }
        }
        assert_true(plan_useful(j.t.a, j.t.plan, &j.u));
        assert_int_equal(j.u.n_warnings, 1);
        assert_string_equal(j.u.warnings[0], expected);
        plan_done(&j.t);
    }
}

/* The view compares nights with 7; were that outside their range, the warning
   would name a column that the analyst may not know. */
static void
literals_of_the_owner_are_not_examined(void **state)
{
    struct judged j;

    (void)state;
    judge(&j, "SELECT count(*) FROM long_stays", "1", NULL);
    for (size_t i = 0; i < j.t.policy->n_tables; i++)
        for (size_t k = 0; k < j.t.policy->tables[i].n_columns; k++) {
            struct policy_column *c = &j.t.policy->tables[i].columns[k];

            if (str_equal(c->name, str_of("nights")))
                c->upper.n = 5; /* so that nights > 7 is never true */
        }
    assert_true(plan_useful(j.t.a, j.t.plan, &j.u));
    assert_int_equal(j.u.n_warnings, 0);
    plan_done(&j.t);
    assert_warnings(
        "SELECT count(*) FROM long_stays WHERE nights > 30",
        "nights > 30 is never true: the public range of nights is 0 to 30");
}

/* A thousand wrong literals give as many warnings as fit. */
static void
warnings_about_literals_are_few(void **state)
{
    struct judged j;
    struct buf sql;

    (void)state;
    buf_init(&sql, NULL, 1 << 20);
    buf_add_text(&sql, COUNT_PATIENTS "city IN ('Rome'");
    for (int i = 0; i < 1000; i++)
        buf_printf(&sql, ", 'Roma%d'", i);
    buf_add_text(&sql, ")");
    judge(&j, buf_text(&sql), "0.002", NULL);
    assert_int_equal(j.u.n_warnings, USEFUL_WARNINGS_MAX);
    plan_done(&j.t);
    buf_clear(&sql);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_a_share_of_an_average_group),
        cmocka_unit_test(tables_are_judged_one_by_one),
        cmocka_unit_test(many_groups_over_few_people_are_noise),
        cmocka_unit_test(warnings_are_few),
        cmocka_unit_test(nothing_is_said_without_a_number_of_people),
        cmocka_unit_test(a_found_range_is_only_in_its_own_errors),
        cmocka_unit_test(a_literal_that_no_row_has_gets_its_nearest_value),
        cmocka_unit_test(numbers_and_dates_outside_their_range),
        cmocka_unit_test(the_nearest_number_or_date_is_suggested),
        cmocka_unit_test(literals_of_the_owner_are_not_examined),
        cmocka_unit_test(warnings_about_literals_are_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
