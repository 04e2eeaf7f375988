/*
 * Replies of the owner's socket: an error keeps its code.
 */
#include "../support/support.h"

#include <stdio.h>

#include "base/error.h"
#include "serve/owner_reply.h"

static custos_status
reads(const char *reply, custos_err *err)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct json_value ignored;
    custos_status st = owner_reply_read(a, str_of(reply), &ignored, err);

    arena_free(a);
    return st;
}

static void
what_was_done_has_members(void **state)
{
    arena *a = arena_new(NULL, 1 << 20);
    custos_err err = CUSTOS_ERR_INIT;
    struct json_value v;

    (void)state;
    assert_int_equal(
        owner_reply_read(a, str_of("{\"ok\":true,\"ended\":3}\n"), &v, &err),
        CUSTOS_OK);
    assert_int_equal(v.n, 2);
    assert_true(str_equal(json_member(&v, "ended")->text, str_of("3")));
    arena_free(a);
}

static void
every_status_comes_back(void **state)
{
    char reply[200];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (int i = CUSTOS_EINVAL; i <= CUSTOS_EAUTH; i++) {
        snprintf(
            reply, sizeof reply,
            "{\"ok\":false,\"code\":\"%s\",\"error\":\"it \\u0022is\\u0022\","
            "\"hint\":\"wait\"}\n",
            status_name((custos_status)i));
        assert_int_equal(reads(reply, &err), i);
        assert_int_equal(err.code, i);
        assert_string_equal(err.said, "it \"is\"");
        assert_string_equal(err.hint, "wait");
    }
}

static void
other_replies_are_failures(void **state)
{
    static const struct {
        const char *reply;
        custos_status is;
    } rows[] = {
        {"", CUSTOS_EIO},
        {"{\"ok\":true", CUSTOS_EIO},
        {"nonsense\n", CUSTOS_EIO},
        {"{\"ok\":false}\n", CUSTOS_EIO},
        {"{\"ok\":false,\"code\":3,\"error\":\"x\"}\n", CUSTOS_EIO},
        {"{\"ok\":false,\"code\":\"OK\",\"error\":\"x\"}\n", CUSTOS_EINTERNAL},
        {"{\"ok\":false,\"code\":\"ENEW\",\"error\":\"x\"}\n",
         CUSTOS_EINTERNAL},
        {"{\"ok\":false,\"code\":\"EBUSY\",\"error\":\"x\"}\n", CUSTOS_EBUSY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(reads(rows[i].reply, &err), rows[i].is);
        assert_string_equal(err.hint, "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_done_has_members),
        cmocka_unit_test(every_status_comes_back),
        cmocka_unit_test(other_replies_are_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
