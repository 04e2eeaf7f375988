/*
 * Lists of columns: what is a name, where it ends, and what is a comment.
 */
#include "release/names.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "support/said.h"
#include "support/support.h"

static void
names_are_taken(void **state)
{
    static const struct {
        const char *list;
        char comment;
        const char *names; /* separated by | */
    } cases[] = {
        {"age", '\0', "age|"},
        {" age ,\tcity\r", '\0', "age|city|"},
        {"a b,c\"d", '\0', "a b|c\"d|"},
        {"age,", '\0', "age|"},
        {"age,,city", '\0', "age||city|"},
        {"a#b,c", '\0', "a#b|c|"},
        {"a#b,c", '#', "a|"},
        {"age, city # both, of course", '#', "age|city|"},
        {"age, # only", '#', "age|"},
        {"\"age\"", '\0', "age|"},
        {" \"a,b\" , \"c # d\" # e", '#', "a,b|c # d|"},
        {"\"say \"\"a\"\"\",\"\"\"\",x", '\0', "say \"a\"|\"|x|"},
        {"\" a \",\"\"", '\0', " a ||"},
    };
    arena *a = arena_new(NULL, 1 << 16);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str list = str_of(cases[i].list), name;
        char got[100] = "";

        while (list.len > 0) {
            assert_int_equal(
                names_take(a, &list, cases[i].comment, &name, NULL), CUSTOS_OK);
            strncat(got, name.ptr, name.len);
            strncat(got, "|", 2);
        }
        assert_string_equal(got, cases[i].names);
    }
    arena_free(a);
}

static void
lists_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *list, *said;
    } cases[] = {
        {"\"age", "the quote before age is not closed; write \"\" for a quote "
                  "that is part of a name"},
        {"\"age\"\"",
         "the quote before age\"\" is not closed; write \"\" for a "
         "quote that is part of a name"},
        {"\"age\" city", "after \"age\" there is no comma"},
        {"\"age\"# no comment here", "after \"age\" there is no comma"},
    };
    arena *a = arena_new(NULL, 1 << 16), *none = arena_new(NULL, 0);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        custos_err err = CUSTOS_ERR_INIT;
        str list = str_of(cases[i].list), name;

        assert_int_equal(names_take(a, &list, '\0', &name, &err),
                         CUSTOS_EINVAL);
        assert_string_equal(whole_said(&err), cases[i].said);
    }
    for (int k = 0; k < 2; k++) {
        str list = str_of(k ? "\"age\"" : "age"), name;

        assert_int_equal(names_take(none, &list, '\0', &name, NULL),
                         k ? CUSTOS_ENOMEM : CUSTOS_OK);
    }
    arena_free(none);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken),
        cmocka_unit_test(lists_that_are_none_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
