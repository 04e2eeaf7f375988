/*
 * One connection of libpq. A reply borrows from the client until its next
 * question, so a caller reads a reply before it asks again. The clock runs from
 * sending to the last byte, and nothing else happens in between.
 */
#include "audit/stranger/client.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/clock.h"
#include "base/error.h"

enum { TEXT_ROOM = 128 };

#define SUCCESS "00000"

/* ------------------------------------------------------------- connections -- */

static const char *
field(const PGresult *result, int code)
{
    const char *text = PQresultErrorField(result, code);

    return text ? text : "";
}

/* libpq's notice receiver: keeps the fields of every notice. */
static void
on_notice(void *context, const PGresult *result)
{
    struct client *c = context;
    const char *detail = field(result, PG_DIAG_MESSAGE_DETAIL);
    const char *hint = field(result, PG_DIAG_MESSAGE_HINT);

    c->n_notices++;
    buf_printf(&c->notices, "%s %s %s\n", field(result, PG_DIAG_SEVERITY),
               field(result, PG_DIAG_SQLSTATE),
               field(result, PG_DIAG_MESSAGE_PRIMARY));
    if (*detail)
        buf_printf(&c->notices, "%s\n", detail);
    if (*hint)
        buf_printf(&c->notices, "HINT %s\n", hint);
}

static custos_status
connect_client(struct client *c, custos_err *err)
{
    char port[TEXT_ROOM], user[TEXT_ROOM];
    const char *keys[] = {"host",   "port",    "user",       "password",
                          "dbname", "sslmode", "gssencmode", NULL};
    const char *values[] = {"127.0.0.1", port,      user,      c->password,
                            "custos",    "disable", "disable", NULL};

    snprintf(port, sizeof port, "%u", c->port);
    snprintf(user, sizeof user, "analyst%zu", c->analyst);
    c->link = PQconnectdbParams(keys, values, 0);
    if (!c->link)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (PQstatus(c->link) != CONNECTION_OK) {
        custos_fail(err, CUSTOS_EDENIED, "cannot log in as %s: %s", user,
                    PQerrorMessage(c->link));
        PQfinish(c->link);
        c->link = NULL;
        return CUSTOS_EDENIED;
    }
    return CUSTOS_OK;
}

custos_status
client_open(unsigned port, size_t analyst, const char *password,
            struct client *out, custos_err *err)
{
    *out =
        (struct client){.port = port, .analyst = analyst, .password = password};
    buf_init(&out->notices, NULL, CLIENT_NOTICES_MAX);
    return connect_client(out, err);
}

custos_status
client_reopen(struct client *c, custos_err *err)
{
    PQclear(c->result);
    PQfinish(c->link);
    c->result = NULL;
    c->link = NULL;
    return connect_client(c, err);
}

void
client_close(struct client *c)
{
    PQclear(c->result);
    PQfinish(c->link);
    buf_clear(&c->notices);
    *c = (struct client){0};
}

/* ------------------------------------------------------------------- asking -- */

/* Keeps the first error, or else the last result. */
static void
read_results(struct client *c)
{
    PGresult *next;
    bool failed = false;

    while ((next = PQgetResult(c->link)) != NULL) {
        ExecStatusType status = PQresultStatus(next);

        if (failed) {
            PQclear(next);
        } else {
            PQclear(c->result);
            c->result = next;
            failed = status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
        }
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT ||
            status == PGRES_COPY_BOTH)
            break; /* PQgetResult would return the same for ever */
    }
}

static void
measure_length(struct reply *r)
{
    r->length = strlen(r->message) + strlen(r->detail) + strlen(r->hint) +
                strlen(r->notices);
    for (size_t i = 0; i < r->rows; i++)
        for (size_t k = 0; k < r->columns; k++)
            r->length += (size_t)PQgetlength(r->result, (int)i, (int)k);
}

static void
fill_reply(const struct client *c, struct reply *r)
{
    const char *state = field(c->result, PG_DIAG_SQLSTATE);
    ExecStatusType status = PQresultStatus(c->result);
    bool good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
                status == PGRES_EMPTY_QUERY;

    r->result = c->result;
    r->rows = good ? (size_t)PQntuples(c->result) : 0;
    r->columns = good ? (size_t)PQnfields(c->result) : 0;
    /* An error without a state is libpq's own: the connection is gone. */
    snprintf(r->sqlstate, sizeof r->sqlstate, "%s",
             good     ? SUCCESS
             : *state ? state
                      : CLIENT_LOST);
    r->message = field(c->result, PG_DIAG_MESSAGE_PRIMARY);
    r->detail = field(c->result, PG_DIAG_MESSAGE_DETAIL);
    r->hint = field(c->result, PG_DIAG_MESSAGE_HINT);
    r->notices = buf_text(&c->notices);
    r->n_notices = c->n_notices;
    measure_length(r);
}

custos_status
client_ask(struct client *c, const char *sql, struct reply *out,
           custos_err *err)
{
    double began;

    *out = (struct reply){.sqlstate = CLIENT_LOST,
                          .message = "",
                          .detail = "",
                          .hint = "",
                          .notices = ""};
    PQclear(c->result);
    c->result = NULL;
    c->n_notices = 0;
    buf_clear(&c->notices);
    buf_init(&c->notices, NULL, CLIENT_NOTICES_MAX);
    if (!c->link)
        return CUSTOS_OK;
    /* Set here, because callers may have moved the client since. */
    PQsetNoticeReceiver(c->link, on_notice, c);
    began = clock_seconds();
    if (PQsendQuery(c->link, sql))
        read_results(c);
    out->seconds = clock_seconds() - began;
    if (c->notices.failed)
        return custos_fail(err, CUSTOS_ENOMEM,
                           "the notices of a reply are longer than %d bytes",
                           (int)CLIENT_NOTICES_MAX);
    if (c->result)
        fill_reply(c, out);
    if (PQstatus(c->link) != CONNECTION_OK)
        snprintf(out->sqlstate, sizeof out->sqlstate, "%s", CLIENT_LOST);
    return CUSTOS_OK;
}

custos_status
client_do(struct client *c, const char *sql, struct reply *out, custos_err *err)
{
    struct reply own;
    custos_status st;

    if (!out)
        out = &own;
    st = client_ask(c, sql, out, err);
    if (!st && reply_failed(out))
        st = custos_fail(err, CUSTOS_EINVAL, "%.60s: %s" HINT "%s", sql,
                         *out->message ? out->message
                                       : "the connection was lost",
                         out->hint);
    return st;
}

custos_status
client_set_price(struct client *c, enum client_unit unit, double price,
                 uint64_t serial, custos_err *err)
{
    char sql[TEXT_ROOM];

    snprintf(sql, sizeof sql, "SET custos.%s = '%.18f'",
             unit == PRICE_RHO ? "rho" : "epsilon",
             price * (1 - 1e-12 * (double)serial));
    return client_do(c, sql, NULL, err);
}
