/*
 * Linkage names most patients of a table with birth date, sex and zip code, few or
 * none of one with less.
 */
#include "audit/attack/linkage.h"
#include "audit/attacks.h"

static uint64_t
named(const struct resident *town, size_t n, size_t patients, unsigned columns)
{
    uint64_t count;

    assert_int_equal(
        link_patients(town, n, patients, columns, &count, NULL, NULL),
        CUSTOS_OK);
    return count;
}

static void
who_is_alone_is_named(void **state)
{
    /* The third is the first's twin; the fourth differs by the day alone. */
    const struct resident town[] = {
        {.day = 400, .sex = 0, .zip = 3},  {.day = 400, .sex = 1, .zip = 3},
        {.day = 400, .sex = 0, .zip = 3},  {.day = 401, .sex = 0, .zip = 3},
        {.day = 9000, .sex = 0, .zip = 5},
    };
    const unsigned date = LINKAGE_DATE | LINKAGE_SEX | LINKAGE_ZIP;
    const unsigned year = LINKAGE_YEAR | LINKAGE_SEX | LINKAGE_ZIP;
    uint64_t count;
    size_t example;

    (void)state;
    assert_int_equal(named(town, 5, 5, date), 3);
    assert_int_equal(named(town, 5, 2, date), 1);
    assert_int_equal(named(town, 5, 5, year), 2);
    assert_int_equal(named(town, 5, 5, LINKAGE_ZIP), 1);
    assert_int_equal(link_patients(town, 5, 3, date, &count, &example, NULL),
                     CUSTOS_OK);
    assert_int_equal(example, 1);
}

static void
report_names_most(void **state)
{
    static struct attack_report r;

    (void)state;
    run_attack(&attack_linkage, NULL, &r);
    assert_int_equal(r.n_curves, 0);
    assert_int_equal(r.n_rows, 7);
    for (int i = 1; i < 4; i++)
        assert_true(r.rows[i].value >= r.rows[i - 1].value);
    assert_true(r.rows[3].value > 0.7);
    assert_int_equal(r.rows[4].hits, 0);
    assert_non_null(strstr(r.means, "born 19"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_alone_is_named),
        cmocka_unit_test(report_names_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
