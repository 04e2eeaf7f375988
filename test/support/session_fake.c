#include "support/session_fake.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "support/support.h"
#include "wire/scram_hash.h"

/* ----------------------------------------------------------------- host -- */

static void
chance(void *ctx, uint8_t *bytes, size_t n)
{
    (void)ctx;
    memset(bytes, 7, n);
}

static const char *
enter(void *ctx, const struct credential *who, custos_err *err)
{
    struct fake *f = ctx;

    (void)who;
    if (!f->refuse_entry)
        return NULL;
    custos_fail(err, CUSTOS_EBUSY, "no place");
    return "53300";
}

static void
strayed(void *ctx, const char *address)
{
    struct fake *f = ctx;

    (void)address;
    f->strayed++;
}

static void
crowded(void *ctx)
{
    struct fake *f = ctx;

    f->crowded++;
}

static void
again(void *ctx, const struct credential *who, uint64_t seq)
{
    struct fake *f = ctx;

    (void)who;
    (void)seq;
    f->again++;
}

void
fake_again(struct fake *f)
{
    const struct session_peer peer = {42, "0123456789abcdef0123456789abcde",
                                      "192.0.2.1"};

    session_free(f->session);
    f->session = session_new(&f->host, &peer);
    if (!f->session)
        abort();
    f->sent.len = 0;
}

void
fake_init(struct fake *f, enum fake_tls tls, struct cache *cache)
{
    custos_err err = CUSTOS_ERR_INIT;

    *f = (struct fake){.rows = 2, .now = 1000000000};
    if (sodium_init() < 0 ||
        scram_verifier_make(str_of("pencil"),
                            (const uint8_t *)"0123456789abcdef", 16, 1,
                            &f->verifier, &err))
        abort();
    f->host = (struct session_host){
        .limits = {1 << 20, 1000},
        .query_bytes = 1 << 16,
        .tls = tls == FAKE_TLS,
        .throttle = throttle_new(NULL),
        .cache = cache,
        .ctx = f,
        .chance = chance,
        .enter = enter,
        .strayed = strayed,
        .crowded = crowded,
        .again = again,
    };
    buf_init(&f->sent, NULL, 1 << 28);
    buf_init(&f->client_first, NULL, 1 << 12);
    fake_again(f);
}

void
fake_clear(struct fake *f)
{
    task_free(f->held);
    session_free(f->session);
    throttle_free(f->host.throttle);
    buf_clear(&f->sent);
    buf_clear(&f->client_first);
}

/* ---------------------------------------------------------------- tasks -- */

/* Two columns, one of them a key; every question has other values. */
static void
answer(struct fake *f, struct task *t)
{
    struct answer_column columns[] = {
        {.name = str_of("city"), .type = TYPE_TEXT, .is_key = true},
        {.name = str_of("n"), .type = TYPE_INT}};
    struct answer_cell *cells = calloc(f->rows * 2 + 1, sizeof *cells);
    struct answer a = {
        .columns = columns,
        .n_columns = 2,
        .cells = cells,
        .n_rows = f->rows,
        .is_public = f->is_public,
        .receipt.seq = (uint64_t)f->asked,
    };

    for (uint64_t i = 0; i < f->rows; i++) {
        cells[2 * i].value =
            (struct datum){.type = TYPE_TEXT, .text = str_of("Rome")};
        cells[2 * i + 1] = (struct answer_cell){
            .value = {.type = TYPE_INT, .n = (i128)i + f->asked * 1000},
            .has_bar = true,
            .low = {.type = TYPE_INT, .n = -5},
            .high = {.type = TYPE_INT, .n = 5},
        };
    }
    t->q.status = rows_of_answer(&a, &t->formats, 0, &t->rows, &t->q.err);
    if (!f->is_public)
        snprintf(t->cost, sizeof t->cost, "cost epsilon 0.1");
    free(cells);
}

static void
describe(struct fake *f, struct task *t)
{
    static const str names[] = {{"city", 4}, {"n", 1}};
    const struct pg_type types[] = {pg_type_of(TYPE_TEXT, PG_64_BITS),
                                    pg_type_of(TYPE_INT, PG_64_BITS)};

    (void)f;
    t->columns = columns_of(t->a, names, types, 2);
    t->n_columns = 2;
    t->n_params = t->n_types;
    for (size_t i = 0; i + 1 < t->q.ask.sql.len; i++)
        if (t->q.ask.sql.ptr[i] == '$' && t->q.ask.sql.ptr[i + 1] > '0' &&
            t->q.ask.sql.ptr[i + 1] <= '9' &&
            (size_t)(t->q.ask.sql.ptr[i + 1] - '0') > t->n_params)
            t->n_params = (size_t)(t->q.ask.sql.ptr[i + 1] - '0');
    t->params = arena_take(t->a, t->n_params + 1, sizeof *t->params);
    for (size_t i = 0; i < t->n_params; i++)
        t->params[i] =
            i < t->n_types && t->types[i] ? t->types[i] : (uint32_t)PG_INT8;
}

