/*
 * One hash table with entries for addresses, and for addresses with names. The
 * hash is keyed by a secret of the process, so that nobody can choose names that
 * collide with another's entry.
 */
#include "serve/throttle.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "serve/peer.h"

enum {
    ENTRIES = 4096,
    WAYS = 8, /* an entry is in one of this many places, from its hash on */
    FREE_NAME = 6,     /* failures of a name before its first wait; also the
                          kind of such entries */
    FREE_ADDRESS = 24, /* the same for an address, which people may share */
    TRIES = 0,         /* the kind of entries that count attempts */
    MINUTE_US = 60 * 1000000,
    SECOND_US = 1000000,
    WAIT_MAX_US = 60 * SECOND_US,
    FORGET_US = 900 * SECOND_US,
    CANCELS = 255, /* the kind of entries that count cancel requests */
    CANCELS_US = 60 * SECOND_US,
    NAME_BYTES = 256,
};

struct entry {
    uint64_t hash; /* 0: free */
    uint32_t failures;
    bool known;      /* the name has logged in from there */
    int64_t last_us; /* last failure or login; for TRIES: see pay_for_try */
};

struct throttle {
    pthread_mutex_t lock;
    uint8_t key[crypto_shorthash_KEYBYTES];
    struct throttle_limits limits;
    int64_t tries_us; /* for attempts from all addresses: see pay_for_try */
    struct entry entries[ENTRIES];
};

struct throttle *
throttle_new(const struct throttle_limits *limits)
{
    struct throttle *g = calloc(1, sizeof *g);

    if (!g || sodium_init() < 0 || pthread_mutex_init(&g->lock, NULL)) {
        free(g);
        return NULL;
    }
    randombytes_buf(g->key, sizeof g->key);
    if (limits)
        g->limits = *limits;
    return g;
}

void
throttle_free(struct throttle *g)
{
    if (!g)
        return;
    pthread_mutex_destroy(&g->lock);
    free(g);
}

static uint64_t
hash_of(const struct throttle *g, str address, str name, size_t kind)
{
    uint8_t text[2 + PEER_GROUP_MAX + NAME_BYTES], out[crypto_shorthash_BYTES];
    size_t n = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    char group[PEER_GROUP_MAX];
    size_t a;
    uint64_t h;

    peer_group(address, group);
    a = strlen(group);
    text[0] = (uint8_t)kind;
    text[1] = (uint8_t)a;
    memcpy(text + 2, group, a);
    if (n)
        memcpy(text + 2 + a, name.ptr, n);
    crypto_shorthash(out, text, 2 + a + n, g->key);
    memcpy(&h, out, sizeof h);
    return h | 1;
}

/* Is `a` reused before `b`? Free entries go first, then those of strangers; among
   equals, the oldest. */
static bool
goes_before(const struct entry *a, const struct entry *b)
{
    if (!a->hash || !b->hash)
        return !a->hash && b->hash;
    if (a->known != b->known)
        return b->known;
    return a->last_us < b->last_us;
}

/* The entry with this hash, or the entry to reuse for it. */
static struct entry *
entry_at(struct throttle *g, uint64_t hash)
{
    struct entry *oldest = NULL;

    for (size_t i = 0; i < WAYS; i++) {
        struct entry *e = &g->entries[(hash / 2 + i) % ENTRIES];

        if (e->hash == hash)
            return e;
        if (!oldest || goes_before(e, oldest))
            oldest = e;
    }
    return oldest;
}

static int64_t
wait_of(struct throttle *g, uint64_t hash, uint32_t free_failures,
        int64_t now_us)
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
fail_once(struct throttle *g, uint64_t hash, int64_t now_us)
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
throttle_wait(struct throttle *g, str address, str name, int64_t now_us)
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

/* Each attempt moves *paid_us forward by a minute divided by the limit. If that
   would be more than a minute ahead of the clock, returns how long to wait; else
   0. */
static int64_t
pay_for_try(int64_t *paid_us, uint32_t limit, int64_t now_us)
{
    int64_t price = MINUTE_US / limit, wait;

    if (*paid_us < now_us)
        *paid_us = now_us;
    wait = *paid_us + price - now_us - MINUTE_US;
    if (wait > 0)
        return wait;
    *paid_us += price;
    return 0;
}

/* Lock held. */
static int64_t
try_once(struct throttle *g, str address, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, str_of(""), TRIES);
    struct entry *e = entry_at(g, hash);
    int64_t wait = 0;

    if (e->hash != hash)
        *e = (struct entry){.hash = hash};
    if (g->limits.per_address)
        wait = pay_for_try(&e->last_us, g->limits.per_address, now_us);
    if (!wait && g->limits.all)
        wait = pay_for_try(&g->tries_us, g->limits.all, now_us);
    return wait;
}

int64_t
throttle_try(struct throttle *g, str address, str name, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, name, FREE_NAME);
    const struct entry *e;
    int64_t wait = 0;

    pthread_mutex_lock(&g->lock);
    e = entry_at(g, hash);
    if (e->hash != hash || !e->known)
        wait = try_once(g, address, now_us);
    pthread_mutex_unlock(&g->lock);
    return wait;
}

void
throttle_failed(struct throttle *g, str address, str name, int64_t now_us)
{
    pthread_mutex_lock(&g->lock);
    fail_once(g, hash_of(g, address, name, FREE_NAME), now_us);
    fail_once(g, hash_of(g, address, str_of(""), FREE_ADDRESS), now_us);
    pthread_mutex_unlock(&g->lock);
}

void
throttle_passed(struct throttle *g, str address, str name, int64_t now_us)
{
    uint64_t hash = hash_of(g, address, name, FREE_NAME);

    pthread_mutex_lock(&g->lock);
    *entry_at(g, hash) =
        (struct entry){.hash = hash, .known = true, .last_us = now_us};
    pthread_mutex_unlock(&g->lock);
}

bool
throttle_cancels_end(struct throttle *g, str address, int64_t now_us)
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
throttle_cancel_failed(struct throttle *g, str address, int64_t now_us)
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
