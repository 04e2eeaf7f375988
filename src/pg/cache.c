#include "pg/cache.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { BUCKETS = 1 << 14 };

struct entry {
    struct entry *next;          /* of its bucket */
    struct entry *older, *newer; /* in the order of their last use */
    uint64_t hash;
    size_t key_len, bytes;
    struct rows *rows;
    char key[];
};

struct cache {
    uint8_t secret[crypto_shorthash_KEYBYTES];
    size_t limit, bytes;
    uint8_t policy[32];
    uint64_t version;
    struct entry *oldest, *newest;
    struct entry *buckets[BUCKETS];
};

struct cache *
cache_new(size_t limit_bytes)
{
    struct cache *c = calloc(1, sizeof *c);

    if (!c || sodium_init() < 0) {
        free(c);
        return NULL;
    }
    randombytes_buf(c->secret, sizeof c->secret);
    c->limit = limit_bytes;
    return c;
}

static uint64_t
hash_of(const struct cache *c, str key)
{
    uint8_t out[crypto_shorthash_BYTES];
    uint64_t h;

    crypto_shorthash(out, (const uint8_t *)key.ptr, key.len, c->secret);
    memcpy(&h, out, sizeof h);
    return h;
}

static void
use_end(struct cache *c, struct entry *e)
{
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
}

static void
use_newest(struct cache *c, struct entry *e)
{
    e->older = c->newest;
    e->newer = NULL;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static struct entry **
place_of(struct cache *c, str key, uint64_t hash)
{
    struct entry **at = &c->buckets[hash % BUCKETS];

    while (*at && ((*at)->hash != hash || (*at)->key_len != key.len ||
                   memcmp((*at)->key, key.ptr, key.len) != 0))
        at = &(*at)->next;
    return at;
}

static void
entry_remove(struct cache *c, struct entry **at)
{
    struct entry *e = *at;

    CUSTOS_REQUIRE(e != NULL);
    *at = e->next;
    use_end(c, e);
    c->bytes -= e->bytes;
    rows_drop(e->rows);
    free(e);
}

static void
oldest_remove(struct cache *c)
{
    struct entry *e = c->oldest;

    entry_remove(c, place_of(c, (str){e->key, e->key_len}, e->hash));
}

void
cache_forget(struct cache *c)
{
    while (c->oldest)
        oldest_remove(c);
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    cache_forget(c);
    free(c);
}

bool
cache_facts(struct cache *c, const uint8_t policy[32], uint64_t version)
{
    bool same = !memcmp(c->policy, policy, sizeof c->policy);

    if (same && version <= c->version)
        return version == c->version;
    cache_forget(c);
    c->version = version;
    memcpy(c->policy, policy, sizeof c->policy);
    return true;
}

struct rows *
cache_find(struct cache *c, str key)
{
    struct entry *e = *place_of(c, key, hash_of(c, key));

    if (!e)
        return NULL;
    use_end(c, e);
    use_newest(c, e);
    return e->rows;
}

void
cache_put(struct cache *c, str key, struct rows *rows)
{
    uint64_t hash = hash_of(c, key);
    struct entry **at = place_of(c, key, hash), *e;
    size_t bytes = sizeof *e + key.len + rows_bytes(rows);

    /* One large answer must not evict all others. */
    if (bytes > c->limit / 8)
        return;
    if (*at)
        entry_remove(c, at);
    while (c->bytes + bytes > c->limit)
        oldest_remove(c);
    e = malloc(sizeof *e + key.len);
    if (!e)
        return;
    e->hash = hash;
    e->key_len = key.len;
    e->bytes = bytes;
    e->rows = rows_hold(rows);
    memcpy(e->key, key.ptr, key.len);
    e->next = c->buckets[hash % BUCKETS];
    c->buckets[hash % BUCKETS] = e;
    use_newest(c, e);
    c->bytes += bytes;
}

void
key_add(struct buf *key, str part)
{
    uint64_t len = part.len;

    buf_add(key, (const char *)&len, sizeof len);
    buf_add(key, part.ptr, part.len);
}
