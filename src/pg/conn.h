/*
 * One connection of a PostgreSQL client: a socket, perhaps TLS on it, and the
 * session it feeds. It begins to read only when the session wants bytes and
 * nothing is left to send; this bounds the memory that a client can make the
 * server use.
 */
#ifndef PG_CONN_H
#define PG_CONN_H

#include "pg/session.h"
#include "serve/peer.h"
#include "serve/tls.h"

struct conn {
    int fd;
    uint32_t id; /* the "process" that its cancel requests name */
    struct session *session;
    struct tls_link *link;      /* NULL: plain */
    bool shaking;               /* in the handshake */
    bool wants_write;           /* TLS must write to go on reading */
    bool wants_read;            /* TLS must read to go on writing */
    size_t sent;                /* bytes sent of what the session wrote */
    uint32_t events;            /* events that epoll watches for */
    struct task *task;          /* with the worker threads; NULL: none */
    bool wants_turn;            /* see CONN_TURN */
    bool has_sent;              /* the client has sent something */
    bool entered;               /* it has logged in */
    struct conn *older, *newer; /* in the list of strangers until it logs in */
    char address[64];
    char group[PEER_GROUP_MAX]; /* of addresses: see peer_group */
    int64_t since_us;           /* when it connected */
    int64_t active_us;          /* when the client last sent something */
    int64_t question_us;        /* when the running task began; 0: none */
    int64_t taken_us; /* the last time that the client received part of a reply,
                         or that no reply was being sent */
    int64_t acked;    /* bytes acknowledged by then */
};

enum conn_now {
    CONN_WAITS,  /* it waits for its events */
    CONN_TASK,   /* session_task is to be submitted */
    CONN_TURN,   /* call conn_drive again when others have had their turn */
    CONN_CANCEL, /* cancel the question that session_cancelled names, then
                    close */
    CONN_CLOSED,
};

/* Sends, and drives the session as far as it goes without reading. */
enum conn_now conn_drive(struct conn *c, struct tls *tls, int64_t now_us);

/* Reads what there is into the session, through scratch. False: the client has
   gone. */
bool conn_read(struct conn *c, char *scratch, size_t room, int64_t now_us);

/* Part of a reply is still to be sent. */
bool conn_is_sending(const struct conn *c);

/* The events it waits for now. */
uint32_t conn_events(const struct conn *c);

/* Closes the socket and frees what the connection owns. Its task, if it has
   one, still comes back. */
void conn_clear(struct conn *c);

#endif
