/*
 * Migration: only the number of the format changes, wherever it stands and
 * however it is written; what cannot be read is rejected as by policy_read.
 */
#include "policy/migrate.h"

#include "policy/good.h"

enum { OUT_MAX = 1 << 20 };

#define BODY                                                                   \
    "budget: {epsilon: 1} # of all\n"                                          \
    "tables: {t: {source: t.csv, unit: row, columns: {a: {type: text}}}}\n"

static custos_status
migrate(arena *a, const char *text, struct buf *out, custos_err *err)
{
    buf_init(out, NULL, OUT_MAX);
    return policy_migrate(a, str_of(text), "dir/policy.yaml", out, err);
}

static void
check(const char *text, const char *expected)
{
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;

    if (migrate(a, text, &out, &err))
        fail_msg("%s", err.said);
    assert_string_equal(buf_text(&out), expected);
    assert_int_equal(policy_read(a, str_of(buf_text(&out)), "p.yaml", &p, &err),
                     CUSTOS_OK);
    assert_int_equal(p->format, POLICY_FORMAT);
    buf_clear(&out);
    arena_free(a);
}

static void
only_the_number_changes(void **state)
{
    (void)state;
    check("custos: 1\n" BODY, "custos: 2\n" BODY);
    check("# first\ncustos:  1   # the format\n\n" BODY "# last",
          "# first\ncustos:  2   # the format\n\n" BODY "# last");
    check(BODY "custos: 1", BODY "custos: 2");
    check("custos: \"1\" # quoted\n" BODY, "custos: 2 # quoted\n" BODY);
    check("custos: 1.0\n" BODY, "custos: 2\n" BODY);
    check("\"custos\": # below\n  1\n" BODY, "\"custos\": # below\n  2\n" BODY);
    check("custos: |-\n  1\n" BODY, "custos: 2\n" BODY);
    /* libyaml counts characters, the file has bytes */
    check("# für Ärztinnen, 患者 😀\n" BODY "custos: 1 # ε\n",
          "# für Ärztinnen, 患者 😀\n" BODY "custos: 2 # ε\n");
    check("\xef\xbb\xbf# ε\ncustos: 1\n" BODY,
          "\xef\xbb\xbf# ε\ncustos: 2\n" BODY);
    check("# a\r\n# b\r\ncustos: 1\r\n" BODY,
          "# a\r\n# b\r\ncustos: 2\r\n" BODY);
    check("{custos: 1, budget: {epsilon: 1}, tables: {t: {source: t.csv,"
          " unit: row, columns: {a: {type: text, comment: \"ü\"}}}}}",
          "{custos: 2, budget: {epsilon: 1}, tables: {t: {source: t.csv,"
          " unit: row, columns: {a: {type: text, comment: \"ü\"}}}}}");
}

static void
the_current_format_stays(void **state)
{
    (void)state;
    check(good, good);
}

static void
mistakes_are_rejected(void **state)
{
    static const char *const texts[][2] = {
        {"custos: 3\n" BODY,
         "policy.yaml, line 1: this custos reads policies of formats 1 to 2, "
         "not 3; install a newer custos"},
        {BODY, "policy.yaml, line 1: the file does not name its format; begin "
               "it with custos: 2"},
        {"custos: 1\nbudgets: 1\n" BODY,
         "policy.yaml, line 2: there is no key 'budgets' in a policy; did you "
         "mean budget?"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        arena *a = arena_new(NULL, MEMORY);
        custos_err err = CUSTOS_ERR_INIT;
        struct buf out;

        assert_int_equal(migrate(a, texts[i][0], &out, &err), CUSTOS_EPOLICY);
        assert_string_equal(whole_said(&err), texts[i][1]);
        assert_int_equal(out.len, 0);
        buf_clear(&out);
        arena_free(a);
    }
}

static void
memory_fails(void **state)
{
    custos_status st = CUSTOS_ENOMEM;

    (void)state;
    for (size_t n = 2; st == CUSTOS_ENOMEM; n++) {
        struct test_memory memory = {.fail_at = n};
        custos_alloc hooks = test_alloc(&memory);
        arena *a = arena_new(&hooks, MEMORY);
        custos_err err = CUSTOS_ERR_INIT;
        struct buf out;

        st = migrate(a, good, &out, &err);
        assert_true(n > 2 || st == CUSTOS_ENOMEM);
        buf_clear(&out);
        arena_free(a);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(st, CUSTOS_OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_number_changes),
        cmocka_unit_test(the_current_format_stays),
        cmocka_unit_test(mistakes_are_rejected),
        cmocka_unit_test(memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
