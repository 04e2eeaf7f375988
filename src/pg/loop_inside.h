/*
 * Internal to the loop: events in loop.c, tasks in loop_task.c, time limits and
 * stopping in loop_time.c, connections in connections.c, the owner's socket in
 * owner_line.c.
 */
#ifndef PG_LOOP_INSIDE_H
#define PG_LOOP_INSIDE_H

#include "curator/owner.h"
#include "pg/conn.h"
#include "pg/loop.h"
#include "pg/mailbox.h"
#include "serve/log.h"

enum {
    SCRATCH_BYTES = 1 << 16,
    EVENTS_MAX = 256,
    SWEEP_US = 200000,  /* how often time limits are checked */
    OWNER_US = 2000000, /* time for a line at the owner's socket */
    STRANGERS_MAX = 64, /* connections beyond the limit: they may cancel but not
                           log in */
    SLOTS_MAX = 1 << 16,
};

/* A place for a connection. A connection's id consists of the number of its
   slot and how often that slot was used. */
struct slot {
    struct conn *conn; /* NULL: free */
    uint32_t uses;
};

enum { STRANGER_LINES = 20 }; /* log lines about strangers per second */

struct loop {
    struct loop_options options;
    struct session_host host;
    struct tls *tls, *fresh; /* in use; newly read, not yet in use */
    struct mailbox *box;
    struct cache *cache;
    int epoll;
    struct slot *slots;
    size_t n_slots, n_conns, n_entered;
    struct conn *oldest, *newest; /* the list of strangers */
    size_t n_strangers;
    size_t n_out; /* submitted tasks, also of connections that are gone */
    bool stopping, draining;
    bool deaf;  /* accepts nobody until the next sweep */
    bool turns; /* a connection waits for its turn */
    int64_t stop_by_us;
    int64_t swept_us;
    int64_t lines_since_us; /* when the current second of `lines` began */
    unsigned lines;         /* log lines caused by strangers in that second */
    int64_t now_us;
    int owner_link; /* a caller at the owner's socket; -1: none */
    int64_t owner_since_us;
    size_t owner_len;
    char owner_line[OWNER_LINE_MAX];
    char scratch[SCRATCH_BYTES];
};

static inline struct counts *
counts_of(const struct loop *l)
{
    return l->options.parts->counts;
}

/* The kind of an event: the low 8 bits of epoll's data. A connection's id is in
   the bits above. */
enum loop_event {
    EVENT_LISTEN = 1,
    EVENT_OWNER,
    EVENT_OWNER_LINE,
    EVENT_SIGNAL,
    EVENT_BOX,
    EVENT_CONN,
};

/* --- connections.c: slots, limits, who may stay */

struct conn *connections_at(struct loop *l, uint32_t id);
/* NULL: no slot is free, or out of memory. */
struct conn *connections_add(struct loop *l, int fd, const char *address);
/* Ends the connection of one stranger if there are too many strangers at this
   address or in all; with CONNECTIONS_ONE_PLACE in any case, to free a slot.
   False: none was ended. */
enum connections_need { CONNECTIONS_WITHIN_LIMITS, CONNECTIONS_ONE_PLACE };
bool connections_make_room(struct loop *l, const char *address,
                           enum connections_need need);
void connections_entered(struct loop *l, struct conn *c); /* it has logged in */
void connections_remove(struct loop *l, struct conn *c);
/* Implements session_host.enter. */
const char *
connections_enter(void *ctx, const struct credential *who, custos_err *err);
/* Ends the sessions of a name, or all (NULL); returns how many. */
size_t connections_cut(struct loop *l, const str *name, const char *said);

/* --- loop.c */

void loop_close(struct loop *l, struct conn *c, const char *why);
void loop_drive(struct loop *l, struct conn *c);
void loop_watch(struct loop *l, int fd, enum loop_event event, uint32_t events);

/* --- loop_task.c */

/* Gives the session's task to the worker threads. False: refused, and the client
   gets an error. */
bool loop_submit(struct loop *l, struct conn *c);
void loop_come_back(struct loop *l); /* takes tasks from the mailbox */
/* Drops the task that runs for c; it still comes back. */
void loop_drop(struct loop *l, const struct conn *c, enum ask_stop why);

/* --- loop_time.c */

void loop_sweep(struct loop *l);
void loop_signals(struct loop *l);
void loop_deafen(struct loop *l);
/* Stops; running questions get within_ms, which a second call may shorten. */
void loop_stop(struct loop *l, int64_t within_ms);

/* --- owner_line.c */

void owner_call(struct loop *l);
void owner_read(struct loop *l);
void owner_sweep(struct loop *l); /* hangs up on a slow caller */
void owner_reload(struct loop *l);

#endif
