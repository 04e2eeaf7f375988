/*
 * The tripwire in the curator: a failure after the charge suspends, a stopped
 * query does not, and the marks that a crash leaves are counted.
 */
#include "curator/tripwire.h"

#include "base/error.h"
#include "base/json.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curator/answer.h"
#include "curator/crash.h"
#include "curator/opened.h"
#include "support/said.h"
#include "support/support.h"

static const char *const people = "id,age\n1,30\n2,40\n3,50\n";
static const char *const floors = "name,floor\nward,1\nsurgery,2\n";

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 10}\n"
    "query: {epsilon: 0.1, share_answers: true}\n"
    "tables:\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: id\n"
    "    max_rows: 100\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n"
    "analysts: {ana: {}, bo: {}, cy: {}}\n";

static const char COUNT[] = "SELECT count(*) FROM people";
static const char SUM[] = "SELECT sum(age) FROM people";

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", people, "floors.csv", floors,
                     NULL);
    open_store();
    return 0;
}

static char kept[1 << 22]; /* the undamaged data file */
static off_t kept_size;

static int
open_data(void)
{
    char path[128];
    struct stat is;
    int fd;

    snprintf(path, sizeof path, "%s/data/1.duckdb", files.store);
    fd = open(path, O_RDWR);
    assert_true(fd >= 0 && fstat(fd, &is) == 0);
    kept_size = is.st_size;
    assert_true((size_t)kept_size <= sizeof kept);
    return fd;
}

/* After this the engine fails on data that it has not read yet. */
static void
damage_the_data(void)
{
    int fd = open_data();

    assert_true(pread(fd, kept, (size_t)kept_size, 0) == kept_size);
    for (off_t at = 3 * 4096; at < kept_size; at += 512) {
        char zeros[512] = {0};

        assert_true(pwrite(fd, zeros, sizeof zeros, at) == sizeof zeros);
    }
    assert_int_equal(close(fd), 0);
}

static void
mend_the_data(void)
{
    int fd = open_data();

    assert_true(pwrite(fd, kept, (size_t)kept_size, 0) == kept_size);
    assert_int_equal(close(fd), 0);
    reopen();
}

struct late_stop {
    _Atomic int why;
    int stop;
};

/* Stops the query after the charge. (One stopped earlier is not charged.) */
static int64_t
stop_now(void *ctx, int64_t class_us)
{
    struct late_stop *late = ctx;

    (void)class_us;
    atomic_store(&late->why, late->stop);
    return 0;
}

static custos_status
ask(const char *who, const char *sql, int stop, custos_err *err)
{
    struct late_stop late = {.why = ASK_GOES_ON, .stop = stop};
    struct ask a = {.who = str_of(who),
                    .sql = str_of(sql),
                    .epsilon = str_of("0.01"),
                    .now = 1000,
                    .stop = &late.why,
                    .admit = stop_now,
                    .admit_ctx = &late};
    struct answer *answer = NULL;
    custos_status st = curator_answer(c, &a, &answer, err);

    answer_free(answer);
    return st;
}

static custos_status
asks(const char *who, const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;

    return ask(who, sql, ASK_GOES_ON, &err);
}

static uint64_t
failures_of(const char *who, uint64_t *overruns)
{
    struct ledger_tripwire t;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(ledger_tripwire(curator_ledger(c), str_of(who), &t, &err),
                     CUSTOS_OK);
    if (overruns)
        *overruns = t.overruns;
    return t.own_failures;
}

static void
resume(void)
{
    struct receipt r, head;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(
        ledger_resume(curator_ledger(c), str_of("a build"), 2000, &r, &err),
        CUSTOS_OK);
    assert_int_equal(ledger_verify(curator_ledger(c), &r, &head, &err),
                     CUSTOS_OK);
}

