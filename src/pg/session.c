/*
 * Takes messages in order: one at a time, and only when the one before is done
 * and less than OUT_HIGH bytes of replies are left to send.
 */
#include "pg/session.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "pg/session_inside.h"

enum { LOGIN_MESSAGE_BYTES = 4096, IN_LIMIT = 1 << 28 };

/* ------------------------------------------------------------ make, end -- */

struct session *
session_new(const struct session_host *host, const struct session_peer *peer)
{
    struct session *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->host = host;
    s->peer = *peer;
    s->state = PG_IDLE;
    buf_init(&s->in, NULL, IN_LIMIT);
    buf_init(&s->out, NULL, OUT_LIMIT);
    buf_init(&s->key, NULL, IN_LIMIT);
    return s;
}

static void
question_clear(struct session *s)
{
    arena_free(s->batch.a);
    s->batch = (struct batch){0};
    prepared_drop(s->parsing);
    s->parsing = NULL;
    free(s->parsing_name);
    s->parsing_name = NULL;
    free(s->declaring);
    s->declaring = NULL;
    s->portal = NULL;
    rows_drop(s->giving.rows);
    s->giving = (struct giving){0};
    buf_clear(&s->key);
    task_free(s->task); /* a task that nobody has fetched */
    s->task = NULL;
}

void
session_free(struct session *s)
{
    if (!s)
        return;
    question_clear(s);
    held_clear(&s->held);
    settings_reset(&s->settings);
    if (s->scram)
        scram_clear(s->scram);
    free(s->scram);
    free(s->user);
    free(s->database);
    buf_clear(&s->in);
    buf_clear(&s->out);
    session_count(s);
    share_drop(s->share);
    wipe(s, sizeof *s);
    free(s);
}

/* -------------------------------------------------------------- replies -- */

void
session_fatal(struct session *s, const char *sqlstate, const char *said,
              const char *hint)
{
    struct pg_report r = {
        .severity = PG_FATAL,
        .sqlstate = sqlstate,
        .message = str_of(said),
        .hint = str_of(hint),
    };

    if (s->at == AT_END)
        return;
    pg_out_report(&s->out, &r);
    question_clear(s);
    s->at = AT_END;
}

/* Sets the state after an error. */
static void
end_failed(struct session *s)
{
    bool simple = s->batch.a != NULL;

    question_clear(s);
    if (s->state == PG_IN_TRANSACTION)
        s->state = PG_IN_FAILED;
    s->at = AT_READY;
    if (simple)
        session_ready(s);
    else
        s->skip = true;
}

void
session_error(struct session *s, const struct pg_report *r)
{
    pg_out_report(&s->out, r);
    end_failed(s);
}

void
session_fail(struct session *s, const custos_err *err, str sql)
{
    struct pg_report r = pg_report_of(PG_ERROR, err, sql);

    session_error(s, &r);
}

void
session_refuse(struct session *s, const char *sqlstate, const char *format, ...)
{
    custos_err e = CUSTOS_ERR_INIT;
    struct pg_report r = {.severity = PG_ERROR, .sqlstate = sqlstate};
    va_list args;

    va_start(args, format);
    custos_fail_v(&e, CUSTOS_EINVAL, -1, format, args);
    va_end(args);
    r.message = str_of(e.said);
    r.hint = str_of(e.hint);
    session_error(s, &r);
}

/* Outside a transaction block this ends the transaction and closes its
   portals. */
void
session_ready(struct session *s)
{
    question_clear(s);
    if (s->state == PG_IDLE)
        held_close_portals(&s->held);
    pg_out_ready(&s->out, s->state);
    s->at = AT_READY;
}

/* ------------------------------------------------------------- messages -- */

static void
ready_message(struct session *s, const struct pg_message *m, int64_t now_us)
{
    s->cost++;
    if (m->kind == PG_TERMINATE) {
        s->at = AT_END;
        return;
    }
    if (m->kind == PG_SYNC) {
        s->skip = false;
        session_ready(s);
        return;
    }
    if (s->skip)
        return;
    switch (m->kind) {
    case PG_QUERY: simple_query(s, m->text, now_us); break;
    case PG_PARSE:
    case PG_BIND:
    case PG_DESCRIBE:
    case PG_EXECUTE:
    case PG_CLOSE: extended_message(s, m, now_us); break;
    case PG_FUNCTION_CALL:
        session_refuse(s, "0A000", "function calls are not supported");
        s->skip = false; /* a function call is not followed by a Sync */
        session_ready(s);
        break;
    case PG_FLUSH:
    case PG_COPY_DATA:
    case PG_COPY_DONE:
    case PG_COPY_FAIL: break; /* no output is held back; nothing is copied */
    default: session_fatal(s, "08P01", "unexpected message", "");
    }
}

static bool
is_listening(const struct session *s)
{
    return (s->at == AT_FIRST || s->at == AT_SASL || s->at == AT_FINAL ||
            (s->at == AT_READY && !s->batch.a && s->cost < TURN_COST)) &&
           s->out.len < OUT_HIGH;
}

/*
 * THEOREM  login-first
 *   Whatever messages come in whatever order, nothing but first packets and
 *   steps of SASL is acted on before scram_final has returned CUSTOS_OK for this
 *   connection.
 * SOURCE   doc/proofs/login-first.md
 * NEEDS    scram_final returns CUSTOS_OK only to a client that knows the password.
 * GIVES    only the success of login_step leads to a state past the login, and
 *          so to a task other than the look-up of a verifier.
 * FAILS    cannot.
 * TESTED   no_order_of_messages_skips_the_login
 *          every_message_before_the_login_ends_it
 */
