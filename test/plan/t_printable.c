/*
 * The planner rejects, before the charge, whatever the engine's printer would
 * reject. This program replaces the list of sql/total.c by one that lacks one
 * function at a time, as if somebody had forgotten that function.
 */
#include "hospital.h"
#include "sql/total.h"

static const char *missing; /* NULL: none */

static bool
is_missing(const char *text, size_t len)
{
    size_t n = missing ? strlen(missing) : 0;

    for (size_t i = 0; n && i + n < len; i++)
        if (!memcmp(text + i, missing, n) && text[i + n] == '(')
            return true;
    return false;
}

bool
total_is_text(const char *text, size_t len)
{
    return !is_missing(text, len);
}

bool
total_is_public_text(const char *text, size_t len)
{
    return !is_missing(text, len);
}

/* Every position of an expression that is computed over private rows. */
static const struct {
    const char *function, *sql;
} cases[] = {
    {"lower", "SELECT count(*) FROM patients WHERE lower(diagnosis) = 'flu'"},
    {"whole_add", "SELECT count(*) FROM patients WHERE income + 1 > 0"},
    {"year",
     "SELECT extract(year FROM born), count(*) FROM patients GROUP BY 1"},
    {"upper", "SELECT upper(city), count(*) FROM patients GROUP BY 1"},
    {"floor", "SELECT sum(floor(weight)) FROM patients"},
    {"length", "SELECT sum(length(city), contribution_bounds_per_row => (0, "
               "9)) FROM patients"},
    {"trim", "SELECT count(distinct trim(city)) FROM patients"},
    {"sign", "SELECT median(sign(weight) * 3) FROM patients"},
    {"substring",
     "SELECT count(*) FROM (SELECT substring(note, 1, 3) AS s FROM "
     "visits) AS x WHERE s = 'abc'"},
    {"whole_mod",
     "SELECT count(*) FROM patients AS p JOIN visits AS v ON p.id = "
     "v.patient_id AND v.level % p.age = 0"},
    {"month",
     "SELECT sum(n) FROM (SELECT patient_id, extract(month FROM day) AS "
     "m, count(*) AS n FROM visits GROUP BY 1, 2) AS x"},
    {"ceil",
     "SELECT sum(n) FROM (SELECT patient_id, max(ceil(grams)) AS n FROM "
     "visits GROUP BY 1) AS x"},
    {"abs",
     "SELECT count(*) FROM (SELECT abs(balance) AS b FROM visits UNION ALL "
     "SELECT balance FROM visits) AS x WHERE b > 1"},
    {"greatest", "SELECT count(*) FROM visits WHERE greatest(room, level) IN "
                 "(SELECT people FROM cities)"},
};

static void
unlisted_functions_are_refused_above_the_charge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;

        missing = NULL;
        plan_good(&t, cases[i].sql, NULL);
        plan_done(&t);
        missing = cases[i].function;
        plan_for(&t, cases[i].sql, NULL);
        if (t.status != CUSTOS_EUNSUPPORTED || t.err.at < 0 ||
            strncmp(t.err.said, "not supported over private rows: ", 33) != 0)
            fail_msg("%s: %s", cases[i].sql, t.err.said);
        assert_true(strlen(t.err.hint) > 0);
        plan_done(&t);
    }
}

/* Public queries run without a charge, so the engine may reject them itself. */
static void
public_queries_are_left_to_the_engine(void **state)
{
    struct planned t;

    (void)state;
    missing = "lower";
    plan_good(&t, "SELECT lower(name) FROM cities", NULL);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlisted_functions_are_refused_above_the_charge),
        cmocka_unit_test(public_queries_are_left_to_the_engine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
