/*
 * More groups than may be shown: the answer says so, and the size of names is
 * bounded.
 */
#include <stdio.h>

#include "base/base.h"
#include "support/hospital.h"
#include "support/support.h"

enum { TEXT_MOST = 1 << 20, UNITS = 400, NAMES = 5, LONG = 700 };

static const char policy[] =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1000, delta: 1e-3, n: 900}\n"
    "query: {epsilon: 2, max_epsilon: 10, delta: 1e-5, max_groups: 3}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      few: {type: text}\n"
    "      short: {type: text}\n"
    "      long: {type: text}\n"
    "      longer: {type: text}\n";

/*
 * `few` has two names, `short` and `long` five each. Those of `longer` are too
 * long to be keys.
 */
static void
write_rows(struct buf *b)
{
    buf_add_text(b, "id,few,short,long,longer\n");
    for (int i = 1; i <= UNITS; i++)
        buf_printf(b, "%d,%c,%c,%c%0*d,%c%0*d\n", i, 'a' + i % 2,
                   'a' + i % NAMES, 'a' + i % NAMES, LONG - 1, 0,
                   'a' + i % NAMES, 2 * LONG, 0);
}

static void
shows(struct curator *c, const char *key, size_t rows, const char *said)
{
    struct answer *answer;
    char sql[100];

    snprintf(sql, sizeof sql, "SELECT %s, count(*) FROM t GROUP BY 1", key);
    answer = test_ask(c, "", sql, "2");
    assert_int_equal(answer->n_rows, rows);
    if (said)
        assert_non_null(strstr(answer->remarks.ptr, said));
    else
        assert_null(strstr(answer->remarks.ptr, "chosen than"));
    answer_free(answer);
}

static void
groups_beyond_the_most_are_told(void **state)
{
    struct test_store files;
    struct curator *c = NULL;
    struct buf rows;

    (void)state;
    test_rng_new_silent();
    buf_init(&rows, NULL, TEXT_MOST);
    write_rows(&rows);
    test_store_write(&files, policy, "t.csv", buf_text(&rows), NULL);
    buf_clear(&rows);
    test_store_init(&files);
    c = test_open(&files);
    shows(c, "few", 2, NULL);
    shows(c, "short", 3, "2 more groups were chosen than are shown");
    shows(c, "long", 1, "4 more groups were chosen than are shown");
    shows(c, "longer", 1, NULL); /* NULL */
    shows(c, "short || 'x'", 3, "2 more groups were chosen than are shown");
    curator_close(c);
    test_store_remove(&files);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_beyond_the_most_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
