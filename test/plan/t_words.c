/*
 * Expressions as people read them: quotes only around names that need them.
 */
#include "plan/explain/words.h"

#include <stdio.h>

#include "sql/read.h"
#include "support/support.h"

static void
names_keep_the_quotes_they_need(void **state)
{
    static const char *const cases[][2] = {
        {"age", "age"},
        {"\"ab\"", "ab"},
        {"\"a\"\"b\"", "\"a\"\"b\""},
        {"\"\"\"ab\"\"\"", "\"\"\"ab\"\"\""},
        {"\"A b\"", "\"A b\""},
        {"\"1st\"", "\"1st\""},
        {"\"x)\" + \"(y\"", "\"x)\" + \"(y\""},
        {"name || 'it''s \"quoted\"'", "name || 'it''s \"quoted\"'"},
    };
    arena *a = arena_new(NULL, 1 << 22);

    (void)state;
    assert_non_null(a);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct query *q = NULL;
        custos_err err = CUSTOS_ERR_INIT;
        char sql[256];
        struct buf b;

        snprintf(sql, sizeof sql, "SELECT %s FROM t", cases[i][0]);
        if (sql_read(a, str_of(sql), &q, &err))
            fail_msg("%s: %s", sql, err.said);
        buf_init(&b, NULL, 1 << 12);
        words_expr(q->targets[0].expr, &b);
        assert_string_equal(buf_text(&b), cases[i][1]);
        buf_clear(&b);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keep_the_quotes_they_need),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
