/*
 * Array literals as PostgreSQL writes them: every value is read, and malformed
 * literals are rejected.
 */
#include "base/list_text.h"

#include "base/base.h"
#include "support/support.h"

/*
 * The list as "a|b c|~|", where ~ is NULL. A malformed list gives "no list", or
 * the values before the error and "!".
 */
static void
reads(const char *text, const char *want)
{
    enum list_item item = LIST_END;
    struct list_text list;
    struct buf one, all;

    buf_init(&one, NULL, 1 << 10);
    buf_init(&all, NULL, 1 << 10);
    if (!list_text_begin(str_of(text), &list))
        buf_add_text(&all, "no list");
    else
        while ((item = list_text_next(&list, &one)) != LIST_END &&
               item != LIST_BAD)
            buf_printf(&all, "%s|", item == LIST_NULL ? "~" : buf_text(&one));
    if (item == LIST_BAD)
        buf_add_text(&all, "!");
    if (strcmp(buf_text(&all), want) != 0)
        fail_msg("%s is %s, not %s", text, buf_text(&all), want);
    buf_clear(&one);
    buf_clear(&all);
}

static void
values_come_out(void **state)
{
    (void)state;
    reads("{}", "");
    reads(" { } ", "");
    reads("{1}", "1|");
    reads("{1,-2,NULL}", "1|-2|~|");
    reads("{a,\"b c\",\"\",\"NULL\",null}", "a|b c||NULL|~|");
    reads("{ a b , c }", "a b|c|");
    reads("{\"q\\\"\\\\\", x\\,y, z\\ }", "q\"\\|x,y|z |");
    reads("{\"{1,2}\"}", "{1,2}|");
}

static void
what_is_none(void **state)
{
    (void)state;
    reads("", "no list");
    reads("{", "no list");
    reads("1,2", "no list");
    reads("{1,2", "no list");
    reads("[1:2]={1,2}", "no list");
    reads("{1,}", "1|!");
    reads("{,1}", "!");
    reads("{{1,2}}", "!");
    reads("{1}}", "!");
    reads("{1}{2}", "!");
    reads("{\"a}", "!");
    reads("{\"a\"b}", "!");
    reads("{a\"b\"}", "!");
    reads("{\\}", "!");
}

/*
 * Wherever a text is cut and whichever byte is changed, reading it terminates
 * and stays within its bytes.
 */
static void
anything_ends(void **state)
{
    static const char text[] = "{a, \"b\\\"c\" ,NULL,{d}}";

    (void)state;
    for (size_t n = 0; n < sizeof text; n++)
        for (size_t k = 0; k < sizeof text; k++) {
            char *copy = malloc(n + 1);
            struct list_text list;
            struct buf one;

            assert_non_null(copy);
            memcpy(copy, text, n);
            if (k < n)
                copy[k] = "{},\"\\ x"[(n + k) % 7];
            buf_init(&one, NULL, 1 << 10);
            if (list_text_begin((str){copy, n}, &list))
                for (size_t i = 0; i <= n; i++) {
                    enum list_item item = list_text_next(&list, &one);

                    if (item == LIST_END || item == LIST_BAD)
                        break;
                    assert_true(i < n);
                }
            buf_clear(&one);
            free(copy);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_out),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(anything_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
