/*
 * A client of the server, as any program with libpq is one. Everything that a
 * reply shows is kept: cells, names of columns, notices and errors with their
 * fields, the time until it was complete, and its length.
 *
 * The server answers a question that was asked before from its cache. To get
 * independent answers, ask each at a new price: client_set_price puts a serial
 * number into digits that change the noise by less than 1e-6 of itself, and
 * always rounds down, so that a claim about the stated price holds for all.
 */
#ifndef AUDIT_STRANGER_CLIENT_H
#define AUDIT_STRANGER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "custos.h"

struct pg_conn;
struct pg_result;

#define CLIENT_LOST "08006" /* the SQLSTATE of a lost connection */

enum { CLIENT_NOTICES_MAX = 1 << 16, SQLSTATE_MAX = 6 };

struct client {
    struct pg_conn *link;     /* NULL: not connected */
    struct pg_result *result; /* of the last question */
    unsigned port;
    size_t analyst;
    const char *password; /* borrowed */
    struct buf notices;   /* of the question that is being asked */
    size_t n_notices;
};

/* What one question brought; valid until the next one. Texts are never NULL. */
struct reply {
    struct pg_result *result; /* for reply_cell and reply_column */
    size_t rows, columns;
    char sqlstate[SQLSTATE_MAX];         /* "00000": success; or CLIENT_LOST */
    const char *message, *detail, *hint; /* of the error */
    const char *notices; /* "SEVERITY SQLSTATE message\nDETAIL...\n" each */
    size_t n_notices;
    size_t length;  /* bytes of all of these texts and cells */
    double seconds; /* from sending until the reply was complete */
};

/* Logs in as analyst number i. May fail: CUSTOS_EDENIED, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status client_open(unsigned port, size_t analyst,
                                          const char *password,
                                          struct client *out, custos_err *err);

/* Logs in again after the connection was lost. */
CUSTOS_MUST_USE custos_status client_reopen(struct client *client,
                                            custos_err *err);

/*
 * Asks one question with the simple protocol. An error of the server is a reply;
 * so is a lost connection. Of several statements the last result counts, and
 * the notices of all. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status client_ask(struct client *client, const char *sql,
                                         struct reply *out, custos_err *err);

/*
 * The same, but fails with CUSTOS_EINVAL and the server's words if the reply is
 * an error: for questions whose reply is not under attack, such as SET.
 */
CUSTOS_MUST_USE custos_status client_do(struct client *client, const char *sql,
                                        struct reply *out, custos_err *err);

/* In what a question is priced: SET custos.epsilon or SET custos.rho. */
enum client_unit { PRICE_EPSILON, PRICE_RHO };

/*
 * Sets the price of the next question to price (1 - serial 1e-12): a question
 * with the same text and another serial, from 1 to 10^6, is not answered from
 * the cache. Price in [1e-6, 1e6]. Fails as client_do does.
 */
CUSTOS_MUST_USE custos_status client_set_price(struct client *client,
                                               enum client_unit unit,
                                               double price, uint64_t serial,
                                               custos_err *err);

/* A cell's text, NULL for SQL's NULL; a column's name. */
const char *reply_cell(const struct reply *reply, size_t row, size_t column);
const char *reply_column(const struct reply *reply, size_t column);

bool reply_failed(const struct reply *reply);

/* Was it answered from the cache? */
bool reply_was_cached(const struct reply *reply);

/* Is it a column of numbers, dates or timestamps, by the type that the server
   states? */
bool reply_column_is_number(const struct reply *reply, size_t column);

/* The number in a cell of such a column; days and microseconds since 1970; NAN
   for NULL and for what cannot be read. */
double reply_number(const struct reply *reply, size_t row, size_t column);

/*
 * A hash of everything but cells and times: SQLSTATE, message, detail and hint
 * of the error, names and types of columns, number of rows, and notices. Notices
 * count without their numbers, of which prices, receipts and what remains
 * differ from one asking to the next; reply_notice_numbers returns the others.
 */
uint64_t reply_hash(const struct reply *reply);

/* The numbers of the notices' details but receipts, at most `room`; returns how
   many. They are error bars for the most part. */
size_t
reply_notice_numbers(const struct reply *reply, double *out, size_t room);

void client_close(struct client *client);

#endif
