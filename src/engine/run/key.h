/*
 * Keys of discovered groups: how the engine computes them, and how two of them are
 * compared.
 */
#ifndef ENGINE_KEY_H
#define ENGINE_KEY_H

#include <string.h>

#include "engine/statement/rows.h"
#include "engine/statement/statement.h"
#include "plan/plan.h"

/*
 * A value of the given type as a key; wide: whole numbers have 128 bits, not 64. The
 * key is NULL for values that cannot be keys: dates
 * outside the years 1 to 9999, timestamps before the year 1 or after 9999-12-31
 * 00:00:00 (existing stores rely on this), and texts of more than KEY_TEXT_MAX
 * bytes.
 */
const struct term *key_term(struct builder *b, enum data_type type, bool wide,
                            const struct term *value);

/* A key of a row, its text borrowed from the chunk. */
static inline struct datum
key_at(const struct column *c, size_t row)
{
    if (column_is_null(c, row))
        return (struct datum){.type = TYPE_NULL};
    if (c->type == COLUMN_TEXT)
        return (struct datum){.type = TYPE_TEXT, .text = column_text(c, row)};
    return (struct datum){.type = TYPE_INT, .n = column_whole(c, row)};
}

/* Multiplies, and combines both halves of the product; for hash tables only. */
static inline uint64_t
key_mix_word(uint64_t h, uint64_t x)
{
    u128 product = (u128)(h ^ x) * 0x9e3779b97f4a7c15u;

    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (h << 1);
}

static inline uint64_t
key_mix_text(uint64_t h, const char *s, size_t n)
{
    uint64_t word = 0;

    h = key_mix_word(h, n);
    for (; n >= sizeof word; n -= sizeof word, s += sizeof word) {
        memcpy(&word, s, sizeof word);
        h = key_mix_word(h, word);
    }
    if (n > 0) {
        word = 0;
        memcpy(&word, s, n);
        h = key_mix_word(h, word);
    }
    return h;
}

static inline uint64_t
key_mix(uint64_t h, const struct datum *d)
{
    if (d->type == TYPE_TEXT)
        return key_mix_text(h, d->text.ptr, d->text.len);
    if (d->type == TYPE_NULL)
        return key_mix_word(h, UINT64_C(0x5bd1e995));
    return key_mix_word(key_mix_word(h, (uint64_t)d->n),
                        (uint64_t)(d->n >> 64));
}

static inline bool
key_same(const struct datum *a, const struct datum *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == TYPE_TEXT)
        return str_equal(a->text, b->text);
    return a->n == b->n;
}

#endif
