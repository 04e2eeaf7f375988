/*
 * A session with a fake client and a fake curator: tests make messages by hand,
 * tasks are answered at once, and the session's replies are read as a line of
 * words.
 */
#ifndef TEST_SESSION_FAKE_H
#define TEST_SESSION_FAKE_H

#include <stdarg.h>

#include "pg/session.h"

struct fake {
    struct session_host host;
    struct session *session;
    struct scram_verifier verifier;
    struct buf sent; /* all that the session wrote since fake_said */
    uint64_t rows;   /* of every answer */
    int asked, described, looked_up, catalogs, again; /* tasks by kind */
    int read;                                         /* texts parsed */
    int turns;                                        /* waited for */
    int strayed;                                      /* failed logins */
    int crowded;                                      /* too many tries */
    custos_status refuse; /* what questions get instead; CUSTOS_OK: answers */
    bool refuse_entry, is_public, hold; /* hold: tasks wait */
    struct task *held;
    char last_sql[256], last_epsilon[32], last_rho[32];
    size_t last_params;
    int64_t now;
    char nonce[128]; /* the client's login */
    struct buf client_first;
};

enum fake_tls { FAKE_PLAIN, FAKE_TLS };

void fake_init(struct fake *f, enum fake_tls tls, struct cache *cache);
void fake_clear(struct fake *f);
/* Begins a new session on the same host. */
void fake_again(struct fake *f);

/*
 * Sends bytes as they are, in pieces of `piece` bytes (0: all at once). Tasks
 * are answered.
 */
void fake_feed(struct fake *f, const void *bytes, size_t len, size_t piece);
/* Does what the session needs until it waits. */
void fake_pump(struct fake *f);
/* Does a task. */
void fake_work(struct fake *f, struct task *t);
/* Brings the held task back. */
void fake_bring(struct fake *f);

/*
 * One message: type (0: a first packet), and its content by a format: 's' a
 * text with its NUL, 'b' bytes (pointer, int), '1' '2' '4' whole numbers.
 */
void fake_send(struct fake *f, char type, const char *format, ...);

void fake_startup(struct fake *f, const char *user);
/* The complete login; the right password is "pencil". */
void fake_login(struct fake *f, const char *user, const char *password);

/*
 * What was sent since the last call, one word for each message: R0
 * (AuthenticationOk), Z:I T D C:SELECT_1 E:28P01 N:00000 1 2 3 n s I t; SSL
 * replies are '+' and '-'. S and K are left out.
 */
const char *fake_said(struct fake *f, char text[4096]);

/*
 * For tests with a socket: write a message or the client-final message of SCRAM
 * (after a client-first of "n=,r=abcdefghijklmnop"), and turn bytes into words.
 */
void fake_message(struct buf *out, char type, const char *format, va_list args);
void
fake_final(const struct scram_verifier *v, const char *binding,
           const char *password, const char *server_first, struct buf *out);
const char *fake_words(const char *bytes, size_t len, char text[4096]);

#endif
