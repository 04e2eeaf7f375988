/*
 * Destinations of receipts: which texts are valid and which are not.
 */
#include "serve/receipts.h"

#include "base/base.h"
#include "support/support.h"

static void
places_are_read(void **state)
{
    struct receipts_target t;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(receipts_target_read("file:/var/log/r", &t, &err),
                     CUSTOS_OK);
    assert_int_equal(t.kind, RECEIPTS_FILE);
    assert_string_equal(t.path, "/var/log/r");
    assert_int_equal(receipts_target_read("syslog:log.example:514", &t, &err),
                     CUSTOS_OK);
    assert_int_equal(t.kind, RECEIPTS_SYSLOG_UDP);
    assert_string_equal(t.host, "log.example");
    assert_string_equal(t.port, "514");
    assert_int_equal(receipts_target_read("syslog+tcp:[::1]:601", &t, &err),
                     CUSTOS_OK);
    assert_int_equal(t.kind, RECEIPTS_SYSLOG_TCP);
    assert_string_equal(t.host, "::1");
    assert_int_equal(
        receipts_target_read("http://127.0.0.1:9000/a/b?c", &t, &err),
        CUSTOS_OK);
    assert_int_equal(t.kind, RECEIPTS_HTTP);
    assert_string_equal(t.host, "127.0.0.1");
    assert_string_equal(t.port, "9000");
    assert_string_equal(t.path, "/a/b?c");
    assert_int_equal(receipts_target_read("http://h:1", &t, &err), CUSTOS_OK);
    assert_string_equal(t.path, "/");
}

static void
what_is_no_place_is_refused(void **state)
{
    static const char *const bad[] = {
        "",           "file:",          "syslog:",        "syslog:h",
        "syslog:h:",  "syslog::514",    "syslog:h:port",  "syslog:h:514x",
        "http://",    "http://h/path",  "https://h:1/",   "ftp://h:1/",
        "/var/log/r", "http://h:1/a b", "http://h:1/a\nb"};
    struct receipts_target t;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (receipts_target_read(bad[i], &t, &err) != CUSTOS_EINVAL)
            fail_msg("%s is taken", bad[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_read),
        cmocka_unit_test(what_is_no_place_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
