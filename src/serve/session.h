/*
 * One PostgreSQL session as a state machine: bytes in, bytes out, no sockets, no
 * clock, no threads. Whoever has the socket feeds it, sends what it writes,
 * and brings its tasks to workers and back.
 *
 * Before the login is complete it reads only first packets and steps of SASL:
 * login.c.
 */
#ifndef SERVE_SESSION_H
#define SERVE_SESSION_H

#include "serve/cache.h"
#include "serve/throttle.h"
#include "serve/shares.h"
#include "serve/task.h"
#include "wire/pg_in.h"

/* What all sessions of a server share. Borrowed. */
struct session_host {
    struct pg_limits limits; /* of messages after the login */
    size_t query_bytes;      /* of one text of SQL */
    bool tls;                /* it is offered, and then required */
    size_t held_bytes;     /* of prepared statements and cursors; 0: HELD_MAX */
    struct shares *shares; /* what analysts use; NULL: without limits */
    struct throttle *throttle;
    struct cache *cache; /* NULL: none */
    void *ctx;
    /* Random bytes. */
    void (*chance)(void *ctx, uint8_t *bytes, size_t n);
    /* A client has proved who it is. NULL: it may stay; else the SQLSTATE of
       the refusal, and err says why. */
    const char *(*enter)(void *ctx, const struct credential *who,
                         custos_err *err);
    /* A login failed, from this address; or was refused since there were too
       many tries. */
    void (*strayed)(void *ctx, const char *address);
    void (*crowded)(void *ctx);
    /* A cached answer was given again, free; seq is its receipt's row. */
    void (*again)(void *ctx, const struct credential *who, uint64_t seq);
};

/* What its cancel requests must name, and where it comes from. Clients of
   protocol 3.0 get only the key's first PG_KEY_MIN bytes. */
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

enum session_need {
    NEED_BYTES,  /* from the client: session_receive */
    NEED_TLS,    /* when all is sent: the handshake, then session_secured */
    NEED_WORK,   /* session_task, and session_told when it comes back */
    NEED_SPACE,  /* when all is sent: session_sent */
    NEED_TURN,   /* when others have had theirs, later: session_sent */
    NEED_CANCEL, /* session_cancelled says whose question; then it ends */
    NEED_END,    /* when all is sent: close */
};
enum session_need session_need(const struct session *s);

/*
 * Takes all of the bytes. What cannot be read yet is kept: at most one message
 * while it needs NEED_BYTES; who feeds it at other times bounds how much it is.
 */
void session_receive(struct session *s, str bytes, int64_t now_us);

/* What is to be sent; the caller takes it out from the front. */
struct buf *session_out(struct session *s);
void session_sent(struct session *s, int64_t now_us);

/* The handshake is done; `binding` as tls-server-end-point, may be empty. */
void session_secured(struct session *s, str binding, int64_t now_us);

/* The task to be done, the caller's from here on. NULL: it was taken already. */
struct task *session_task(struct session *s);

/*
 * The task is back; it is freed. If the session no longer waits for it, nothing
 * else happens.
 */
void session_told(struct session *s, struct task *t, int64_t now_us);

/* The workers did not take the task: the client gets this error, and the task is
   freed. */
void session_refused(struct session *s, struct task *t, const char *sqlstate,
                     const char *said, const char *hint, int64_t now_us);

/*
 * Gives up the running question: cancelled, or past its time. True: there was one,
 * not given up before. The reply is written when its task comes back, at the time
 * of its reply, and does not depend on how far the work had come.
 */
enum session_stop { STOP_NOT, STOP_CANCEL, STOP_TIME };
bool session_stop(struct session *s, enum session_stop why);

/* The session that NEED_CANCEL is about. */
struct pg_cancel session_cancelled(const struct session *s);

/* Does the request name this session? Process and key, in constant time. */
bool session_is(const struct session *s, const struct pg_cancel *c);

/* Ends it with this error. No-op if it has ended. */
void session_end(struct session *s, const char *sqlstate, const char *said);

/* Counts its memory against its analyst's share. To be called when that may have
   changed outside the session: bytes were sent. */
void session_count(struct session *s);
struct share *
session_share(const struct session *s); /* NULL before the login */

/* NULL before the login. */
const struct credential *session_who(const struct session *s);
bool session_in_question(const struct session *s);

#endif
