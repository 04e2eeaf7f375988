/*
 * The login: first packets, TLS, SCRAM. A login under a name that does not exist
 * goes through the same steps, to the same error, as one with a wrong password.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "pg/session_inside.h"

enum { REPLY_BYTES = 2 * SCRAM_MESSAGE_MAX };

static void
plain_refused(struct session *s)
{
    session_fatal(s, "28000", "this server requires TLS",
                  "connect with sslmode=require or verify-full");
}

/* Replies with one byte: S, after which the handshake follows, or N. Bytes sent
   between request and handshake are unprotected, perhaps an attacker's: they are
   not read, and the session ends. */
static void
ssl_request(struct session *s, size_t rest)
{
    if (!s->host->tls || s->secured) {
        buf_add(&s->out, "N", 1);
        return;
    }
    if (rest) {
        session_fatal(s, "08P01", "bytes before the TLS handshake", "");
        return;
    }
    buf_add(&s->out, "S", 1);
    s->at = AT_TLS;
}

/* Applies "-c name=value -c name=value", the options of the startup message. */
static void
set_options(struct session *s, str text)
{
    size_t at = 0;

    while (at < text.len) {
        const char *begin = text.ptr + at, *equals;
        size_t len = 0;
        const char *report;
        custos_err err = CUSTOS_ERR_INIT;

        while (at + len < text.len && begin[len] != ' ')
            len++;
        at += len + 1;
        if (len >= 2 && begin[0] == '-' && (begin[1] == 'c' || begin[1] == '-'))
            begin += 2, len -= 2;
        equals = memchr(begin, '=', len);
        if (equals)
            (void)!settings_set(
                &s->settings, (str){begin, (size_t)(equals - begin)},
                (str){equals + 1, len - (size_t)(equals + 1 - begin)},
                SETTING_SESSION, &report, &err);
    }
}

/* Applies the settings of the startup message; those that are unknown or not
   allowed are ignored. */
static void
set_pairs(struct session *s, const struct pg_startup *m)
{
    struct pg_list pairs = m->pairs;
    const char *report;
    str name, value;
    custos_err err = CUSTOS_ERR_INIT;

    while (pg_pair_next(&pairs, &name, &value)) {
        if (str_equal(name, str_of("options")))
            set_options(s, value);
        else
            (void)!settings_set(&s->settings, name, value, SETTING_SESSION,
                                &report, &err);
    }
}

/* Called before the name is looked up: limits the work that strangers can
   cause. */
static bool
may_try(struct session *s, str user, int64_t now_us)
{
    int64_t wait =
        throttle_try(s->host->throttle, str_of(s->peer.address), user, now_us);
    char hint[64];

    if (!wait)
        return true;
    s->host->crowded(s->host->ctx);
    snprintf(hint, sizeof hint, "try again in %" PRId64 " seconds",
             wait / 1000000 + 1);
    session_fatal(s, "53300", "too many logins, from this address or in total",
                  hint);
    return false;
}

static void
do_startup(struct session *s, const struct pg_startup *m, int64_t now_us)
{
    struct task *t;

    if (s->host->tls && !s->secured) {
        plain_refused(s);
        return;
    }
    if (!m->user.len || m->user.len >= CREDENTIAL_NAME_MAX) {
        session_fatal(s, "28000", "the user name is missing or too long", "");
        return;
    }
    if (!may_try(s, m->user, now_us))
        return;
    s->user = strndup(m->user.ptr, m->user.len);
    s->database = strndup(m->database.ptr, m->database.len);
    t = s->user && s->database ? task_new(TASK_VERIFIER) : NULL;
    if (!t) {
        session_fatal(s, "53200", "out of memory", "");
        return;
    }
    s->key_len = pg_minor_spoken(m) >= 2 ? PG_KEY_MAX : PG_KEY_MIN;
    if (pg_must_negotiate(m))
        pg_out_negotiate(&s->out, m);
    set_pairs(s, m);
    t->user = task_copy(t, m->user);
    s->task = s->running = t;
    s->at = AT_NAMED;
    if (!t->user.ptr)
        session_fatal(s, "53200", "out of memory", "");
}

void
login_first(struct session *s, const struct pg_message *m, size_t rest,
            int64_t now_us)
{
    switch (m->kind) {
    case PG_SSL_REQUEST: ssl_request(s, rest); break;
    case PG_GSS_REQUEST: buf_add(&s->out, "N", 1); break;
    case PG_CANCEL_REQUEST:
        s->cancel = m->cancel;
        s->at = AT_CANCEL;
        break;
    case PG_STARTUP: do_startup(s, &m->startup, now_us); break;
    default: session_fatal(s, "08P01", "unexpected first message", "");
    }
}

