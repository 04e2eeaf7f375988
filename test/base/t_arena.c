/*
 * Memory: wiping through the hooks, and the arena's limit, alignment and
 * failures.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/base.h"
#include "support/support.h"

/* Hooks that check whether memory is all zero when it is freed. */
struct watched {
    size_t given;
    bool wiped;
};

static void *
watched_take(void *ctx, size_t bytes)
{
    void *p = malloc(bytes);

    (void)ctx;
    assert_non_null(p);
    memset(p, 0x55, bytes);
    return p;
}

static void
watched_give(void *ctx, void *p, size_t bytes)
{
    struct watched *w = ctx;

    w->given += bytes;
    for (size_t i = 0; i < bytes; i++)
        w->wiped &= ((unsigned char *)p)[i] == 0;
    free(p);
}

static void
memory_is_zeroed_and_wiped(void **state)
{
    struct watched w = {0, true};
    const custos_alloc hooks = {watched_take, watched_give, &w};
    unsigned char *p = alloc_take(&hooks, 10, 7);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < 70; i++)
        assert_int_equal(p[i], 0);
    memset(p, 1, 70);
    alloc_give(&hooks, p, 10, 7);
    assert_int_equal(w.given, 70);
    assert_true(w.wiped);
    alloc_give(&hooks, NULL, 10, 7);
    assert_int_equal(w.given, 70);
}

static void
sizes_past_the_limit_are_refused(void **state)
{
    custos_alloc hooks = alloc_or_default(NULL);

    (void)state;
    assert_null(alloc_take(&hooks, SIZE_MAX, 2));
    assert_null(alloc_take(&hooks, 0, 8));
    assert_null(alloc_take(&hooks, 8, 0));
}

static void
pieces_are_apart_aligned_and_zero(void **state)
{
    struct watched w = {0, true};
    const custos_alloc hooks = {watched_take, watched_give, &w};
    arena *a = arena_new(&hooks, 1 << 20);
    unsigned char *piece[200];

    (void)state;
    assert_non_null(a);
    for (size_t i = 0; i < COUNT_OF(piece); i++) {
        size_t bytes = 1 + i * 37 % 301;

        piece[i] = arena_take(a, bytes, 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(piece[i][k], 0);
        memset(piece[i], (int)i, bytes);
    }
    for (size_t i = 0; i < COUNT_OF(piece); i++)
        for (size_t k = 0; k < 1 + i * 37 % 301; k++)
            assert_int_equal(piece[i][k], i);
    assert_non_null(arena_take(a, 1, 100000)); /* larger than a block */
    arena_free(a);
    assert_true(w.wiped);
    arena_free(NULL);
}

static void
arenas_have_a_limit(void **state)
{
    arena *a = arena_new(NULL, 20000);
    size_t got = 0;

    (void)state;
    assert_non_null(a);
    assert_null(arena_take(a, SIZE_MAX, 2));
    assert_null(arena_take(a, SIZE_MAX, 1));
    assert_null(arena_take(a, SIZE_MAX - 64, 1));
    assert_null(arena_take(a, 20001, 1));
    while (arena_take(a, 100, 1))
        got += 100;
    assert_in_range(got, 10000, 20000);
    assert_null(arena_take(a, 100, 1)); /* it keeps failing */
    arena_free(a);
}

static void
copies_are_terminated(void **state)
{
    arena *a = arena_new(NULL, 10000);
    char *copy;

    (void)state;
    assert_non_null(a);
    copy = arena_copy(a, (str){"hello world", 5});
    assert_string_equal(copy, "hello");
    copy = arena_copy(a, str_of(NULL));
    assert_string_equal(copy, "");
    assert_null(arena_copy(a, (str){"x", SIZE_MAX}));
    assert_null(arena_copy(a, (str){"x", 20000}));
    arena_free(a);
}

static void
memory_failure_is_null(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at <= 5; fail_at++) {
        struct test_memory memory = {.fail_at = fail_at};
        custos_alloc hooks = test_alloc(&memory);
        arena *a = arena_new(&hooks, 1 << 20);
        bool failed = a == NULL;

        for (size_t i = 0; a && i < 3; i++)
            failed |= arena_take(a, 3000, 1) == NULL;
        assert_int_equal(failed, fail_at <= 4);
        arena_free(a);
        assert_int_equal(memory.live, 0);
    }
}

/* An allowance counts the aligned sizes requested, not the arena's blocks. */
static void
an_allowance_counts_pieces(void **state)
{
    (void)state;
    for (size_t before = 1; before < 9000; before += 1777) {
        arena *a = arena_new(NULL, 1 << 20);

        assert_non_null(arena_take(a, before, 1));
        arena_allow(a, 96);
        assert_non_null(arena_take(a, 33, 1)); /* 48 with its alignment */
        assert_false(arena_is_denied(a));
        assert_null(arena_take(a, 49, 1));
        assert_true(arena_is_denied(a));
        assert_non_null(arena_take(a, 48, 1));
        assert_null(arena_copy(a, (str){"x", 1}));
        arena_allow(a, SIZE_MAX);
        assert_false(arena_is_denied(a));
        assert_non_null(arena_take(a, 10000, 1));
        arena_free(a);
    }
}

static void
a_reset_arena_is_as_new(void **state)
{
    arena *a = arena_new(NULL, 1 << 16);

    (void)state;
    arena_reset(a);
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < 10; i++) {
            unsigned char *p = arena_take(a, 3000, 1);

            assert_non_null(p);
            for (int k = 0; k < 3000; k++)
                assert_int_equal(p[k], 0);
            memset(p, 0xa5, 3000);
        }
        arena_reset(a);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_wiped),
        cmocka_unit_test(sizes_past_the_limit_are_refused),
        cmocka_unit_test(pieces_are_apart_aligned_and_zero),
        cmocka_unit_test(arenas_have_a_limit),
        cmocka_unit_test(copies_are_terminated),
        cmocka_unit_test(memory_failure_is_null),
        cmocka_unit_test(an_allowance_counts_pieces),
        cmocka_unit_test(a_reset_arena_is_as_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
