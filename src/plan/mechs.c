#include "plan/mechs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/str.h"
#include "mech/hold.h"

enum { MECHS_MOST = 64, KEY_MOST = 1 << 14 };

struct made {
    char *key;
    custos_mech *mech;
    uint64_t used; /* when last; the one used longest ago makes room */
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
    *m = (struct made){.key = NULL};
}

void
mechs_free(struct mechs *m)
{
    for (size_t i = 0; m && i < MECHS_MOST; i++)
        made_clear(&m->all[i]);
    free(m);
}

/* Every member of the options, as text; a new one must come in here. */
static void
key_write(const custos_mech_options *o, struct buf *out)
{
    const char *const texts[] = {
        o->epsilon, o->delta, o->sensitivity, o->sensitivity_squared,
        o->scale,   o->grid,  o->lower,       o->upper};

    static_assert(sizeof *o ==
                      2 * sizeof(size_t) + 8 * sizeof(char *) + 4 * sizeof(int),
                  "members of the options");
    buf_printf(out, "%zu %d %d %zu %d %d", o->size, (int)o->kind,
               (int)o->domain, o->values, (int)o->changes, (int)o->calibration);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        buf_printf(out, texts[i] ? "|%s" : "|-%s", texts[i] ? texts[i] : "");
}

/* The one of this key, or the place for it. */
static struct made *
place_of(struct mechs *m, const char *key)
{
    struct made *oldest = &m->all[0];

    for (size_t i = 0; i < MECHS_MOST; i++) {
        struct made *one = &m->all[i];

        if (one->key && !strcmp(one->key, key))
            return one;
        if (one->used < oldest->used)
            oldest = one;
    }
    return oldest;
}

custos_status
mechs_take(struct mechs *m, const custos_mech_options *o, custos_mech **out,
           custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct made *at = NULL;
    struct buf key;

    buf_init(&key, NULL, KEY_MOST);
    if (m)
        key_write(o, &key);
    if (m && !key.failed)
        at = place_of(m, buf_text(&key));
    if (at && at->key && !strcmp(at->key, buf_text(&key))) {
        *out = mech_hold(at->mech);
    } else {
        st = custos_mech_new(NULL, o, out, err);
        if (!st && at) {
            made_clear(at);
            at->key = strdup(buf_text(&key));
            at->mech = at->key ? mech_hold(*out) : NULL;
        }
    }
    if (!st && at)
        at->used = ++m->clock;
    buf_clear(&key);
    return st;
}
