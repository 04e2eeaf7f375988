/*
 * One PostgreSQL session as a state machine: bytes in, bytes out, no sockets, no
 * clock, no threads. Whoever has the socket feeds it, sends what it writes,
 * and brings its tasks to worker threads and back.
 *
 * Before the login is complete it reads only first packets and steps of SASL:
 * login.c.
 */
#ifndef PG_SESSION_H
#define PG_SESSION_H

#include "pg/cache.h"
#include "pg/task.h"
#include "serve/shares.h"
#include "serve/throttle.h"
#include "wire/pg_in.h"

/* What all sessions of a server share. Borrowed. */
struct session_host {
    struct pg_limits limits; /* of messages after the login */
    size_t query_bytes;      /* of one text of SQL */
    bool tls;                /* it is offered and required */
    size_t held_bytes;     /* of prepared statements and cursors; 0: HELD_MAX */
    struct shares *shares; /* what analysts use; NULL: without limits */
    struct throttle *throttle;
    struct cache *cache; /* NULL: none */
    void *ctx;
    /* Fills a buffer with random bytes. */
    void (*chance)(void *ctx, uint8_t *bytes, size_t n);
    /* A client has proved who it is. NULL: it may stay; else the SQLSTATE of
       the refusal, and err says why. */
    const char *(*enter)(void *ctx, const struct credential *who,
                         custos_err *err);
    /* strayed: a login from this address failed. crowded: a login was refused
       because there were too many attempts. */
    void (*strayed)(void *ctx, const char *address);
    void (*crowded)(void *ctx);
    /* A cached answer was given again, free; seq is its receipt's row. */
    void (*again)(void *ctx, const struct credential *who, uint64_t seq);
};

/* What cancel requests for this session must name, and the client's address.
   Clients of protocol 3.0 get only the key's first PG_KEY_MIN bytes. */
struct session_peer {
    uint32_t process;
    uint8_t key[PG_KEY_MAX];
    char address[64];
};

struct session;

/* NULL: out of memory. */
struct session *
session_new(const struct session_host *host, const struct session_peer *peer);
void session_free(struct session *s);

/* What the session needs next, and the call that provides it. */
enum session_need {
    NEED_BYTES,  /* from the client: session_receive */
    NEED_TLS,    /* when all is sent: the handshake, then session_secured */
    NEED_WORK,   /* session_task, and session_told when it comes back */
    NEED_SPACE,  /* when all is sent: session_sent */
    NEED_TURN,   /* when others have had their turn: session_sent */
    NEED_CANCEL, /* session_cancelled says whose question; then it ends */
    NEED_END,    /* when all is sent: close */
};
enum session_need session_need(const struct session *s);

/*
 * Takes all of the bytes. Those that cannot be read yet are kept: at most one
 * message while session_need is NEED_BYTES. A caller that feeds it at other
 * times must bound how much it feeds.
 */
void session_receive(struct session *s, str bytes, int64_t now_us);

/* The bytes to send; the caller empties the buffer when all are sent. */
struct buf *session_out(struct session *s);
void session_sent(struct session *s, int64_t now_us);

/* The handshake is done; `binding` is the tls-server-end-point, or empty. */
void session_secured(struct session *s, str binding, int64_t now_us);

/* The task to be done, which belongs to the caller from now on. NULL: it was
   taken already. */
struct task *session_task(struct session *s);

/*
 * The task is back; it is freed. If the session no longer waits for it, nothing
 * else happens.
 */
void session_told(struct session *s, struct task *t, int64_t now_us);

/* The task could not be submitted: the client gets this error, and the task is
   freed. */
void session_refused(struct session *s, struct task *t, const char *sqlstate,
                     const char *said, const char *hint, int64_t now_us);

/*
 * Gives up the running question: cancelled, or past its time. True: there was
 * one that had not been given up before. The reply is written when the task
 * comes back, at the time fixed for it, and does not depend on how far the work
 * had come.
 */
enum session_stop { STOP_NOT, STOP_CANCEL, STOP_TIME };
bool session_stop(struct session *s, enum session_stop why);

/* The session whose question the client wants to cancel, for NEED_CANCEL. */
struct pg_cancel session_cancelled(const struct session *s);

/* Does the request name this session by its process and key? Compares the key
   in constant time. */
bool session_is(const struct session *s, const struct pg_cancel *c);

/* Ends the session with this error. No-op if it has ended. */
void session_end(struct session *s, const char *sqlstate, const char *said);

/* Counts the session's memory against its analyst's share. Call it when the
   memory may have changed outside the session, as when bytes were sent. */
void session_count(struct session *s);
struct share *
session_share(const struct session *s); /* NULL before the login */

/* NULL before the login. */
const struct credential *session_who(const struct session *s);
bool session_in_question(const struct session *s);

#endif
