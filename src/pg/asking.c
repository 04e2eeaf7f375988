/*
 * A question and its answer, for the simple and the extended protocol.
 *
 * The loop itself gives a cached answer again if a worker thread has confirmed
 * within the last FRESH_US that the analyst's credential is valid and that
 * policy and data are those of the cache. Otherwise a worker thread answers the
 * question and so confirms both again; an answer that is stored is still free.
 */
#include <strings.h>

#include "base/error.h"
#include "pg/session_inside.h"

static void
add_formats(struct buf *key, const struct formats *f)
{
    for (size_t i = 0; i < f->n; i++)
        buf_add(key, f->of[i] == PG_BINARY ? "b" : "t", 1);
}

static void
add_params(struct buf *key, const struct portal *p)
{
    for (size_t i = 0; i < p->of->n_params; i++) {
        const struct datum *d = &p->params[i];

        buf_add(key, (const char *)&d->type, sizeof d->type);
        buf_add(key, (const char *)&d->scale, sizeof d->scale);
        buf_add(key, (const char *)&d->n, sizeof d->n);
        key_add(key, d->text);
    }
}

/* The cache key: all that the answer depends on except policy and data. */
static void
key_write(struct session *s, const struct asking *a)
{
    struct buf *key = &s->key;

    key->len = 0;
    if (!a->text.len || !s->host->cache)
        return;
    key_add(key, str_of(s->who.name));
    key_add(key, str_of(settings_get(&s->settings, "custos.epsilon")));
    key_add(key, str_of(settings_get(&s->settings, "custos.rho")));
    key_add(key, str_of(settings_get(&s->settings, "custos.within")));
    key_add(key, str_of(settings_get(&s->settings, "custos.jointly")));
    key_add(key, a->text);
    if (a->portal) {
        add_formats(key, &a->portal->formats);
        key_add(key, str_of(""));
        add_params(key, a->portal);
    }
    if (key->failed)
        buf_clear(key);
}

static bool
wants_notices(const struct session *s)
{
    const char *level = settings_get(&s->settings, "client_min_messages");

    return strcasecmp(level, "warning") != 0 && strcasecmp(level, "error") != 0;
}

static void
send_notice(struct session *s, const char *cost, str bars)
{
    struct pg_report r = {
        .severity = PG_NOTICE,
        .sqlstate = "00000",
        .message = str_of(cost),
        .detail = bars,
    };

    if (*cost && wants_notices(s))
        pg_out_report(&s->out, &r);
}

struct rows *
asking_cached(struct session *s, const struct asking *a, int64_t now_us)
{
    struct rows *rows;

    key_write(s, a);
    if (!s->key.len || now_us - s->confirmed_us > FRESH_US ||
        share_is_full(s->share, SHARE_MESSAGES))
        return NULL;
    rows = cache_find(s->host->cache, (str){s->key.ptr, s->key.len});
    if (rows) {
        send_notice(s, "answered before: free", rows->bars);
        s->host->again(s->host->ctx, &s->who, rows->seq);
    }
    return rows;
}

static bool
no_memory(struct session *s)
{
    s->running = NULL;
    session_refuse(s, "53200", "out of memory");
    return false;
}

static bool
copy_portal(struct task *t, const struct portal *p)
{
    size_t n = p->of->n_params, k = p->formats.n;
    enum pg_format *formats = arena_take(t->a, k + 1, sizeof *formats);
    struct datum *params = arena_take(t->a, n + 1, sizeof *params);
    struct catalog_value *texts = arena_take(t->a, n + 1, sizeof *texts);

    if (!formats || !params || !texts)
        return false;
    for (size_t i = 0; i < k; i++)
        formats[i] = p->formats.of[i];
    for (size_t i = 0; i < n && p->params; i++) {
        params[i] = p->params[i];
        if (params[i].type == TYPE_TEXT &&
            !(params[i].text = task_copy(t, params[i].text)).ptr)
            return false;
    }
    for (size_t i = 0; i < n && p->texts; i++) {
        texts[i] = p->texts[i];
        if (!texts[i].is_null &&
            !(texts[i].text = task_copy(t, texts[i].text)).ptr)
            return false;
    }
    t->formats = (struct formats){formats, k};
    t->q.ask.params = params;
    t->q.ask.n_params = n;
    t->catalog.params = texts;
    t->catalog.n_params = n;
    return true;
}

