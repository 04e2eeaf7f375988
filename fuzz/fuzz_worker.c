/*
 * Messages between the server and its worker processes: any bytes must be
 * rejected, or decoded and encoded again; repeating this with the result must
 * not change it. The first byte chooses the kind of message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curator/answer.h"
#include "worker/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ARENA_MAX = 1 << 26, WRITTEN_MAX = 1 << 20, LEN_MAX = 1 << 14 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
try_hello(str bytes, struct buf *out)
{
    struct message_hello h;

    if (message_hello_unpack(bytes, &h))
        message_hello_pack(&h, out);
}

static void
try_query(str bytes, arena *a, struct buf *out)
{
    struct work w;
    struct ask ask;

    if (message_query_unpack(bytes, a, &w, &ask))
        message_query_pack(&w, out);
}

static void
try_catalog(str bytes, arena *a, struct buf *out)
{
    struct catalog_ask ask;
    enum catalog_how how;

    if (message_catalog_unpack(bytes, a, &ask, &how))
        message_catalog_pack(&ask, how, out);
}

static void
try_rows(str bytes, arena *a, struct buf *out)
{
    struct catalog_rows rows;

    if (message_rows_unpack(bytes, a, &rows))
        message_rows_pack(&rows, out);
}

static void
try_answer(str bytes, struct buf *out)
{
    struct answer *answer = NULL;

    require(!answer_new(1, &answer, NULL));
    if (answer_unpack(bytes, answer))
        answer_pack(answer, out);
    answer_free(answer);
}

static void
try_failed(str bytes)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;

    require(!message_failed_unpack(bytes, &st, &err) || st != CUSTOS_OK);
    require(memchr(err.said, 0, sizeof err.said) != NULL);
    require(memchr(err.noted, 0, sizeof err.noted) != NULL);
}

/* Decodes a message and encodes it again. The input may have numbers that are
   longer than necessary, so the result is not compared with the input but with
   the result of a second call. */
static void
try_kind(unsigned kind, str bytes, arena *a, struct buf *out)
{
    switch (kind % 6) {
    case 0: try_hello(bytes, out); break;
    case 1: try_query(bytes, a, out); break;
    case 2: try_catalog(bytes, a, out); break;
    case 3: try_rows(bytes, a, out); break;
    case 4: try_answer(bytes, out); break;
    default: try_failed(bytes); break;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct buf first, second;

    require(a != NULL);
    buf_init(&first, NULL, WRITTEN_MAX);
    buf_init(&second, NULL, WRITTEN_MAX);
    if (len > 0 && len <= LEN_MAX) {
        try_kind(data[0], (str){(const char *)data + 1, len - 1}, a, &first);
        if (first.len && !first.failed) {
            try_kind(data[0], (str){first.ptr, first.len}, a, &second);
            require(first.len == second.len &&
                    !memcmp(first.ptr, second.ptr, first.len));
        }
    }
    buf_clear(&first);
    buf_clear(&second);
    arena_free(a);
    return 0;
}
