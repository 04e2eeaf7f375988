/*
 * The ledger writer: many threads, one writer; each thread gets its own result,
 * after the commit.
 */
#include "curator/ledger_writer.h"

#include <pthread.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <time.h>

#include "ledger/helpers.h"
#include "num/ival.h"

enum { THREADS = 8, EACH = 40 };

struct shop {
    struct place place;
    struct ledger_writer *writer;
    atomic_int paid, refused, others;
};

static void
shop_open(struct shop *s, const char *budget)
{
    struct ledger_terms t = terms_of(budget, "0");
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    memset(s, 0, sizeof *s);
    place_make(&s->place);
    l = open_at(&s->place);
    set_terms(l, &t);
    ledger_close(l);
    assert_ok(
        ledger_writer_open(s->place.path, s->place.lock, &s->writer, &err),
        &err);
}

static void
shop_close(struct shop *s)
{
    ledger_writer_close(s->writer);
    place_remove(&s->place);
}

static custos_status
pay(struct shop *s, const char *epsilon, struct receipt *out)
{
    struct ledger_request r;
    struct charge c;

    request_of(&r, &c, "", epsilon, 5);
    return ledger_writer_charge(s->writer, &r, out, NULL);
}

/* The row is in the file for a process that opens it now. */
static void
assert_kept(const struct shop *s, const struct receipt *r)
{
    struct ledger *l = open_at(&s->place);
    struct ledger_row *row = NULL;
    arena *a = arena_new(NULL, 1 << 20);
    size_t n = 1;

    assert_int_equal(
        ledger_rows(l, r->seq, str_of(""), str_of(""), a, &row, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 1);
    assert_memory_equal(&row->receipt, r, sizeof *r);
    arena_free(a);
    ledger_close(l);
}

static void *
buy(void *arg)
{
    struct shop *s = arg;
    struct receipt r;

    for (int i = 0; i < EACH; i++) {
        custos_status st = pay(s, "0.01", &r);

        atomic_fetch_add(st == CUSTOS_OK       ? &s->paid
                         : st == CUSTOS_ESPENT ? &s->refused
                                               : &s->others,
                         1);
        if (!st && i % 8 == 0)
            assert_kept(s, &r);
    }
    ival_forget_caches();
    return NULL;
}

/*
 * Of 320 charges of 0.01 against a budget of 1, exactly 100 succeed, in any
 * order.
 */
static void
ledger_writer_many_threads_spend_exactly(void **state)
{
    pthread_t threads[THREADS];
    struct ledger *l;
    struct shop s;

    (void)state;
    shop_open(&s, "1");
    assert_int_equal(ledger_writer_start(s.writer, NULL), CUSTOS_OK);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, buy, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.paid, 100);
    assert_int_equal(s.refused, THREADS * EACH - 100);
    assert_int_equal(s.others, 0);
    l = open_at(&s.place);
    assert_balance(l, "", "1", "0");
    assert_verifies(l, NULL);
    ledger_close(l);
    shop_close(&s);
}

/*
 * While another process has the lock, nothing is committed and no call returns.
 */
static void *
buy_one(void *arg)
{
    struct shop *s = arg;
    struct receipt r;

    if (!pay(s, "0.01", &r))
        atomic_fetch_add(&s->paid, 1);
    ival_forget_caches();
    return NULL;
}

static void
ledger_writer_waits_for_the_commit(void **state)
{
    struct timespec moment = {0, 50000000};
    pthread_t threads[THREADS];
    struct shop s;
    int fd;

    (void)state;
    shop_open(&s, "1");
    assert_int_equal(ledger_writer_start(s.writer, NULL), CUSTOS_OK);
    fd = open(s.place.lock, O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, buy_one, &s), 0);
    nanosleep(&moment, NULL);
    assert_int_equal(s.paid, 0);
    close(fd);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.paid, THREADS);
    shop_close(&s);
}

/*
 * If the ledger's file is damaged, every thread gets an error and none hangs.
 */
