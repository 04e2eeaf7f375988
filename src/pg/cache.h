/*
 * Released answers in memory, as the client got them. If the analyst asks the
 * same question again, the loop answers from here without parsing it. The key is
 * the question itself, byte for byte: asker, text, parameters, price, formats. All
 * entries are of one policy and one version of the data: when either changes,
 * the cache is emptied.
 *
 * THEOREM  cached-answer
 *   What is found under a key is an answer that was charged and released to
 *   the same analyst for the same question: giving it again costs nothing.
 * SOURCE   Dwork, Roth 2014, proposition 2.1
 * NEEDS    cache_put is called only with answers that the curator gave, each
 *          under the key of its question; cache_forget is called when policy
 *          or data change.
 * GIVES    cache_find compares the whole key, not a hash of it.
 * FAILS    cannot; without memory nothing is kept.
 * TESTED   the_key_is_all_of_the_question a_full_cache_forgets_the_oldest
 *          a_new_policy_forgets_all
 */
#ifndef PG_CACHE_H
#define PG_CACHE_H

#include "pg/rows.h"

struct cache;

/* NULL: out of memory. */
struct cache *cache_new(size_t limit_bytes);
void cache_free(struct cache *c);

/* Borrowed until the next call; NULL: none. */
struct rows *cache_find(struct cache *c, str key);

/* Takes a reference to the rows. Evicts the least recently used entries to make
   room. */
void cache_put(struct cache *c, str key, struct rows *rows);

void cache_forget(struct cache *c);

/*
 * Tells the cache which policy and data version an answer comes from; if they
 * are new, empties the cache. False: a later version was seen already, so the
 * answer must not be put into the cache.
 */
bool cache_facts(struct cache *c, const uint8_t policy[32], uint64_t version);

/* Adds a part to a key, after its length, so that different lists of parts give
   different keys. */
void key_add(struct buf *key, str part);

#endif
