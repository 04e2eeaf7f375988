/*
 * A set of values that is emptied for every unit. Most units are small, so it has
 * only as many slots as the unit needs. Emptying it is cheap: the counter `turn` is
 * incremented, and a slot that was written in an earlier turn counts as empty.
 */
#include "engine/run/ordinals.h"

#include <stdlib.h>

#include "base/ck.h"
#include "engine/run/key.h"

enum { SLOTS_FIRST = 64, TEXTS_FIRST = 4096 };

void
ordinals_clear(struct ordinals *p)
{
    if (p->texts)
        wipe(p->texts, p->text_room);
    if (p->known)
        wipe(p->known, p->room * sizeof *p->known);
    free(p->known);
    free(p->slots);
    free(p->texts);
    *p = (struct ordinals){0};
}

/* Grows the array at *at, by doubling, to at least `wanted` entries. */
static bool
make_room(void **at, size_t size, size_t wanted, size_t first, size_t *room)
{
    size_t n = *room ? *room : first, bytes;
    void *bigger;

    while (n < wanted)
        if (!ck_mul_size(n, 2, &n))
            return false;
    if (n == *room)
        return true;
    if (!ck_mul_size(n, size, &bytes) || !(bigger = realloc(*at, bytes)))
        return false;
    memset((char *)bigger + *room * size, 0, (n - *room) * size);
    *at = bigger;
    *room = n;
    return true;
}

/* Starts a new turn with n empty slots. */
static bool
slots_start(struct ordinals *p, size_t n)
{
    void *slots = p->slots;
    bool good =
        make_room(&slots, sizeof *p->slots, n, SLOTS_FIRST, &p->slots_room);

    p->slots = slots;
    if (!good)
        return false;
    p->n_slots = n;
    if (++p->turn == 0) {
        memset(p->slots, 0, p->slots_room * sizeof *p->slots);
        p->turn = 1;
    }
    return true;
}

static void
slot_set(struct ordinals *p, size_t known)
{
    size_t at = (size_t)p->known[known].hash & (p->n_slots - 1);

    while (p->slots[at].turn == p->turn)
        at = (at + 1) & (p->n_slots - 1);
    p->slots[at] = (struct ordinal_slot){p->turn, (uint32_t)known};
}

static bool
is_known(const struct ordinals *p, size_t known, uint64_t hash,
         const struct datum *key)
{
    const struct ordinal *k = &p->known[known];
    struct datum d = k->key;

    if (k->hash != hash)
        return false;
    if (d.type == TYPE_TEXT)
        d.text.ptr = p->texts + k->text;
    return key_same(&d, key);
}

/* Adds a value that is not known yet. */
static bool
known_add(struct ordinals *p, uint64_t hash, const struct datum *key)
{
    size_t len = key->type == TYPE_TEXT ? key->text.len : 0;
    void *known = p->known, *texts = p->texts;
    bool good =
        len <= KEY_TEXT_MAX &&
        make_room(&known, sizeof *p->known, p->n + 1, SLOTS_FIRST, &p->room);

    p->known = known;
    good = good &&
           make_room(&texts, 1, p->text_used + len, TEXTS_FIRST, &p->text_room);
    p->texts = texts;
    if (!good)
        return false;
    if (len > 0)
        memcpy(p->texts + p->text_used, key->text.ptr, len);
    p->known[p->n++] =
        (struct ordinal){.key = *key, .hash = hash, .text = p->text_used};
    p->text_used += len;
    if (2 * p->n <= p->n_slots) {
        slot_set(p, p->n - 1);
        return true;
    }
    if (!slots_start(p, 2 * p->n_slots))
        return false;
    for (size_t i = 0; i < p->n; i++)
        slot_set(p, i);
    return true;
}

/* Moves on to this row; empties the set if it begins a unit. False if the row is
   not in order, or out of memory. */
static bool
row_next(struct ordinals *p, int64_t row, int64_t unit)
{
    if (row != p->row + 1 || (p->row > 0 && unit < p->unit))
        return false;
    p->rows = row > 1 && unit == p->unit ? p->rows + 1 : 1;
    p->row = row;
    p->unit = unit;
    if (p->rows > 1)
        return true;
    p->n = p->text_used = 0;
    return slots_start(p, SLOTS_FIRST);
}

bool
ordinals_next(struct ordinals *p, int64_t row, int64_t unit,
              const struct datum *key, int16_t *out)
{
    uint64_t hash = key_mix(0, key);
    size_t at;

    if (!row_next(p, row, unit))
        return false;
    *out = 0;
    if (p->rows > ORDINALS_MAX)
        return true;
    at = (size_t)hash & (p->n_slots - 1);
    for (; p->slots[at].turn == p->turn; at = (at + 1) & (p->n_slots - 1))
        if (is_known(p, p->slots[at].known, hash, key)) {
            *out = (int16_t)(-(int32_t)p->slots[at].known - 1);
            return true;
        }
    *out = (int16_t)(p->n + 1);
    return known_add(p, hash, key);
}
