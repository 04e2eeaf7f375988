/*
 * Decodes what a PostgreSQL client sends (protocols 3.0 and 3.2). Nothing is
 * copied or allocated: a message borrows from the bytes it was read from. Lists
 * are views into these bytes; they were checked with the message, so that reading
 * them cannot fail.
 *
 * A message is decoded to its last byte, or refused. After a refusal the stream
 * has no next message, and the connection must end.
 */
#ifndef WIRE_PG_IN_H
#define WIRE_PG_IN_H

#include <stdint.h>

#include "base/str.h"

/* Limits on what is accepted. The caller chooses them: small before a login. */
struct pg_limits {
    size_t message_bytes; /* of one message, its type and length included */
    size_t list_max;      /* entries of one list: formats, values, types */
};

enum {
    PG_FIRST_BYTES = 10000, /* PostgreSQL's own limit for first packets */
    PG_MINOR = 2,           /* protocol 3.2 is the newest that we speak */
    PG_KEY_MIN = 4,         /* bytes of a cancel key in 3.0 */
    PG_KEY_MAX = 32,        /* of our keys in 3.2; servers choose this */
};

enum pg_in {
    PG_IN_MORE,    /* *used: how many bytes are needed to go on */
    PG_IN_MESSAGE, /* *used: how many bytes the message has */
    PG_IN_BAD,     /* err says why: CUSTOS_EPROTOCOL or CUSTOS_EOVERFLOW */
};

enum pg_kind {
    /* first packets */
    PG_STARTUP,
    PG_SSL_REQUEST,
    PG_GSS_REQUEST,
    PG_CANCEL_REQUEST,
    /* later messages */
    PG_QUERY,
    PG_PARSE,
    PG_BIND,
    PG_DESCRIBE,
    PG_EXECUTE,
    PG_CLOSE,
    PG_FLUSH,
    PG_SYNC,
    PG_TERMINATE,
    PG_SECRET, /* a password or a SASL step: the login's state says which */
    PG_COPY_DATA,
    PG_COPY_DONE,
    PG_COPY_FAIL,
    PG_FUNCTION_CALL,
};

/* Wire values of a format code. */
enum pg_format { PG_TEXT = 0, PG_BINARY = 1 };

/* Checked views of lists; see the readers below. */
struct pg_list {
    const char *at;
    size_t n;
};

struct pg_startup {
    int minor;            /* of version 3.minor, as asked for */
    struct pg_list pairs; /* pg_pair_next */
    str user, database;   /* database: the user's name when not given */
};

/* len is kept since a key whose length differs from ours cannot be right. */
struct pg_cancel {
    uint32_t process;
    uint32_t len; /* of the key as it was sent */
    uint8_t key[PG_KEY_MAX];
};

struct pg_parse {
    str name, sql;
    struct pg_list types; /* pg_type_at; 0: not given */
};

struct pg_bind {
    str portal, statement;
    struct pg_list formats; /* of values: none, one or each; pg_format_at */
    struct pg_list values;  /* pg_value_next */
    struct pg_list results; /* formats of columns; pg_format_at */
};

enum pg_object { PG_STATEMENT = 'S', PG_PORTAL = 'P' };

/* Describe and Close. */
struct pg_named {
    enum pg_object object;
    str name;
};

struct pg_execute {
    str portal;
    uint32_t rows; /* 0: all */
};

struct pg_call {
    uint32_t function;
    struct pg_list formats, values;
    enum pg_format result;
};

struct pg_message {
    enum pg_kind kind;
    union {
        struct pg_startup startup;
        struct pg_cancel cancel;
        struct pg_parse parse;
        struct pg_bind bind;
        struct pg_named named;
        struct pg_execute execute;
        struct pg_call call;
        str text; /* PG_QUERY, PG_COPY_FAIL: the text; PG_SECRET and
                     PG_COPY_DATA: the bytes, whatever they are */
    };
};

/*
 * Decodes the message at the beginning of `bytes`; enum pg_in says what out and
 * *used then hold. Texts contain no NUL but need not be UTF-8. pg_in_first reads
 * the first packet of a connection, and the one after an SSL or GSS request;
 * pg_in_next reads all later messages.
 */
CUSTOS_MUST_USE enum pg_in
pg_in_first(str bytes, struct pg_message *out, size_t *used, custos_err *err);
CUSTOS_MUST_USE enum pg_in
pg_in_next(str bytes, const struct pg_limits *limits, struct pg_message *out,
           size_t *used, custos_err *err);

/* ------------------------------------------------- reading the lists -- */

/* Takes the next pair of a startup from the list; false at its end. */
bool pg_pair_next(struct pg_list *pairs, str *name, str *value);

/* Type i of a Parse; needs i < n. */
uint32_t pg_type_at(const struct pg_list *types, size_t i);

/* Format of value or column i. An empty list means text; a single format applies
   to all. */
enum pg_format pg_format_at(const struct pg_list *formats, size_t i);

struct pg_bytes {
    bool is_null;
    str bytes;
};

/* Takes the next value of a Bind from the list; false at its end. */
bool pg_value_next(struct pg_list *values, struct pg_bytes *out);

/* ----------------------------------------------- what a PG_SECRET is -- */

/* The first step of SASL: the mechanism's name, and the client's response
   (is_null: none was sent). May fail: CUSTOS_EPROTOCOL. */
CUSTOS_MUST_USE custos_status pg_sasl_first(str secret, str *mechanism,
                                            struct pg_bytes *response,
                                            custos_err *err);

#endif
