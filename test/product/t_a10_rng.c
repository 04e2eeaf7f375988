/*
 * A10: a generator that is shared by mistake. A forked worker that continues
 * with its parent's state draws the parent's noise; the difference of two
 * answers is then exact.
 *
 * With our generator (src/random), children, threads and handles never draw
 * the same 128 bits. The twin is a good generator whose state is in ordinary
 * memory.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/base.h"
#include "random/rng.h"

enum { CHILDREN = 1000, THREADS = 8, EACH = 2000 };

struct pair {
    uint64_t word[2];
};

static int
compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct pair));
}

static size_t
collisions(struct pair *p, size_t n)
{
    size_t found = 0;

    qsort(p, n, sizeof *p, compare);
    for (size_t i = 1; i < n; i++)
        found += compare(&p[i - 1], &p[i]) == 0;
    return found;
}

typedef bool draw_fn(void *from, struct pair *out);

static bool
draw_ours(void *from, struct pair *out)
{
    return rng_words(from, out->word, 2) == CUSTOS_OK;
}

/*
 * ChaCha20 with a key from the system and a counter, as most programs write it.
 */
struct twin {
    unsigned char key[crypto_stream_chacha20_KEYBYTES];
    uint64_t counter;
};

static bool
draw_twin(void *from, struct pair *out)
{
    struct twin *t = from;
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];

    t->counter++;
    memcpy(nonce, &t->counter, sizeof nonce);
    return crypto_stream_chacha20((unsigned char *)out, sizeof *out, nonce,
                                  t->key) == 0;
}

/* The first draw of one child, read through a pipe. */
static void
ask_child(draw_fn *draw, void *from, struct pair *out)
{
    int ends[2], status = 0;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct pair p;
        bool good =
            draw(from, &p) && write(ends[1], &p, sizeof p) == (ssize_t)sizeof p;

        _exit(!good);
    }
    assert_int_equal(read(ends[0], out, sizeof *out), sizeof *out);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/*
 * Counts collisions among the draws of children and the draws that the parent
 * makes after each child.
 */
static size_t
fork_collisions(draw_fn *draw, void *from, size_t children)
{
    static struct pair all[2 * CHILDREN];
    struct pair first;

    assert_true(draw(from, &first)); /* the parent has a state to share */
    for (size_t i = 0; i < children; i++) {
        ask_child(draw, from, &all[2 * i]);
        assert_true(draw(from, &all[2 * i + 1]));
    }
    return collisions(all, 2 * children);
}

static void
children_share_nothing(void **state)
{
    const size_t children = getenv("CUSTOS_QUICK") ? 20 : CHILDREN;
    custos_rng *rng = NULL;

    (void)state;
    assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
    assert_int_equal(fork_collisions(draw_ours, rng, children), 0);
    custos_rng_free(rng);
}

static void
twin_is_caught_forking(void **state)
{
    struct twin twin = {.counter = 0};

    (void)state;
    randombytes_buf(twin.key, sizeof twin.key);
    assert_true(fork_collisions(draw_twin, &twin, 10) >= 10);
}

/* A parent, its child and the child's child each draw words of their own. */
static void
grandchildren_share_nothing(void **state)
{
    struct pair all[4];
    custos_rng *rng = NULL;
    int ends[2], status = 0;
    pid_t child;

    (void)state;
    assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool good = draw_ours(rng, &all[0]);
        pid_t next = fork();

        good = good && next >= 0 && draw_ours(rng, &all[1]) &&
               write(ends[1], next ? &all[0] : &all[1], sizeof all[0]) ==
                   (ssize_t)sizeof all[0];
        if (next > 0)
            good = good && waitpid(next, NULL, 0) == next &&
                   write(ends[1], &all[1], sizeof all[1]) ==
                       (ssize_t)sizeof all[1];
        _exit(!good);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(read(ends[0], &all[i], sizeof all[i]), sizeof all[i]);
    assert_true(draw_ours(rng, &all[3]));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(collisions(all, 4), 0);
    close(ends[0]);
    close(ends[1]);
    custos_rng_free(rng);
}

/* ------------------------------------------------------------- threads -- */

struct task {
    draw_fn *draw;
    void *from;
    struct pair *out;
    bool good;
};

static void *
work(void *arg)
{
    struct task *t = arg;

    t->good = true;
    for (size_t i = 0; i < EACH; i++)
        t->good &= t->draw(t->from, &t->out[i]);
    return NULL;
}

static size_t
thread_collisions(draw_fn *draw, void *const from[THREADS])
{
    static struct pair all[THREADS * EACH];
    struct task tasks[THREADS];
    pthread_t ids[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        tasks[i] = (struct task){draw, from[i], all + i * EACH, false};
        assert_int_equal(pthread_create(&ids[i], NULL, work, &tasks[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_true(tasks[i].good);
    }
    return collisions(all, THREADS * EACH);
}

static void
threads_share_nothing(void **state)
{
    custos_rng *one = NULL;
    void *each[THREADS], *same[THREADS];

    (void)state;
    assert_int_equal(custos_rng_new(&one, NULL), CUSTOS_OK);
    for (size_t i = 0; i < THREADS; i++) {
        custos_rng *rng = NULL;

        assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
        each[i] = rng;
        same[i] = one;
    }
    assert_int_equal(thread_collisions(draw_ours, each), 0);
    assert_int_equal(thread_collisions(draw_ours, same), 0);
    for (size_t i = 0; i < THREADS; i++)
        custos_rng_free(each[i]);
    custos_rng_free(one);
}

/* One twin for each thread, all with equal seeds. */
static void
twin_is_caught_seeded_alike(void **state)
{
    static struct twin twins[THREADS];
    void *each[THREADS];

    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        each[i] = &twins[i];
    assert_int_equal(thread_collisions(draw_twin, each), (THREADS - 1) * EACH);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_share_nothing),
        cmocka_unit_test(twin_is_caught_forking),
        cmocka_unit_test(grandchildren_share_nothing),
        cmocka_unit_test(threads_share_nothing),
        cmocka_unit_test(twin_is_caught_seeded_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