static void
a_failure_suspends_and_resume_lifts_it(void **state)
{
    uint64_t row, ignored;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(asks("ana", COUNT), CUSTOS_OK);
    assert_int_equal(curator_tripped(c, &ignored), TRIP_NONE);
    damage_the_data();
    assert_int_equal(asks("ana", SUM), CUSTOS_EENGINE);
    assert_int_equal(curator_tripped(c, &row), TRIP_FAILURE);
    assert_true(row > 0);
    assert_int_equal(failures_of("ana", NULL), 1);

    assert_int_equal(
        ask("ana", "SELECT count(*) + 1 FROM people", ASK_GOES_ON, &err),
        CUSTOS_EDENIED);
    assert_string_equal(whole_said(&err), LEDGER_SUSPENDED_SAID);
    assert_int_equal(curator_tripped(c, &ignored), TRIP_NONE);
    /* cached answers, EXPLAIN and public tables still work */
    mend_the_data();
    assert_int_equal(asks("ana", COUNT), CUSTOS_OK);
    assert_int_equal(asks("ana", "EXPLAIN SELECT sum(age) FROM people"),
                     CUSTOS_OK);
    assert_int_equal(asks("ana", "SELECT floor FROM floors"), CUSTOS_OK);
    /* another analyst's answer would still be a charge for ana */
    assert_int_equal(asks("bo", SUM), CUSTOS_OK);
    assert_int_equal(asks("ana", SUM), CUSTOS_EDENIED);
    resume();
    assert_int_equal(failures_of("ana", NULL), 0);
    assert_int_equal(asks("ana", SUM), CUSTOS_OK);
}

static void
three_failures_suspend_the_store(void **state)
{
    static const char *const who[] = {"ana", "bo", ""};
    struct curator_trips trips;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(asks("cy", COUNT), CUSTOS_OK);
    damage_the_data();
    for (size_t i = 0; i < COUNT_OF(who); i++)
        assert_int_equal(asks(who[i], SUM), CUSTOS_EENGINE);
    assert_int_equal(ask("cy", SUM, ASK_GOES_ON, &err), CUSTOS_EDENIED);
    assert_string_equal(whole_said(&err), LEDGER_SUSPENDED_SAID);
    assert_int_equal(asks("cy", COUNT), CUSTOS_OK);
    curator_trips(c, &trips);
    assert_int_equal(trips.failures, 3);
    assert_int_equal(trips.refusals, 1);
    assert_int_equal(trips.overruns, 0);
    mend_the_data();
    assert_int_equal(asks("cy", SUM), CUSTOS_EDENIED);
    resume();
    assert_int_equal(asks("cy", SUM), CUSTOS_OK);
}

static custos_status
await_nothing(void *ctx, const struct work *w, custos_err *err)
{
    (void)ctx;
    (void)w;
    (void)err;
    return CUSTOS_OK;
}

/* An executor whose work ends in the way ctx says. */
static custos_status
run_to_end(void *ctx, const struct work *w, struct answer **out,
           enum work_end *end, custos_err *err)
{
    (void)w;
    (void)out;
    *end = *(const enum work_end *)ctx;
    return custos_fail(err, CUSTOS_EENGINE, "%s",
                       custos_status_words(CUSTOS_EENGINE));
}

static void
a_cancel_does_not_count(void **state)
{
    enum work_end end = WORK_STOPPED;
    const struct executor by = {
        .ctx = &end, .await = await_nothing, .run = run_to_end};
    struct curator_trips trips;
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t row;

    (void)state;
    curator_use(c, &by);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ask("ana", SUM, ASK_CANCELLED, &err), CUSTOS_EENGINE);
        assert_int_equal(curator_tripped(c, &row), TRIP_NONE);
    }
    end = WORK_LOST; /* killed from outside */
    assert_int_equal(ask("ana", SUM, ASK_GOES_ON, &err), CUSTOS_EENGINE);
    assert_int_equal(curator_tripped(c, &row), TRIP_NONE);
    assert_int_equal(failures_of("ana", NULL), 0);
    end = WORK_DELAYED; /* by other work */
    assert_int_equal(ask("ana", SUM, ASK_GOES_ON, &err), CUSTOS_EENGINE);
    assert_int_equal(curator_tripped(c, &row), TRIP_NONE);
    curator_trips(c, &trips);
    assert_int_equal(trips.delayed, 1);
    end = WORK_OVERRUN;
    assert_int_equal(ask("ana", SUM, ASK_GOES_ON, &err), CUSTOS_EENGINE);
    assert_int_equal(curator_tripped(c, &row), TRIP_OVERRUN);
}

