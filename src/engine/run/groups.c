/*
 * A hash table from key tuples to group numbers, and arrays indexed by group
 * number. Texts are copied once, when their group is new.
 *
 * The time and memory that this takes depend on the number of groups, which is
 * private: THREATS.md describes this.
 */
#include "engine/run/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/ck.h"
#include "engine/run/key.h"

enum { ROOM_FIRST = 256 };
#define TEXT_BYTES ((size_t)1 << 36)
#define GROUPS_MOST ((size_t)1 << 30)

/* The bytes of one group's exact numbers of a part. */
static size_t
value_bytes(const struct groups *g, size_t part)
{
    return part_numbers(&g->stage->parts[part]) * sizeof **g->values;
}

bool
groups_init(struct groups *g, const struct stage *stage)
{
    *g = (struct groups){.stage = stage, .texts = arena_new(NULL, TEXT_BYTES)};
    g->values = calloc(stage->n_parts + 1, sizeof *g->values);
    g->n_slots = 4 * (size_t)ROOM_FIRST;
    g->slots = calloc(g->n_slots, sizeof *g->slots);
    return g->texts && g->values && g->slots;
}

void
groups_clear(struct groups *g)
{
    for (size_t i = 0; g->values && i < g->stage->n_parts; i++) {
        if (g->values[i])
            wipe(g->values[i], g->room * value_bytes(g, i));
        free(g->values[i]);
    }
    if (g->units)
        wipe(g->units, g->room * sizeof *g->units);
    if (g->keys)
        wipe(g->keys, g->room * g->stage->space->n_keys * sizeof *g->keys);
    free(g->values);
    free(g->units);
    free(g->keys);
    free(g->stamp);
    free(g->hash);
    free(g->slots);
    arena_free(g->texts);
    *g = (struct groups){.stage = NULL};
}

/* --------------------------------------------------------------- growing -- */

/* Grows the array at *at to `room` entries; new ones are 0. */
static bool
grow_array(void **at, size_t size, size_t old, size_t room)
{
    char *bigger;
    size_t bytes;

    if (!ck_mul_size(room, size, &bytes))
        return false;
    bigger = realloc(*at, bytes);
    if (!bigger)
        return false;
    memset(bigger + old * size, 0, (room - old) * size);
    *at = bigger;
    return true;
}

static bool
grow_arrays(struct groups *g)
{
    size_t room = g->room ? 2 * g->room : ROOM_FIRST;
    void *p;
    bool good = room <= GROUPS_MOST;

#define GROW(field, size)                                                      \
    p = (field);                                                               \
    good = good && grow_array(&p, size, g->room, room);                        \
    (field) = p
    GROW(g->keys, g->stage->space->n_keys * sizeof *g->keys);
    GROW(g->units, sizeof *g->units);
    GROW(g->stamp, sizeof *g->stamp);
    GROW(g->hash, sizeof *g->hash);
    for (size_t i = 0; i < g->stage->n_parts; i++) {
        GROW(g->values[i], value_bytes(g, i));
    }
#undef GROW
    if (good)
        g->room = room;
    return good;
}

static void
slot_set(struct groups *g, size_t group)
{
    size_t at = (size_t)g->hash[group] & (g->n_slots - 1);

    while (g->slots[at])
        at = (at + 1) & (g->n_slots - 1);
    g->slots[at] = (uint32_t)group + 1;
}

static bool
grow_slots(struct groups *g)
{
    size_t n = 2 * g->n_slots;
    uint32_t *bigger = calloc(n, sizeof *bigger);

    if (!bigger)
        return false;
    free(g->slots);
    g->slots = bigger;
    g->n_slots = n;
    for (size_t i = 0; i < g->n; i++)
        slot_set(g, i);
    return true;
}

/* --------------------------------------------------------------- finding -- */

static bool
group_new(struct groups *g, const struct datum *keys, uint64_t hash)
{
    size_t n_keys = g->stage->space->n_keys;
    struct datum *to;

    if (g->n == g->room && !grow_arrays(g))
        return false;
    if (g->n_slots < 2 * (g->n + 1) && !grow_slots(g))
        return false;
    to = &g->keys[g->n * n_keys];
    for (size_t i = 0; i < n_keys; i++) {
        to[i] = keys[i];
        if (keys[i].type != TYPE_TEXT)
            continue;
        to[i].text.ptr = arena_copy(g->texts, keys[i].text);
        if (!to[i].text.ptr)
            return false;
    }
    g->hash[g->n] = hash;
    slot_set(g, g->n++);
    return true;
}

/* Finds the group of a tuple; false if there is none. Sets *hash in either case.
   Inline, so that for one key the compiler removes the loops. */
