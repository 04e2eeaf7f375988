/*
 * Host names that HTTP requests may use: a name of another site that resolves
 * to this server is rejected.
 */
#include "http/http_host.h"

#include "base/base.h"
#include "support/support.h"

static const char *const names[] = {"custos.example", "stats"};

static bool
allowed(const char *listen, const char *host)
{
    const struct http_hosts hosts = {
        .listen = listen, .names = names, .n_names = COUNT_OF(names)};

    return http_host_allowed(&hosts, str_of(host));
}

static void
numbers_and_loopback_are_allowed(void **state)
{
    static const char *const good[] = {
        "127.0.0.1",       "127.0.0.1:8080",
        "192.168.1.7:80",  "[::1]:8080",
        "[::1]",           "[fe80::1]:8080",
        "localhost",       "LocalHost:8080",
        "localhost.:8080", "console.localhost:8080",
        "127.0.0.1:",      "",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (!allowed("127.0.0.1:8080", good[i]))
            fail_msg("%s is refused", good[i]);
}

static void
names_are_the_owners(void **state)
{
    (void)state;
    assert_true(allowed("0.0.0.0:8080", "custos.example"));
    assert_true(allowed("0.0.0.0:8080", "CUSTOS.example.:443"));
    assert_true(allowed("0.0.0.0:8080", "stats:8080"));
    assert_true(allowed("db.example:8080", "db.example:8080"));
    assert_true(allowed("db.example:8080", "db.example"));
    assert_false(allowed("0.0.0.0:8080", "db.example"));
}

static void
other_names_are_refused(void **state)
{
    static const char *const bad[] = {
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "evillocalhost",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io:8080",
        "sub.custos.example",
        "custos.example.evil",
        "1.2.3",
        "0x7f000001",
        "2130706433",
        "[::1",
        "[::1]x",
        "[localhost.evil]",
        "localhost:80:80",
        "localhost:evil",
        ":8080",
        ".",
        "custos.example ",
        "user@localhost:80x",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (allowed("127.0.0.1:8080", bad[i]))
            fail_msg("%s is allowed", bad[i]);
}

static void
what_is_no_name_is_told(void **state)
{
    (void)state;
    assert_true(http_host_is_name("custos.example"));
    assert_false(http_host_is_name(""));
    assert_false(http_host_is_name("custos.example:80"));
    assert_false(http_host_is_name("http://custos.example"));
    assert_false(http_host_is_name("custos.example."));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_loopback_are_allowed),
        cmocka_unit_test(names_are_the_owners),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(what_is_no_name_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