void
login_told(struct session *s, struct task *t)
{
    uint8_t nonce[SCRAM_NONCE_BYTES];

    if (t->q.job.stopped) {
        session_fatal(s, "57P03", "the server is stopping", "");
        return;
    }
    if (t->q.status || !(s->scram = calloc(1, sizeof *s->scram))) {
        session_fatal(s, "58000", "logins cannot be checked now", "try again");
        return;
    }
    s->who = t->q.who;
    s->host->chance(s->host->ctx, nonce, sizeof nonce);
    scram_begin(s->scram, &t->verifier, nonce,
                (str){(const char *)s->binding, s->binding_len});
    pg_out_auth_sasl(&s->out, s->binding_len ? PG_SASL_PLUS : PG_SASL_PLAIN);
    s->at = AT_SASL;
}

/* ----------------------------------------------------------------- SASL -- */

static void
login_failed(struct session *s, int64_t now_us)
{
    char said[CREDENTIAL_NAME_MAX + 64];

    throttle_failed(s->host->throttle, str_of(s->peer.address), str_of(s->user),
                    now_us);
    s->host->strayed(s->host->ctx, s->peer.address);
    snprintf(said, sizeof said,
             "password authentication failed for user \"%s\"", s->user);
    utf8_clean(said);
    session_fatal(s, "28P01", said, "");
}

/* Called before anything is compared, so that a refusal reveals nothing about a
   name. Called at both steps of SASL: otherwise many connections could wait at
   the second step and then all guess at once. */
static bool
throttle_is_open(struct session *s, int64_t now_us)
{
    int64_t wait = throttle_wait(s->host->throttle, str_of(s->peer.address),
                                 str_of(s->user), now_us);
    char hint[64];

    if (!wait)
        return true;
    snprintf(hint, sizeof hint, "try again in %" PRId64 " seconds",
             wait / 1000000 + 1);
    session_fatal(s, "28000", "too many failed logins", hint);
    return false;
}

static void
sasl_first(struct session *s, str secret, int64_t now_us)
{
    struct pg_bytes response;
    struct buf reply;
    custos_err err = CUSTOS_ERR_INIT;
    str mechanism;

    buf_init(&reply, NULL, REPLY_BYTES);
    if (!throttle_is_open(s, now_us))
        return;
    if (pg_sasl_first(secret, &mechanism, &response, &err) ||
        response.is_null ||
        scram_first(s->scram, mechanism, response.bytes, &reply, &err) ||
        reply.failed) {
        session_fatal(s, "28000", "not a valid SCRAM-SHA-256 exchange", "");
    } else {
        pg_out_auth_sasl_continue(&s->out, (str){reply.ptr, reply.len});
        s->at = AT_FINAL;
    }
    buf_clear(&reply);
}

/* The login is complete: sends all that a client gets at the start. */
static void
begin_session(struct session *s)
{
    const char *name, *value;

    s->share = share_hold(s->host->shares, str_of(s->who.name));
    s->held.share = s->share;
    s->held.limit = s->host->held_bytes;
    pg_out_auth_ok(&s->out);
    for (size_t i = 0; (name = settings_told(&s->settings, i, &value)); i++)
        pg_out_parameter(&s->out, name, value);
    pg_out_parameter(&s->out, "session_authorization", s->user);
    pg_out_key(&s->out, s->peer.process,
               (str){(const char *)s->peer.key, s->key_len});
    session_ready(s);
}

static void
sasl_final(struct session *s, str secret, int64_t now_us)
{
    const char *refused;
    struct buf reply;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;

    if (!throttle_is_open(s, now_us))
        return;
    buf_init(&reply, NULL, REPLY_BYTES);
    st = scram_final(s->scram, secret, &reply, &err);
    if (st || reply.failed) {
        login_failed(s, now_us);
        buf_clear(&reply);
        return;
    }
    throttle_passed(s->host->throttle, str_of(s->peer.address), str_of(s->user),
                    now_us);
    scram_clear(s->scram);
    free(s->scram);
    s->scram = NULL;
    refused = s->host->enter(s->host->ctx, &s->who, &err);
    if (refused) {
        session_fatal(s, refused, err.said, err.hint);
    } else {
        pg_out_auth_sasl_final(&s->out, (str){reply.ptr, reply.len});
        begin_session(s);
    }
    buf_clear(&reply);
}

void
login_step(struct session *s, const struct pg_message *m, int64_t now_us)
{
    if (m->kind == PG_TERMINATE)
        s->at = AT_END;
    else if (m->kind != PG_SECRET)
        session_fatal(s, "08P01", "a message of the login was expected", "");
    else if (s->at == AT_SASL)
        sasl_first(s, m->text, now_us);
    else
        sasl_final(s, m->text, now_us);
}
