#include "plan/price/mechs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/str.h"
#include "mech/hold.h"
#include "mech/i128.h"

enum { MECHS_MOST = 64, KEY_MOST = 1 << 14 };

struct made {
    char *key;
    custos_mech *mech; /* either this */
    custos_keys *keys; /* or this; the other is NULL */
    size_t bar_n; /* `bar` is mech's error bar for so many values; 0: unset */
    i128 bar;
    uint64_t used; /* last use, by `clock`; the oldest entry is evicted */
};

struct mechs {
    struct made all[MECHS_MOST];
    uint64_t clock;
};

struct mechs *
mechs_new(void)
{
    return calloc(1, sizeof(struct mechs));
}

static void
made_clear(struct made *m)
{
    free(m->key);
    custos_mech_free(m->mech);
    custos_keys_free(m->keys);
    *m = (struct made){.key = NULL};
}

void
mechs_free(struct mechs *m)
{
    for (size_t i = 0; m && i < MECHS_MOST; i++)
        made_clear(&m->all[i]);
    free(m);
}

/* The key: every member of the options as text. Add new members here. */
static void
mech_key(const custos_mech_options *o, struct buf *out)
{
    const char *const texts[] = {
        o->epsilon, o->delta, o->sensitivity, o->sensitivity_squared,
        o->scale,   o->grid,  o->lower,       o->upper,
        o->rho};

    static_assert(sizeof *o ==
                      2 * sizeof(size_t) + 9 * sizeof(char *) + 4 * sizeof(int),
                  "members of the options");
    buf_printf(out, "mech %zu %d %d %zu %d %d", o->size, (int)o->kind,
               (int)o->domain, o->values, (int)o->changes, (int)o->calibration);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        buf_printf(out, texts[i] ? "|%s" : "|-%s", texts[i] ? texts[i] : "");
}

static void
keys_key(const custos_keys_options *o, struct buf *out)
{
    static_assert(sizeof *o == sizeof(size_t) + 2 * sizeof(int) +
                                   2 * sizeof(uint64_t) + 2 * sizeof(char *),
                  "members of the options");
    buf_printf(out, "keys %zu %d %d %" PRIu64 " %" PRIu64 "|%s|%s", o->size,
               (int)o->rule, (int)o->adjacency, o->keys_per_unit, o->min_units,
               o->epsilon, o->delta);
}

/* The entry with this key, or else the one to replace; NULL: do not cache. */
static struct made *
place_of(struct mechs *m, struct buf *key)
{
    struct made *oldest;

    if (!m || key->failed)
        return NULL;
    oldest = &m->all[0];
    for (size_t i = 0; i < MECHS_MOST; i++) {
        struct made *one = &m->all[i];

        if (one->key && !strcmp(one->key, buf_text(key)))
            return one;
        if (one->used < oldest->used)
            oldest = one;
    }
    return oldest;
}

static bool
is_made(const struct made *at, struct buf *key)
{
    return at && at->key && !strcmp(at->key, buf_text(key));
}

/* Empties the entry and gives it the key; false: do not cache. */
static bool
place_clear(struct made *at, struct buf *key)
{
    if (!at)
        return false;
    made_clear(at);
    at->key = strdup(buf_text(key));
    return at->key != NULL;
}

custos_status
mechs_take(struct mechs *m, const custos_mech_options *o, custos_mech **out,
           custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct made *at;
    struct buf key;

    buf_init(&key, NULL, KEY_MOST);
    mech_key(o, &key);
    at = place_of(m, &key);
    if (is_made(at, &key)) {
        *out = mech_hold(at->mech);
    } else {
        st = custos_mech_new(NULL, o, out, err);
        if (!st && place_clear(at, &key))
            at->mech = mech_hold(*out);
    }
    if (!st && at)
        at->used = ++m->clock;
    buf_clear(&key);
    return st;
}

custos_status
mechs_bar(struct mechs *m, const custos_mech *mech, size_t n, i128 *half_width,
          custos_err *err)
{
    struct made *at = NULL;
    custos_status st;

    for (size_t i = 0; m && i < MECHS_MOST && !at; i++)
        if (m->all[i].mech == mech)
            at = &m->all[i];
    if (at && at->bar_n == n && n > 0) {
        *half_width = at->bar;
        return CUSTOS_OK;
    }
    st = mech_error_i128(mech, "0.05", n, half_width, err);
    if (!st && at) {
        at->bar_n = n;
        at->bar = *half_width;
    }
    return st;
}

custos_status
mechs_take_keys(struct mechs *m, const custos_keys_options *o,
                custos_keys **out, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct made *at;
    struct buf key;

    buf_init(&key, NULL, KEY_MOST);
    keys_key(o, &key);
    at = place_of(m, &key);
    if (is_made(at, &key)) {
        *out = keys_hold(at->keys);
    } else {
        st = custos_keys_new(NULL, o, out, err);
        if (!st && place_clear(at, &key))
            at->keys = keys_hold(*out);
    }
    if (!st && at)
        at->used = ++m->clock;
    buf_clear(&key);
    return st;
}
