/*
 * A policy with exact_rows: what an import accepts, and which data are read under
 * it.
 */
#include "made.h"
#include "support/said.h"

#define TABLE(more)                                                            \
    "custos: 2\nadjacency: change-one\nbudget: {epsilon: 1}\ntables:\n"        \
    "  s:\n    source: s.csv\n    unit: row\n" more "    columns:\n"           \
    "      x: {type: integer, range: [5, 9], nullable: false}\n"               \
    "      y: {type: integer, range: [0, 1]}\n"

static custos_status
import_of(struct made *m, const char *policy, const char *rows)
{
    made_folder(m);
    made_file(m, "s.csv", rows);
    made_policy(m, policy);
    return made_import(m);
}

/* The number must be that of the file, and no row may be dropped. */
static void
exact_rows_are_checked(void **state)
{
    static const char few[] =
        "table s has 2 rows, and its exact_rows is 3; if the number of rows is "
        "public, correct exact_rows; else remove it";
    static const char many[] =
        "table s has 4 rows, and its exact_rows is 3; if the number of rows is "
        "public, correct exact_rows; else remove it";
    static const char dropped[] =
        "1 of the rows of table s lack a value in a column that is not "
        "nullable; with exact_rows no row may be dropped; declare that column "
        "nullable, or correct the source";
    static const struct {
        const char *rows, *said;
    } cases[] = {
        {"x,y\n5,0\n6,1\n7,0\n", NULL},
        {"x,y\n5,0\n6,\n70,x\n", NULL}, /* clamped, or NULL where that may be */
        {"x,y\n5,0\n6,1\n", few},
        {"x,y\n5,0\n6,1\n7,0\n8,1\n", many},
        {"x,y\n5,0\n,1\n7,0\n", dropped},
        {"x,y\n5,0\nsix,1\n7,0\n", dropped},
        {"x,y\n5,0\n6,1\n7,0\n,1\n", many}, /* three would be kept */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct made m;
        custos_status st =
            import_of(&m, TABLE("    exact_rows: 3\n"), cases[i].rows);

        assert_int_equal(st, cases[i].said ? CUSTOS_EPOLICY : CUSTOS_OK);
        if (cases[i].said)
            assert_string_equal(whole_said(&m.err), cases[i].said);
        made_close(&m);
    }
}

/* Data are read only under the number that their import checked. */
static void
exact_rows_are_facts_of_the_version(void **state)
{
    static const char with[] = TABLE("    exact_rows: 3\n");
    static const char without[] = TABLE("    max_rows: 3\n");
    static const struct {
        const char *imported, *read;
        custos_status status;
    } cases[] = {
        {with, with, CUSTOS_OK},
        {without, without, CUSTOS_OK},
        {without, with, CUSTOS_EPOLICY},
        {with, without, CUSTOS_EPOLICY},
        {with, TABLE("    exact_rows: 4\n"), CUSTOS_EPOLICY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct policy *p = NULL;
        struct engine *e = NULL;
        struct made m;

        assert_int_equal(
            import_of(&m, cases[i].imported, "x,y\n5,0\n6,1\n7,0\n"),
            CUSTOS_OK);
        assert_int_equal(
            policy_read(m.a, str_of(cases[i].read), "p", &p, &m.err),
            CUSTOS_OK);
        assert_int_equal(engine_open(&m.store, p, &e, &m.err), cases[i].status);
        if (e)
            engine_close(e);
        made_close(&m);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_rows_are_checked),
        cmocka_unit_test(exact_rows_are_facts_of_the_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