static void
ledger_writer_failure_is_told_to_all(void **state)
{
    pthread_t threads[THREADS];
    struct shop s;
    FILE *f;

    (void)state;
    shop_open(&s, "1");
    assert_int_equal(ledger_writer_start(s.writer, NULL), CUSTOS_OK);
    f = fopen(s.place.path, "r+");
    assert_non_null(f);
    for (int i = 0; i < 1 << 16; i++)
        fputc('x', f);
    fclose(f);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, buy_one, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.paid, 0);
    shop_close(&s);
}

static void
check_kept(struct shop *s)
{
    const struct ledger_retention all = {0};
    struct receipt r, back;
    uint8_t key[32] = {9};
    struct ledger *l;
    arena *a = arena_new(NULL, 1 << 20);
    str answer;

    assert_int_equal(pay(s, "0.01", &r), CUSTOS_OK);
    assert_int_equal(
        ledger_writer_store(s->writer, key, &r, str_of("42"), &all, NULL),
        CUSTOS_OK);
    ledger_writer_settle(s->writer, key);
    l = open_at(&s->place);
    assert_int_equal(ledger_answer_find(l, key, a, &answer, &back, NULL),
                     CUSTOS_OK);
    assert_true(str_equal(answer, str_of("42")));
    ledger_close(l);
    arena_free(a);
}

/*
 * A reader waits for an answer that is being written. Without a writer thread
 * the answer is there at once.
 */
static void
ledger_writer_settles_answers(void **state)
{
    struct shop s;

    (void)state;
    shop_open(&s, "1");
    check_kept(&s);
    shop_close(&s);
    shop_open(&s, "1");
    assert_int_equal(ledger_writer_start(s.writer, NULL), CUSTOS_OK);
    check_kept(&s);
    shop_close(&s);
}

/*
 * Rows that count cached answers, by analyst: the number of each charge and how
 * often its answer was given again.
 */
static void
ledger_writer_counts_what_is_given_again(void **state)
{
    arena *a = arena_new(NULL, 1 << 22);
    struct ledger_row *rows = NULL;
    struct ledger *l;
    struct shop s;
    size_t n = 100;

    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        shop_open(&s, "1");
        if (threads)
            assert_int_equal(ledger_writer_start(s.writer, NULL), CUSTOS_OK);
        for (int i = 0; i < 5; i++)
            ledger_writer_count_cached(s.writer, str_of("bob"), 7, 10 + i);
        ledger_writer_count_cached(s.writer, str_of("ann"), 9, 4);
        ledger_writer_count_cached(s.writer, str_of("bob"), 3, 4);
        for (uint64_t i = 0; i < 600; i++) /* more than fit in a batch */
            ledger_writer_count_cached(s.writer, str_of("cem"), i, 2);
        ledger_writer_close(s.writer);
        l = open_at(&s.place);
        n = 100;
        assert_int_equal(
            ledger_rows(l, 3, str_of(""), str_of(""), a, &rows, &n, NULL),
            CUSTOS_OK);
        assert_true(n >= 4);
        for (size_t i = 0; i < n; i++)
            assert_true(str_equal(rows[i].kind, str_of("given again")));
        assert_true(str_equal(rows[0].who, str_of("ann")));
        assert_true(str_equal(rows[0].words, str_of("9:1")));
        assert_true(str_equal(rows[1].who, str_of("bob")));
        assert_true(str_equal(rows[1].words, str_of("3:1 7:5")));
        assert_int_equal(rows[1].time, 14);
        assert_verifies(l, NULL);
        ledger_close(l);
        place_remove(&s.place);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_writer_many_threads_spend_exactly),
        cmocka_unit_test(ledger_writer_waits_for_the_commit),
        cmocka_unit_test(ledger_writer_failure_is_told_to_all),
        cmocka_unit_test(ledger_writer_settles_answers),
        cmocka_unit_test(ledger_writer_counts_what_is_given_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
