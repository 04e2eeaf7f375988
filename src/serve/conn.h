/*
 * One connection of a PostgreSQL client: a socket, perhaps TLS on it, and the
 * session it feeds. It reads only when the session wants bytes and nothing is
 * left to send, so that nobody can make the server hold more than that.
 */
#ifndef SERVE_CONN_H
#define SERVE_CONN_H

#include "serve/peer.h"
#include "serve/session.h"
#include "serve/tls.h"

struct conn {
    int fd;
    uint32_t id; /* the process of its cancel requests */
    struct session *session;
    struct tls_link *link;      /* NULL: plain */
    bool shaking;               /* in the handshake */
    bool wants_write;           /* TLS must write to go on reading */
    bool wants_read;            /* or read to go on writing */
    size_t sent;                /* of what the session wrote */
    uint32_t events;            /* what epoll was told */
    struct task *task;          /* out at work */
    bool wants_turn;            /* see CONN_TURN */
    bool has_sent;              /* anything at all */
    bool entered;               /* counted among its analyst's; until then: */
    struct conn *older, *newer; /* among strangers */
    char address[64];
    char group[PEER_GROUP_MAX]; /* whose strangers it counts among */
    int64_t since_us;           /* when it came */
    int64_t active_us;          /* when the client last sent something */
    int64_t question_us;        /* when what runs was asked; 0: nothing */
    int64_t taken_us; /* when some of its replies was last taken, or none
                            was waiting */
    int64_t acked;    /* how much was then */
};

enum conn_now {
    CONN_WAITS,  /* for its events */
    CONN_TASK,   /* session_task is to be submitted */
    CONN_TURN,   /* to be driven again when others had their turn */
    CONN_CANCEL, /* session_cancelled is to be cancelled, then close */
    CONN_CLOSED,
};

/* Sends and goes on as far as it can without reading. */
enum conn_now conn_drive(struct conn *c, struct tls *tls, int64_t now_us);

/* Reads what there is into the session, by way of the scratch. False: gone. */
bool conn_read(struct conn *c, char *scratch, size_t room, int64_t now_us);

/* A reply waits to be taken. */
bool conn_is_sending(const struct conn *c);

/* The events it waits for now. */
uint32_t conn_events(const struct conn *c);

/* Closes the socket and frees what it has; its task, if any, comes back. */
void conn_clear(struct conn *c);

#endif
