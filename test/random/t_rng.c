/*
 * The generator of the product: forks, threads, erasure.
 */
#include "random/rng.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

struct pair {
    uint64_t word[2];
};

static int
compare_pairs(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct pair));
}

/* No pair of words (128 bits) occurs twice. */
static void
all_differ(struct pair *list, size_t n)
{
    qsort(list, n, sizeof *list, compare_pairs);
    for (size_t i = 1; i < n; i++)
        assert_memory_not_equal(&list[i - 1], &list[i], sizeof *list);
}

static custos_rng *
make(void)
{
    custos_err err = {.size = sizeof err, .code = CUSTOS_ETAKEN};
    custos_rng *rng = NULL;

    assert_int_equal(custos_rng_new(&rng, &err), CUSTOS_OK);
    assert_int_equal(err.code, CUSTOS_ETAKEN);
    return rng;
}

/*
 * 1000 children of one parent, forked in the middle of a block of words, and
 * the parent itself: none draws what another drew.
 */
static void
children_draw_their_own(void **state)
{
    const size_t children = getenv("CUSTOS_QUICK") ? 50 : 1000;
    struct pair *list =
        mmap(NULL, (children + 1) * sizeof *list, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    custos_rng *rng = make();

    (void)state;
    assert_true(list != MAP_FAILED);
    assert_int_equal(rng_words(rng, list[children].word, 2), CUSTOS_OK);
    for (size_t i = 0; i < children; i++) {
        pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0)
            _exit(rng_words(rng, list[i].word, 2) != CUSTOS_OK);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(rng_words(rng, list[children].word, 2), CUSTOS_OK);
    all_differ(list, children + 1);
    custos_rng_free(rng);
    munmap(list, (children + 1) * sizeof *list);
}

/*
 * A child of a child draws words of its own too, and its parents continue
 * undisturbed.
 */
static void
grandchildren_draw_their_own(void **state)
{
    struct pair *list = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    custos_rng *rng = make();
    pid_t child;
    int status;

    (void)state;
    assert_true(list != MAP_FAILED);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        custos_status st = rng_words(rng, list[0].word, 2);
        pid_t grandchild = fork();

        if (grandchild == 0)
            _exit(rng_words(rng, list[1].word, 2) != CUSTOS_OK);
        waitpid(grandchild, &status, 0);
        st |= rng_words(rng, list[2].word, 2);
        _exit(st != CUSTOS_OK || status != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(rng_words(rng, list[3].word, 2), CUSTOS_OK);
    all_differ(list, 4);
    custos_rng_free(rng);
    munmap(list, 4096);
}

/* ------------------------------------------------------------ threads -- */

enum { THREADS = 8, PAIRS = 20000 };

struct job {
    custos_rng *rng;
    struct pair *list;
    size_t pairs;
    custos_status status;
};

static void *
draw_pairs(void *p)
{
    struct job *job = p;

    for (size_t i = 0; i < job->pairs && !job->status; i += 1 + i % 3) {
        size_t n = 1 + i % 3;

        n = n < job->pairs - i ? n : job->pairs - i;
        job->status |= rng_words(job->rng, job->list[i].word, 2 * n);
    }
    return NULL;
}

/* One handle, many threads: each word goes to only one of them. */
static void
threads_never_share_words(void **state)
{
    const size_t pairs = getenv("CUSTOS_QUICK") ? 500 : PAIRS;
    struct pair *list = calloc(THREADS * pairs, sizeof *list);
    custos_rng *rng = make();
    pthread_t thread[THREADS];
    struct job job[THREADS];

    (void)state;
    assert_non_null(list);
    for (size_t i = 0; i < THREADS; i++) {
        job[i] = (struct job){rng, list + i * pairs, pairs, CUSTOS_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, draw_pairs, &job[i]),
                         0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(job[i].status, CUSTOS_OK);
    }
    all_differ(list, THREADS * pairs);
    custos_rng_free(rng);
    free(list);
}

/* Different handles draw different words too. */
static void
handles_draw_their_own(void **state)
{
    struct pair list[100];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        custos_rng *rng = make();

        assert_int_equal(rng_words(rng, list[i].word, 2), CUSTOS_OK);
        custos_rng_free(rng);
    }
    all_differ(list, COUNT_OF(list));
}

/* ------------------------------------------------------------ erasure -- */

enum { STATE_BYTES = 8192 };

/* Whether these 8 bytes occur anywhere in the handle's pages. */
static bool
state_holds(const unsigned char *pages, uint64_t word)
{
    for (size_t i = 0; i + sizeof word <= STATE_BYTES; i++)
        if (memcmp(pages + i, &word, sizeof word) == 0)
            return true;
    return false;
}

static void
used_words_are_erased(void **state)
{
    custos_rng *rng = make();
    uint64_t words[700];

    (void)state;
    for (size_t n = 1; n < COUNT_OF(words); n += 133) {
        assert_int_equal(rng_words(rng, words, n), CUSTOS_OK);
        for (size_t i = 0; i < n; i++)
            assert_false(state_holds((unsigned char *)rng, words[i]));
    }
    custos_rng_free(rng);
}

/*
 * Fast key erasure: once a block of words is used up and the next one made,
 * nothing of the old state is left from which the old words could be computed.
 */
static void
old_keys_are_erased(void **state)
{
    unsigned char *before = malloc(STATE_BYTES);
    custos_rng *rng = make();
    uint64_t words[600];
    size_t secrets = 0;

    (void)state;
    assert_non_null(before);
    assert_int_equal(rng_words(rng, words, 3), CUSTOS_OK);
    memcpy(before, rng, STATE_BYTES);
    assert_int_equal(rng_words(rng, words, COUNT_OF(words)), CUSTOS_OK);
    for (size_t i = 0; i < STATE_BYTES; i += sizeof(uint64_t)) {
        uint64_t old;

        memcpy(&old, before + i, sizeof old);
        if (old >> 32 == 0 || (uint32_t)old == 0)
            continue; /* a counter or a flag */
        secrets++;
        assert_false(state_holds((unsigned char *)rng, old));
    }
    assert_true(secrets > 500); /* the unused words, and the key */
    custos_rng_free(rng);
    free(before);
}

/* Across many blocks and new keys: no repetition, and bits are fair. */
static void
long_streams_do_not_repeat(void **state)
{
    enum { WORDS = 300000 };
    const size_t n = getenv("CUSTOS_QUICK") ? 30000 : WORDS;
    uint64_t *words = malloc(WORDS * sizeof *words);
    custos_rng *rng = make();
    double bits = 0;

    (void)state;
    assert_non_null(words);
    for (size_t i = 0; i < n; i += 1000)
        assert_int_equal(rng_words(rng, words + i, 1000), CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        bits += __builtin_popcountll(words[i]);
    /* 8 standard deviations of 64 n fair bits: false alarm below 1e-14. */
    assert_true((bits - 32.0 * (double)n) * (bits - 32.0 * (double)n) <
                64 * 16.0 * (double)n);
    all_differ((struct pair *)words, n / 2);
    custos_rng_free(rng);
    free(words);
}

static void
freeing_nothing_is_fine(void **state)
{
    (void)state;
    custos_rng_free(NULL);
    assert_int_equal(custos_rng_new(NULL, NULL), CUSTOS_EINVAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_draw_their_own),
        cmocka_unit_test(grandchildren_draw_their_own),
        cmocka_unit_test(threads_never_share_words),
        cmocka_unit_test(handles_draw_their_own),
        cmocka_unit_test(used_words_are_erased),
        cmocka_unit_test(old_keys_are_erased),
        cmocka_unit_test(long_streams_do_not_repeat),
        cmocka_unit_test(freeing_nothing_is_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