static void
remember(struct fake *f, const struct task *t)
{
    snprintf(f->last_sql, sizeof f->last_sql, "%.*s", (int)t->q.ask.sql.len,
             t->q.ask.sql.ptr);
    snprintf(f->last_epsilon, sizeof f->last_epsilon, "%.*s",
             (int)t->q.ask.epsilon.len, t->q.ask.epsilon.ptr);
    snprintf(f->last_rho, sizeof f->last_rho, "%.*s", (int)t->q.ask.rho.len,
             t->q.ask.rho.ptr);
    f->last_params = t->q.ask.n_params;
}

void
fake_work(struct fake *f, struct task *t)
{
    t->q.err = (custos_err)CUSTOS_ERR_INIT;
    switch (t->kind) {
    case TASK_VERIFIER:
        f->looked_up++;
        t->verifier = f->verifier;
        t->verifier.mock = str_equal(t->user, str_of("nobody"));
        snprintf(t->q.who.name, sizeof t->q.who.name, "%.*s", (int)t->user.len,
                 t->user.ptr);
        return;
    case TASK_DESCRIBE:
    case TASK_CATALOG_DESCRIBE:
        f->described++;
        remember(f, t);
        if (f->refuse)
            t->q.status = custos_fail_at(&t->q.err, f->refuse, 0, "refused");
        else
            describe(f, t);
        return;
    case TASK_BUDGET:
        t->q.status =
            rows_of_text(str_of("custos.budget"), str_of("epsilon 1 left"),
                         &t->rows, &t->q.err);
        return;
    case TASK_READ:
        f->read++;
        t->q.status = statements_read(t->a, t->q.ask.sql, &t->statements,
                                      &t->n_statements, &t->q.err);
        return;
    case TASK_CATALOG:
        f->catalogs++;
        f->is_public = true;
        break;
    case TASK_ANSWER:
        f->asked++;
        f->is_public = false;
        break;
    }
    remember(f, t);
    if (f->refuse)
        t->q.status = custos_fail_at(&t->q.err, f->refuse, 0, "refused");
    else
        answer(f, t);
}

void
fake_bring(struct fake *f)
{
    struct task *t = f->held;

    f->held = NULL;
    if (!t)
        return;
    fake_work(f, t);
    session_told(f->session, t, f->now);
    fake_pump(f);
}

void
fake_pump(struct fake *f)
{
    for (;;) {
        struct buf *out = session_out(f->session);

        buf_add(&f->sent, out->ptr, out->len);
        buf_clear(out);
        switch (session_need(f->session)) {
        case NEED_WORK:
            if (f->held)
                return;
            f->held = session_task(f->session);
            if (!f->held)
                abort();
            if (f->hold)
                return;
            {
                struct task *t = f->held;

                f->held = NULL;
                fake_work(f, t);
                session_told(f->session, t, f->now);
            }
            break;
        case NEED_TURN:
            f->turns++;
            f->now++;
            session_sent(f->session, f->now);
            break;
        case NEED_SPACE: session_sent(f->session, f->now); break;
        case NEED_TLS:
            session_secured(f->session,
                            str_of("0123456789abcdef0123456789abcdef"), f->now);
            break;
        default: return;
        }
    }
}

/* --------------------------------------------------------------- client -- */

void
fake_feed(struct fake *f, const void *bytes, size_t len, size_t piece)
{
    const char *p = bytes;

    while (len) {
        size_t n = piece && piece < len ? piece : len;

        session_receive(f->session, (str){p, n}, f->now);
        fake_pump(f);
        p += n;
        len -= n;
    }
}

static void
add_number(struct buf *b, uint32_t n, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        char c = (char)(n >> (8 * i));

        buf_add(b, &c, 1);
    }
}

void
fake_message(struct buf *out, char type, const char *format, va_list args)
{
    struct buf body;

    buf_init(&body, NULL, 1 << 24);
    for (; *format; format++) {
        if (*format == 's') {
            const char *text = va_arg(args, const char *);

            buf_add(&body, text, strlen(text) + 1);
        } else if (*format == 'b') {
            const char *bytes = va_arg(args, const char *);

            buf_add(&body, bytes, (size_t)va_arg(args, int));
        } else {
            add_number(&body, va_arg(args, uint32_t), *format - '0');
        }
    }
    if (type)
        buf_add(out, &type, 1);
    add_number(out, (uint32_t)body.len + 4, 4);
    buf_add(out, body.ptr, body.len);
    buf_clear(&body);
}

void
fake_send(struct fake *f, char type, const char *format, ...)
{
    struct buf all;
    va_list args;

    buf_init(&all, NULL, 1 << 24);
    va_start(args, format);
    fake_message(&all, type, format, args);
    va_end(args);
    fake_feed(f, all.ptr, all.len, 0);
    buf_clear(&all);
}

void
fake_startup(struct fake *f, const char *user)
{
    fake_send(f, 0, "4ssss1", 196608u, "user", user, "options",
              "-c extra_float_digits=2", 0u);
}

