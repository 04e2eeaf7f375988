/*
 * Connections: slots, limits, and ending the sessions of an analyst.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/error.h"
#include "pg/loop_inside.h"

enum { SILENT_US = 1000000 }; /* an honest client sends something sooner */

struct conn *
connections_at(struct loop *l, uint32_t id)
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

/* ------------------------------------------------------------ strangers -- */

/* A stranger is a connection that has not logged in. */

static void
stranger_add(struct loop *l, struct conn *c)
{
    c->older = l->newest;
    if (c->older)
        c->older->newer = c;
    else
        l->oldest = c;
    l->newest = c;
    l->n_strangers++;
}

static void
stranger_remove(struct loop *l, struct conn *c)
{
    if (c->older)
        c->older->newer = c->newer;
    else
        l->oldest = c->newer;
    if (c->newer)
        c->newer->older = c->older;
    else
        l->newest = c->older;
    c->older = c->newer = NULL;
    l->n_strangers--;
}

void
connections_entered(struct loop *l, struct conn *c)
{
    stranger_remove(l, c);
    c->entered = true;
    l->n_entered++;
}

struct conn *
connections_add(struct loop *l, int fd, const char *address)
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
    c->taken_us = l->now_us;
    memcpy(c->address, address, sizeof c->address);
    peer_group(str_of(address), c->group);
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
    stranger_add(l, c);
    return c;
}

/* How many strangers a group has. */
static size_t
group_size(const struct loop *l, const char *group)
{
    size_t n = 0;

    for (const struct conn *c = l->oldest; c; c = c->newer)
        n += !strcmp(c->group, group);
    return n;
}

/*
 * The connection to evict from a group: the oldest that connected more than
 * SILENT_US ago and has never sent anything; if there is none, the oldest. (A
 * client that has just connected has not sent anything either, but must not be
 * the first to go.)
 */
static struct conn *
stranger_to_end(const struct loop *l, const char *group)
{
    struct conn *oldest = NULL;

    for (struct conn *c = l->oldest; c; c = c->newer) {
        if (strcmp(c->group, group) != 0)
            continue;
        if (!c->has_sent && l->now_us - c->since_us > SILENT_US)
            return c;
        if (!oldest)
            oldest = c;
    }
    return oldest;
}

/* The group with the most strangers; among equals, the group of the oldest
   stranger. */
static const char *
largest_group(const struct loop *l)
{
    const char *found = NULL;
    size_t most = 0;

    for (const struct conn *c = l->oldest; c; c = c->newer) {
        size_t n = group_size(l, c->group);

        if (n > most) {
            found = c->group;
            most = n;
        }
    }
    return found;
}

static void
stranger_end(struct loop *l, struct conn *c)
{
    COUNT_ONE(l->options.parts->counts, strangers_evicted_total);
    session_end(c->session, "53300", "sorry, too many clients already");
    (void)conn_drive(c, l->tls, l->now_us);
    loop_close(l, c, "crowded");
}

/*
 * Makes room for a new connection if necessary, by evicting one that has not
 * logged in: from the newcomer's own group of addresses if that is full, else
 * from the largest group. So strangers cannot fill the server, and those at one
 * address cannot keep out those at another.
 */
bool
connections_make_room(struct loop *l, const char *address,
                      enum connections_need need)
{
    const struct serve_limits *limits = &l->options.parts->limits;
    char group[PEER_GROUP_MAX];
    const char *of = group;
    struct conn *c;

    peer_group(str_of(address), group);
    if (group_size(l, group) < limits->strangers_per_address) {
        if (l->n_strangers < limits->strangers &&
            need == CONNECTIONS_WITHIN_LIMITS)
            return false;
        of = largest_group(l);
    }
    c = of ? stranger_to_end(l, of) : NULL;
    if (c)
        stranger_end(l, c);
    return c != NULL;
}

void
connections_remove(struct loop *l, struct conn *c)
{
    l->slots[c->id % SLOTS_MAX].conn = NULL;
    l->n_conns--;
    if (c->entered)
        l->n_entered--;
    else
        stranger_remove(l, c);
    conn_clear(c);
    free(c);
}

/* ------------------------------------------------------------- analysts -- */

const char *
connections_enter(void *ctx, const struct credential *who, custos_err *err)
{
    struct loop *l = ctx;
    const struct serve_limits *limits = &l->options.parts->limits;
    size_t same = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        const struct conn *c = l->slots[i].conn;

        same += c && c->entered &&
                !strcmp(session_who(c->session)->name, who->name);
    }
    if (l->stopping || l->draining) {
        custos_fail(err, CUSTOS_EBUSY, "the server is stopping");
        return "57P03";
    }
    if (l->n_entered >= limits->connections)
        custos_fail(err, CUSTOS_EBUSY, "sorry, too many clients already");
    else if (same >= limits->connections_per_analyst)
        custos_fail(err, CUSTOS_EBUSY,
                    "too many connections for this analyst (%zu)", same);
    else
        return NULL;
    return "53300";
}

size_t
connections_cut(struct loop *l, const str *name, const char *said)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        struct conn *c = l->slots[i].conn;
        const struct credential *who = c ? session_who(c->session) : NULL;

        if (!c || (name && (!who || !str_equal(str_of(who->name), *name))))
            continue;
        session_end(c->session, "57P01", said);
        loop_drive(l, c);
        n++;
    }
    return n;
}
