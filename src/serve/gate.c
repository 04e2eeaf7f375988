/*
 * A small open table keyed by a hash of the address, and one of address and
 * name. The hash is keyed by a secret of the process, so that nobody can
 * choose names that fall upon another's entry.
 */
#include "serve/gate.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum {
    ENTRIES = 4096,
    WAYS = 8, /* an entry lies in one of these places from its hash on */
    FREE_NAME = 6,
    FREE_ADDRESS = 24, /* several people can sit behind one address */
    SECOND_US = 1000000,
    WAIT_MAX_US = 60 * SECOND_US,
    FORGET_US = 900 * SECOND_US,
    CANCELS = 255, /* a kind of entry beside FREE_NAME and FREE_ADDRESS */
    CANCELS_US = 60 * SECOND_US,
    ADDRESS_MAX = 128,
    NAME_BYTES = 256,
    NET_BYTES = 8, /* of an IPv6 address */
};

struct entry {
    uint64_t hash; /* 0: free */
    uint32_t failures;
    bool known; /* it has come in from there */
    int64_t last_us;
};

struct gate {
    pthread_mutex_t lock;
    uint8_t key[crypto_shorthash_KEYBYTES];
    struct entry entries[ENTRIES];
};

struct gate *
gate_new(void)
{
    struct gate *g = calloc(1, sizeof *g);

    if (!g || sodium_init() < 0 || pthread_mutex_init(&g->lock, NULL)) {
        free(g);
        return NULL;
    }
    randombytes_buf(g->key, sizeof g->key);
    return g;
}

void
gate_free(struct gate *g)
{
    if (!g)
        return;
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* The address as it is counted; how many bytes. */
static size_t
address_write(str address, uint8_t out[ADDRESS_MAX])
{
    size_t len = address.len < ADDRESS_MAX ? address.len : ADDRESS_MAX - 1;
    char text[ADDRESS_MAX];
    uint8_t bytes[16];

    if (len)
        memcpy(text, address.ptr, len);
    text[len] = '\0';
    if (inet_pton(AF_INET6, text, bytes) != 1) {
        memcpy(out, text, len);
        return len;
    }
    memcpy(out, bytes, NET_BYTES);
    return NET_BYTES;
}

static uint64_t
hash_of(const struct gate *g, str address, str name, size_t kind)
{
    uint8_t text[2 + ADDRESS_MAX + NAME_BYTES], out[crypto_shorthash_BYTES];
    size_t a = address_write(address, text + 2);
    size_t n = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    uint64_t h;

    text[0] = (uint8_t)kind;
    text[1] = (uint8_t)a;
    if (n)
        memcpy(text + 2 + a, name.ptr, n);
    crypto_shorthash(out, text, 2 + a + n, g->key);
    memcpy(&h, out, sizeof h);
    return h | 1;
}

/* The entry, or the one of its places to use for it. */
static struct entry *
entry_at(struct gate *g, uint64_t hash)
{
    struct entry *oldest = NULL;

    for (size_t i = 0; i < WAYS; i++) {
        struct entry *e = &g->entries[(hash / 2 + i) % ENTRIES];

        if (e->hash == hash)
            return e;
        if (!oldest || !e->hash ||
            (oldest->hash && e->last_us < oldest->last_us))
            oldest = e;
    }
    return oldest;
}

static int64_t
wait_of(struct gate *g, uint64_t hash, uint32_t free_failures, int64_t now_us)
{
    const struct entry *e = entry_at(g, hash);
    int64_t wait = SECOND_US, left;

    if (e->hash != hash || e->failures < free_failures)
        return 0;
    for (uint32_t i = free_failures; i < e->failures && wait < WAIT_MAX_US; i++)
        wait *= 2;
    wait = wait < WAIT_MAX_US ? wait : WAIT_MAX_US;
    left = e->last_us + wait - now_us;
    return left > 0 ? left : 0;
}

static void
fail_once(struct gate *g, uint64_t hash, int64_t now_us)
{
    struct entry *e = entry_at(g, hash);

    if (e->hash != hash)
        *e = (struct entry){.hash = hash};
    if (now_us - e->last_us > FORGET_US)
        e->failures = 0;
    e->failures += e->failures < UINT32_MAX;
    e->last_us = now_us;
}

int64_t
gate_wait(struct gate *g, str address, str name, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, name, FREE_NAME);
    const struct entry *e;
    int64_t by_name, by_address = 0;

    pthread_mutex_lock(&g->lock);
    by_name = wait_of(g, hash, FREE_NAME, now_us);
    e = entry_at(g, hash);
    if (e->hash != hash || !e->known)
        by_address = wait_of(g, hash_of(g, address, str_of(""), FREE_ADDRESS),
                             FREE_ADDRESS, now_us);
    pthread_mutex_unlock(&g->lock);
    return by_name > by_address ? by_name : by_address;
}

void
gate_failed(struct gate *g, str address, str name, int64_t now_us)
{
    pthread_mutex_lock(&g->lock);
    fail_once(g, hash_of(g, address, name, FREE_NAME), now_us);
    fail_once(g, hash_of(g, address, str_of(""), FREE_ADDRESS), now_us);
    pthread_mutex_unlock(&g->lock);
}

void
gate_passed(struct gate *g, str address, str name, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, name, FREE_NAME);

    pthread_mutex_lock(&g->lock);
    *entry_at(g, hash) =
        (struct entry){.hash = hash, .known = true, .last_us = now_us};
    pthread_mutex_unlock(&g->lock);
}

bool
gate_cancels_end(struct gate *g, str address, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, str_of(""), CANCELS);
    const struct entry *e;
    bool ends;

    pthread_mutex_lock(&g->lock);
    e = entry_at(g, hash);
    ends = e->hash == hash && e->failures >= GATE_CANCELS &&
           now_us - e->last_us < CANCELS_US;
    pthread_mutex_unlock(&g->lock);
    return ends;
}

void
gate_cancel_failed(struct gate *g, str address, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, str_of(""), CANCELS);
    struct entry *e;

    pthread_mutex_lock(&g->lock);
    e = entry_at(g, hash);
    if (e->hash != hash || now_us - e->last_us >= CANCELS_US)
        *e = (struct entry){.hash = hash, .last_us = now_us};
    e->failures++;
    pthread_mutex_unlock(&g->lock);
}
