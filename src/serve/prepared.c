#include "serve/prepared.h"

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

void
prepared_drop(struct prepared *p)
{
    if (!p || --p->holders)
        return;
    prepared_drop(p->like);
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

custos_status
held_has_room(const struct held *h, custos_err *err)
{
    if (h->bytes >= HELD_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "this session holds too many prepared statements "
                           "and cursors; close some");
    return CUSTOS_OK;
}

static custos_status
admit(const struct held *h, size_t n, size_t bytes, custos_err *err)
{
    const struct held then = {.bytes = n < PREPARED_MAX && h->bytes < HELD_MAX
                                           ? h->bytes + bytes
                                           : HELD_MAX};

    return held_has_room(&then, err);
}

void
held_answer(struct held *h, struct portal *p, struct rows *rows)
{
    p->rows = rows_hold(rows);
    p->at = 0;
    p->done = false;
    p->bytes += rows_bytes(rows);
    h->bytes += rows_bytes(rows);
}

void
held_given(struct held *h, struct portal *p)
{
    p->bytes -= rows_bytes(p->rows);
    h->bytes -= rows_bytes(p->rows);
    rows_drop(p->rows);
    p->rows = NULL;
    p->at = 0;
    p->done = true;
}

custos_status
held_prepare(struct held *h, str name, struct prepared *p, custos_err *err)
{
    custos_status st;

    if (!name.len)
        held_close_prepared(h, name);
    st = admit(h, h->n_prepared, p->bytes, err);
    if (!st && !(p->name = strndup(name.ptr, name.len)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st) {
        prepared_drop(p);
        return st;
    }
    p->next = h->prepared;
    h->prepared = p;
    h->n_prepared++;
    h->bytes += p->bytes;
    return CUSTOS_OK;
}

custos_status
held_bind(struct held *h, str name, struct portal *p, custos_err *err)
{
    custos_status st;

    if (!name.len)
        held_close_portal(h, name);
    st = admit(h, h->n_portals, p->bytes, err);
    if (!st && !(p->name = strndup(name.ptr, name.len)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st) {
        portal_free(p);
        return st;
    }
    p->next = h->portals;
    h->portals = p;
    h->n_portals++;
    h->bytes += p->bytes;
    return CUSTOS_OK;
}

static bool
is_named(const char *text, str name)
{
    return strlen(text) == name.len && !memcmp(text, name.ptr, name.len);
}

struct prepared *
held_prepared(const struct held *h, str name)
{
    struct prepared *p = h->prepared;

    while (p && !is_named(p->name, name))
        p = p->next;
    return p;
}

struct portal *
held_portal(const struct held *h, str name)
{
    struct portal *p = h->portals;

    while (p && !is_named(p->name, name))
        p = p->next;
    return p;
}

void
held_close_prepared(struct held *h, str name)
{
    struct prepared **at = &h->prepared, *p;

    while (*at && !is_named((*at)->name, name))
        at = &(*at)->next;
    if (!(p = *at))
        return;
    *at = p->next;
    h->n_prepared--;
    h->bytes -= p->bytes;
    prepared_drop(p);
}

void
held_close_portal(struct held *h, str name)
{
    struct portal **at = &h->portals, *p;

    while (*at && !is_named((*at)->name, name))
        at = &(*at)->next;
    if (!(p = *at))
        return;
    *at = p->next;
    h->n_portals--;
    h->bytes -= p->bytes;
    portal_free(p);
}

void
held_close_portals(struct held *h)
{
    while (h->portals)
        held_close_portal(h, str_of(h->portals->name));
}

void
held_clear(struct held *h)
{
    held_close_portals(h);
    while (h->prepared)
        held_close_prepared(h, str_of(h->prepared->name));
}

bool
str_keep(arena *a, str *text)
{
    text->ptr = arena_copy(a, *text);
    return text->ptr != NULL;
}
