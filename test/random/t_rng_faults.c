/*
 * The generator when the system fails: getrandom fails, is interrupted or
 * returns few bytes; madvise cannot wipe on fork; libsodium or memory is not
 * available. The functions below replace the system's.
 */
#include "random/rng.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/base.h"
#include "random/entropy.h"

/* ---------------------------------------------- the system's functions -- */

static size_t calls_until_failure = SIZE_MAX;
static bool fail_sodium, no_wipe_on_fork, interrupted;
static size_t most_bytes = SIZE_MAX;

ssize_t
getrandom(void *p, size_t bytes, unsigned flags)
{
    if (calls_until_failure == 0) {
        errno = ENOSYS;
        return -1;
    }
    calls_until_failure -= calls_until_failure != SIZE_MAX;
    interrupted = !interrupted;
    if (interrupted) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_getrandom, p, bytes < most_bytes ? bytes : most_bytes,
                   flags);
}

int
madvise(void *p, size_t bytes, int advice)
{
    if (no_wipe_on_fork && advice == MADV_WIPEONFORK) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, p, bytes, advice);
}

int
sodium_init(void)
{
    return fail_sodium ? -1 : 0;
}

static int
be_helpful(void **state)
{
    (void)state;
    calls_until_failure = most_bytes = SIZE_MAX;
    fail_sodium = no_wipe_on_fork = interrupted = false;
    return 0;
}

static custos_rng *
make(void)
{
    custos_rng *rng = NULL;

    assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
    return rng;
}

/* -------------------------------------------------------------- tests -- */

/*
 * getrandom fails while the generator is made, in the first or second call, and
 * later, when the key is renewed.
 */
static void
entropy_failure_is_a_status(void **state)
{
    enum { PER_CALL = 1000 };
    uint64_t words[PER_CALL];
    custos_rng *rng = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    size_t calls = 0;

    (void)state;
    for (size_t n = 0; n < 2; n++) { /* n = 1: after an interrupted call */
        calls_until_failure = n;
        assert_int_equal(custos_rng_new(&rng, &err), CUSTOS_EENTROPY);
        assert_int_equal(err.code, CUSTOS_EENTROPY);
        assert_null(rng);
    }
    be_helpful(NULL);
    rng = make();
    calls_until_failure = 0;
    for (; !st && calls < 1000; calls++) {
        memset(words, 0x55, sizeof words);
        st = rng_words(rng, words, PER_CALL);
    }
    /* 256 blocks of 508 words for each key */
    assert_int_equal(st, CUSTOS_EENTROPY);
    assert_in_range(calls, 120, 140);
    for (size_t i = 0; i < PER_CALL; i++)
        assert_int_equal(words[i], 0); /* also the words before the failure */
    assert_int_equal(rng_words(rng, words, 1), CUSTOS_EENTROPY);
    assert_int_equal(words[0], 0);
    be_helpful(NULL);
    assert_int_equal(rng_words(rng, words, 1), CUSTOS_OK); /* it recovers */
    assert_true(words[0] != 0);
    custos_rng_free(rng);
}

/* A child that cannot get a new key draws nothing at all. */
static void
child_without_entropy_draws_nothing(void **state)
{
    (void)state;
    for (int fallback = 0; fallback < 2; fallback++) {
        custos_rng *rng;
        uint64_t word = 1;
        pid_t child;
        int status;

        no_wipe_on_fork = fallback;
        rng = make();
        assert_int_equal(rng_words(rng, &word, 1), CUSTOS_OK);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            calls_until_failure = 0;
            _exit(rng_words(rng, &word, 1) == CUSTOS_EENTROPY && word == 0 ? 7
                                                                           : 8);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        custos_rng_free(rng);
    }
}

/* Every byte is filled in spite of short reads and interruptions. */
static void
short_counts_are_completed(void **state)
{
    unsigned char got[256];
    size_t zeros = 0;

    (void)state;
    memset(got, 0, sizeof got);
    most_bytes = 3;
    assert_int_equal(entropy_fill(got, sizeof got), CUSTOS_OK);
    for (size_t i = 0; i < sizeof got; i++)
        zeros += got[i] == 0;
    assert_true(zeros < 20); /* 1 expected; 20 have probability 1e-19 */
    calls_until_failure = 5;
    assert_int_equal(entropy_fill(got, sizeof got), CUSTOS_EENTROPY);
}

static void
missing_sodium_is_a_status(void **state)
{
    custos_rng *rng = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    fail_sodium = true;
    assert_int_equal(custos_rng_new(&rng, &err), CUSTOS_EENTROPY);
    assert_null(rng);
}

static void
missing_memory_is_a_status(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        custos_rng *rng = NULL;
        custos_status st;

        setrlimit(RLIMIT_AS, &none);
        st = custos_rng_new(&rng, NULL);
        /*
         * Where the limit is not enforced (valgrind) there is nothing to test.
         */
        _exit(st == CUSTOS_ENOMEM && !rng ? 7 : st == CUSTOS_OK && rng ? 6 : 8);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_in_range(WEXITSTATUS(status), getenv("CUSTOS_QUICK") ? 6 : 7, 7);
}

/* -------------------------------------------- no wiping on fork (pids) -- */

static void
children_are_told_by_their_pid(void **state)
{
    enum { CHILDREN = 50 };
    uint64_t *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    custos_rng *rng;

    (void)state;
    assert_true(words != MAP_FAILED);
    no_wipe_on_fork = true;
    rng = make();
    assert_int_equal(rng_words(rng, words + CHILDREN, 1), CUSTOS_OK);
    for (size_t i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0)
            _exit(rng_words(rng, words + i, 1) != CUSTOS_OK);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(rng_words(rng, words + CHILDREN, 1), CUSTOS_OK);
    for (size_t i = 0; i <= CHILDREN; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(words[i] != words[k]);
    custos_rng_free(rng);
    munmap(words, 4096);
}

static atomic_bool stop;

static void *
draw_on(void *p)
{
    uint64_t words[64];

    while (!atomic_load(&stop))
        if (rng_words(p, words, COUNT_OF(words)))
            break;
    return NULL;
}

/*
 * Forks while another thread draws and often holds the generator's lock. That
 * thread does not exist in the child, which must not wait for it; an alarm ends
 * a child that does.
 */
static void
held_generators_are_taken_over(void **state)
{
    const int forks = getenv("CUSTOS_QUICK") ? 10 : 200;

    (void)state;
    for (int fallback = 0; fallback < 2; fallback++) {
        pthread_t thread;
        custos_rng *rng;

        no_wipe_on_fork = fallback;
        rng = make();
        atomic_store(&stop, false);
        assert_int_equal(pthread_create(&thread, NULL, draw_on, rng), 0);
        for (int i = 0; i < forks; i++) {
            pid_t child = fork();
            int status;

            assert_true(child >= 0);
            if (child == 0) {
                uint64_t word;

                alarm(20);
                _exit(rng_words(rng, &word, 1) != CUSTOS_OK);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
        atomic_store(&stop, true);
        pthread_join(thread, NULL);
        custos_rng_free(rng);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(entropy_failure_is_a_status, be_helpful),
        cmocka_unit_test_setup(child_without_entropy_draws_nothing, be_helpful),
        cmocka_unit_test_setup(short_counts_are_completed, be_helpful),
        cmocka_unit_test_setup(missing_sodium_is_a_status, be_helpful),
        cmocka_unit_test_setup(missing_memory_is_a_status, be_helpful),
        cmocka_unit_test_setup(children_are_told_by_their_pid, be_helpful),
        cmocka_unit_test_setup(held_generators_are_taken_over, be_helpful),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
