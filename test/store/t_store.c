/*
 * The store as a folder: complete or absent, readable by its owner only, with
 * one pointer to what is in force.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/file.h"
#include "store/place.h"
#include "store/store.h"
#include "support/support.h"

static void
put(const struct place *p, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", p->path, name);
    assert_int_equal(file_write(path, str_of(text), NULL), CUSTOS_OK);
}

static mode_t
mode_of(const struct place *p, const char *name)
{
    char path[256];
    struct stat facts;

    snprintf(path, sizeof path, "%s/%s", p->path, name);
    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 0777;
}

static bool
is_there(const struct place *p, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", p->path, name);
    return access(path, F_OK) == 0;
}

static void
made_and_opened(void **state)
{
    struct place *p = *state;
    struct store s, t;
    arena *a = arena_new(NULL, 1 << 20);
    uint8_t zeros[STORE_SECRET_BYTES] = {0};
    str policy;

    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_ENAME);
    assert_int_equal(store_create(p->path, str_of("hello: 1\n"), &p->err),
                     CUSTOS_OK);
    assert_int_equal(store_create(p->path, str_of("x"), &p->err),
                     CUSTOS_EINVAL);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    assert_int_equal(s.version, 0);
    assert_memory_not_equal(s.secret, zeros, sizeof zeros);
    assert_int_equal(store_policy(&s, a, &policy, &p->err), CUSTOS_OK);
    assert_true(str_equal(policy, str_of("hello: 1\n")));
    assert_int_equal(store_open(p->path, &t, &p->err), CUSTOS_OK);
    assert_memory_equal(s.secret, t.secret, sizeof s.secret);
    store_close(&s);
    assert_memory_equal(s.secret, zeros, sizeof zeros);
    store_close(&t);
    arena_free(a);
}

/*
 * File modes do not depend on the umask, and a store that others can read is
 * rejected.
 */
static void
only_the_owner(void **state)
{
    static const char *const files[] = {"secret", "current", "format",
                                        "lock",   "import",  "policy/1.yaml"};
    static const char *const folders[] = {"", "data", "tmp", "policy"};
    struct place *p = *state;
    char path[256];
    struct store s;
    mode_t old;

    for (int k = 0; k < 2; k++) {
        old = umask(k ? 0077 : 0);
        assert_int_equal(store_create(p->path, str_of("x"), &p->err),
                         CUSTOS_OK);
        umask(old);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(mode_of(p, files[i]), 0600);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(mode_of(p, folders[i]), 0700);
        if (k == 0)
            tree_remove(p->path);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", p->path, i ? "secret" : "");
        assert_int_equal(chmod(path, i ? 0640 : 0750), 0);
        assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_EDENIED);
        assert_int_equal(chmod(path, i ? 0600 : 0700), 0);
    }
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    store_close(&s);
}

static void
damage_is_named(void **state)
{
    struct place *p = *state;
    struct store s;

    assert_int_equal(store_create(p->path, str_of("x"), &p->err), CUSTOS_OK);
    put(p, "format", "custos store 2\n");
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_EUNSUPPORTED);
    put(p, "format", "custos store 2 or so\n");
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_ECORRUPT);
    put(p, "format", "");
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_ECORRUPT);
    put(p, "format", "custos store 1\n");
    put(p, "current", "1");
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_ECORRUPT);
    put(p, "current", "0 1\n");
    put(p, "secret", "short");
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_ECORRUPT);
}

static void
one_pointer(void **state)
{
    struct place *p = *state;
    arena *a = arena_new(NULL, 1 << 20);
    struct store s, t;
    str policy;

    assert_int_equal(store_create(p->path, str_of("one"), &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &t, &p->err), CUSTOS_OK);
    put(p, "data/7.duckdb", "data");
    assert_int_equal(store_commit(&s, str_of("two"), 7, &p->err), CUSTOS_OK);
    /* A reader keeps what it opened until it refreshes. */
    assert_int_equal(store_policy(&t, a, &policy, &p->err), CUSTOS_OK);
    assert_true(str_equal(policy, str_of("one")));
    assert_int_equal(store_refresh(&t, &p->err), CUSTOS_OK);
    assert_int_equal(t.version, 7);
    assert_int_equal(store_policy(&t, a, &policy, &p->err), CUSTOS_OK);
    assert_true(str_equal(policy, str_of("two")));
    assert_int_equal(store_commit(&t, str_of("three"), 7, &p->err), CUSTOS_OK);
    assert_int_equal(store_refresh(&s, &p->err), CUSTOS_OK);
    assert_int_equal(s.version, 7);
    assert_int_equal(store_policy(&s, a, &policy, &p->err), CUSTOS_OK);
    assert_true(str_equal(policy, str_of("three")));
    store_close(&s);
    store_close(&t);
    arena_free(a);
}

