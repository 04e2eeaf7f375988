/*
 * Borrowed and growing text.
 */
#include "base/str.h"

#include "base/base.h"
#include "support/support.h"

static void
borrowed_text_is_compared_by_bytes(void **state)
{
    (void)state;
    assert_true(str_equal(str_of("abc"), (str){"abcdef", 3}));
    assert_false(str_equal(str_of("abc"), str_of("abd")));
    assert_false(str_equal(str_of("abc"), str_of("ab")));
    assert_true(str_equal(str_of(NULL), str_of("")));
    assert_true(str_equal((str){NULL, 0}, str_of("")));
    assert_true(str_equal_but_case(str_of("aBz9"), str_of("AbZ9")));
    assert_false(str_equal_but_case(str_of("ab"), str_of("abc")));
    assert_false(str_equal_but_case(str_of("@"), str_of("`"))); /* no letters */
    assert_false(str_equal_but_case(str_of("\xc3\xa4"), str_of("\xc3\x84")));
    assert_int_equal(str_of("abc").len, 3);
}

/* 1000 pieces: grown many times, always terminated, nothing lost. */
static void
text_grows(void **state)
{
    struct test_memory memory = {0};
    custos_alloc hooks = test_alloc(&memory);
    struct buf b;

    (void)state;
    buf_init(&b, &hooks, 100000);
    assert_string_equal(buf_text(&b), "");
    for (int i = 0; i < 1000; i++) {
        buf_add(&b, "ab", 1);
        buf_add_text(&b, "bc");
        buf_printf(&b, "%d", i % 10);
        assert_int_equal(strlen(buf_text(&b)), 4 * (i + 1));
    }
    for (int i = 0; i < 1000; i++) {
        assert_memory_equal(buf_text(&b) + 4 * i, "abc", 3);
        assert_int_equal(buf_text(&b)[4 * i + 3], '0' + i % 10);
    }
    buf_add(&b, NULL, 0);
    assert_int_equal(b.len, 4000);
    assert_false(b.failed);
    assert_int_equal(memory.live, 1);
    buf_clear(&b);
    assert_int_equal(memory.live, 0);
    assert_string_equal(buf_text(&b), "");
    buf_clear(&b);
}

/*
 * A buffer grows to its limit, NUL included; beyond it the failure is
 * permanent.
 */
static void
limits_stick(void **state)
{
    (void)state;
    for (size_t limit = 1; limit < 300; limit += 13) {
        struct buf b;

        buf_init(&b, NULL, limit);
        for (size_t i = 0; i + 1 < limit; i++)
            buf_add(&b, "x", 1);
        assert_false(b.failed);
        assert_int_equal(strlen(buf_text(&b)), limit - 1);
        buf_add(&b, "x", 1);
        assert_true(b.failed);
        assert_string_equal(buf_text(&b), "");
        buf_add(&b, "", 0);
        buf_printf(&b, "%s", "");
        assert_true(b.failed);
        assert_string_equal(buf_text(&b), "");
        buf_clear(&b);
        assert_false(b.failed);
    }
}

static void
lengths_past_any_limit_fail(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, NULL, SIZE_MAX);
    buf_add_text(&b, "x");
    buf_add(&b, "x", SIZE_MAX);
    assert_true(b.failed);
    buf_clear(&b);
    buf_init(&b, NULL, SIZE_MAX);
    buf_add_text(&b, "x");
    buf_add(&b, "x", SIZE_MAX - 1);
    assert_true(b.failed);
    buf_clear(&b);
}

static void
printing_past_the_limit_fails(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 10);
    buf_printf(&b, "%d", 123456789);
    assert_string_equal(buf_text(&b), "123456789");
    buf_printf(&b, "%d", 1);
    assert_true(b.failed);
    buf_clear(&b);
}

static void
memory_failure_sticks(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc hooks = test_alloc(&memory);
        struct buf b;

        buf_init(&b, &hooks, 10000);
        for (int i = 0; i < 200; i++)
            buf_add_text(&b, "x");
        assert_true(b.failed);
        assert_string_equal(buf_text(&b), "");
        buf_clear(&b);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_text_is_compared_by_bytes),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(limits_stick),
        cmocka_unit_test(lengths_past_any_limit_fail),
        cmocka_unit_test(printing_past_the_limit_fails),
        cmocka_unit_test(memory_failure_sticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
