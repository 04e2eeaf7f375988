/*
 * Imports that are killed, run concurrently, or run out of disk space: the
 * version in force stays in force, and the store opens at once.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "made.h"
#include "support/said.h"

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"

static const char POLICY[] =
    HEAD "  p:\n    source: p.csv\n    unit: id\n"
         "    columns: {id: {type: integer}}\n"
         "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 2\n"
         "    columns:\n"
         "      who: {type: integer, references: p.id}\n"
         "      x: {type: integer, range: [0, 9]}\n";

static void
write_sources(struct made *m, int rows)
{
    char *text = calloc(1, (size_t)rows * 24 + 64);
    size_t len = (size_t)sprintf(text, "id\n");

    for (int i = 0; i < rows / 4; i++)
        len += (size_t)sprintf(text + len, "%d\n", i);
    made_file(m, "p.csv", text);
    len = (size_t)sprintf(text, "who,x\n");
    for (int i = 0; i < rows; i++)
        len += (size_t)sprintf(text + len, "%d,%d\n", i % (rows / 3), i % 13);
    made_file(m, "v.csv", text);
    free(text);
}

/* How many files are in a folder of the store. */
static size_t
names_in(const struct made *m, const char *folder)
{
    char command[256];
    size_t n = 0;
    FILE *f;

    snprintf(command, sizeof command, "ls -A %s/%s | wc -l", m->store_path,
             folder);
    f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu", &n), 1);
    pclose(f);
    return n;
}

static int64_t
now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static _Noreturn void
import_and_exit(struct made *m)
{
    struct store s;
    uint64_t version;

    if (store_open(m->store_path, &s, NULL))
        _exit(9);
    if (engine_import(&s, m->policy, m->folder, LOSS_PPM_ANY, NULL, NULL, m->a,
                      &m->tables, &version, &m->err))
        _exit(8);
    _exit(made_commit(&s, version, &m->err) ? 7 : 0);
}

static void
killed_imports_leave_the_old_version(void **state)
{
    struct made m;
    int64_t whole;
    int killed = 0;

    (void)state;
    made_folder(&m);
    write_sources(&m, 4000);
    made_policy(&m, POLICY);
    whole = now_us();
    assert_int_equal(made_import(&m), CUSTOS_OK);
    whole = now_us() - whole;
    for (int i = 0; i < test_size(4, 40); i++) {
        uint64_t before = m.store.version;
        pid_t child = fork();
        int status;

        if (child == 0)
            import_and_exit(&m);
        usleep((useconds_t)((int64_t)((uint64_t)i * 2654435761u % 1000) *
                            whole / 800));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status);
        assert_int_equal(store_refresh(&m.store, &m.err), CUSTOS_OK);
        assert_true(m.store.version == before || m.store.version == before + 1);
        made_open(&m);
        assert_string_equal(made_ask(&m, "SELECT count(*) FROM t1"), "3001");
        engine_close(m.engine);
        m.engine = NULL;
    }
    assert_true(killed > 0);
    /* The next import removes what they left. */
    assert_int_equal(made_import(&m), CUSTOS_OK);
    assert_int_equal(names_in(&m, "tmp"), 0);
    assert_true(names_in(&m, "data") <= 2);
    made_close(&m);
}

/* A reader continues during an import, on the version it opened. */
static void
readers_go_on(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_sources(&m, 400);
    made_ready(&m, POLICY);
    write_sources(&m, 800);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(made_import(&m), CUSTOS_OK);
        assert_string_equal(made_ask(&m, "SELECT count(*) FROM t1"), "301");
    }
    engine_close(m.engine);
    made_open(&m);
    assert_string_equal(made_ask(&m, "SELECT count(*) FROM t1"), "602");
    made_close(&m);
}

struct second {
    struct made *m;
    custos_status status;
    bool tried;
};

static void
try_second(void *ctx, uint64_t done, uint64_t total, const char *what)
{
    struct second *s = ctx;
    struct engine_import_table *tables;
    struct store other;
    uint64_t version;

    (void)done;
    (void)total;
    (void)what;
    if (s->tried)
        return;
    s->tried = true;
    assert_int_equal(store_open(s->m->store_path, &other, NULL), CUSTOS_OK);
    s->status =
        engine_import(&other, s->m->policy, s->m->folder, LOSS_PPM_ANY, NULL,
                      NULL, s->m->a, &tables, &version, &s->m->err);
    store_close(&other);
}

static void
second_import_is_refused(void **state)
{
    struct second s = {.tried = false};
    uint64_t version;
    struct made m;

    (void)state;
    made_folder(&m);
    write_sources(&m, 400);
    made_policy(&m, POLICY);
    s.m = &m;
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   try_second, &s, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_OK);
    assert_true(s.tried);
    assert_int_equal(s.status, CUSTOS_EBUSY);
    /* Nor is a second import possible before this one is in force. */
    s.tried = false;
    try_second(&s, 0, 0, "");
    assert_int_equal(s.status, CUSTOS_EBUSY);
    assert_int_equal(made_commit(&m.store, version, &m.err), CUSTOS_OK);
    made_open(&m);
    made_close(&m);
}

/* A full disk, simulated by a limit on file sizes. */
static void
full_disk_is_told(void **state)
{
    struct rlimit was, small = {200000, 200000};
    uint64_t version;
    struct made m;
    int status;
    pid_t child;

    (void)state;
    made_folder(&m);
    write_sources(&m, 400);
    made_policy(&m, POLICY);
    assert_int_equal(made_import(&m), CUSTOS_OK);
    write_sources(&m, 40000);
    child = fork();
    if (child == 0) {
        custos_status st;

        getrlimit(RLIMIT_FSIZE, &was);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        st = engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY, NULL,
                           NULL, m.a, &m.tables, &version, &m.err);
        if (st != CUSTOS_EIO || !strstr(whole_said(&m.err), "disk is full"))
            _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(store_refresh(&m.store, &m.err), CUSTOS_OK);
    assert_int_equal(m.store.version, 1);
    made_open(&m);
    assert_string_equal(made_ask(&m, "SELECT count(*) FROM t1"), "301");
    assert_int_equal(made_import(&m), CUSTOS_OK);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_imports_leave_the_old_version),
        cmocka_unit_test(readers_go_on),
        cmocka_unit_test(second_import_is_refused),
        cmocka_unit_test(full_disk_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