static void
locks_exclude(void **state)
{
    struct place *p = *state;
    char lock[STORE_PATH_MAX];
    struct store s, t;
    int charging;

    assert_int_equal(store_create(p->path, str_of("x"), &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &t, &p->err), CUSTOS_OK);
    /* Imports have a separate lock, so that charges continue meanwhile. */
    store_path(&s, "lock", lock);
    charging = open(lock, O_RDWR | O_CLOEXEC);
    assert_true(charging >= 0);
    assert_int_equal(flock(charging, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(store_import_begin(&t, &p->err), CUSTOS_OK);
    assert_int_equal(store_import_begin(&s, &p->err), CUSTOS_EBUSY);
    assert_int_equal(store_commit(&s, str_of("y"), 1, &p->err), CUSTOS_EBUSY);
    /* an import that begins later sees what the other one committed */
    assert_int_equal(store_commit(&t, str_of("z"), 1, &p->err), CUSTOS_OK);
    store_close(&t);
    assert_int_equal(store_import_begin(&s, &p->err), CUSTOS_OK);
    assert_int_equal(s.version, 1);
    assert_int_equal(s.policy, 2);
    close(charging);
    store_close(&s);
}

static void
leftovers_go(void **state)
{
    struct place *p = *state;
    struct store s;
    char spill[STORE_PATH_MAX], gone[256];
    int held = -1;

    assert_int_equal(store_create(p->path, str_of("x"), &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    put(p, "data/3.duckdb", "in force");
    assert_int_equal(store_commit(&s, str_of("x"), 3, &p->err), CUSTOS_OK);
    put(p, "data/2.duckdb", "older");
    put(p, "data/4.duckdb", "never came into force");
    put(p, "tmp/import.duckdb", "half");
    assert_int_equal(store_spill_new(&s, spill, &held, &p->err), CUSTOS_OK);
    snprintf(gone, sizeof gone, "%s/tmp/spill-gone", p->path);
    assert_int_equal(folder_new(gone, &p->err), CUSTOS_OK);
    put(p, "tmp/spill-gone/held", "");
    assert_int_equal(store_import_begin(&s, &p->err), CUSTOS_OK);
    assert_true(is_there(p, "data/3.duckdb"));
    assert_false(is_there(p, "data/2.duckdb"));
    assert_false(is_there(p, "data/4.duckdb"));
    assert_false(is_there(p, "tmp/import.duckdb"));
    assert_false(is_there(p, "tmp/spill-gone"));
    assert_int_equal(access(spill, F_OK), 0); /* in use */
    store_spill_free(spill, held);
    assert_int_not_equal(access(spill, F_OK), 0);
    store_close(&s);
}

/* Imports run one after the other while queries make spill folders. */
static void
a_new_spill_folder_is_no_leftover(void **state)
{
    struct place *p = *state;
    int n = test_size(500, 3000), held = -1;
    char spill[STORE_PATH_MAX];
    struct store s;
    pid_t child;

    assert_int_equal(store_create(p->path, str_of("x"), &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    child = fork();
    assert_true(child >= 0);
    while (child == 0) {
        struct store t;

        if (store_open(p->path, &t, NULL) || store_import_begin(&t, NULL))
            _exit(1);
        store_close(&t);
    }
    for (int i = 0; i < n; i++) {
        assert_int_equal(store_spill_new(&s, spill, &held, &p->err), CUSTOS_OK);
        assert_int_equal(access(spill, F_OK), 0);
        store_spill_free(spill, held);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    store_close(&s);
}

static custos_status
copy_ledger(void *ctx, const char *path, custos_err *err)
{
    return ctx ? CUSTOS_EIO : file_write(path, str_of("ledger"), err);
}

static void
a_backup_is_a_store(void **state)
{
    struct place *p = *state;
    struct store s, t;
    arena *a = arena_new(NULL, 1 << 20);
    char copy[128], path[STORE_PATH_MAX];
    str text;

    snprintf(copy, sizeof copy, "%s/copy", p->folder);
    assert_int_equal(store_create(p->path, str_of("x"), &p->err), CUSTOS_OK);
    assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
    put(p, "data/1.duckdb", "data");
    assert_int_equal(store_commit(&s, str_of("y"), 1, &p->err), CUSTOS_OK);
    /* No backup without a ledger. */
    assert_int_equal(store_backup(&s, copy, copy_ledger, &s, &p->err),
                     CUSTOS_EIO);
    assert_int_equal(store_open(copy, &t, &p->err), CUSTOS_ENAME);
    assert_int_equal(store_backup(&s, copy, copy_ledger, NULL, &p->err),
                     CUSTOS_OK);
    assert_int_equal(store_backup(&s, copy, copy_ledger, NULL, &p->err),
                     CUSTOS_EIO);
    assert_int_equal(store_open(copy, &t, &p->err), CUSTOS_OK);
    assert_int_equal(t.version, 1);
    assert_memory_equal(t.secret, s.secret, sizeof s.secret);
    assert_int_equal(store_policy(&t, a, &text, &p->err), CUSTOS_OK);
    assert_true(str_equal(text, str_of("y")));
    store_data_path(&t, 1, path);
    assert_int_equal(file_read(path, 100, a, &text, &p->err), CUSTOS_OK);
    assert_true(str_equal(text, str_of("data")));
    store_path(&t, "ledger.db", path);
    assert_int_equal(file_read(path, 100, a, &text, &p->err), CUSTOS_OK);
    assert_true(str_equal(text, str_of("ledger")));
    store_close(&s);
    store_close(&t);
    arena_free(a);
}

/* A file in memory is in another file system, from which the kernel may refuse to
   copy by itself. */
static void
a_file_is_copied_from_elsewhere(void **state)
{
    enum { BYTES = 100000 };
    struct place *p = *state;
    arena *a = arena_new(NULL, 1 << 20);
    char from[64], to[256], bytes[BYTES];
    int fd = memfd_create("elsewhere", MFD_CLOEXEC);
    str copy;

    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * i % 251);
    assert_true(fd >= 0 && write(fd, bytes, BYTES) == BYTES);
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    snprintf(to, sizeof to, "%s.copy", p->path);
    assert_int_equal(file_copy(from, to, &p->err), CUSTOS_OK);
    assert_int_equal(file_read(to, BYTES, a, &copy, &p->err), CUSTOS_OK);
    assert_true(str_equal(copy, (str){bytes, BYTES}));
    assert_int_equal(file_copy(from, to, &p->err), CUSTOS_EIO);
    unlink(to);
    close(fd);
    arena_free(a);
}

/*
 * If a process is killed at any moment of a change, the store opens in the old
 * or the new state.
 */
static void
killed_at_any_moment(void **state)
{
    struct place *p = *state;
    arena *a = arena_new(NULL, 1 << 24);
    uint64_t last = 0;
    struct store s;
    str text;
    assert_int_equal(store_create(p->path, str_of("v0"), &p->err), CUSTOS_OK);
    for (int i = 0; i < test_size(10, 60); i++) {
        int status, said[2];
        pid_t child;
        char byte;

        assert_int_equal(pipe(said), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            char policy[16];

            if (store_open(p->path, &s, NULL))
                _exit(1);
            for (uint64_t v = s.version + 1;; v++) {
                snprintf(policy, sizeof policy, "v%d", (int)v);
                if (store_commit(&s, str_of(policy), v, NULL) ||
                    write(said[1], "", 1) != 1)
                    _exit(1);
            }
        }
        assert_int_equal(read(said[0], &byte, 1), 1);
        close(said[0]);
        close(said[1]);
        usleep((useconds_t)(i * 997 % 20000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(store_open(p->path, &s, &p->err), CUSTOS_OK);
        assert_int_equal(store_policy(&s, a, &text, &p->err), CUSTOS_OK);
        /* Policy and data changed together or not at all. */
        {
            char want[32];

            snprintf(want, sizeof want, "v%d", (int)s.version);
            assert_true(str_equal(text, str_of(want)));
        }
        assert_true(s.version > last);
        last = s.version;
        store_close(&s);
    }
    arena_free(a);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(made_and_opened),
        TEST(only_the_owner),
        TEST(damage_is_named),
        TEST(one_pointer),
        TEST(locks_exclude),
        TEST(leftovers_go),
        TEST(a_new_spill_folder_is_no_leftover),
        TEST(a_backup_is_a_store),
        TEST(a_file_is_copied_from_elsewhere),
        TEST(killed_at_any_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
