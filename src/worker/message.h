/*
 * Messages between the server and a worker process, as bytes (base/pack.h).
 * Neither side trusts the other: lengths are bounded, and a message is consumed to
 * its last byte or refused.
 *
 * About private data a worker sends either an answer in which a mechanism released
 * every number, or the status and cause of a failure. No message carries an exact
 * value of private data, or the engine's text about it.
 */
#ifndef WORKER_MESSAGE_H
#define WORKER_MESSAGE_H

#include "curator/executor.h"

/* The kind of a message: the byte after its length. */
enum message_kind {
    MESSAGE_HELLO = 1, /* to a worker: where its data is; sent first, once */
    MESSAGE_QUERY,
    MESSAGE_CATALOG,
    MESSAGE_PING,
    MESSAGE_READY, /* from a worker: the answer to HELLO or PING */
    MESSAGE_ANSWER,
    MESSAGE_ROWS,
    MESSAGE_FAILED,
};

enum {
    MESSAGE_HEAD = 5,            /* bytes of the length and the kind */
    MESSAGE_MAX_ASKED = 8 << 20, /* to a worker */
    MESSAGE_MAX_TOLD = 1 << 30   /* from it: enough for every answer */
};

struct message_hello {
    str store;
    struct work_snapshot of;
    str spill;
    uint64_t memory_bytes;
    uint64_t parent; /* process id of the server */
};

/* Sets out->failed if out of memory or past the limit. */
void message_hello_pack(const struct message_hello *h, struct buf *out);
void message_query_pack(const struct work *w, struct buf *out);
void message_catalog_pack(const struct catalog_ask *ask, enum catalog_how how,
                          struct buf *out);
void message_rows_pack(const struct catalog_rows *rows, struct buf *out);
void
message_failed_pack(custos_status st, const custos_err *err, struct buf *out);

/*
 * Decodes the bytes after the head; texts are borrowed from them, lists are in `a`.
 * False if they are not such a message, or if out of memory.
 */
CUSTOS_MUST_USE bool message_hello_unpack(str bytes, struct message_hello *out);
CUSTOS_MUST_USE bool
message_query_unpack(str bytes, arena *a, struct work *out, struct ask *ask);
CUSTOS_MUST_USE bool
message_catalog_unpack(str bytes, arena *a, struct catalog_ask *out,
                       enum catalog_how *how);
CUSTOS_MUST_USE bool
message_rows_unpack(str bytes, arena *a, struct catalog_rows *out);
/* Fills err as custos_fail does; *st is never CUSTOS_OK. */
CUSTOS_MUST_USE bool
message_failed_unpack(str bytes, custos_status *st, custos_err *err);

#endif