static void
report_into(struct buf *b)
{
    struct json j;

    buf_init(b, NULL, 4096);
    json_init(&j, b, JSON_ONE_LINE);
    json_begin(&j, NULL);
    tripwire_report(c, &j);
    json_end(&j);
}

/* How often work was tried, and how long after the first time it may end. */
struct tries {
    int n, delayed;
    int64_t until[3];
};

/* An executor whose first `delayed` tries do not begin in time. */
static custos_status
run_late(void *ctx, const struct work *w, struct answer **out,
         enum work_end *end, custos_err *err)
{
    struct tries *t = ctx;

    t->until[t->n] = w->until_us;
    if (t->n++ < t->delayed) {
        *end = WORK_DELAYED;
        return custos_fail(err, CUSTOS_EENGINE, "%s",
                           custos_status_words(CUSTOS_EENGINE));
    }
    *end = WORK_DONE;
    return answer_new(1, out, err);
}

static int64_t
admit_at_1000(void *ctx, int64_t class_us)
{
    (void)ctx;
    (void)class_us;
    return 1000;
}

static int64_t
again_at_3000(void *ctx, int64_t class_us)
{
    (void)ctx;
    (void)class_us;
    return 3000;
}

static custos_status
ask_late(struct tries *t, bool again)
{
    const struct executor by = {
        .ctx = t, .await = await_nothing, .run = run_late};
    struct ask a = {.who = str_of("ana"),
                    .sql = str_of(SUM),
                    .epsilon = str_of("0.01"),
                    .now = 1000,
                    .admit = admit_at_1000,
                    .again = again ? again_at_3000 : NULL};
    struct answer *answer = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    curator_use(c, &by);
    st = curator_answer(c, &a, &answer, &err);
    answer_free(answer);
    return st;
}

/* Work that could not begin has read nothing: it is tried once more, for a
   later reply, at the same charge. */
static void
a_delayed_question_is_tried_again(void **state)
{
    struct tries once = {.delayed = 1}, twice = {.delayed = 2},
                 never = {.delayed = 1};

    (void)state;
    assert_int_equal(ask_late(&once, true), CUSTOS_OK);
    assert_int_equal(once.n, 2);
    assert_int_equal(once.until[0], 1000);
    assert_int_equal(once.until[1], 3000);
    assert_int_equal(ask_late(&twice, true), CUSTOS_EENGINE);
    assert_int_equal(twice.n, 2);
    assert_int_equal(ask_late(&never, false), CUSTOS_EENGINE);
    assert_int_equal(never.n, 1);
}

/*
 * A failure counts even if the query was cancelled; otherwise an analyst who
 * hangs up in time could cause failures without limit.
 */
static void
a_failure_counts_though_it_is_cancelled(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t row;

    (void)state;
    damage_the_data();
    assert_int_equal(ask("ana", SUM, ASK_CANCELLED, &err), CUSTOS_EENGINE);
    assert_int_equal(curator_tripped(c, &row), TRIP_FAILURE);
    assert_int_equal(failures_of("ana", NULL), 1);
    assert_int_equal(ask("ana", SUM, ASK_CANCELLED, &err), CUSTOS_EDENIED);
    mend_the_data();
    resume();
}

