/*
 * Who is connected: slots, limits, and the end of an analyst's sessions.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/error.h"
#include "serve/loop_inside.h"

struct conn *
people_at(struct loop *l, uint32_t id)
{
    struct conn *c =
        id % SLOTS_MAX < l->n_slots ? l->slots[id % SLOTS_MAX].conn : NULL;

    return c && c->id == id ? c : NULL;
}

static struct slot *
free_slot(struct loop *l)
{
    for (size_t i = 0; i < l->n_slots; i++)
        if (!l->slots[i].conn)
            return &l->slots[i];
    return NULL;
}

struct conn *
people_add(struct loop *l, int fd, const char *address)
{
    struct slot *slot = free_slot(l);
    struct conn *c = slot ? calloc(1, sizeof *c) : NULL;
    struct session_peer peer = {0};

    if (!c)
        return NULL;
    slot->uses = (slot->uses + 1) % (1 << 14);
    c->id = slot->uses * SLOTS_MAX + (uint32_t)(slot - l->slots);
    c->fd = fd;
    c->since_us = c->active_us = l->now_us;
    memcpy(c->address, address, sizeof c->address);
    memcpy(peer.address, address, sizeof peer.address);
    peer.process = c->id;
    randombytes_buf(peer.key, sizeof peer.key);
    c->session = session_new(&l->host, &peer);
    if (!c->session) {
        free(c);
        return NULL;
    }
    slot->conn = c;
    l->n_conns++;
    return c;
}

/* Who has not logged in longest makes place for who comes: strangers cannot
   fill the house and keep others out. */
bool
people_make_room(struct loop *l)
{
    struct conn *oldest = NULL;

    for (size_t i = 0; i < l->n_slots; i++) {
        struct conn *c = l->slots[i].conn;

        if (c && !c->entered && (!oldest || c->since_us < oldest->since_us))
            oldest = c;
    }
    if (!oldest)
        return false;
    session_end(oldest->session, "53300", "sorry, too many clients already");
    (void)conn_drive(oldest, l->tls, l->now_us);
    loop_close(l, oldest, "crowded");
    return true;
}

void
people_remove(struct loop *l, struct conn *c)
{
    l->slots[c->id % SLOTS_MAX].conn = NULL;
    l->n_conns--;
    l->n_entered -= c->entered;
    conn_clear(c);
    free(c);
}

custos_status
people_enter(void *ctx, const struct door *who, custos_err *err)
{
    struct loop *l = ctx;
    const struct serve_limits *limits = &l->options.parts->limits;
    size_t same = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        const struct conn *c = l->slots[i].conn;

        same += c && c->entered &&
                !strcmp(session_who(c->session)->name, who->name);
    }
    if (l->stopping || l->draining)
        return custos_fail(err, CUSTOS_EBUSY, "the server is stopping");
    if (l->n_entered >= limits->connections)
        return custos_fail(err, CUSTOS_EBUSY,
                           "sorry, too many clients already");
    if (same >= limits->connections_per_analyst)
        return custos_fail(err, CUSTOS_EBUSY,
                           "too many connections for this analyst (%zu)", same);
    return CUSTOS_OK;
}

size_t
people_cut(struct loop *l, const str *name, const char *said)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        struct conn *c = l->slots[i].conn;
        const struct door *who = c ? session_who(c->session) : NULL;

        if (!c || (name && (!who || !str_equal(str_of(who->name), *name))))
            continue;
        session_end(c->session, "57P01", said);
        loop_drive(l, c);
        n++;
    }
    return n;
}
