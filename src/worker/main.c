/*
 * THEOREM  worker-released
 *   About private data a worker process sends only an answer made by
 *   release_answer (charge-first), a status, a position in the query's text and
 *   a cause from a closed list.
 * SOURCE   doc/proofs/worker-released.md
 * NEEDS    a question is sent only after its charge is durable; the messages
 *          of message.h are all that is written to the socket, and confine.h
 *          leaves no other way out.
 * GIVES    exact values do not leave the process that has the data open.
 * FAILS    a worker that fails, is killed or misbehaves costs one question.
 * TESTED   a_worker_answers_what_was_charged another_plan_is_refused
 *          a_worker_cannot_reach_out
 */
#include "worker/main.h"

#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "curator/answer.h"
#include "worker/channel.h"
#include "worker/confine.h"

/* Address space that the engine needs besides its memory: its code, the stacks of
   its threads, and space that it reserves but does not use. */
#define ADDRESS_SLACK ((uint64_t)1 << 30)

enum { ASKED_ARENA = 64 << 20, ROWS_ARENA = 256 << 20 };

static int64_t
steady_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ------------------------------------------------------------- questions -- */

/* Below the charge the message is the constant sentence of the status, whatever
   went wrong. For public tables and the catalog it may say more. */
static void
pack_failure(custos_status st, const custos_err *err, bool is_charged,
             struct buf *out)
{
    custos_err told = *err;

    if (is_charged) {
        st = st == CUSTOS_EINTERNAL ? st : CUSTOS_EENGINE;
        custos_fail(&told, st, "%s", custos_status_words(st));
        custos_note(&told, "%s", err->noted); /* only its cause is sent */
        told.at = -1;
    }
    message_failed_pack(st, &told, out);
}

static enum message_kind
answer_query(struct curator *c, str bytes, arena *a, struct buf *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct answer *answer = NULL;
    struct work w;
    struct ask ask;
    custos_status st;

    if (!message_query_unpack(bytes, a, &w, &ask))
        st = custos_fail(&err, CUSTOS_EINTERNAL, "not a message");
    else
        st = curator_work(c, &w, &answer, &err);
    if (!st)
        answer_pack(answer, out);
    else
        pack_failure(st, &err, work_is_charged(&w), out);
    answer_free(answer);
    return st ? MESSAGE_FAILED : MESSAGE_ANSWER;
}

static enum message_kind
answer_catalog(struct curator *c, str bytes, arena *a, struct buf *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct catalog_rows rows = {0};
    struct catalog_ask ask;
    enum catalog_how how;
    custos_status st;

    if (!message_catalog_unpack(bytes, a, &ask, &how))
        st = custos_fail(&err, CUSTOS_EINTERNAL, "not a message");
    else
        st = how == CATALOG_RUN
                 ? curator_catalog(c, &ask, a, &rows, &err)
                 : curator_catalog_describe(c, &ask, a, &rows, &err);
    if (!st)
        message_rows_pack(&rows, out);
    else
        message_failed_pack(st, &err, out);
    return st ? MESSAGE_FAILED : MESSAGE_ROWS;
}

/* Answers one message. False: the server is gone, or its message is malformed. */
static bool
serve_one(const struct channel *to, struct curator *c)
{
    arena *a = arena_new(NULL, ASKED_ARENA + ROWS_ARENA);
    enum message_kind kind;
    struct buf out;
    bool good;
    str bytes;

    message_begin(&out, MESSAGE_MAX_TOLD);
    good = a && !channel_receive(to, 0, MESSAGE_MAX_ASKED, a, &kind, &bytes);
    if (good && kind == MESSAGE_QUERY)
        kind = answer_query(c, bytes, a, &out);
    else if (good && kind == MESSAGE_CATALOG)
        kind = answer_catalog(c, bytes, a, &out);
    else if (good && kind == MESSAGE_PING)
        kind = MESSAGE_READY;
    else
        good = false;
    good = good && !channel_send(to, kind, &out, 0);
    buf_clear(&out);
    arena_free(a);
    return good;
}

/* ----------------------------------------------------------------- start -- */

static custos_status
open_work(const struct message_hello *h, arena *a, struct curator **out,
          custos_err *err)
{
    const char *store = arena_copy(a, h->store);
    struct work_limits limits = {.spill = arena_copy(a, h->spill),
                                 .memory_bytes = h->memory_bytes};

    if (!store || !limits.spill)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!confine_life(WORKER_FD, (pid_t)h->parent))
        return custos_fail(err, CUSTOS_EIO, "the server is gone");
    confine_memory(h->memory_bytes + ADDRESS_SLACK);
    confine_system(limits.spill);
    return curator_open_work(store, &h->of, &limits, out, err);
}

int
worker_main(void)
{
    const struct channel to = {.fd = WORKER_FD, .now_us = steady_us};
    arena *a = arena_new(NULL, ASKED_ARENA);
    custos_err err = CUSTOS_ERR_INIT;
    struct curator *c = NULL;
    struct message_hello hello;
    enum message_kind kind;
    custos_status st;
    struct buf out;
    str bytes;

    alloc_keep_freed();
    if (!a || channel_receive(&to, 0, MESSAGE_MAX_ASKED, a, &kind, &bytes) ||
        kind != MESSAGE_HELLO || !message_hello_unpack(bytes, &hello))
        return 1;
    st = open_work(&hello, a, &c, &err);
    message_begin(&out, MESSAGE_MAX_TOLD);
    if (st)
        message_failed_pack(st, &err, &out);
    if (channel_send(&to, st ? MESSAGE_FAILED : MESSAGE_READY, &out, 0) || st)
        _exit(1);
    buf_clear(&out);
    while (serve_one(&to, c))
        continue;
    /* No need to wait for the engine's threads: the data is read-only, and the
       server clears the folder of temporary files. */
    _exit(0);
}
