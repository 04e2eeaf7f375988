/*
 * Worker processes with a real store: this process acts as the server, and the
 * workers are processes of the built command ($CUSTOS). For a worker that sends
 * false replies, the program is this test itself (see main).
 */
#include "support/said.h"
#include "worker/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/support.h"

#include "base/error.h"
#include "curator/answer.h"
#include "support/hospital.h"
#include "worker/confine.h"
#include "worker/main.h"
#include "worker/remote.h"

enum { SECOND_US = 1000000 };

#ifndef __has_feature /* clang's */
#define __has_feature(x) 0
#endif

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1, min_epsilon: 0, min_rho: 0}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    max_rows: 100\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "  places:\n    public: true\n    source: places.csv\n"
    "    columns: {name: {type: text}}\n"
    "analysts:\n  ann: {}\n";

static struct test_store files;
static struct curator *curator;
static struct pool *pool;
static struct remote *remote;
static struct work_snapshot of;

static int64_t
steady_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND_US + t.tv_nsec / 1000;
}

static void
open_pool(const char *command, size_t spare)
{
    struct pool_options o = {
        .command = command,
        .store = files.store,
        .of = of,
        .workers = {[POOL_PRIVATE] = 1,
                    [POOL_LONG] = 1,
                    [POOL_UNTIMED] = 1,
                    [POOL_FREE] = 1},
        .spare = {[POOL_PRIVATE] = spare},
        .memory_bytes = (uint64_t)512 << 20,
        .now_us = steady_us,
    };
    custos_err err = CUSTOS_ERR_INIT;

    if (pool_new(&o, &pool, &err) || remote_new(pool, &remote, &err))
        fail_msg("%s", err.said);
}

static int
begin(void **state)
{
    (void)state;
    test_store_write(&files, policy, "people.csv", "age\n1\n2\n3\n",
                     "places.csv", "name\nRome\n", NULL);
    test_store_init(&files);
    curator = test_open(&files);
    of = curator_snapshot(curator);
    open_pool(getenv("CUSTOS"), 0);
    curator_use(curator, remote_executor(remote));
    return 0;
}

static void
close_pool(void)
{
    remote_free(remote);
    pool_free(pool);
}

static int
end(void **state)
{
    char path[256];
    struct dirent *e;
    DIR *d;

    (void)state;
    curator_close(curator);
    close_pool();
    /* workers leave nothing behind, however they ended */
    snprintf(path, sizeof path, "%s/tmp", files.store);
    d = opendir(path);
    assert_non_null(d);
    while ((e = readdir(d)))
        assert_int_not_equal(strncmp(e->d_name, "spill-", 6), 0);
    closedir(d);
#if !__has_feature(thread_sanitizer) /* its runtime has a child process */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombies */
#endif
    test_store_remove(&files);
    return 0;
}

/* ------------------------------------------------------------- answering -- */

static void
a_worker_answers_what_was_charged(void **state)
{
    struct answer *a =
        test_ask(curator, "ann", "SELECT count(*) FROM people", "1");
    char text[64];

    (void)state;
    assert_true(test_whole(a, 0, 0) > -40 && test_whole(a, 0, 0) < 40);
    assert_true(a->receipt.seq > 0 && !a->is_public && !a->stored);
    assert_string_equal(test_left(curator, "", text), "9");
    answer_free(a);
    /* cached in this process: no worker is asked */
    a = test_ask(curator, "ann", "SELECT count(*) FROM people", "1");
    assert_true(a->stored);
    answer_free(a);
    a = test_ask(curator, "ann", "SELECT name FROM places", "");
    assert_true(a->is_public);
    assert_true(str_equal(a->cells[0].value.text, str_of("Rome")));
    answer_free(a);
}

/* Sends a question directly to a worker. */
static custos_status
send_work(struct work *w, const char *sql, enum work_end *end, custos_err *err)
{
    struct ask ask = {.who = str_of("ann"), .sql = str_of(sql), .now = 1};
    const struct executor *by = remote_executor(remote);
    struct answer *answer = NULL;
    const struct ask *before = w->ask;
    custos_status st;

    if (before)
        ask.stop = before->stop;
    w->ask = &ask;
    w->of = of;
    st = by->run(by->ctx, w, &answer, end, err);
    w->ask = before;
    answer_free(answer);
    return st;
}

static void
another_plan_is_refused(void **state)
{
    struct work w = {.digest = {1}};
    enum work_end end = WORK_DONE;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(send_work(&w, "SELECT count(*) FROM people", &end, &err),
                     CUSTOS_EENGINE);
    assert_int_equal(end, WORK_LOST);
    assert_string_equal(whole_said(&err), custos_status_words(CUSTOS_EENGINE));
}

/* ---------------------------------------------------------------- ending -- */

/* The worker of a lane that has only one. */
static pid_t
worker_of(enum pool_lane lane)
{
    struct process *p =
        pool_take(pool, lane, &of, steady_us() + 30 * SECOND_US, NULL);
    pid_t pid;

    assert_non_null(p);
    pid = p->pid;
    pool_give(pool, p);
    return pid;
}

