/*
 * The simple query protocol: a text of statements, done one after the other up to
 * the first error; ReadyForQuery ends it.
 */
#include "pg/session_inside.h"

enum { BATCH_BYTES = 1 << 26 };

static str
sql_of(const struct batch *b, const struct statement *st)
{
    return (str){b->text.ptr + st->at, (size_t)st->len};
}

/* A question whose answer is cached is not even parsed. */
static bool
give_cached(struct session *s, str text, int64_t now_us)
{
    const struct asking a = {.text = text};
    struct rows *rows;

    if (s->state == PG_IN_FAILED || !(rows = asking_cached(s, &a, now_us)))
        return false;
    session_give(s, rows);
    return true;
}

void
simple_query(struct session *s, str text, int64_t now_us)
{
    struct batch *b = &s->batch;

    held_close_prepared(&s->held, str_of(""));
    held_close_portal(&s->held, str_of(""));
    if (give_cached(s, text, now_us))
        return;
    b->a = arena_new(NULL, BATCH_BYTES);
    if (!b->a) {
        session_refuse(s, "53200", "out of memory");
        s->skip = false;
        session_ready(s);
        return;
    }
    if (text.len > s->host->query_bytes) {
        session_refuse(s, "54000", "the query is longer than %zu bytes",
                       s->host->query_bytes);
        return;
    }
    reading_batch(s, text);
}

void
simple_read(struct session *s)
{
    if (s->batch.n)
        return; /* simple_go runs them */
    pg_out_word(&s->out, PG_EMPTY_QUERY);
    session_ready(s);
}

static void
begin_question(struct session *s, const struct statement *st)
{
    struct batch *b = &s->batch;
    const struct asking a = {
        .statement = st,
        .sql = sql_of(b, st),
    };

    /* the cache key was written when the text came; a text of several statements
       has none */
    if (b->n > 1 || st->kind != STATEMENT_SELECT)
        buf_clear(&s->key);
    (void)asking_begin(s, &a, THEN_SIMPLE);
}

static void
do_show(struct session *s, const struct statement *st)
{
    struct rows *rows;

    if (show_is_budget(st)) {
        (void)session_want(s, TASK_BUDGET, THEN_SIMPLE);
        return;
    }
    rows = show_rows(s, st, s->batch.text, NULL);
    if (!rows)
        return;
    session_give(s, rows);
    rows_drop(rows);
}

/* Does the next statement of the batch; called again when that one is done. */
void
simple_go(struct session *s, int64_t now_us)
{
    struct batch *b = &s->batch;
    const struct statement *st;

    if (b->i == b->n) {
        session_ready(s);
        return;
    }
    st = &b->of[b->i++];
    if (!statement_allowed(s, st))
        return;
    if (statement_asks(st->kind))
        begin_question(s, st);
    else if (st->kind == STATEMENT_SHOW)
        do_show(s, st);
    else
        (void)statement_do(s, st, b->text, now_us);
}

void
simple_told(struct session *s, struct task *t, int64_t now_us)
{
    struct batch *b = &s->batch;

    if (asking_failed(s, t, b->text, b->of[b->i - 1].at))
        return;
    session_give(s, asking_end(s, t, now_us));
}