static void
hmac(const uint8_t *key, size_t n, str text, uint8_t out[32])
{
    crypto_auth_hmacsha256_state h;

    crypto_auth_hmacsha256_init(&h, key, n);
    crypto_auth_hmacsha256_update(&h, (const uint8_t *)text.ptr, text.len);
    crypto_auth_hmacsha256_final(&h, out);
}

/* The salted password, by PBKDF2. */
static void
salted(const char *password, const struct scram_verifier *v, uint8_t out[32])
{
    uint8_t u[32];
    char block[80];

    memcpy(block, v->salt, v->salt_len);
    memcpy(block + v->salt_len, "\0\0\0\1", 4);
    hmac((const uint8_t *)password, strlen(password),
         (str){block, v->salt_len + 4}, u);
    memcpy(out, u, 32);
    for (uint32_t i = 1; i < v->iterations; i++) {
        hmac((const uint8_t *)password, strlen(password), (str){(char *)u, 32},
             u);
        for (int k = 0; k < 32; k++)
            out[k] ^= u[k];
    }
}

void
fake_final(const struct scram_verifier *v, const char *binding,
           const char *password, const char *server_first, struct buf *out)
{
    uint8_t key[32], client[32], stored[32], signature[32];
    const char *r = server_first, *end = strchr(server_first, ',');
    struct buf said;

    buf_init(&said, NULL, 1 << 12);
    buf_printf(out, "c=%s,%.*s", binding, end ? (int)(end - r) : 0, r);
    buf_printf(&said, "n=,r=abcdefghijklmnop,%s,%s", server_first,
               buf_text(out));
    salted(password, v, key);
    hmac(key, 32, str_of("Client Key"), client);
    crypto_hash_sha256(stored, client, 32);
    hmac(stored, 32, (str){said.ptr, said.len}, signature);
    for (int i = 0; i < 32; i++)
        client[i] ^= signature[i];
    buf_add_text(out, ",p=");
    scram_add_base64(out, client, 32);
    buf_clear(&said);
}

void
fake_login(struct fake *f, const char *user, const char *password)
{
    const char *first =
        f->host.tls ? "y,,n=,r=abcdefghijklmnop" : "n,,n=,r=abcdefghijklmnop";
    struct buf last;
    char server[512] = "";
    size_t at;

    buf_init(&last, NULL, 1 << 12);
    fake_startup(f, user);
    at = f->sent.len;
    fake_send(f, 'p', "s4b", "SCRAM-SHA-256", (uint32_t)strlen(first), first,
              (int)strlen(first));
    if (f->sent.len > at + 9)
        snprintf(server, sizeof server, "%.*s", (int)(f->sent.len - at - 9),
                 f->sent.ptr + at + 9);
    fake_final(&f->verifier, f->host.tls ? "eSws" : "biws", password, server,
               &last);
    fake_send(f, 'p', "b", buf_text(&last), (int)last.len);
    buf_clear(&last);
}

/* ----------------------------------------------------------------- said -- */

static size_t
number_at(const char *p)
{
    const uint8_t *b = (const uint8_t *)p;

    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

/* A field of an error or notice. */
static const char *
field(const char *body, const char *end, char which)
{
    while (body < end && *body) {
        if (*body == which)
            return body + 1;
        body += strlen(body) + 1;
    }
    return "";
}

static void
word_of(char type, const char *body, size_t len, struct buf *out)
{
    const char *space = out->len ? " " : "";

    switch (type) {
    case 'S':
    case 'K': break;
    case 'R': buf_printf(out, "%sR%zu", space, number_at(body)); break;
    case 'Z': buf_printf(out, "%sZ:%c", space, *body); break;
    case 'C':
        buf_printf(out, "%sC:%s", space, body);
        for (size_t i = out->len - strlen(body); i < out->len; i++)
            if (out->ptr[i] == ' ')
                out->ptr[i] = '_';
        break;
    case 'E':
    case 'N':
        buf_printf(out, "%s%c:%s", space, type, field(body, body + len, 'C'));
        break;
    default: buf_printf(out, "%s%c", space, type);
    }
}

const char *
fake_words(const char *p, size_t len, char text[4096])
{
    const char *end = p + len;
    struct buf out;

    buf_init(&out, NULL, 1 << 24);
    while (p < end) {
        if (end - p == 1 || ((*p == 'N' || *p == 'S') && end - p < 5)) {
            buf_printf(&out, "%s%c", out.len ? " " : "", *p == 'N' ? '-' : '+');
            p++;
            continue;
        }
        word_of(*p, p + 5, number_at(p + 1) - 4, &out);
        p += 1 + number_at(p + 1);
    }
    snprintf(text, 4096, "%s", buf_text(&out));
    buf_clear(&out);
    return text;
}

const char *
fake_said(struct fake *f, char text[4096])
{
    fake_words(f->sent.ptr, f->sent.len, text);
    f->sent.len = 0;
    return text;
}