/* An overrun counts even if the answer was ready a moment later. */
static void
overruns_have_a_count_of_their_own(void **state)
{
    uint64_t row, overruns;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(ask("ana", COUNT, ASK_OVERRUN, &err), CUSTOS_OK);
    assert_int_equal(curator_tripped(c, &row), TRIP_OVERRUN);
    assert_int_equal(failures_of("ana", &overruns), 0);
    assert_int_equal(overruns, 1);
    assert_int_equal(ask("ana", SUM, ASK_OVERRUN, &err), CUSTOS_OK);
    assert_int_equal(asks("ana", "SELECT sum(age) + 2 FROM people"),
                     CUSTOS_EDENIED);
    assert_int_equal(asks("bo", "SELECT sum(age) + 2 FROM people"), CUSTOS_OK);
    resume();
    assert_int_equal(asks("ana", "SELECT sum(age) + 3 FROM people"), CUSTOS_OK);
}

/* -------------------------------------------------------------- crashes -- */

enum death { BY_ABORT, BY_FAULT, BY_ANOTHER_THREAD, BY_SEGV_SENT, BY_KILL };

static void
fault(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

static void *
fault_thread(void *arg)
{
    fault();
    return arg;
}

/* Asks, begins the charged work, and dies or waits to be killed. */
static void
work_and_die(enum death how, int ready)
{
    struct answer *answer;
    pthread_t thread;
    int work;

    reopen();
    answer = test_ask(c, "ana", COUNT, "0.02");
    if (tripwire_claim(&work, NULL))
        _exit(1);
    tripwire_begin(c, &answer->receipt, work);
    if (write(ready, "x", 1) != 1)
        _exit(1);
    if (how == BY_ABORT)
        abort();
    if (how == BY_FAULT)
        fault();
    if (how == BY_ANOTHER_THREAD)
        (void)!pthread_create(&thread, NULL, fault_thread, NULL);
    for (;;)
        pause();
}

static void
die(enum death how)
{
    int fds[2], status = 0;
    pid_t child;
    char byte;

    curator_close(c); /* no engine thread may exist at fork */
    c = NULL;
    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        /* default signal handlers, as in a separate program */
        for (int i = 1; i < 32; i++)
            signal(i, SIG_DFL);
        work_and_die(how, fds[1]);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[0]);
    if (how == BY_SEGV_SENT || how == BY_KILL)
        assert_int_equal(kill(child, how == BY_KILL ? SIGKILL : SIGSEGV), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    reopen();
}

static void
a_crash_of_its_own_counts(void **state)
{
    static const enum death own[] = {BY_ABORT, BY_FAULT, BY_ANOTHER_THREAD};
    uint64_t row;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        die(own[i]);
        assert_int_equal(asks("ana", SUM), CUSTOS_EDENIED);
        assert_int_equal(failures_of("ana", NULL), 1);
        assert_int_equal(curator_crashes(c, &row), 1);
        assert_true(row > 0);
        assert_int_equal(curator_crashes(c, &row), 0);
        assert_int_equal(asks("ana", SUM), CUSTOS_EDENIED);
        assert_int_equal(failures_of("ana", NULL), 1); /* once */
        assert_int_equal(failures_of("bo", NULL), 0);
        resume();
    }
}

static void
a_kill_from_outside_does_not(void **state)
{
    (void)state;
    die(BY_SEGV_SENT);
    assert_int_equal(asks("ana", SUM), CUSTOS_OK);
    die(BY_KILL);
    assert_int_equal(asks("ana", "SELECT sum(age) + 2 FROM people"), CUSTOS_OK);
    assert_int_equal(failures_of("ana", NULL), 0);
}

/* Writes 2^64 + row: a reader that ignores overflow would read row. */
static void
write_wrapped(uint64_t row, char out[32])
{
    const u128 two_64 = (u128)1 << 64;
    u128 n = two_64 + row;
    size_t at = 31;

    out[at] = '\0';
    for (; n; n /= 10)
        out[--at] = (char)('0' + (int)(n % 10));
    memmove(out, out + at, 32 - at);
}

static off_t
append_marks(const char *marks, size_t len)
{
    char path[128];
    off_t size;
    int fd;

    snprintf(path, sizeof path, "%s/crashes", files.store);
    fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, marks, len), len);
    size = lseek(fd, 0, SEEK_END);
    close(fd);
    return size;
}

