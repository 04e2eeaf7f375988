/*
 * The generator: ChaCha20 with fast key erasure. Each refill makes one stretch
 * of key stream: its first 32 bytes are the next key, the rest are words. A
 * word is erased when it is given out. So the state at a later time does not
 * reveal words drawn before.
 *
 * The state is in pages of its own, which the kernel zeroes in a child after
 * fork. A zero `ready` means "draw a key", so parent and child never share a
 * word. If the kernel does not support that, the process id is compared
 * instead.
 *
 * THEOREM  rng-indistinguishable
 *   Words from this generator are computationally indistinguishable from
 *   independent uniform words, even given the state after they were drawn. The
 *   samplers are exact relative to this.
 * SOURCE   Bernstein 2017, "Fast-key-erasure random-number generators";
 *          ChaCha20: RFC 8439.
 * NEEDS    a kernel whose getrandom is unpredictable.
 * GIVES    n words; distinct streams for distinct handles, threads, processes.
 * FAILS    CUSTOS_EENTROPY, which never depends on data.
 * TESTED   children_draw_their_own, threads_never_share_words,
 *          entropy_failure_is_a_status, used_words_are_erased
 */
#include "random/rng.h"

#include <sched.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "random/entropy.h"

enum {
    KEY_BYTES = crypto_stream_chacha20_KEYBYTES,
    STRETCH_WORDS = 508,   /* together with the next key, 4096 bytes */
    STRETCHES_A_KEY = 256, /* then fresh randomness is mixed in again */
};

struct custos_rng {
    atomic_int holder; /* one caller at a time; 0 if none (see take_hold) */
    bool ready;        /* false in fresh, wiped or forked pages */
    bool check_pid;    /* the kernel does not wipe on fork */
    pid_t pid;
    unsigned stretches; /* since randomness was last mixed in */
    size_t left;        /* words not yet given out, at the end of stretch */
    struct {
        unsigned char key[KEY_BYTES];
        uint64_t words[STRETCH_WORDS];
    } stretch;
};

/* Mixes 32 fresh bytes into the key and drops the remaining words. */
static custos_status
renew_key(custos_rng *r)
{
    unsigned char fresh[KEY_BYTES];
    custos_status st = entropy_fill(fresh, sizeof fresh);

    if (!st) {
        for (size_t i = 0; i < sizeof fresh; i++)
            r->stretch.key[i] ^= fresh[i];
        wipe(r->stretch.words, sizeof r->stretch.words);
        r->left = 0;
        r->stretches = 0;
        r->pid = getpid();
        r->ready = true;
    }
    wipe(fresh, sizeof fresh);
    return st;
}

/* Makes the next stretch of words and the next key. */
static custos_status
refill_stretch(custos_rng *r)
{
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    unsigned char key[KEY_BYTES];

    if (++r->stretches > STRETCHES_A_KEY) {
        custos_status st = renew_key(r);

        if (st)
            return st;
    }
    memcpy(key, r->stretch.key, sizeof key);
    crypto_stream_chacha20((unsigned char *)&r->stretch, sizeof r->stretch,
                           nonce, key);
    wipe(key, sizeof key);
    r->left = STRETCH_WORDS;
    return CUSTOS_OK;
}

static custos_status
fill_words(custos_rng *r, uint64_t *out, size_t n)
{
    custos_status st = CUSTOS_OK;

    if (!r->ready || (r->check_pid && r->pid != getpid()))
        st = renew_key(r);
    while (!st && n > 0) {
        uint64_t *from;
        size_t now;

        if (r->left == 0 && (st = refill_stretch(r)))
            break;
        now = n < r->left ? n : r->left;
        from = r->stretch.words + STRETCH_WORDS - r->left;
        memcpy(out, from, now * sizeof *out);
        wipe(from, now * sizeof *out);
        r->left -= now;
        out += now;
        n -= now;
    }
    return st;
}

/*
 * Waits until this caller has the hold. If the pages survive a fork, the child
 * inherits a hold that some thread of the parent had at that moment, and no
 * thread of the child would release it. In that case the holder is a process
 * id, and the child takes over the hold of the other process.
 */
static void
take_hold(custos_rng *r)
{
    const int me = r->check_pid ? (int)getpid() : 1;
    int free_or_strange = 0;

    while (!atomic_compare_exchange_weak_explicit(&r->holder, &free_or_strange,
                                                  me, memory_order_acquire,
                                                  memory_order_relaxed)) {
        if (free_or_strange == me) {
            free_or_strange = 0;
            sched_yield();
        }
    }
}

custos_status
rng_words(custos_rng *rng, uint64_t *out, size_t n)
{
    custos_status st;

    take_hold(rng);
    st = fill_words(rng, out, n);
    atomic_store_explicit(&rng->holder, 0, memory_order_release);
    if (st)
        wipe(out, n * sizeof *out);
    return st;
}

custos_status
custos_rng_new(custos_rng **out, custos_err *err)
{
    custos_rng *r;
    custos_status st;

    if (!out)
        return custos_fail(err, CUSTOS_EINVAL, "out must not be NULL");
    if (sodium_init() < 0)
        return custos_fail(err, CUSTOS_EENTROPY,
                           "no randomness from the system");
    r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r == MAP_FAILED)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    madvise(r, sizeof *r, MADV_DONTDUMP); /* useful, but not required */
    r->check_pid = madvise(r, sizeof *r, MADV_WIPEONFORK) != 0;
    st = renew_key(r);
    if (st) {
        custos_rng_free(r);
        return custos_fail(err, st, "no randomness from the system");
    }
    *out = r;
    return CUSTOS_OK;
}

void
custos_rng_free(custos_rng *rng)
{
    if (!rng)
        return;
    wipe(rng, sizeof *rng);
    munmap(rng, sizeof *rng);
}
