#include "pg/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { OWN_BYTES = 1 << 22 };

struct prepared *
prepared_new(void)
{
    struct prepared *p = calloc(1, sizeof *p);

    if (p && !(p->a = arena_new(NULL, OWN_BYTES))) {
        free(p);
        return NULL;
    }
    if (p)
        p->holders = 1;
    return p;
}

static void
give_bytes(struct held *h, size_t bytes)
{
    h->bytes -= bytes;
    share_give(h->share, SHARE_PREPARED, bytes);
}

void
prepared_drop(struct prepared *p)
{
    if (!p || --p->holders)
        return;
    if (p->held)
        give_bytes(p->held, p->bytes);
    arena_free(p->a);
    free(p->name);
    free(p);
}

struct portal *
portal_new(struct prepared *of)
{
    struct portal *p = calloc(1, sizeof *p);

    if (p && !(p->a = arena_new(NULL, OWN_BYTES))) {
        free(p);
        return NULL;
    }
    if (p) {
        p->of = of;
        of->holders++;
    }
    return p;
}

void
portal_free(struct portal *p)
{
    if (!p)
        return;
    prepared_drop(p->of);
    rows_drop(p->rows);
    arena_free(p->a);
    free(p->name);
    free(p);
}

static size_t
limit_of(const struct held *h)
{
    return h->limit ? h->limit : HELD_MAX;
}

static custos_status
fail_session(custos_err *err)
{
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "this session holds too many prepared statements and "
                       "cursors" HINT "close some");
}

static custos_status
fail_analyst(const struct held *h, custos_err *err)
{
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "your sessions hold %zu kB of prepared statements and "
                       "cursors, which is the limit" HINT "close some",
                       share_limit(h->share, SHARE_PREPARED) >> 10);
}

custos_status
held_has_room(const struct held *h, custos_err *err)
{
    if (h->bytes >= limit_of(h))
        return fail_session(err);
    if (share_is_full(h->share, SHARE_PREPARED))
        return fail_analyst(h, err);
    return CUSTOS_OK;
}

/* Counts the bytes of one more statement or portal, or fails. n: how many of
   its kind there are already. */
static custos_status
take_bytes(struct held *h, size_t n, size_t bytes, custos_err *err)
{
    if (n >= PREPARED_MAX || h->bytes >= limit_of(h) ||
        bytes >= limit_of(h) - h->bytes)
        return fail_session(err);
    if (!share_take(h->share, SHARE_PREPARED, bytes))
        return fail_analyst(h, err);
    h->bytes += bytes;
    return CUSTOS_OK;
}

void
held_answer(struct held *h, struct portal *p, struct rows *rows)
{
    p->rows = rows_hold(rows);
    p->at = 0;
    p->done = false;
    p->bytes += rows_bytes(rows);
    h->bytes += rows_bytes(rows);
    share_force(h->share, SHARE_PREPARED, rows_bytes(rows));
}

void
held_given(struct held *h, struct portal *p)
{
    p->bytes -= rows_bytes(p->rows);
    give_bytes(h, rows_bytes(p->rows));
    rows_drop(p->rows);
    p->rows = NULL;
    p->at = 0;
    p->done = true;
}

/* ---------------------------------------------------------------- names -- */

/* FNV-1a. Names are compared in full only if their hashes agree, which keeps a
   search cheap. */
static uint64_t
hash_of(str name)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (unsigned char)name.ptr[i]) * UINT64_C(1099511628211);
    return h;
}

static bool
is_named(const char *text, uint64_t own, str name, uint64_t hash)
{
    return own == hash && !strncmp(text, name.ptr, name.len) && !text[name.len];
}

static struct prepared **
prepared_at(struct held *h, str name)
{
    struct prepared **at = &h->prepared;
    uint64_t hash = hash_of(name);

    while (*at && !is_named((*at)->name, (*at)->hash, name, hash))
        at = &(*at)->next;
    return at;
}

static struct portal **
portal_at(struct held *h, str name)
{
    struct portal **at = &h->portals;
    uint64_t hash = hash_of(name);

    while (*at && !is_named((*at)->name, (*at)->hash, name, hash))
        at = &(*at)->next;
    return at;
}

struct prepared *
held_prepared(struct held *h, str name)
{
    return *prepared_at(h, name);
}

struct portal *
held_portal(struct held *h, str name)
{
    return *portal_at(h, name);
}

static size_t
prepared_bytes(const struct prepared *p, str name)
{
    return sizeof *p + name.len + 1 + arena_bytes(p->a);
}

custos_status
held_prepare(struct held *h, str name, struct prepared *p, custos_err *err)
{
    size_t bytes = prepared_bytes(p, name);
    custos_status st = CUSTOS_OK;

    if (!name.len)
        held_close_prepared(h, name);
    if (!(p->name = strndup(name.ptr, name.len)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = take_bytes(h, h->n_prepared, bytes, err);
    if (st) {
        prepared_drop(p);
        return st;
    }
    p->held = h;
    p->bytes = bytes;
    p->hash = hash_of(name);
    p->next = h->prepared;
    h->prepared = p;
    h->n_prepared++;
    return CUSTOS_OK;
}

custos_status
held_bind(struct held *h, str name, struct portal *p, custos_err *err)
{
    /* a cursor's statement was never named: it counts from here on */
    size_t of = p->of->held ? 0 : prepared_bytes(p->of, str_of(""));
    size_t own = sizeof *p + name.len + 1 + arena_bytes(p->a);
    custos_status st = CUSTOS_OK;

    if (!name.len)
        held_close_portal(h, name);
    if (!(p->name = strndup(name.ptr, name.len)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = take_bytes(h, h->n_portals, own + of, err);
    if (st) {
        portal_free(p);
        return st;
    }
    if (of) {
        p->of->held = h;
        p->of->bytes = of;
    }
    p->bytes = own;
    p->hash = hash_of(name);
    p->next = h->portals;
    h->portals = p;
    h->n_portals++;
    return CUSTOS_OK;
}

static void
close_portal(struct held *h, struct portal **at)
{
    struct portal *p = *at;

    *at = p->next;
    h->n_portals--;
    give_bytes(h, p->bytes);
    portal_free(p);
}

static void
close_prepared(struct held *h, struct prepared **at)
{
    struct prepared *p = *at;

    *at = p->next;
    h->n_prepared--;
    prepared_drop(p);
}

void
held_close_prepared(struct held *h, str name)
{
    struct prepared **at = prepared_at(h, name);

    if (*at)
        close_prepared(h, at);
}

void
held_close_portal(struct held *h, str name)
{
    struct portal **at = portal_at(h, name);

    if (*at)
        close_portal(h, at);
}

void
held_close_portals(struct held *h)
{
    while (h->portals)
        close_portal(h, &h->portals);
}

void
held_close_all_prepared(struct held *h)
{
    while (h->prepared)
        close_prepared(h, &h->prepared);
}

void
held_clear(struct held *h)
{
    held_close_portals(h);
    held_close_all_prepared(h);
}

bool
str_keep(arena *a, str *text)
{
    text->ptr = arena_copy(a, *text);
    return text->ptr != NULL;
}