/* Does what `custos owner resume` does. */
static void
resume_with_marks(size_t unreadable)
{
    struct tripwire_tally found;
    char path[128];
    custos_err err = CUSTOS_ERR_INIT;
    int fd;

    snprintf(path, sizeof path, "%s/crashes", files.store);
    fd = crash_open(path);
    assert_true(fd >= 0);
    assert_int_equal(tripwire_take_up(curator_ledger(c), fd, 1000, TAKE_UP_ALL,
                                      &found, &err),
                     CUSTOS_OK);
    assert_int_equal(found.unreadable, unreadable);
    close(fd);
    resume();
}

/* Asks a new question, so that no cached answer exists. */
static custos_status
asks_anew(const char *who)
{
    static int n;
    char sql[64];

    snprintf(sql, sizeof sql, "SELECT count(*) + %d FROM people", ++n);
    return asks(who, sql);
}

static void
suspends_all(const char *marks, size_t len)
{
    struct curator_trips trips;
    struct buf b;

    append_marks(marks, len);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(asks_anew("bo"), CUSTOS_EDENIED);
        reopen(); /* a restart does not lift it */
    }
    assert_int_equal(asks_anew("cy"), CUSTOS_EDENIED);
    curator_trips(c, &trips);
    assert_int_equal(trips.failures, 0);
    report_into(&b);
    assert_non_null(strstr(buf_text(&b), "\"all_suspended\":true"));
    buf_clear(&b);
    resume_with_marks(1);
    assert_int_equal(asks_anew("bo"), CUSTOS_OK);
}

/* A query crashed, and the mark does not say whose. */
static void
a_mark_of_nobody_suspends_all(void **state)
{
    struct answer *answer = test_ask(c, "ana", SUM, "0.02");
    uint64_t row = answer->receipt.seq;
    char wrapped[32], line[40], plus[40], cut[40];

    (void)state;
    answer_free(answer);
    write_wrapped(row, wrapped);
    snprintf(line, sizeof line, "%s\n", wrapped);
    snprintf(plus, sizeof plus, "+%" PRIu64 "\n", row);
    snprintf(cut, sizeof cut, "%" PRIu64, row); /* a truncated write */
    suspends_all("1\n", 2);                     /* a row, but no charge */
    suspends_all("999999\n", 7);
    suspends_all("xx\n", 3);
    suspends_all("\0\0\n", 3);
    suspends_all(line, strlen(line));
    suspends_all(plus, strlen(plus));
    suspends_all(cut, strlen(cut));
    append_marks("\n\n", 2); /* counted marks become empty lines */
    assert_int_equal(asks_anew("bo"), CUSTOS_OK);
}

/* A mark without its end is not erased; when the rest is written, it counts. */
static void
a_mark_that_is_being_written_is_kept(void **state)
{
    struct answer *answer = test_ask(c, "ana", SUM, "0.02");
    char mark[40];
    int len = snprintf(mark, sizeof mark, "%" PRIu64, answer->receipt.seq);

    (void)state;
    answer_free(answer);
    append_marks(mark, (size_t)len);
    assert_int_equal(asks("bo", COUNT), CUSTOS_EDENIED);
    assert_int_equal(failures_of("ana", NULL), 0);
    append_marks("\n", 1);
    assert_int_equal(asks("bo", COUNT), CUSTOS_OK);
    assert_int_equal(failures_of("ana", NULL), 1);
}

/*
 * A signal handler writes without a lock: marks written after the file was read
 * are kept.
 */
