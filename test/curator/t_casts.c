/*
 * A value that a type cannot represent becomes NULL, also in a condition. The
 * tests compare exact counts of the complete curator, without noise. Each
 * condition is asked twice. The first time, whole numbers are taken out of the
 * statement (engine/duckdb/duck_numbers.h). The second time, a text with the word JOIN
 * prevents this, and the engine's optimizer sees the numbers.
 */
#include <stdio.h>

#include "base/base.h"
#include "support/hospital.h"
#include "support/support.h"

static const char policy[] = "custos: 1\n"
                             "budget: {epsilon: 1000}\n"
                             "query: {epsilon: 2}\n"
                             "tables:\n"
                             "  t:\n"
                             "    source: t.csv\n"
                             "    unit: id\n"
                             "    columns:\n"
                             "      id: {type: integer, nullable: false}\n"
                             "      n: {type: integer}\n"
                             "      m: {type: decimal, scale: 3}\n";

static const char rows[] = "id,n,m\n"
                           "1,9223372036854775807,99999.5\n"
                           "2,-9223372036854775807,0.25\n"
                           "3,50,50.75\n"
                           "4,,\n";

static const struct {
    const char *where;
    int64_t want;
} cases[] = {
    {"CAST(n + n AS bigint) > 3", 1},
    {"CAST(n + n AS bigint) <= 3", 0},
    {"CAST(n + n AS bigint) <> 3", 1},
    {"CAST(n + n AS bigint) BETWEEN 3 AND 1000", 1},
    {"CAST(n + n AS bigint) IS NULL", 3},
    {"CAST(n AS numeric(2, 0)) > 3", 1},
    {"CAST(m AS numeric(4, 3)) > 0.1", 1},
};

static void
what_does_not_fit_passes_no_condition(void **state)
{
    struct test_store files;
    struct curator *c;

    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "t.csv", rows, NULL);
    test_store_init(&files);
    c = test_open(&files);
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        char sql[256];
        struct answer *a;

        snprintf(sql, sizeof sql, "SELECT count(*) FROM t WHERE %s%s",
                 cases[i / 2].where, i % 2 ? " AND 'a' <> ' JOIN '" : "");
        a = test_ask(c, "", sql, "");
        if (test_whole(a, 0, 0) != cases[i / 2].want)
            fail_msg("%s: %lld", sql, (long long)test_whole(a, 0, 0));
        answer_free(a);
    }
    curator_close(c);
    test_store_remove(&files);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_passes_no_condition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