/* Copies price, texts and parameters into the task. */
static bool
fill_task(struct session *s, struct task *t, const struct asking *a)
{
    const char *jointly = settings_get(&s->settings, "custos.jointly");

    t->q.ask.sql = t->catalog.sql = task_copy(t, a->sql);
    t->q.ask.epsilon =
        task_copy(t, str_of(settings_get(&s->settings, "custos.epsilon")));
    t->q.ask.rho =
        task_copy(t, str_of(settings_get(&s->settings, "custos.rho")));
    t->q.ask.within =
        task_copy(t, str_of(settings_get(&s->settings, "custos.within")));
    t->q.ask.jointly = *jointly == '1' || !strcasecmp(jointly, "on") ||
                       !strcasecmp(jointly, "true") ||
                       !strcasecmp(jointly, "yes");
    t->q.quiet = !wants_notices(s);
    t->catalog.database = task_copy(t, str_of(s->database));
    return t->q.ask.sql.ptr && t->q.ask.epsilon.ptr && t->q.ask.rho.ptr &&
           t->q.ask.within.ptr && t->catalog.database.ptr &&
           (!a->portal || copy_portal(t, a->portal));
}

bool
asking_begin(struct session *s, const struct asking *a, enum session_then then)
{
    bool catalog = a->statement->kind == STATEMENT_CATALOG;
    bool describe = then == THEN_PARSE;
    bool holds = then == THEN_EXECUTE || then == THEN_FETCH;
    custos_err err = CUSTOS_ERR_INIT;
    struct task *t;

    if (holds && held_has_room(&s->held, &err)) {
        session_fail(s, &err, str_of(""));
        return false;
    }
    t = session_want(s,
                     catalog ? (describe ? TASK_CATALOG_DESCRIBE : TASK_CATALOG)
                             : (describe ? TASK_DESCRIBE : TASK_ANSWER),
                     then);
    if (!t)
        return false;
    return fill_task(s, t, a) || no_memory(s);
}

/* Reports the task's error. Its position counts from the statement, which
   begins at byte `at` of text. */
static void
fail_at(struct session *s, const struct task *t, str text, int at)
{
    custos_err err = t->q.err;

    if (err.at >= 0)
        err.at += at;
    session_fail(s, &err, text);
}

bool
asking_failed(struct session *s, const struct task *t, str text, int at)
{
    if (t->q.job.stopped)
        session_refuse(s, "57P01",
                       t->q.job.begun
                           ? "the server is stopping; what was charged stays "
                             "charged"
                           : "the server is stopping; nothing was charged");
    else if (t->q.lost)
        session_fatal(s, "28000", t->q.err.said, t->q.err.hint);
    else if (t->q.status)
        fail_at(s, t, text, at);
    else
        return false;
    return true;
}

struct rows *
asking_end(struct session *s, struct task *t, int64_t now_us)
{
    struct cache *cache = s->host->cache;

    send_notice(s, t->cost, t->rows->bars);
    send_notice(s, t->note ? t->note : "",
                t->cost[0] ? str_of("") : t->rows->bars);
    if (!cache || t->kind != TASK_ANSWER)
        return t->rows; /* only answers report policy and version */
    s->confirmed_us = now_us;
    if (cache_facts(cache, t->q.policy, t->q.version) && s->key.len &&
        t->cost[0])
        cache_put(cache, (str){s->key.ptr, s->key.len}, t->rows);
    return t->rows;
}
