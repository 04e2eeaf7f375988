/*
 * Secrets: only a plain file of this user that nobody else may access, with
 * one line; messages and what stays in memory never have its text.
 */
#include "store/secret_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "store/file.h"
#include "store/place.h"
#include "support/said.h"
#include "support/support.h"

#define SECRET "correct horse"

static void
put(const struct place *p, const char *text, size_t len, mode_t mode)
{
    assert_int_equal(file_write(p->path, (str){text, len}, NULL), CUSTOS_OK);
    assert_int_equal(chmod(p->path, mode), 0);
}

/* It is rejected with this sentence, and nothing of it stays in memory. */
static void
check_rejected(const struct place *p, custos_status code, const char *said)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct secret_file got, none;
    char expected[256];

    memset(&got, 0, sizeof got);
    memset(&none, 0, sizeof none);
    snprintf(expected, sizeof expected, said, p->path);
    assert_int_equal(secret_file_read(p->path, &got, &err), code);
    assert_string_equal(whole_said(&err), expected);
    assert_null(strstr(err.noted, SECRET));
    assert_memory_equal(&got, &none, sizeof got);
}

static void
one_line_is_read(void **state)
{
    static const char *const texts[] = {SECRET, SECRET "\n"};
    static char longest[SECRET_BYTES_MAX + 1];
    const struct place *p = *state;
    struct secret_file got, none;

    memset(&none, 0, sizeof none);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        put(p, texts[i], strlen(texts[i]), i ? 0600 : 0400);
        assert_int_equal(secret_file_read(p->path, &got, NULL), CUSTOS_OK);
        assert_int_equal(got.len, strlen(SECRET));
        assert_memory_equal(got.text, SECRET, got.len);
        secret_file_clear(&got);
        assert_memory_equal(&got, &none, sizeof got);
    }
    memset(longest, 'x', sizeof longest);
    longest[SECRET_BYTES_MAX] = '\n';
    put(p, longest, sizeof longest, 0600);
    assert_int_equal(secret_file_read(p->path, &got, NULL), CUSTOS_OK);
    assert_int_equal(got.len, SECRET_BYTES_MAX);
}

static void
others_may_not_access_it(void **state)
{
    static const mode_t modes[] = {0640, 0620, 0610, 0604, 0602, 0601, 0677};
    const struct place *p = *state;

    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        put(p, SECRET, strlen(SECRET), modes[i]);
        check_rejected(p, CUSTOS_EDENIED,
                       "others may access the secret file %s; run chmod 600 on "
                       "it");
    }
}

static void
it_belongs_to_this_user(void **state)
{
    const struct place *p = *state;

    put(p, SECRET, strlen(SECRET), 0600);
    if (geteuid() != 0)
        skip(); /* only root can give a file away */
    assert_int_equal(chown(p->path, 65534, 65534), 0);
    check_rejected(p, CUSTOS_EDENIED,
                   "the secret file %s belongs to another user; it must belong "
                   "to the user who runs custos");
}

static void
it_is_a_plain_file(void **state)
{
    const struct place *p = *state;

    check_rejected(p, CUSTOS_ENAME,
                   "the secret file %s does not exist or is not readable");
    assert_int_equal(mkdir(p->path, 0700), 0);
    check_rejected(p, CUSTOS_EDENIED, "the secret file %s is not a plain file");
    assert_int_equal(rmdir(p->path), 0);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    check_rejected(p, CUSTOS_EDENIED, "the secret file %s is not a plain file");
}

static void
it_has_one_line(void **state)
{
    static const char said[] =
        "the secret file %s must contain one line of 1 to 1024 bytes, without "
        "control characters";
    static const str texts[] = {
        {"", 0},
        {"\n", 1},
        {SECRET "\n\n", sizeof SECRET + 1},
        {SECRET "\nmore", sizeof SECRET + 4},
        {SECRET "\r\n", sizeof SECRET + 1},
        {SECRET "\0", sizeof SECRET},
        {SECRET "\x7f", sizeof SECRET},
    };
    static char longer[SECRET_BYTES_MAX + 10];
    const struct place *p = *state;

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        put(p, texts[i].ptr, texts[i].len, 0600);
        check_rejected(p, CUSTOS_EPOLICY, said);
    }
    memset(longer, 'x', sizeof longer);
    for (size_t n = SECRET_BYTES_MAX + 1; n <= sizeof longer; n++) {
        put(p, longer, n, 0600);
        check_rejected(p, CUSTOS_EPOLICY, said);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_line_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_may_not_access_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(it_belongs_to_this_user, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(it_is_a_plain_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_has_one_line, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
