/*
 * The test sources of random words: the interface of random/rng.h and
 * custos_rng, backed by a seed or a tape.
 */
#include <stdlib.h>

#include <sodium.h>

#include "base/error.h"
#include "noise/word.h"
#include "random/rng.h"
#include "support/support.h"

enum { CHUNK = 512 };

struct custos_rng {
    const uint64_t *tape; /* NULL: seeded */
    uint64_t seed;
    size_t limit; /* words before it fails */
    size_t used;
    bool silent;      /* every word is 0 */
    size_t chunk_no;  /* number of the chunk in words[], plus 1 */
    uint64_t words[]; /* CHUNK if seeded; none for tapes */
};

static custos_rng *
make(const uint64_t *tape, uint64_t seed, size_t limit)
{
    custos_rng *r =
        calloc(1, sizeof *r + (tape ? 0 : CHUNK * sizeof r->words[0]));

    if (!r)
        abort();
    r->tape = tape;
    r->seed = seed;
    r->limit = limit;
    return r;
}

custos_rng *
test_rng_seeded(uint64_t seed)
{
    return make(NULL, seed, SIZE_MAX);
}

custos_rng *
test_rng_taped(const uint64_t *words, size_t n)
{
    static const uint64_t none;

    return make(n ? words : &none, 0, n);
}

custos_rng *
test_rng_failing(uint64_t seed, size_t n)
{
    return make(NULL, seed, n);
}

size_t
test_rng_used(const custos_rng *rng)
{
    return rng->used;
}

void
test_rng_free(custos_rng *rng)
{
    free(rng);
}

static uint64_t
seeded_word(custos_rng *r, size_t i)
{
    size_t chunk_no = i / CHUNK + 1;

    if (r->chunk_no != chunk_no) {
        unsigned char key[crypto_stream_chacha20_KEYBYTES] = {0};
        unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};

        memcpy(key, &r->seed, sizeof r->seed);
        memcpy(nonce, &chunk_no, sizeof nonce);
        if (crypto_stream_chacha20((unsigned char *)r->words,
                                   CHUNK * sizeof r->words[0], nonce, key))
            abort();
        r->chunk_no = chunk_no;
    }
    return r->words[i % CHUNK];
}

custos_status
rng_words(custos_rng *rng, uint64_t *out, size_t n)
{
    if (n > rng->limit - rng->used) {
        memset(out, 0, n * sizeof *out);
        return CUSTOS_EENTROPY;
    }
    for (size_t i = 0; i < n; i++, rng->used++)
        out[i] = rng->silent ? 0
                 : rng->tape ? rng->tape[rng->used]
                             : seeded_word(rng, rng->used);
#ifdef CUSTOS_CT_CHECK /* secret: see noise/word.h */
    VALGRIND_MAKE_MEM_UNDEFINED(out, n * sizeof *out);
#endif
    return CUSTOS_OK;
}

/* Code under test that makes its own handle also gets a fixed stream. */
static struct {
    uint64_t seed;
    bool silent;
} next = {1, false};

void
test_rng_new_seeded(uint64_t seed)
{
    next.seed = seed;
    next.silent = false;
}

void
test_rng_new_silent(void)
{
    next.silent = true;
}

custos_status
custos_rng_new(custos_rng **out, custos_err *err)
{
    (void)err;
    *out = test_rng_seeded(next.seed);
    (*out)->silent = next.silent;
    return CUSTOS_OK;
}

void
custos_rng_free(custos_rng *rng)
{
    test_rng_free(rng);
}