static void
take_message(struct session *s, const struct pg_message *m, size_t rest,
             int64_t now_us)
{
    switch (s->at) {
    case AT_FIRST: login_first(s, m, rest, now_us); break;
    case AT_SASL:
    case AT_FINAL: login_step(s, m, now_us); break;
    case AT_READY: ready_message(s, m, now_us); break;
    default: CUSTOS_REQUIRE(is_listening(s)); /* take_all excludes these */
    }
}

/* The rows of a portal are not counted here, but where the portal is held. */
void
session_count(struct session *s)
{
    size_t n = s->in.room + s->out.room + s->key.room;

    if (s->batch.a)
        n += arena_bytes(s->batch.a);
    if (s->giving.rows && !s->giving.portal)
        n += rows_bytes(s->giving.rows);
    share_change(s->share, SHARE_MESSAGES, &s->counted, s->share ? n : 0);
}

/* Takes as many messages as it can; returns how many bytes they had. */
static size_t
take_all(struct session *s, str bytes, int64_t now_us)
{
    static const struct pg_limits login = {LOGIN_MESSAGE_BYTES, 64};
    size_t at = 0;

    while (is_listening(s)) {
        str rest = {bytes.ptr + at, bytes.len - at};
        struct pg_message m;
        custos_err err = CUSTOS_ERR_INIT;
        size_t used = 0;
        enum pg_in in;

        if (!rest.len)
            break;
        in = s->at == AT_FIRST
                 ? pg_in_first(rest, &m, &used, &err)
                 : pg_in_next(rest,
                              s->at == AT_READY ? &s->host->limits : &login, &m,
                              &used, &err);
        if (in == PG_IN_MORE)
            break;
        if (in == PG_IN_BAD) {
            session_fatal(s, custos_status_sqlstate(err.code), err.said,
                          err.hint);
            break;
        }
        at += used;
        take_message(s, &m, rest.len - used, now_us);
    }
    return at;
}

/* A new value of now_us means a new turn of the loop, which resets the cost. */
static void
session_turn(struct session *s, int64_t now_us)
{
    if (s->turn_us != now_us)
        s->cost = 0;
    s->turn_us = now_us;
}

void
session_go(struct session *s, int64_t now_us)
{
    session_turn(s, now_us);
    for (;;) {
        size_t used;

        while (s->at == AT_GIVING && s->out.len < OUT_HIGH)
            giving_go(s);
        if (s->at == AT_READY && s->batch.a && s->out.len < OUT_HIGH &&
            s->cost < TURN_COST) {
            s->cost++;
            simple_go(s, now_us);
            continue;
        }
        if (!is_listening(s) || !s->in.len)
            break;
        used = take_all(s, (str){s->in.ptr, s->in.len}, now_us);
        if (!used)
            break;
        memmove(s->in.ptr, s->in.ptr + used, s->in.len - used);
        s->in.len -= used;
    }
    if (!s->in.len || s->at == AT_END)
        buf_clear(&s->in);
    if (s->out.failed)
        s->at = AT_END;
    session_count(s);
}

void
session_receive(struct session *s, str bytes, int64_t now_us)
{
    size_t used = 0;

    if (s->at == AT_END)
        return;
    session_turn(s, now_us);
    if (!s->in.len)
        used = take_all(s, bytes, now_us);
    if (s->at != AT_END)
        buf_add(&s->in, bytes.ptr + used, bytes.len - used);
    if (s->in.failed)
        session_fatal(s, "54000", "too many bytes were sent ahead", "");
    session_go(s, now_us);
}

void
session_sent(struct session *s, int64_t now_us)
{
    session_go(s, now_us);
}

/* --------------------------------------------------------------- facts -- */

enum session_need
session_need(const struct session *s)
{
    switch (s->at) {
    case AT_TLS: return NEED_TLS;
    case AT_NAMED:
    case AT_WORK: return NEED_WORK;
    case AT_CANCEL: return NEED_CANCEL;
    case AT_END: return NEED_END;
    case AT_GIVING: return NEED_SPACE;
    default:
        return s->out.len >= OUT_HIGH                              ? NEED_SPACE
               : s->cost >= TURN_COST && (s->in.len || s->batch.a) ? NEED_TURN
                                                                   : NEED_BYTES;
    }
}

struct buf *
session_out(struct session *s)
{
    return &s->out;
}

void
session_secured(struct session *s, str binding, int64_t now_us)
{
    CUSTOS_REQUIRE(s->at == AT_TLS && binding.len <= sizeof s->binding);
    s->secured = true;
    s->binding_len = binding.len;
    if (binding.len)
        memcpy(s->binding, binding.ptr, binding.len);
    s->at = AT_FIRST;
    session_go(s, now_us);
}

struct pg_cancel
session_cancelled(const struct session *s)
{
    return s->cancel;
}

bool
session_is(const struct session *s, const struct pg_cancel *c)
{
    return s->key_len && s->key_len == c->len &&
           s->peer.process == c->process &&
           !sodium_memcmp(s->peer.key, c->key, s->key_len);
}

void
session_end(struct session *s, const char *sqlstate, const char *said)
{
    session_fatal(s, sqlstate, said, "");
}

struct share *
session_share(const struct session *s)
{
    return s->share;
}

const struct credential *
session_who(const struct session *s)
{
    return s->at >= AT_READY && s->at != AT_CANCEL && s->user && !s->scram
               ? &s->who
               : NULL;
}

bool
session_in_question(const struct session *s)
{
    return s->at == AT_WORK || s->at == AT_GIVING || s->batch.a;
}