/* Kills an idle worker from outside, and waits until the pool has reaped it. */
static void
kill_idle_worker(enum pool_lane lane)
{
    pid_t pid = worker_of(lane);

    kill(pid, SIGKILL);
    while (!kill(pid, 0))
        usleep(1000);
}

static void
a_killed_worker_costs_one_question(void **state)
{
    pid_t pids[POOL_LANES];

    (void)state;
    for (int lane = 0; lane < POOL_LANES; lane++)
        pids[lane] = worker_of((enum pool_lane)lane);
    for (int i = 0; i < 5; i++) {
        pid_t before = worker_of(POOL_PRIVATE);
        char sql[64];
        struct answer *a;

        kill_idle_worker(POOL_PRIVATE);
        pids[POOL_PRIVATE] = worker_of(POOL_PRIVATE);
        assert_int_not_equal(pids[POOL_PRIVATE], before);
        snprintf(sql, sizeof sql, "SELECT count(*) + %d FROM people", i);
        a = test_ask(curator, "ann", sql, "0.01"); /* by the new worker */
        answer_free(a);
        /* each killed worker is replaced once, and the others stay */
        for (int lane = 0; lane < POOL_LANES; lane++)
            assert_int_equal(worker_of((enum pool_lane)lane), pids[lane]);
    }
}

/*
 * A worker that is stopped by SIGSTOP does no work, and is killed when its time
 * is up.
 */
static void
work_ends_at_its_time(void **state)
{
    struct work w = {.until_us = steady_us() + SECOND_US / 5};
    pid_t pid = worker_of(POOL_PRIVATE);
    enum work_end end = WORK_DONE;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    kill(pid, SIGSTOP);
    assert_int_equal(send_work(&w, "SELECT count(*) FROM people", &end, &err),
                     CUSTOS_EENGINE);
    assert_int_equal(end, WORK_OVERRUN);
    assert_true(steady_us() >= w.until_us);
    assert_string_equal(whole_said(&err), custos_status_words(CUSTOS_EENGINE));
    while (!kill(pid, 0)) /* until it is reaped */
        usleep(1000);
}

/*
 * Work that is late is not begun: its worker would be killed in the middle, and
 * other questions would lack a worker.
 */
static void
work_that_is_late_is_not_begun(void **state)
{
    struct work w = {.begin_us = steady_us() - 1,
                     .until_us = steady_us() + SECOND_US};
    pid_t before = worker_of(POOL_PRIVATE);
    enum work_end end = WORK_DONE;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(send_work(&w, "SELECT count(*) FROM people", &end, &err),
                     CUSTOS_EENGINE);
    assert_int_equal(end, WORK_DELAYED);
    assert_string_equal(whole_said(&err), custos_status_words(CUSTOS_EENGINE));
    assert_int_equal(worker_of(POOL_PRIVATE), before);
}

static atomic_int stop;

static void *
stop_soon(void *ctx)
{
    usleep(*(const unsigned *)ctx);
    atomic_store(&stop, ASK_CANCELLED);
    return NULL;
}

static void
a_stop_is_never_lost(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        const struct ask with_stop = {.stop = &stop};
        struct work w = {.ask = &with_stop,
                         .time = WORK_LONG,
                         .until_us = steady_us() + 30 * SECOND_US};
        unsigned wait = i * i * 10;
        enum work_end end = WORK_DONE;
        pthread_t thread;
        custos_err err = CUSTOS_ERR_INIT;

        atomic_store(&stop, ASK_GOES_ON);
        kill(worker_of(POOL_LONG), SIGSTOP);
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &wait), 0);
        assert_int_equal(
            send_work(&w, "SELECT count(*) FROM people", &end, &err),
            CUSTOS_EENGINE);
        assert_int_equal(end, WORK_STOPPED);
        pthread_join(thread, NULL);
        /*
         * if the work was not begun, the worker is still stopped by SIGSTOP:
         * replace it
         */
        kill_idle_worker(POOL_LONG);
    }
}

/*
 * A stop does not kill the worker of short work: others would have to wait for
 * a new one.
 */
static void
a_stop_leaves_short_work_its_worker(void **state)
{
    pid_t before = worker_of(POOL_PRIVATE);

    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        const struct ask with_stop = {.stop = &stop};
        struct work w = {.ask = &with_stop,
                         .until_us = steady_us() + 30 * SECOND_US};
        unsigned wait = i * 50;
        enum work_end end = WORK_FAILED;
        pthread_t thread;
        custos_err err = CUSTOS_ERR_INIT;

        atomic_store(&stop, i == 0 ? ASK_CANCELLED : ASK_GOES_ON);
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &wait), 0);
        (void)!send_work(&w, "SELECT count(*) FROM people", &end, &err);
        /* WORK_LOST if it was not stopped in time, because w has no digest */
        assert_true(end == WORK_STOPPED || end == WORK_LOST);
        pthread_join(thread, NULL);
    }
    assert_int_equal(worker_of(POOL_PRIVATE), before);
}