static inline bool
group_seek(const struct groups *g, const struct datum *keys, size_t n_keys,
           uint64_t *hash, size_t *out)
{
    size_t at;

    *hash = 0;
    for (size_t i = 0; i < n_keys; i++)
        *hash = key_mix(*hash, &keys[i]);
    at = (size_t)*hash & (g->n_slots - 1);
    for (; g->slots[at]; at = (at + 1) & (g->n_slots - 1)) {
        size_t group = g->slots[at] - 1, i = 0;

        if (g->hash[group] != *hash)
            continue;
        while (i < n_keys && key_same(&keys[i], &g->keys[group * n_keys + i]))
            i++;
        if (i == n_keys) {
            *out = group;
            return true;
        }
    }
    return false;
}

/* Finds the group of a tuple, or adds it; false if out of memory. */
static inline bool
group_of(struct groups *g, const struct datum *keys, size_t n_keys, size_t *out)
{
    uint64_t hash;

    if (group_seek(g, keys, n_keys, &hash, out))
        return true;
    *out = g->n;
    return group_new(g, keys, hash);
}

bool
groups_has(const struct groups *g, const struct column *columns, size_t row,
           size_t *out)
{
    struct datum keys[PLAN_KEYS_MAX];
    uint64_t hash;

    for (size_t k = 0; k < g->stage->space->n_keys; k++)
        keys[k] = key_at(&columns[k], row);
    return group_seek(g, keys, g->stage->space->n_keys, &hash, out);
}

/* groups_find for one key, the common case. */
static bool
find_one(struct groups *g, const struct column *c, const uint32_t *row,
         size_t n, int32_t *cell)
{
    struct datum key = {.type = TYPE_INT};
    size_t group = 0;

    for (size_t i = 0; i < n; i++) {
        if (c->type == COLUMN_I64 && !c->valid)
            key.n = ((const int64_t *)c->data)[row[i]];
        else
            key = key_at(c, row[i]);
        if (!group_of(g, &key, 1, &group))
            return false;
        cell[row[i]] = (int32_t)group;
    }
    return true;
}

bool
groups_find(struct groups *g, const struct column *columns, const uint32_t *row,
            size_t n, int32_t *cell)
{
    struct datum keys[PLAN_KEYS_MAX];
    size_t group = 0;

    if (g->stage->space->n_keys == 1)
        return find_one(g, columns, row, n, cell);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < g->stage->space->n_keys; k++)
            keys[k] = key_at(&columns[k], row[i]);
        if (!group_of(g, keys, g->stage->space->n_keys, &group))
            return false;
        cell[row[i]] = (int32_t)group;
    }
    return true;
}

/* Adds group i of `from`. */
static bool
merge_one(struct groups *g, const struct groups *from, size_t i)
{
    size_t n_keys = g->stage->space->n_keys, to = 0;

    if (!group_of(g, &from->keys[i * n_keys], n_keys, &to))
        return false;
    g->units[to] += from->units[i];
    for (size_t p = 0; p < g->stage->n_parts; p++) {
        size_t n = part_numbers(&g->stage->parts[p]);

        for (size_t k = 0; k < n; k++)
            g->values[p][to * n + k] += from->values[p][i * n + k];
    }
    return true;
}

bool
groups_merge(struct groups *g, const struct groups *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!merge_one(g, from, i))
            return false;
    return true;
}

bool
groups_pick(struct groups *g, const struct groups *from, const size_t *at,
            size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!merge_one(g, from, at[i]))
            return false;
    return true;
}

void
groups_limit_init(struct groups_limit *l, const struct cell_space *space)
{
    *l = (struct groups_limit){.groups = space->groups,
                               .weighs = selection_weighs(space->selection)};
    CUSTOS_REQUIRE(!l->weighs || l->groups <= KEYS_WEIGHTED_MAX);
    for (uint64_t held = 1; l->weighs && held <= l->groups; held++)
        l->weight[held] =
            (int64_t)custos_keys_weight(space->selection->rule, held);
}

void
groups_limit_end(struct groups *g, struct groups_limit *l)
{
    for (uint64_t i = 0; l->weighs && i < l->used; i++)
        g->units[l->cells[i]] += l->weight[l->used];
    l->used = 0;
}

size_t
groups_limit(struct groups *g, struct groups_limit *l, const int64_t *unit,
             const int32_t *cell, uint32_t *row, uint8_t *first, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t at = unit[row[i]];
        size_t c = (size_t)cell[row[i]];
        bool known = g->stamp[c] == at;

        if (at != l->unit) {
            groups_limit_end(g, l);
            l->unit = at;
        }
        if (!known && l->used == l->groups)
            continue;
        if (!l->weighs)
            g->units[c] += !known;
        else if (!known)
            l->cells[l->used] = (uint32_t)c;
        l->used += !known;
        g->stamp[c] = at;
        row[k] = row[i];
        first[k] = !known;
        k++;
    }
    return k;
}
