/*
 * A server to be attacked: a store is made from a schema and generated data in a
 * temporary folder, and `custos serve` answers on a free port of loopback. Init,
 * credentials and server are the command itself, run as its owner would run it;
 * nothing of the curator is linked or read here.
 */
#ifndef AUDIT_STRANGER_SERVER_H
#define AUDIT_STRANGER_SERVER_H

#include "audit/stranger/process.h"
#include "audit/stranger/schema.h"

enum { STRANGER_PASSWORD_MAX = 40 };

/* When replies leave: at their public time, or as soon as they can. Only the
   first is private; the second gives many more answers a second. */
enum stranger_clock { CLOCK_PUBLIC, CLOCK_NONE };

struct stranger_options {
    const char *program; /* the command: a path, such as /proc/self/exe */
    size_t analysts;     /* analyst0 ...; 0: one */
    enum stranger_clock clock;
    unsigned workers;      /* 0: the server's default */
    unsigned allowance_ms; /* added to public reply times; 0: the default */
    unsigned max_seconds; /* after which a question is killed; 0: the default */
};

struct stranger_server {
    struct folder folder; /* has policy.yaml, the tables, store/ and log */
    pid_t pid;
    unsigned port;
    size_t analysts;
    char password[STRANGER_PASSWORD_MAX]; /* of all of them */
    const char *program;
    struct stranger_options options;
};

/*
 * Makes a store and serves it; csv[i] is the file of table i. Start it from a
 * thread that outlives it (process.h). May fail: CUSTOS_EIO, CUSTOS_ENOMEM,
 * CUSTOS_EENTROPY, CUSTOS_EINVAL (init or serve fails; the message says why).
 */
CUSTOS_MUST_USE custos_status
stranger_start(const struct schema *schema, const str *csv,
               const struct stranger_options *options,
               struct stranger_server *out, custos_err *err);

/*
 * Makes a neighbour of another server's store: the same secret, analysts and
 * passwords, other rows. The secret decides which rows of a unit count, so the
 * answers of two stores with different secrets differ in more than one person.
 * Fails as stranger_start does.
 */
CUSTOS_MUST_USE custos_status stranger_start_beside(
    const struct stranger_server *other, const struct schema *schema,
    const str *csv, struct stranger_server *out, custos_err *err);

/*
 * Stops the server and serves the same store again, with another clock; the
 * ledger stays. Connections are lost. Fails as stranger_start does; the server
 * can then only be stopped.
 */
CUSTOS_MUST_USE custos_status stranger_restart(struct stranger_server *server,
                                               enum stranger_clock clock,
                                               custos_err *err);

/* Has the server ended by itself? */
bool stranger_ended(struct stranger_server *server);

/* Stops the server and removes the folder. No-op if it was never started. */
void stranger_stop(struct stranger_server *server);

#endif