/* --------------------------------------------------------- false replies -- */

/* Runs as a worker process: says READY, then sends an invalid answer. */
static int
lie(void)
{
    const struct channel to = {.fd = WORKER_FD, .now_us = steady_us};
    arena *a = arena_new(NULL, 1 << 24);
    enum message_kind kind;
    struct buf b;
    str bytes;

    message_begin(&b, 64);
    if (!a || channel_receive(&to, 0, MESSAGE_MAX_ASKED, a, &kind, &bytes) ||
        channel_send(&to, MESSAGE_READY, &b, 0))
        return 1;
    buf_add(&b, "what?", 5);
    if (channel_receive(&to, 0, MESSAGE_MAX_ASKED, a, &kind, &bytes) ||
        channel_send(&to, MESSAGE_ANSWER, &b, 0))
        return 1;
    pause();
    return 0;
}

static void
a_worker_that_lies_is_ended(void **state)
{
    struct work w = {.until_us = 0};
    enum work_end end = WORK_DONE;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    close_pool();
    open_pool("/proc/self/exe", 0);
    assert_int_equal(send_work(&w, "SELECT count(*) FROM people", &end, &err),
                     CUSTOS_EENGINE);
    assert_int_equal(end, WORK_FAILED);
    close_pool();
    open_pool(getenv("CUSTOS"), 0);
    curator_use(curator, remote_executor(remote));
}

/* ---------------------------------------------------------------- new data -- */

/*
 * A question on new data is charged only when workers have opened that data;
 * otherwise it would be charged and its reply would be too late.
 */
static void
a_question_on_new_data_waits_for_workers_first(void **state)
{
    struct work_snapshot newer;
    struct process *old, *fresh;
    struct answer *a;
    pid_t before;

    (void)state;
    close_pool();
    open_pool(getenv("CUSTOS"), 1);
    curator_use(curator, remote_executor(remote));
    for (int lane = 0; lane < POOL_LANES; lane++)
        worker_of((enum pool_lane)lane); /* all have started */
    assert_true(pool_await(pool, POOL_PRIVATE, &of, NULL));
    before = worker_of(POOL_PRIVATE);
    test_store_init(&files);
    a = test_ask(curator, "ann", "SELECT count(*) + 9 FROM people", "0.01");
    answer_free(a);
    newer = curator_snapshot(curator);
    assert_int_equal(newer.version, of.version + 1);
    assert_true(pool_await(pool, POOL_PRIVATE, &newer, NULL));
    fresh = pool_take(pool, POOL_PRIVATE, &newer, 0, NULL);
    assert_non_null(fresh);
    assert_int_not_equal(fresh->pid, before);
    pool_give(pool, fresh);
    /* a question that began on the old data gets a worker too */
    assert_true(pool_await(pool, POOL_PRIVATE, &of, NULL));
    old = pool_take(pool, POOL_PRIVATE, &of, 0, NULL);
    assert_non_null(old);
    pool_give(pool, old);
    of = newer;
}

/* --------------------------------------------------------------- confined -- */

/* Whether the kernel can restrict which files are written. */
static bool
has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/*
 * In a child: tries what a worker may not do, and to write in its own folder
 * (4), which it may; returns the number of the first attempt with the wrong
 * outcome, or 0.
 */
static int
reach_out(const char *spill, const char *outside)
{
    char inside[256];
    char *const argv[] = {"true", NULL};
    int fd;

    confine_system(spill);
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        return 1;
    if (fork() >= 0)
        return 2;
    execv("/bin/true", argv);
    if (errno != EPERM && errno != EACCES)
        return 3;
    snprintf(inside, sizeof inside, "%s/own", spill);
    fd = open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return 4;
    close(fd);
    unlink(inside);
    if (has_landlock() &&
        open(outside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
        return 5;
    return 0;
}

static void
a_worker_cannot_reach_out(void **state)
{
    char spill[128], outside[128];
    int status = -1;
    pid_t child;

    (void)state;
    snprintf(spill, sizeof spill, "%s/spill", files.folder);
    snprintf(outside, sizeof outside, "%s/outside", files.folder);
    assert_int_equal(mkdir(spill, 0700), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(reach_out(spill, outside));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_answers_what_was_charged),
        cmocka_unit_test(another_plan_is_refused),
        cmocka_unit_test(a_killed_worker_costs_one_question),
        cmocka_unit_test(work_ends_at_its_time),
        cmocka_unit_test(work_that_is_late_is_not_begun),
        cmocka_unit_test(a_stop_is_never_lost),
        cmocka_unit_test(a_stop_leaves_short_work_its_worker),
        cmocka_unit_test(a_worker_that_lies_is_ended),
        cmocka_unit_test(a_question_on_new_data_waits_for_workers_first),
        cmocka_unit_test(a_worker_cannot_reach_out),
    };

    if (argc > 1 && !strcmp(argv[1], "worker"))
        return lie();
    return cmocka_run_group_tests(tests, begin, end);
}
