/*
 * The n-th disk call fails, for every n: the caller gets an error, and the
 * store is in the old or the new state. This file replaces the system's fsync,
 * rename, write, fchmod and mkdir.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/file.h"
#include "store/store.h"
#include "support/support.h"

static int calls, fail_at;

static bool
fails(void)
{
    if (fail_at == 0 || ++calls != fail_at)
        return false;
    errno = ENOSPC;
    return true;
}

int
fsync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

    return fails() ? -1 : real(fd);
}

int
rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");

    return fails() ? -1 : real(from, to);
}

ssize_t
write(int fd, const void *p, size_t n)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

    if (fails())
        return -1;
    /* Writes one byte at a time: a short write is not a failure. */
    return real(fd, p, fail_at && n > 1 ? 1 : n);
}

int
fchmod(int fd, mode_t mode)
{
    int (*real)(int, mode_t) = (int (*)(int, mode_t))dlsym(RTLD_NEXT, "fchmod");

    return fails() ? -1 : real(fd, mode);
}

int
mkdir(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t) =
        (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");

    return fails() ? -1 : real(path, mode);
}

static char folder[64], place[96];

static custos_status
create(int at)
{
    custos_status st;

    calls = 0;
    fail_at = at;
    st = store_create(place, str_of("x"), NULL);
    fail_at = 0;
    return st;
}

static void
a_failed_making_leaves_nothing(void **state)
{
    struct store s;
    int at = 1;

    (void)state;
    for (; at < 1000; at++) {
        custos_status st = create(at);
        bool there = access(place, F_OK) == 0;

        if (st == CUSTOS_OK) {
            assert_true(at > 20);
            break;
        }
        assert_int_equal(st, CUSTOS_EIO);
        /*
         * The last step syncs the parent folder; if that fails, the store is
         * complete.
         */
        if (there)
            assert_int_equal(store_open(place, &s, NULL), CUSTOS_OK);
        tree_remove(place);
    }
    assert_true(at < 1000);
}

static void
a_failed_change_leaves_what_was(void **state)
{
    arena *a = arena_new(NULL, 1 << 24);
    struct store s, t;
    char policy[16], want[16];
    custos_status st = CUSTOS_EIO;
    str text;
    int at = 1;

    (void)state;
    assert_int_equal(store_open(place, &s, NULL), CUSTOS_OK);
    for (; at < 1000 && st; at++) {
        uint64_t before = s.version;

        snprintf(policy, sizeof policy, "v%d", at);
        calls = 0;
        fail_at = at;
        st = store_commit(&s, str_of(policy), (uint64_t)at, NULL);
        fail_at = 0;
        assert_int_equal(store_open(place, &t, NULL), CUSTOS_OK);
        assert_true(t.version == before || t.version == (uint64_t)at);
        if (st == CUSTOS_OK)
            assert_int_equal(t.version, at);
        assert_int_equal(store_policy(&t, a, &text, NULL), CUSTOS_OK);
        snprintf(want, sizeof want, "v%d", (int)t.version);
        if (t.version > 0)
            assert_true(str_equal(text, str_of(want)));
        store_close(&t);
        assert_int_equal(store_refresh(&s, NULL), CUSTOS_OK);
    }
    assert_true(at > 8);
    assert_true(at < 1000);
    store_close(&s);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_making_leaves_nothing),
        cmocka_unit_test(a_failed_change_leaves_what_was),
    };
    int bad;

    snprintf(folder, sizeof folder, "/tmp/custos-faults-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(place, sizeof place, "%s/store", folder);
    bad = cmocka_run_group_tests(tests, NULL, NULL);
    tree_remove(folder);
    return bad;
}