static void
a_mark_after_the_reading_is_kept(void **state)
{
    struct crash_marks marks;
    char path[128];
    arena *a = arena_new(NULL, (size_t)1 << 20);
    custos_err err = CUSTOS_ERR_INIT;
    int fd;

    (void)state;
    append_marks("12\n\n345\n", 8);
    snprintf(path, sizeof path, "%s/crashes", files.store);
    fd = crash_open(path);
    assert_int_equal(crash_read(fd, a, &marks, &err), CUSTOS_OK);
    assert_int_equal(marks.n, 2);
    assert_int_equal(marks.list[1].seq, 345);
    marks.list[0].taken_up = marks.list[1].taken_up = true;
    append_marks("6\n", 2);
    assert_int_equal(crash_forget(fd, &marks, &err), CUSTOS_OK);
    assert_int_equal(crash_size(fd), 10);
    assert_int_equal(crash_read(fd, a, &marks, &err), CUSTOS_OK);
    assert_int_equal(marks.n, 1);
    assert_true(marks.list[0].readable && marks.list[0].seq == 6);
    marks.list[0].taken_up = true;
    assert_int_equal(crash_forget(fd, &marks, &err), CUSTOS_OK);
    close(fd);
    arena_free(a);
}

/* Without a free slot for its mark, a question is not charged. */
static void
without_a_place_nothing_is_charged(void **state)
{
    enum { PLACES = 1024 };
    static int works[PLACES];
    custos_err err = CUSTOS_ERR_INIT;
    int n = 0;

    (void)state;
    while (n < PLACES && (works[n] = crash_claim()) >= 0)
        n++;
    assert_int_equal(crash_claim(), -1);
    assert_int_equal(ask("ana", COUNT, ASK_GOES_ON, &err), CUSTOS_EBUSY);
    while (n > 0)
        crash_end(works[--n]);
    assert_int_equal(asks("ana", COUNT), CUSTOS_OK);
    assert_int_equal(failures_of("ana", NULL), 0);
}

/*
 * If the failure cannot be written to the ledger, this process charges nobody
 * any more.
 */
static void
a_failure_without_a_row_suspends_all(void **state)
{
    struct answer *answer = test_ask(c, "ana", COUNT, "0.02");
    struct ask asked = {.who = str_of("ana"), .now = 1000};
    struct rlimit was, none;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    none = was;
    none.rlim_cur = 1;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    tripwire_after(c, &asked, &answer->receipt, -1, WORK_FAILED,
                   CUSTOS_EENGINE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(failures_of("ana", NULL), 0);
    assert_int_equal(ask("bo", SUM, ASK_GOES_ON, &err), CUSTOS_EDENIED);
    assert_string_equal(whole_said(&err), LEDGER_SUSPENDED_SAID);
    assert_int_equal(asks("ana", SUM), CUSTOS_EDENIED);
    answer_free(answer);
    report_into(&b);
    assert_non_null(strstr(buf_text(&b), "\"all_suspended\":true"));
    buf_clear(&b);
}

/* The status report names those who are suspended. */
static void
the_owner_is_told(void **state)
{
    struct buf b;

    (void)state;
    damage_the_data();
    assert_int_equal(asks("", SUM), CUSTOS_EENGINE);
    assert_int_equal(asks("ana", SUM), CUSTOS_EENGINE);
    report_into(&b);
    assert_string_equal(buf_text(&b),
                        "{\"failures_since_resume\":2,\"all_suspended\":false,"
                        "\"suspended\":\"owner, ana\"}\n");
    buf_clear(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failure_suspends_and_resume_lifts_it),
        TEST(three_failures_suspend_the_store),
        TEST(a_cancel_does_not_count),
        TEST(a_delayed_question_is_tried_again),
        TEST(a_failure_counts_though_it_is_cancelled),
        TEST(overruns_have_a_count_of_their_own),
        TEST(a_crash_of_its_own_counts),
        TEST(a_kill_from_outside_does_not),
        TEST(a_mark_of_nobody_suspends_all),
        TEST(a_mark_that_is_being_written_is_kept),
        TEST(a_mark_after_the_reading_is_kept),
        TEST(without_a_place_nothing_is_charged),
        TEST(a_failure_without_a_row_suspends_all),
        TEST(the_owner_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
