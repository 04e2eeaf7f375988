/*
 * The owner's socket: STORE/owner.sock, for the user who runs the server (and
 * root) and nobody else. It takes one line, `VERB [WORD]`, and replies with one
 * line of JSON:
 *
 *     reload     load the policy and data that the store has in force, and the
 *                server's certificates
 *     status     show version, policy, sessions, and whether new ones are accepted
 *     sessions   show who is connected, since when, by which protocol
 *     drain      accept no new sessions, end when all have ended
 *     cut NAME   end the sessions of an analyst
 *
 *     {"ok":true,...} or
 *     {"ok":false,"code":"EBUSY","error":"a sentence","hint":"what to do"}
 *
 * This file has the socket, the line and the reply; the server passes functions
 * for what only it knows. Every change is recorded as a row of the chain.
 */
#ifndef CURATOR_OWNER_H
#define CURATOR_OWNER_H

#include "base/json.h"
#include "curator/curator.h"

enum { OWNER_LINE_MAX = 512, OWNER_REPLY_MAX = 1 << 20 };

/*
 * Listens on a non-blocking socket. Only this user and root may connect: the
 * socket's mode says so, and owner_accept asks the kernel who connects. May
 * fail: CUSTOS_EBUSY (a server answers there already), CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status owner_listen(const struct curator *c, int *fd,
                                           custos_err *err);

/* Closes the socket and removes its file. */
void owner_close(const struct curator *c, int fd);

/* The next connection, or -1: none, or it was another user's and was closed. */
int owner_accept(int fd);

/* What only the server knows; each may be NULL. */
struct owner_hooks {
    void *ctx;
    /* Reloads what only the server has (certificates). `renew` prepares the new
       ones and changes nothing; `renewed` puts them in force, or drops them if
       policy and data could not be reloaded. */
    custos_status (*renew)(void *ctx, custos_err *err);
    custos_status (*renewed)(void *ctx, bool good, custos_err *err);
    /* Adds members to the status. */
    void (*status)(void *ctx, struct json *j);
    /* Adds the elements of the list of sessions. */
    void (*sessions)(void *ctx, struct json *j);
    void (*drain)(void *ctx);
    /* Ends the sessions of a name and returns how many. */
    size_t (*cut)(void *ctx, str name);
};

/*
 * Takes one line (with or without its end of line) and writes one line of reply,
 * with its end of line. c is the calling thread's handle. Cannot fail: the reply
 * reports errors.
 */
void owner_answer(struct curator *c, const struct owner_hooks *hooks, str line,
                  int64_t now, struct buf *reply);

/*
 * The other side: sends the line to the server of a store and waits for its
 * reply, which is allocated in `a`. May fail: CUSTOS_ENAME (no server runs),
 * CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status owner_ask(const char *store, str line, arena *a,
                                        str *reply, custos_err *err);

/* Ends the sessions of a name at the store's server, if one runs; the server
   records that in the chain. */
void owner_cut(const char *store, str name);

#endif
