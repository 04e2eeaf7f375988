/*
 * Answers in memory: found by the complete question, bounded in number and
 * size, dropped when policy or data change.
 */
#include "support/support.h"

#include <stdio.h>

#include "pg/cache.h"

static struct rows *
rows_new(const char *text)
{
    struct rows *r = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(rows_of_text(str_of("n"), str_of(text), &r, &err),
                     CUSTOS_OK);
    return r;
}

static void
put(struct cache *c, str key, const char *text)
{
    struct rows *r = rows_new(text);

    cache_put(c, key, r);
    rows_drop(r);
}

/* Keys are equal only if all their parts are. */
static void
the_key_is_all_of_the_question(void **state)
{
    static const char *const lists[][3] = {
        {"ana", "SELECT 1", ""},  {"ana", "SELECT 2", ""},
        {"bob", "SELECT 1", ""},  {"anaSELECT 1", "", ""},
        {"ana", "", "SELECT 1"},  {"", "anaSELECT 1", ""},
        {"ana", "SELECT 1", "0"}, {"an", "aSELECT 1", ""},
    };
    enum { N = sizeof lists / sizeof lists[0] };
    struct cache *c = cache_new(1 << 20);
    struct buf keys[N];

    (void)state;
    assert_non_null(c);
    for (size_t i = 0; i < N; i++) {
        buf_init(&keys[i], NULL, 1 << 12);
        for (size_t k = 0; k < 3; k++)
            key_add(&keys[i], str_of(lists[i][k]));
        assert_null(cache_find(c, (str){keys[i].ptr, keys[i].len}));
        put(c, (str){keys[i].ptr, keys[i].len}, lists[i][1]);
        assert_non_null(cache_find(c, (str){keys[i].ptr, keys[i].len}));
    }
    for (size_t i = 0; i < N; i++)
        buf_clear(&keys[i]);
    cache_free(c);
}

static void
a_full_cache_forgets_the_oldest(void **state)
{
    struct cache *c = cache_new(40000);
    size_t found = 0;
    char key[16];

    (void)state;
    assert_non_null(c);
    put(c, str_of("kept"), "x");
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "k%d", i);
        put(c, str_of(key), "x");
        assert_non_null(cache_find(c, str_of("kept")));
    }
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "k%d", i);
        found += cache_find(c, str_of(key)) != NULL;
    }
    assert_true(found > 10 && found < 100);
    assert_non_null(cache_find(c, str_of("k499")));
    assert_null(cache_find(c, str_of("k0")));
    cache_free(c);
}

static void
a_new_policy_forgets_all(void **state)
{
    const uint8_t one[32] = {1}, two[32] = {2};
    struct cache *c = cache_new(1 << 20);

    (void)state;
    assert_non_null(c);
    assert_true(cache_facts(c, one, 7));
    put(c, str_of("k"), "x");
    assert_true(cache_facts(c, one, 7));
    assert_non_null(cache_find(c, str_of("k")));
    assert_true(cache_facts(c, one, 8));
    assert_null(cache_find(c, str_of("k")));
    put(c, str_of("k"), "x");
    assert_false(cache_facts(c, one, 7)); /* from a late job */
    assert_non_null(cache_find(c, str_of("k")));
    assert_true(cache_facts(c, two, 8));
    assert_null(cache_find(c, str_of("k")));
    cache_free(c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_all_of_the_question),
        cmocka_unit_test(a_full_cache_forgets_the_oldest),
        cmocka_unit_test(a_new_policy_forgets_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
